package main

import (
	"fmt"
	"strings"
	"testing"
)

// FuzzPosition: a position is a Go file and a line of at least 1 that stand at
// the beginning of what was given, and is read again as itself; or it is an
// error in one line that quotes what was given.
func FuzzPosition(f *testing.F) {
	for _, s := range []string{"store/sessions.go:70", "a.go:7:12: message of b.go:9 (ttlread/x)", "a.go", "a.go:", "a.go:0", "a.go:-1", "a.go:+5", "a.go:007", "a.go:7-9",
		`C:\x\a.go:3`, ".go:1", "dir.go:1/a.go:2", "a.go:99999999999999999999", "a.gox:1", ".", "", "a.go:1\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		file, line, err := position([]string{s})
		if err != nil {
			if text := err.Error(); strings.Contains(text, "\n") || s != "." && !strings.Contains(text, fmt.Sprintf("%q", s)) {
				t.Errorf("the error for %q is %q", s, text)
			}
			return
		}
		if line < 1 || !strings.HasSuffix(file, ".go") || !strings.HasPrefix(s, file+":") {
			t.Errorf("%q is line %d of %q", s, line, file)
		}
		again, at, err := position([]string{fmt.Sprintf("%s:%d", file, line)})
		if err != nil || again != file || at != line {
			t.Errorf("%q is line %d of %q, and then line %d of %q: %v", s, line, file, at, again, err)
		}
	})
}
