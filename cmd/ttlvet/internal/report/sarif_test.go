package report

import "testing"

// TestAutomation: runs on the modules of one repository are told apart, and so are
// commands.
func TestAutomation(t *testing.T) {
	for _, c := range []struct{ command, module, want string }{
		{"ttlvet", "/repo", "ttlvet/"},
		{"ttlvet", "/repo/services/shop", "ttlvet/services/shop/"},
		{"ttlvet audit", "/repo/services/shop", "ttlvet-audit/services/shop/"},
		{"ttlvet", "/elsewhere", "ttlvet/"},
	} {
		if got := automation("/repo", c.command, c.module); got != c.want {
			t.Errorf("%s in %s is %q, not %q", c.command, c.module, got, c.want)
		}
	}
}
