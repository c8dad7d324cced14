// Package flow follows forwards which mutations may be in a container — a
// slice, a map, a struct with a method that adds to it, a channel — when it is
// applied to a table.
//
// It knows the program and what calls run. It gives the sites and parameters
// whose mutations a value may hold ([Flows.ContentsOf]) and what a function
// puts in its parameters ([Flows.Of]). It errs towards more: order, branches
// and indexes do not count, nor do the objects of a type whose fields several
// functions set. What comes of it says only to which tables a mutation may
// go, never that it does. It must not know tables or events.
package flow
