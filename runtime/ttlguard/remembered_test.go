package ttlguard_test

import (
	"testing"
	"time"

	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/protobuf/proto"

	"github.com/ttlvet/ttlvet/runtime/ttlguard"
)

// TestRemembered: that a filter was right says nothing of one that differs from it,
// or is sent at another time.
func TestRemembered(t *testing.T) {
	clock := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	guard := mustGuard(t, ttlguard.WithLogger(nil), ttlguard.Reject(), ttlguard.WithClock(func() time.Time { return clock }))
	sent := func(f *btpb.RowFilter) error {
		_, err := guard.Begin(t.Context(), dataService+"ReadRows", read("sessions", f))
		return err
	}
	at := func(d time.Duration) int64 { return clock.Add(d).UnixMilli() * 1000 }
	live := func(start int64) *btpb.RowFilter {
		return chain(family("token"), between(start, 0), column("jwt"), latest(1))
	}
	right := live(at(0))
	for range 2 {
		if err := sent(right); err != nil {
			t.Fatal(err)
		}
	}
	if err := sent(live(at(-50 * time.Millisecond))); err != nil {
		t.Errorf("a bound that was made 50 ms before: %v", err)
	}
	wrong := map[string]*btpb.RowFilter{
		"no bound":       chain(family("token"), column("jwt"), latest(1)),
		"an old bound":   live(at(-time.Hour)),
		"an end":         chain(family("token"), between(at(0), at(time.Minute)), column("jwt"), latest(1)),
		"no filter":      nil,
		"another family": chain(family("token|profile"), column("jwt"), latest(1)),
		"a branch":       interleave(right, chain(family("token"), column("x"))),
	}
	for name, f := range wrong {
		if sent(f) == nil {
			t.Errorf("%s: not rejected", name)
		}
		if err := sent(right); err != nil {
			t.Errorf("after %s: %v", name, err)
		}
	}
	// The bytes of a minute ago.
	old := proto.CloneOf(right)
	clock = clock.Add(time.Minute)
	if sent(old) == nil {
		t.Error("the same filter a minute later: not rejected")
	}
	// A program may change what it has sent.
	mine := live(at(0))
	if err := sent(mine); err != nil {
		t.Fatal(err)
	}
	mine.GetChain().Filters = mine.GetChain().Filters[:1]
	if sent(mine) == nil {
		t.Error("a filter that was changed after it was sent: not rejected")
	}
}
