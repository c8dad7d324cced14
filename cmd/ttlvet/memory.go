package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// Below firstLimit the heap may double before it is collected, as usual.
// Up to this it is collected earlier: lint jobs are killed for their peak, and
// what a collection costs is little beside what the go command does.
const firstLimit = 360 << 20 // bytes

// boundMemory sets the limit, and raises it with what is in use. It leaves
// alone what the user has chosen.
func boundMemory() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetMemoryLimit(firstLimit)
	afterCollection(func() {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		if n := live[0].Value.Uint64(); n > firstLimit*2/3 {
			debug.SetMemoryLimit(int64(2 * n))
		}
	})
}

// lateLimit is how far the heap of a vet tool grows before it is collected at
// all. Most units take less, and a tenth of a second, a quarter of which would
// go into collections.
const lateLimit = 128 << 20 // bytes

// collectLate sets that limit. It leaves alone what the user has chosen.
func collectLate() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(lateLimit)
	var once sync.Once
	afterCollection(func() {
		once.Do(func() {
			debug.SetGCPercent(100)
			boundMemory()
		})
	})
}

// afterCollection calls f after each collection of garbage.
func afterCollection(f func()) {
	type sentinel struct{ _ [16]byte }
	var renew func(*sentinel)
	renew = func(s *sentinel) {
		f()
		runtime.SetFinalizer(s, renew)
	}
	runtime.SetFinalizer(&sentinel{}, renew)
}
