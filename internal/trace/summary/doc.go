// Package summary holds what is known of functions, variables and packages
// without their code: the facts by which one package learns of another.
//
// It knows values ([github.com/ttlvet/ttlvet/internal/value]) and
// nothing of Go programs: no SSA, no types. It gives the shape of a
// [Summary], of its parts, and their text for tests. It must not know how a
// summary is found, nor what a rule makes of it; and nothing of any
// configuration, since facts are cached without it.
package summary
