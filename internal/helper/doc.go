// Package helper is what ttlvet knows of the runtime package: what each of its
// functions and methods does to the data, in terms of the client's calls.
//
// The table is the only place that says so. Tracing puts the arguments of a
// call into it, and rules then see what plain code would show them: a Set with
// its timestamp, a deletion before it, a filter, a policy. A test holds the
// table against the package's API, so that no helper is left out.
//
// A model takes the place of the helper's body because the runtime package is
// a dependency: where it is compiled there is no body to trace, and what a
// helper checks at run time (a nil mutation, a family that was not declared)
// is no case that a rule should judge.
package helper
