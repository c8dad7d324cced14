// Package celltime follows the times of cells to where they are compared with a
// time: to an expiry that is checked by hand.
//
// It knows the program and its values. It gives whether some cells are checked
// ([Finder.CheckedCells]), whether a function checks those that it is given
// ([Finder.ChecksTime]), whether a time is compared at all ([Finder.Comparison]), and
// which fields hold times of cells ([Finder.HeldIn]). To store, return or log a time is no check; to compare it
// with another cell's neither. It must not know rows, nor of which read cells are.
package celltime
