// Package trace resolves the values that matter to Bigtable — column family,
// column, timestamp, table, filter, read options, garbage collection policy,
// mutation — and finds the calls at which they take effect.
//
// # What it yields
//
// The package's [Analyzer] reports nothing. Its result, a [Result], lists the
// events of a package: each call of the client (a write, a read, a policy),
// with its arguments as abstract values, one [Case] for each combination of
// values that can reach it together. A call of a function that passes its
// arguments on to the client is an event too, at that call; so is, across
// packages, the call of a constructor whose argument ends up in a field that
// a write uses. What a function does with its parameters and what it returns
// is its summary, in the fact of its package, so that wrappers are seen through
// in any number of packages.
//
// # Layers
//
// Tracing is read from the bottom up. Each package knows those above it in
// this list and no other:
//
//	summary  what is known of functions without their code, and the facts that hold it
//	kind     what types, constants, functions and instructions are
//	control  the order in which a function's instructions run
//	heap     which objects pointers may point to, and what may write to them
//	program  SSA, and indexes of what stands where
//	way      one way through the program: its choices, what they imply, and lists
//	memory   what variables, fields and the objects behind pointers hold
//	eval     values, backwards from a use, on one way at a time
//	uses     what becomes of rows, cells, times and mutations, forwards
//	event    the calls of the client
//	callers  the calls that lead to those
//	policy   the garbage collection policies that events set
//	result   all of them, and which table each is about
//	trace    the analyzer, and the facts that it writes
//
// Rules import this package only. A test holds the order.
//
// # Why SSA
//
// Tracing works on golang.org/x/tools/go/ssa, not on syntax, because the
// questions are about flow: which assignment reaches a use, on which branch,
// after which guard; what a closure captured; which of two calls on one
// mutation comes first. SSA answers them with phi nodes, dominators and
// referrers, treats methods, method values, embedding and generics alike, and
// makes summaries simple: a function's result is a tree over its parameters.
// It is cheap where it is built: 64 ms for the 10,000 lines of the client
// itself, and it is built for no package that cannot matter. Syntax is used
// only to say where something stands and to edit it.
//
// # What is not known
//
// What is not found is an unknown value with the reason why, and no rule
// judges those. A limit that is reached is such a reason.
//
// # Facts
//
// A summary says nothing of any configuration: it holds what code does, and
// rules look up families when they report. [summary.Reach] marks the packages that
// can reach Bigtable. What is known of a package and its objects is one fact for
// drivers, of which another package reads what it asks for. Where facts stay in the process
// ([InProcess]), what a function returns is found when another package asks.
package trace
