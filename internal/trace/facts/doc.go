// Package facts writes what is known of a package as one fact, and reads of the
// facts of others what is asked.
//
// An analysis driver reads all facts of whatever a package imports before it
// analyses it, object by object; of a wide package a few are used. Here a
// package has a single fact ([Package]), which holds those of its objects as
// bytes and hands those on that importers of its importers may need.
//
// It knows the facts of [summary] and how drivers pass them on. It gives a
// [Store] that stands in for those functions of an [analysis.Pass] that deal
// with facts. It must not know what facts mean.
//
// Where to begin: store.go (the facts of a pass), then package.go (the fact of
// a package) and part.go (facts of objects, written and read).
package facts
