// Package sweep finds the scans that look for what is to be deleted.
//
// It knows the program. It gives whether a function deletes cells
// ([Finder.Deletes]), and whether what is given the rows of a scan uses cells only to
// delete them: a callback ([Finder.Cells], [Finder.Callback]), the loops over an
// iterator ([Finder.Loops]), the caller of a function ([Finder.Caller]). It must not
// know what is wrong with a scan that does neither.
//
// Where to begin: sweep.go, then cells.go; derived.go for helpers, and iterate.go for
// iterators.
package sweep
