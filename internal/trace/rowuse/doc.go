// Package rowuse follows forwards what a program does with the rows of a
// read: which families it looks up, whether it checks the time of cells by
// hand, whether it hands rows on.
//
// It knows the program and the values of names. It gives the uses of the rows
// that a call returns or passes to a callback ([Finder.UsesOf]), and of a
// parameter ([Finder.UsesOfParam]). Rows that go where nobody follows them are
// used whole. It must not know which read the rows are of.
package rowuse
