// Package escape tells who may call the methods of an object that a package makes:
// whether code that is not in view gets it.
//
// It knows the program and what calls run. It gives whether what a call makes stays
// in the program ([Finder.Keeps]), whether nobody calls a method that a type has of
// what is embedded in it ([Finder.PromotedIdle]), and the objects that are handed on
// as interfaces, with the methods that only others call ([Finder.Filled]). It errs
// towards others: what may get out of view is taken to. It must not know what the
// methods do.
package escape
