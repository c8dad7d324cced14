package buildcache

import (
	"os/exec"
	"testing"
)

// TestExports holds that what is in the cache is found, that what is not is
// not compiled, and that a package is found only with all that it imports.
func TestExports(t *testing.T) {
	t.Setenv("GOCACHE", t.TempDir())
	find := func(deps bool, paths ...string) map[string]string {
		t.Helper()
		exports, err := Exports(nil, deps, paths...)
		if err != nil {
			t.Fatal(err)
		}
		return exports
	}
	for range 2 {
		exports := find(true, "errors")
		if len(exports) < 10 {
			t.Errorf("%d packages; errors imports more", len(exports))
		}
		for path, file := range exports {
			if file != "" && path != "unsafe" {
				t.Errorf("%s is there in an empty cache: %s", path, file)
			}
		}
	}
	if out, err := exec.Command("go", "build", "unicode/utf8").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	exports := find(false, "unicode/utf8", "errors")
	if len(exports) != 2 || exports["unicode/utf8"] == "" || exports["errors"] != "" {
		t.Errorf("only unicode/utf8 has been compiled: %v", exports)
	}
}

func TestQuote(t *testing.T) {
	for path, want := range map[string]string{
		"/bin/ttlvet":       `'/bin/ttlvet'`,
		`C:\Program Files\`: `'C:\Program Files\'`,
		"/home/o'hara/t":    `"/home/o'hara/t"`,
	} {
		if got := quote(path); got != want {
			t.Errorf("quote(%s) = %s, not %s", path, got, want)
		}
	}
}
