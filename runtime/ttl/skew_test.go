//go:build go1.25

package ttl_test

import (
	"testing"
	"testing/synctest"
	"time"

	"cloud.google.com/go/bigtable"
	"github.com/ttlvet/ttlvet/runtime/ttl"
)

// TestSkew takes a lease and looks at it until it ends, by clocks that differ
// from the holder's by up to the skew: with the allowance everybody sees it for
// as long as the holder has it, and at most twice the skew longer.
func TestSkew(t *testing.T) {
	t.Parallel()
	const lease, skew = 10 * time.Second, 2 * time.Second
	for _, test := range []struct {
		name    string
		family  ttl.Expiring
		allowed time.Duration
	}{
		{"one-second", ttl.OneSecond("f", lease), 0},
		{"default", ttl.Default("f", lease), 0},
		{"one-second with skew", ttl.OneSecond("f", lease).Skew(skew), skew},
		{"default with skew", ttl.Default("f", lease).Skew(skew), skew},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				table := ttl.NewTable("t", test.family)
				e := newEmulator(t, table)
				// The server's clock is the holder's, and it collects at once.
				must(e.admin.SetGCPolicy(t.Context(), "t", "f", table.Conf().ColumnFamilies["f"].GCPolicy))
				end := time.Now().Add(lease)
				e.apply("set", func(m *bigtable.Mutation) error { return test.family.Set(m, "c", value) })
				e.apply("for", func(m *bigtable.Mutation) error { return test.family.SetFor(m, "c", value, lease) })
				e.apply("until", func(m *bigtable.Mutation) error { return test.family.SetUntil(m, "c", value, end) })
				e.apply("replace", func(m *bigtable.Mutation) error { return test.family.Replace(m, "c", value, lease) })
				e.apply("replace until", func(m *bigtable.Mutation) error { return test.family.ReplaceUntil(m, "c", value, end) })
				for _, key := range []string{"set", "for", "until", "replace", "replace until"} {
					if got := test.family.Expiry(e.read(key)["f"][0]); !got.Equal(end) {
						t.Errorf("%s: expires at %v, want %v", key, got, end)
					}
				}
				sees := func(key string, clock time.Duration) bool {
					return e.values(key, table.LiveAt(time.Now().Add(clock))) != ""
				}
				time.Sleep(lease - time.Millisecond) // the last moment of the lease
				for _, key := range []string{"set", "for", "until", "replace", "replace until"} {
					if !sees(key, 0) || !sees(key, -skew) {
						t.Errorf("%s: the lease is not seen", key)
					}
					if got, want := sees(key, skew), test.allowed > 0; got != want {
						t.Errorf("%s: a clock that is ahead sees the lease: %v, want %v", key, got, want)
					}
				}
				time.Sleep(test.allowed + 2*time.Millisecond)
				if sees("set", 0) || !sees("set", -skew) {
					t.Error("the lease is not over")
				}
			})
		})
	}
}
