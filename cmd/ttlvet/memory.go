package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

const (
	// Up to lateLimit the heap is not collected at all: most units of a vet tool
	// take less, and a tenth of a second, a quarter of which would go into
	// collections.
	lateLimit = 128 << 20 // bytes
	// From there to firstLimit it may double before it is collected, as usual, and
	// near it is collected earlier: lint jobs are killed for their peak, and what
	// a collection costs is little beside what the go command does.
	firstLimit = 360 << 20 // bytes
)

// boundMemory sets these limits, and raises the second with what is in use. It
// leaves alone what the user has chosen.
func boundMemory() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(lateLimit)
	var late sync.Once
	afterCollection(func() {
		late.Do(func() {
			debug.SetGCPercent(100)
			debug.SetMemoryLimit(firstLimit)
		})
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		if n := live[0].Value.Uint64(); n > firstLimit*2/3 {
			debug.SetMemoryLimit(int64(2 * n))
		}
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
