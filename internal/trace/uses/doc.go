// Package uses follows forwards what becomes of a row, a cell, a time or a
// mutation.
//
//	Flows      which mutations a container may hold when it is applied to a table
//	CellTimes  where the time of a cell is compared with a time: an expiry that is
//	           checked by hand
//	Rows       which families of a read's rows are looked up, and where rows go
//	Sweeps     scans that use cells only to delete them
//	Repeats    what each turn of a loop does again, and what stays the same in it
//
// It knows values and what calls run. Where it cannot follow, it errs towards more
// use: a row that goes out of view is used whole, a mutation may go to any table that
// its container may. To store, return or log a time is no check, and what is not
// known is not steady. It must not know events, nor what a rule makes of a use.
//
// Where to begin: flow.go (mutations), checked.go and compared.go (times), follow.go
// (rows), sweep.go, turns.go.
package uses
