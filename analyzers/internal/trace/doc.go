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
// is its [Summary], a fact of its object, so that wrappers are seen through
// in any number of packages.
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
// itself, and it is built for no package that cannot reach Bigtable. Syntax is
// used only to say where something stands and to edit it.
//
// # How values are found
//
// [path] evaluates backwards from a use. Where more than one value can
// arrive (a phi, a loop over a literal, several stores to a field, several
// results of a call) it chooses one, remembers the choice, and evaluation is
// run again for the others; everything that hangs on one choice changes
// together, so that values which belong together are never mixed. A choice
// that a parameter decides leaves a [Guard] on the case: calls that know the
// parameter drop the cases that it rules out.
//
// Two questions are asked forwards as well. What functional options set is
// decided where their list is put together, so a field that they may set is
// a value over that list ([value.Optioned]). And which table a mutation goes
// to may hang on a batch, a channel or a map that it was put in: [flow]
// follows contents, without regard to order, for that one question.
//
// What is not found is an unknown value with the reason why, and no rule
// judges those.
//
// # Facts
//
// A [Summary] says nothing of any configuration: it holds what code does, and
// rules look up families when they report. [Reach] marks the packages that
// can reach Bigtable; all others are left without so much as being looked
// at.
package trace
