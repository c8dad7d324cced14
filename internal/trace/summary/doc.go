// Package summary holds what is known of functions, variables and packages
// without their code: the facts by which one package learns of another.
//
// It knows values ([github.com/ttlvet/ttlvet/internal/value]) and
// nothing of Go programs: no SSA. It gives the shape of a [Summary], of its parts, and
// their text for tests. An analysis driver reads all facts of whatever a package imports
// before it analyses it, object by object; of a wide package a few are used. Here a
// package has a single fact ([Package]), which holds those of its objects as bytes and
// hands those on that importers of its importers may need; a [Store] stands in for the
// functions of an [analysis.Pass] that deal with facts. It must not know how a summary
// is found, nor what a rule makes of it; and nothing of any configuration, since facts
// are cached without it.
//
// Where to begin: summary.go, then store.go (the facts of a pass), package.go (the
// fact of a package) and part.go (facts of objects, written and read).
package summary
