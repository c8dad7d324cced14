// Package program is one Go package in SSA form, with indexes of what stands
// where: who calls whom, what is stored and where, what comes before what.
//
// It knows instructions, types, the facts of other packages and the names of
// the client's API. It gives places: the root of an address and the stores
// that reach a use ([Program.Address], [Reaching]), the static target of a
// call ([Program.Target]), the order of instructions ([Program.Precedes]), the
// expression an instruction came from ([Syntax]), the identities of mutations
// and rows ([Sites]). It must not know what a value is at a place: nothing
// here evaluates.
//
// Where to begin: program.go lists what is indexed, index.go fills it,
// memory.go, call.go and order.go answer questions about it; the other files
// are named for what they recognise.
package program
