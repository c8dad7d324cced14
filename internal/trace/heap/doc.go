// Package heap says which objects the pointers of a package may point to, and
// which instructions may write to a place in memory.
//
// It is an inclusion-based points-to analysis on SSA (Andersen 1994), with the call
// graph found on the way, in the stages of golang.org/x/tools/go/pointer:
//
//	layout.go    what a value of a type is made of: cells
//	solve.go     the algorithm, which knows nothing of Go: sets of cells that grow
//	             along copies, and constraints that are told of each new cell
//	space.go     memory: objects and the cells that they are laid out in
//	object.go    objects, by where they are made, and those from outside the package
//	instance.go  functions, those that hand objects on once for each call of them
//	generate.go  an instruction's constraints
//	call.go      what calls bind, and what they run
//	given.go     what code that is not followed may hand back
//	heap.go      a package's heap, and which instructions write where
//	place.go     the questions: where a value may lie, and what writes there
//
// A value takes as many nodes as its type has cells: one for each leaf that is no
// struct or array, and one before the parts of each struct and array, for the whole.
// The elements of an array, a slice or a channel share their cells, as the keys of a
// map and its elements do: which of two elements is meant, the reader of the index
// must tell. A pointer's node holds the first cell of what it points to.
//
// What comes from outside the package points to objects that are made up for it: one
// for each parameter and each call, and one for each pointer in those as it is
// followed. Two parameters are taken for two objects unless a call in view gives
// both the same. Functions of other packages are taken to write nothing, but what
// they are given to call is called. So the answer holds for what is in view: what a
// function out of view may do to an object that it is given is another question.
package heap
