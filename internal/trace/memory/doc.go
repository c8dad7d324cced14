// Package memory resolves what variables, fields and the objects behind
// pointers hold when an instruction reads them, on one way at a time.
//
//	Reader   what an address holds ([Reader.Load]): of a local variable the stores
//	         that reach the use, of a package variable all of them ([Reader.Global]),
//	         of a field of an object from elsewhere what the package puts there
//	         ([Reader.Field]); the arguments of a call, as they are by then
//	Objects  where objects change after they are made: stores through pointers, calls
//	         that are given an object, functional options
//
// It knows the program and one way through it. It must not know what calls return: what
// the arguments of a call decide is asked of a [Settler], which the layer above is.
//
// Where to begin: memory.go (who asks what), load.go (local variables), last.go (the
// writes that may be the last), global.go and field.go (what many functions share),
// change.go (objects that were changed since), handle.go (what a table came through),
// touches.go (what changes objects).
package memory
