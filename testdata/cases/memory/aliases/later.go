package aliases

import "cloud.google.com/go/bigtable"

func again[V any](n int, v V) V {
	if n == 0 {
		return v
	}
	return again(n-1, v)
}

// What a literal reads is set between the place where it is made and the one that runs it.
func okSetBefore(mut *bigtable.Mutation) {
	x, y := &inner{ts: bigtable.Now()}, &inner{ts: later()}
	o := &outers{ptrs: []*inner{x, y}}
	f := func() bigtable.Timestamp { return o.ptrs[0].ts }
	x.put(y.ts)
	mut.Set("token", "c", again(3, f()), nil)
}

type outers struct{ ptrs []*inner }

func okSetBeforeOne(mut *bigtable.Mutation) {
	x := &inner{ts: bigtable.Now()}
	o := &outers{ptrs: []*inner{x}}
	f := func() bigtable.Timestamp { return o.ptrs[0].ts }
	x.put(later())
	mut.Set("token", "c", f(), nil)
}

func okSetBeforeAgain(mut *bigtable.Mutation) {
	x := &inner{ts: bigtable.Now()}
	o := &outers{ptrs: []*inner{x}}
	f := func() bigtable.Timestamp { return o.ptrs[0].ts }
	x.put(again(3, later()))
	mut.Set("token", "c", f(), nil)
}

func setBefore(mut *bigtable.Mutation) {
	x := &inner{ts: later()}
	o := &outers{ptrs: []*inner{x}}
	f := func() bigtable.Timestamp { return o.ptrs[0].ts }
	x.put(bigtable.Now())
	mut.Set("token", "c", f(), nil) // want `write-time`
}
