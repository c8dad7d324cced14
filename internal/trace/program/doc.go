// Package program is one Go package in SSA form, with indexes of what stands
// where: who calls whom, what is stored and where, what channels carry.
//
// It knows what single things are and in which order they run (the layers
// below), and the facts of other packages. It gives places: the root of an
// address and the stores that reach a use ([Program.Address], [Reaching]), the
// static target of a call ([Program.Target]), the methods behind an interface
// ([Program.Implementations]), the identities of what is made at a place
// ([Sites]), whether two values are read from one place ([SamePlace]) and two
// conditions ask the same ([SameCondition]), and which channels may be one
// ([Channels]). It must not know what a value is at a place: nothing here evaluates.
//
// Where to begin: program.go lists what is indexed, index.go fills it, memory.go
// and call.go answer questions about it, sameplace.go (reading twice), channels.go; the
// other files are named for what they recognise.
package program
