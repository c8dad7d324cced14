// Package result is what tracing found in a package: its events, and what can
// be said of several of them together.
//
// It knows all events, those of callers too. It gives the tables that mutations
// and rows belong to ([Result.EventTables], [Result.Tables]), the events about
// one object ([Result.About]), whether two are of one run ([Result.Together]),
// which writes are repeated to one cell, and how the values of an event were
// found ([Result.Runs]). It must not know what any rule or registry says of a
// family.
//
// Where to begin: result.go, then tables.go.
package result
