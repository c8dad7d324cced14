// Package object finds the places at which objects change after they are
// made: stores through pointers, calls that are given an object, functional
// options.
//
// It knows the program. It gives the touches of an object ([Objects.Touches]),
// what a function sets of its parameters ([Objects.Sets]), which calls may set
// a part of a local variable ([Objects.SetsPart]) and which run options on it
// ([Objects.OptionCalls]). It must not know how a value is found: what is set
// at a place is asked of a [Valuer], which the layer above is.
package object
