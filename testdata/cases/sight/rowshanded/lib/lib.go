// Package lib takes rows.
package lib

import "cloud.google.com/go/bigtable"

// A Handler takes a row.
type Handler func(bigtable.Row)

// A Sink takes rows.
type Sink interface{ Put(bigtable.Row) }

// Token returns the first token.
func Token(row bigtable.Row) string { return string(row["token"][0].Value) }

// Bio returns the biography.
func Bio(row bigtable.Row) string { return string(row["profile"][0].Value) }
