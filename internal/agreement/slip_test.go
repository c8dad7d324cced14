package agreement

import "testing"

// TestSlip tells slips from names that are meant to be different.
func TestSlip(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"user-sesions", "user-sessions", true},
		{"token", "tokens", true},
		{"token", "tokne", true}, // two letters, exchanged
		{"usersessions", "user-sessions", true},
		{"profile", "porfile", true},
		{"token", "token", false},
		{"token", "taken1", false},          // two letters of five
		{"sessions", "sections", true},      // who knows
		{"eu-ledger", "us-ledger", false},   // regions
		{"orders-dev", "orders-prd", false}, // environments
		{"v1", "v2", false},
		{"shard-01", "shard-02", false},
		{"shard9", "shard10", false},
		{"ab", "ac", false},
		{"events", "orders", false},
	} {
		if slip(c.a, c.b) != c.want || slip(c.b, c.a) != c.want {
			t.Errorf("%s and %s differ by a slip: %v", c.a, c.b, !c.want)
		}
	}
}
