// Package event finds the places at which values take effect: the client's own
// calls, and conversions, comparisons and raw messages that can be judged by
// themselves.
//
// It knows values, and the uses that are made of rows and mutations. It gives the
// [Event]s of a program, each with the combinations of values that reach it
// ([Tracer.Own]), and what can be asked of one or two of them; and of tables'
// policies that code writes down for others to apply, each [Statement] ([TableConfs]):
// a list in a variable or from a function, a configuration. It must
// not know which calls lead to the function of an event: the layer above writes
// that into its [Link].
//
// Where to begin: event.go (what an event is), then events.go (the client's
// calls), conversions.go, celltimes.go and schemas.go (the others), links.go and
// handson.go (what callers add); listed.go and schemas.go (what is written down).
package event
