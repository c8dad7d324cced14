// Package collection resolves lists, maps and channels: their elements, their
// parts, and what a loop makes of them turn by turn.
//
// It knows the program and one way through it, which it asks for the values of
// elements and for choices among them. It gives values. It must not know where
// a list comes from, nor what its elements are for.
//
// Where to begin: list.go (literals, elements, lookups), then loop.go (what
// grows in a loop).
package collection
