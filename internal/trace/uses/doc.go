// Package uses follows forwards what becomes of a row, a cell, a time or a
// mutation.
//
//	Flows      which mutations a container may hold when it is applied to a table
//	CellTimes  where the time of a cell is compared with a time: an expiry that is
//	           checked by hand
//	Rows       which families of a read's rows are looked up, and where rows go
//	Sweeps     scans that use cells only to delete them
//	Objects    which methods may run on an object that a call makes
//	Repeats    what each turn of a loop does again, and what stays the same in it
//
// It knows values and what calls run. Where it cannot follow, it errs towards more
// use: a row that goes out of view is used whole, a mutation may go to any table that
// its container may. To store, return or log a time is no check, and what is not
// known is not steady. It must not know events, nor what a rule makes of a use.
//
// One engine follows things from value to value: through conversions, fields, lists,
// maps, channels, literals, iterators and results. The questions are tables of its rules:
// what a comparison, a call, a return does to a row, a cell or a time, and what it means
// that one goes out of sight.
//
// What comes into a function by a call keeps that call as its frame: what the call gives
// beside it tells what a function or an object is that the other calls, and what is
// returned goes back to it alone. Of a function that is asked for its callers, what hangs on
// them is told in terms of its parameters.
//
// Where to begin: forward.go (the engine), frames.go (its calls), then the
// rules: times.go and moments.go (times, and cells and structs that hold them), follow.go,
// handed.go and objects.go (rows), sweptcells.go (what is deleted), fields.go
// (the fields that times are kept in), reached.go (objects), flow.go (mutations, by the way
// back). Of loops turns.go tells.
package uses
