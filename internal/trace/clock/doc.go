// Package clock finds the calls that read the clock although it is not known
// what they run: of a function in a field, of an interface's method Now.
//
// It knows the program, and by a [Caller], which the layer above is, what calls
// return. It gives the result of such a call as a reading of the clock
// ([Clocks.Reading], [Clocks.Readings]), where all that is known to be given for
// it tells the current time ([Clocks.TellNow]). It must not know what is made of
// a reading, nor any name that clocks usually have.
//
// Where to begin: clock.go, then given.go (what a program gives for a clock).
package clock
