// Package control says in which order a function's instructions run: what
// comes before what, what loops hold, which conditions hold where.
//
// It knows the blocks of functions. It gives order ([Graphs.Precedes],
// [Graphs.Reachable]), blocks that exclude each other ([Graphs.Exclusive]), the
// exits of loops with their conditions ([Graphs.Exits], [Conditions]), the
// block that an object must pass through to get anywhere ([Reaches]). It must
// not know other functions, memory or values.
//
// Where to begin: order.go, then exits.go.
package control
