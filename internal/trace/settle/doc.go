// Package settle resolves, in a value that was found before, what has become known
// since: at a call, what its arguments decide in a value of the callee; in a loop
// that receives, what the sender decides.
//
// It knows values, and what memory holds on one way at a time. It gives a value in
// which elements of lists, conditions, calls of functions and what iterators yield
// are what has become of them ([Settler.Settle]); structs with the fields that were
// left until they are asked for ([Settler.Force]); values as the sender sees them
// ([Settler.FromSender]); and a case for each answer to a condition that is left
// ([Spelled]). What stays open stays in the value, for the callers of the caller. It
// must not know how values are found, nor what reads the clock: what functions
// return and iterators yield is asked of a [Caller], which the layer above is.
//
// Where to begin: settle.go (one case per kind of what was open), then calls.go
// (functions that have become known).
package settle
