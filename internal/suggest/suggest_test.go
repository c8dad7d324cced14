package suggest

import "testing"

func TestNearest(t *testing.T) {
	for word, want := range map[string]string{
		"explian": "explain", "EXPLAIN": "explain", "trcae": "trace", "store": "", "": "", "x": "",
	} {
		if got := Nearest(word, []string{"explain", "trace", "version"}); got != want {
			t.Errorf("%q becomes %q, not %q", word, got, want)
		}
	}
	if DidYouMean("") != "" || DidYouMean("a") != `; did you mean "a"?` {
		t.Error(DidYouMean("a"))
	}
}
