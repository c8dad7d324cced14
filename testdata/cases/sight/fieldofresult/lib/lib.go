// Package lib has names behind what its functions return.
package lib

import "strings"

type layout struct {
	name string
	all  []string
}

// Directory knows the names.
type Directory struct{ cur *layout }

// New returns a directory.
func New() *Directory { return &Directory{&layout{name: "token", all: []string{"token"}}} }

func (d *Directory) load() *layout { return d.cur }

// Family is a field of what a call returns.
func (d *Directory) Family() string { return d.load().name }

// First is made of an element of one.
func (d *Directory) First() string { return strings.ToLower(d.load().all[0]) }
