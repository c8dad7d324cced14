#!/usr/bin/env bash
# Creates the ledger of each region.
set -eu

cbt=(cbt -project "${PROJECT:-shop}" -instance shop-main)

for region in eu us; do
  "${cbt[@]}" createtable "$region-ledger" families=entry
  "${cbt[@]}" setgcpolicy "$region-ledger" entry maxversions=3 # corrected twin
done

# Asia wants its numbers gone after a quarter.
"${cbt[@]}" createtable asia-ledger families=entry,audit # BAD: ttlschema/undeclared
"${cbt[@]}" setgcpolicy asia-ledger entry maxversions=3
"${cbt[@]}" setgcpolicy asia-ledger entry maxage=90d # BAD: ttlschema/inert, ttlgc/age-on-sequence
