// Package event finds the places at which values take effect: calls of the
// client, and calls of functions that pass their arguments on to it.
//
// It knows the values, flows and uses of rows that the layers below find. It
// gives the [Event]s of a package with the combinations of values that reach
// them, the tables that mutations go to, and the policies that events set.
// What a function does with its parameters it hands on to the callers in the
// package ([Tracer.Effects] to those in others). It must not know what any
// rule or registry says of a family.
//
// Where to begin: events.go (the client's own calls), effects.go (the calls
// that lead to them), tables.go (which table).
package event
