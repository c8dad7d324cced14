// Package memory resolves what variables, fields and the objects behind
// pointers hold when an instruction reads them, on one way at a time.
//
// It knows the program, one way through it, and what changes objects after they
// are made. It gives what an address holds ([Reader.Load]): of a local variable
// the stores that reach the use, of a package variable all of them
// ([Reader.Global]), of a field of an object from elsewhere what the package
// puts there ([Reader.Field]); and the arguments of a call, which are objects as
// they are by then ([Reader.Arguments]). It must not know what calls return:
// what the arguments of a call decide is asked of a [Settler], which the layer
// above is.
//
// Where to begin: memory.go (who asks what), load.go (local variables), global.go
// and field.go (what many functions share), change.go (objects that were changed
// since), handle.go (what a table came through).
package memory
