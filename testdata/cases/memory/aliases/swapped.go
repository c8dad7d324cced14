package aliases

import "cloud.google.com/go/bigtable"

// A pointer is replaced after a loop, in a branch. Where the same condition holds again,
// nothing can have passed by that: what it points to is the other.
func okSwapped(mut *bigtable.Mutation, seen []int, swap [2]bool) {
	x, y := &inner{ts: bigtable.Now()}, &inner{ts: later()}
	if swap[1] {
		for i := range seen {
			seen[i]++
		}
		x = y
	}
	if swap[1] {
		mut.Set("token", "c", x.ts, nil)
	}
}

func swapped(mut *bigtable.Mutation, seen []int, swap [2]bool) {
	x, y := &inner{ts: bigtable.Now()}, &inner{ts: later()}
	if swap[1] {
		for i := range seen {
			seen[i]++
		}
		x = y
	}
	if !swap[1] {
		mut.Set("token", "c", x.ts, nil) // want `write-time`
	}
}

// The same by way of a pointer to the variable.
func okSwappedBy(mut *bigtable.Mutation, seen []int, swap [2]bool) {
	x, y := &inner{ts: bigtable.Now()}, &inner{ts: later()}
	p := &x
	if swap[1] {
		for i := range seen {
			seen[i]++
		}
		*p = y
	}
	if swap[1] {
		mut.Set("token", "c", x.ts, nil)
	}
}

func swappedBy(mut *bigtable.Mutation, seen []int, swap [2]bool) {
	x, y := &inner{ts: bigtable.Now()}, &inner{ts: later()}
	p := &x
	if swap[1] {
		for i := range seen {
			seen[i]++
		}
		*p = y
	}
	if !swap[1] {
		mut.Set("token", "c", x.ts, nil) // want `write-time`
	}
}
