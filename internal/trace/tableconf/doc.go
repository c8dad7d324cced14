// Package tableconf finds what code writes down of tables and their families'
// policies for others to apply: lists, and configurations that a function returns,
// fills or creates a table with.
//
// It knows values. It gives each [Statement] of a package that whoever applies it
// gets — a list in a variable ([Finder.Variable]) or from a function
// ([Finder.Result]), a configuration ([Finder.Literal]), an entry of one
// ([Finder.Entry]) — and, of a call that creates a table, the configuration as the
// call is given it ([Finder.Given], [Finder.Made]); and which policy is of one row
// with a family ([Finder.InRow]). It must not know what is applied, nor to which
// table.
//
// Where to begin: listed.go and schemas.go (what others ask for), filled.go (what
// callers supply), conf.go (what is put in before the call), rows.go (what is one
// row of a table of literals).
package tableconf
