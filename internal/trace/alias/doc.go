// Package alias tells by which other ways the same place in memory is read or
// filled.
//
// It knows the program. It gives whether two values are read from one place
// ([SamePlace]) and two conditions ask the same ([SameCondition]); which calls and
// copies lead to the elements of a list ([FillsElements], [Holders],
// [FieldUpdates]); and from when on others have what a function makes ([HandedOut],
// [CapturedAt]). It must not know what is there.
//
// Where to begin: sameplace.go (reading twice), then fills.go (elements) and
// handedout.go (what a function is done with).
package alias
