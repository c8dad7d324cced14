// Package heap bounds the memory of the process.
package heap

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// Up to these limits the heap is not collected at all: what would be marked is
// what is known of the packages, nearly all of which is needed to the end. Lint
// jobs are killed for their peak, which is little above.
const (
	ForAll = 340 << 20 // bytes
	// As a vet tool ttlvet runs as often at once as there are processors. Most
	// units take less than this, and a twentieth of a second.
	ForUnit = 128 << 20

	// Beyond them, this much is allocated before the heap is collected again: half as
	// much as is in use costs a third more time, as much again a fifth more memory.
	room = 184 << 20
)

// Bound sets the limit, and raises it with what is in use. It leaves alone
// what the user has chosen.
func Bound(limit uint64) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(int64(limit))
	afterCollection(func() {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		used := live[0].Value.Uint64()
		debug.SetMemoryLimit(int64(max(limit, used+max(room, 3*used/4))))
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
