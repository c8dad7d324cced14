package kind

import (
	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Operations of this package, as names of calls in values.
const (
	Row   = "row"            // the row that a read returned; the last argument: the identity of the read; before it, of another package, the table, where that opens it
	Cells = "cells"          // the cells of family Args[1] of row Args[0]
	Given = "given mutation" // what a function literal is given to change; Args[0]: the identity of the literal
)

// Makers are the calls whose results are told apart by where they are made.
var Makers = map[string]bool{
	"bigtable.NewMutation":        true,
	"bigtable.NewReadModifyWrite": true,
	btapi.NewCondMutation:         true,
	Row:                           true,
	Given:                         true,
}

// Root returns the identity of a mutation or row, or "".
func Root(v *value.Value) string {
	b := v.Base()
	if b.Kind != value.Call || !Makers[b.Name] || len(b.Args) == 0 {
		return ""
	}
	return b.Args[len(b.Args)-1].Name
}

// OpenedName returns the name under which a client opens the table that a value
// is; nil of a value that is no such table.
func OpenedName(v *value.Value) *value.Value {
	b := v.Base()
	if b.Kind != value.Call || !btapi.Opens(b.Name) || len(b.Args) < 2 {
		return nil
	}
	return b.Args[1]
}

// OfAnyClient returns a value with the clients unknown that open the tables in it.
func OfAnyClient(v *value.Value) *value.Value {
	return v.Rewrite(func(v *value.Value) *value.Value {
		if v.Kind != value.Call || !btapi.Opens(v.Name) || len(v.Args) < 2 || !v.Args[0].HasParams() {
			return nil
		}
		w := *v
		w.Args = append([]*value.Value{value.UnknownFor("a client")}, v.Args[1:]...)
		return &w
	})
}
