// Package recursive has iterators that range over themselves: of what they yield
// so, nothing is known, and of the rest what is.
package recursive

import (
	"iter"

	"cloud.google.com/go/bigtable"
)

type node struct {
	left *node
	name string
}

func (n *node) all() iter.Seq[string] {
	return func(yield func(string) bool) {
		if n == nil {
			return
		}
		for name := range n.left.all() {
			if !yield(name) {
				return
			}
		}
		yield(n.name)
	}
}

func (n *node) each(yield func(string) bool) {
	if n.left != nil {
		for name := range n.left.each {
			if !yield(name) {
				return
			}
		}
	}
	yield("token")
}

func okTree(mut *bigtable.Mutation, n *node) {
	for family := range n.all() {
		mut.Set(family, "c", bigtable.Now(), nil)
	}
}

func method(mut *bigtable.Mutation, n *node) {
	for family := range n.each {
		mut.Set(family, "c", bigtable.Now(), nil) // want `write-time: .*"token"`
	}
}

func literal(mut *bigtable.Mutation, depth int) {
	var self iter.Seq[string]
	self = func(yield func(string) bool) {
		if depth--; depth > 0 {
			for name := range self {
				yield(name)
			}
		}
		yield("token")
	}
	for family := range self {
		mut.Set(family, "c", bigtable.Now(), nil) // want `write-time: .*"token"`
	}
}
