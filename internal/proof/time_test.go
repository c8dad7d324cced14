package proof

import (
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
)

// TestTimestamps: the random tests of the package instant, which do without the
// client, count as it does.
func TestTimestamps(t *testing.T) {
	for _, at := range []time.Time{{}, time.Unix(0, 0), time.Unix(1, 999), time.Unix(-1, 500), time.Date(2262, 1, 1, 0, 0, 0, 1, time.UTC)} {
		if got, want := bigtable.Time(at), bigtable.Timestamp(at.UnixNano()/1e3); got != want {
			t.Errorf("Time(%v) = %d, want %d", at, got, want)
		}
	}
	for _, ts := range []bigtable.Timestamp{0, 1, -1, 999_999, 1_000_001, 1e15} {
		if got, want := ts.Time(), time.Unix(int64(ts)/1e6, int64(ts)%1e6*1e3); !got.Equal(want) {
			t.Errorf("Timestamp(%d).Time() = %v, want %v", ts, got, want)
		}
	}
}
