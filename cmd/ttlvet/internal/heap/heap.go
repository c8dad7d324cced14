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
	ForAll = 260 << 20 // bytes
	// As a vet tool ttlvet runs as often at once as there are processors. Most
	// units take less than this, and a twentieth of a second.
	ForUnit = 128 << 20

	// Beyond them, this much is allocated before the heap is collected again, or that
	// share of what is in use.
	room  = 130 << 20
	share = 2
)

// first is where Go collects first at 100 percent, and in proportion at others.
const first = 4 << 20

// Bound sets the limit, and raises it with what is in use. It leaves alone
// what the user has chosen. Its bounds are for the heap: a memory limit of Go's is for
// all that the runtime holds, a hundred megabytes more here, and near it most of the time
// goes into collections.
func Bound(limit uint64) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(int(limit * 100 / first))
	afterCollection(func() {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		used := max(1, live[0].Value.Uint64())
		next := max(limit, used+max(room, used/share))
		debug.SetGCPercent(int((next - used) * 100 / used))
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
