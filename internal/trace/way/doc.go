// Package way keeps one way through the program: the choices that a run of an
// evaluation makes, what is resolved under them, and the conditions that they
// imply.
// Everything that hangs on one choice changes together, so that values which
// belong together are never mixed. A choice that a parameter decides leaves a
// guard: calls that know the parameter drop the cases that it rules out.
//
// It knows the program, and how to ask for the value of an instruction under
// the choices made so far ([Resolver]). It gives the runs of an evaluation, one
// for each combination of choices ([Way.Runs]); what a value is on one of them
// ([Way.Eval]); conditions on parameters that the way implies ([Way.Guards]),
// and whether it contradicts itself; of lists, maps and channels their elements and
// parts, and what a loop makes of them turn by turn. It must not know how a value is
// resolved.
//
// Where to begin: way.go (choices and runs), then guard.go (the conditions
// under which a block is reached), store.go (those of a store), loop.go (turns
// of a loop), search.go (a loop that is left), turnless.go (a loop of which no
// turn is taken), ahead.go (what an event needs after it) and after.go (what is
// chosen with it); list.go (literals, elements, lookups), changed.go and loop.go (what
// grows in a loop).
package way
