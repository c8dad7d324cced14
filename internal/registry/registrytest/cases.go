// Package registrytest has registry files, good and malformed, for the tests of
// the parser and of the schema.
package registrytest

import "strings"

// Good uses every key.
const Good = `version: 1
tables:
  sessions:
    families:
      token:   {strategy: one-second-expiration, ttl: 30m}
      profile: {strategy: real-timestamps}
  "*-ledger":
    handles: [example.com/app/store.Ledger.tbl, "example.com/app/store.(*Ledger).Table"]
    families:
      entry: {strategy: sequential-numbers, versions: 3}
      clicks:
        strategy: default-expiration
        ttl: 90d
rules:
  disable: [ttlread/conditional-mutation]
  strict: true
baseline: ttlvet.baseline.yaml
wrappers:
  - func: example.com/app/gen.Client.Put
    does: Mutation.Set
    args: {table: sessions, family: 1, timestamp: 3}
`

// A Case is a malformed registry file.
type Case struct{ Name, Text, Want string }

// Malformed are registry files with a mistake each, and a part of what the
// parser says of it.
var Malformed = []Case{
	{"empty", "", `1:1: the file is empty`},
	{"no version", "tables: {}", `1:1: version is missing`},
	{"version", "version: 2", `1:10: version 2 is not known: this ttlvet reads version 1`},
	{"syntax", "version: 1\ntables: [", `2:9: not YAML: `},
	{"unknown key", "version: 1\ntabels: {}", `2:1: unknown key "tabels" in the registry; did you mean "tables"?`},
	{"unknown key of a table", "version: 1\ntables:\n  t:\n    family: {}\n", `4:5: unknown key "family" in table "t"; did you mean "families"?`},
	{"absolute schema", "version: 1\nschema: [/srv/infra/*.tf]", `2:10: "/srv/infra/*.tf" is absolute`},
	{"schema that is no list", "version: 1\nschema: infra", `2:9: schema is "infra", not a list`},
	{"no families", "version: 1\ntables:\n  t: {}\n", `3:3: table "t" has no families`},
	{"no baseline", "version: 1\nbaseline: \"\"\n", `2:11: baseline is empty: name a file, or leave it out`},
	{"list for baseline", "version: 1\nbaseline: [a.yaml]\n", `2:11: baseline is a list, not a word`},
	{"list for mapping", "version: 1\ntables: [a]", `2:9: tables is a list, not a mapping`},
	{"no family", "version: 1\ntables:\n  t:\n    families: {}\n", `4:5: the families of table "t" are empty`},
	{"nothing for families", "version: 1\ntables:\n  t:\n    families:\n", `4:5: the families of table "t" are empty`},
	{"table with a path that is none", "version: 1\ntables:\n  instances/i/tables/t: {families: {f: {strategy: timestamp-zero}}}\n",
		`3:3: "instances/i/tables/t" is not a table name: write its ID, or projects/P/instances/I/tables/ID`},
	{"table with a blank", "version: 1\ntables:\n  my table: {families: {f: {strategy: timestamp-zero}}}\n", `3:3: "my table" is not a table name: it has letters`},
	{"table with a long name", "version: 1\ntables:\n  " + strings.Repeat("a", 51) + ": {families: {f: {strategy: timestamp-zero}}}\n", `is longer than 50 characters`},
	{"table twice, once with its path", "version: 1\ntables:\n  t: {families: {f: {strategy: timestamp-zero}}}\n  projects/p/instances/i/tables/t: {families: {f: {strategy: timestamp-zero}}}\n",
		`4:3: table "t" is there twice: the first is in line 3`},
	{"handle of two tables", "version: 1\ntables:\n  t: {handles: [a/b.C], families: {f: {strategy: timestamp-zero}}}\n  u: {handles: [a/b.(*C)], families: {f: {strategy: timestamp-zero}}}\n",
		`4:17: handle "a/b.C" is there twice, first in line 3: what it names holds one table`},
	{"unquoted pattern", "version: 1\ntables:\n  t: {}\n  *-ledger:\n    families: {}\n", `4:3: quote this pattern, which YAML reads otherwise: "*-ledger"`},
	{"unquoted pattern, the first", "version: 1\ntables:\n  *-ledger:\n    families:\n      f: {strategy: timestamp-zero}\n", `3:3: quote this pattern`},
	{"unquoted pattern in braces", "version: 1\ntables: {*-ledger: {families: {}}}\n", `2:10: quote this pattern, which YAML reads otherwise: "*-ledger"`},
	{"unquoted asterisk", "version: 1\ntables:\n  *:\n    families: {}\n", `3:3: quote this pattern, which YAML reads otherwise: "*"`},
	{"unquoted class", "version: 1\ntables:\n  [ab]-ledger:\n    families: {}\n", `3:3: quote this pattern, which YAML reads otherwise: "[ab]-ledger"`},
	{"tab", "version: 1\ntables:\n\tt:\n\t\tfamilies: {}\n", `3:1: not YAML: a tab: YAML is indented with spaces`},
	{"tab after blanks", "version: 1\ntables:\n  t:\n  \tfamilies: {}\n", `4:3: not YAML: a tab: YAML is indented with spaces`},
	{"wrong indentation", "version: 1\ntables:\n  t:\n    families: {f: {strategy: timestamp-zero}}\n   handles: [x]\n", `5:4: not YAML: this does not fit here: look at the indentation`},
	{"missing colon", "version: 1\ntables:\n  t\n    families:\n", `3:3: not YAML: a colon is missing behind this`},
	{"empty ttl", family("{strategy: default-expiration, ttl: ''}"), `5:46: ttl is empty: write it like 30m`},
	{"bad pattern", "version: 1\ntables:\n  '[x': {families: {}}", `3:3: "[x" is not a table name or path.Match pattern`},
	{"unknown strategy", family("{strategy: one-second}"), `5:21: unknown strategy "one-second"; did you mean "one-second-expiration"?`},
	{"misspelt strategy", family("{strategy: timestmp-zero}"), `did you mean "timestamp-zero"?`},
	{"no strategy", family("{ttl: 5m}"), `5:7: family "f" has no strategy`},
	{"missing ttl", family("{strategy: default-expiration}"), `5:7: family "f" needs its ttl`},
	{"missing versions", family("{strategy: sequential-numbers}"), `5:7: family "f" needs versions`},
	{"ttl without unit", family("{strategy: default-expiration, ttl: 30}"), `5:46: ttl "30" has no unit: write 30s, 30m, 30h or 30d`},
	{"wrong unit", family("{strategy: default-expiration, ttl: 30min}"), `5:46: ttl "30min" has an unknown unit: write 30m`},
	{"unknown unit", family("{strategy: default-expiration, ttl: 3parsec}"), `has an unknown unit: the units are ms, s, m, h and d`},
	{"not a duration", family("{strategy: default-expiration, ttl: soon}"), `"soon" is not a duration`},
	{"negative", family("{strategy: default-expiration, ttl: -5m}"), `"-5m" is not a positive duration`},
	{"zero", family("{strategy: default-expiration, ttl: 0s}"), `"0s" is not a positive duration`},
	{"field of another strategy", family("{strategy: sequential-numbers, versions: 3, ttl: 5m}"), `5:54: a family with sequential-numbers has no ttl; it has versions`},
	{"field of none", family("{strategy: timestamp-zero, versions: 3}"), `it has no field beside strategy`},
	{"versions", family("{strategy: sequential-numbers, versions: 0}"), `5:51: versions is "0", not a whole number of at least 1`},
	{"versions in words", family("{strategy: sequential-numbers, versions: three}"), `versions is "three", not a whole number`},
	{"max-age", family("{strategy: one-second-expiration, max-age: 1h}"), `5:44: max-age 1h is more than the one second`},
	{"family twice", "version: 1\ntables:\n  t:\n    families:\n      f: {strategy: timestamp-zero}\n      f: {strategy: real-timestamps}\n",
		`6:7: "f" is twice in the families of table "t": the first is in line 5`},
	{"table twice", "version: 1\ntables:\n  t: {families: {}}\n  t: {families: {}}\n", `4:3: "t" is twice in tables`},
	{"family name", "version: 1\ntables:\n  t:\n    families:\n      'a b': {strategy: timestamp-zero}\n", `5:7: "a b" is not the name of a column family`},
	{"handle", "version: 1\ntables:\n  t:\n    handles: [tbl]\n    families: {}\n", `4:15: "tbl" is not a handle`},
	{"handles", "version: 1\ntables:\n  t:\n    handles: a/b.c\n    families: {}\n", `4:14: handles is "a/b.c", not a list: write [a/b.c]`},
	{"unknown rule", "version: 1\nrules:\n  disable: [ttlread/mising-filter]\n", `3:13: unknown rule "ttlread/mising-filter"; did you mean "ttlread/missing-filter"?`},
	{"bare category", "version: 1\nrules:\n  enable: [stale-survivor]\n", `did you mean "ttlwrite/stale-survivor"?`},
	{"strict", "version: 1\nrules: {strict: yes please}\n", `2:17: strict is "yes please", not true or false`},
	{"wrapper call", "version: 1\nwrappers:\n  - func: a/b.C\n    does: Mutation.Put\n", `4:11: unknown call "Mutation.Put"; did you mean "Mutation.Set"?`},
	{"wrapper argument", "version: 1\nwrappers:\n  - func: a/b.C\n    does: Table.ReadRow\n    args: {fliter: 1}\n", `5:12: unknown key "fliter" in args of Table.ReadRow; did you mean "filter"?`},
	{"wrapper constant", "version: 1\nwrappers:\n  - func: a/b.C\n    does: Mutation.Set\n    args: {timestamp: now}\n", `timestamp is "now", not the position of a parameter`},
	{"wrapper incomplete", "version: 1\nwrappers:\n  - func: a/b.C\n", `a wrapper needs func and does`},
	{"empty baseline", "version: 1\nbaseline: ''\n", `2:11: baseline is empty`},
	{"second document", "version: 1\n---\nversion: 1\n", `a second document`},
	{"merge key", "version: 1\ntables:\n  <<: {a: b}\n", `merge keys are not supported`},
}

// family is a registry with one family, described by s.
func family(s string) string {
	return "version: 1\ntables:\n  t:\n    families:\n      f: " + s + "\n"
}
