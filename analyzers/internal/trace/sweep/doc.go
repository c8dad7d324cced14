// Package sweep finds the scans that look for what is to be deleted.
//
// It knows the program. It gives whether a function deletes cells
// ([Finder.Deletes]), and whether the callback of a scan uses cells only to
// delete them ([Finder.Cells]). It must not know what is wrong with a scan that
// does neither.
//
// Where to begin: sweep.go, then cells.go, and derived.go for helpers.
package sweep
