package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"cloud.google.com/go/bigtable/bttest"
)

// TestAdopt rewrites a program to the helpers of the runtime package. It writes
// the same timestamps to an emulator before and after, reads the same cells
// from it, and creates the same policies.
func TestAdopt(t *testing.T) {
	slow(t, "builds and mends the cases")
	c := copyOf(t, "cases")
	before := c.emulated(t)
	if !bytes.Contains(before, []byte("read by newest")) {
		t.Fatalf("the program shows nothing:\n%s", before)
	}
	_, errout := c.exec(t, nil, "ttlvet", "-fix", "-adopt", "./adopt/...")
	if !bytes.Contains(errout, []byte("rewrote ")) || bytes.Contains(errout, []byte("would not compile")) {
		t.Errorf("ttlvet -fix -adopt says\n%s", errout)
	}
	for _, name := range []string{"before/main.go", "before/store.go", "stamps/stamps.go"} {
		golden := filepath.Join("../../testdata/cases/adopt", name+".golden")
		got := read(t, filepath.Join(c.dir, "adopt", name))
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		} else if got != read(t, golden) {
			t.Errorf("%s is not what its golden file says; run with -update, and look at what changes", name)
		}
	}
	c.vet(t)
	if out, _ := c.exec(t, nil, "ttlvet", "-strict", "-disable=ttlwrite/stale-survivor", "./adopt/..."); len(out) > 0 {
		t.Errorf("what was rewritten has findings:\n%s", out)
	}
	if out, _ := c.exec(t, nil, "ttlvet", "-diff", "-adopt", "./adopt/..."); len(out) > 0 {
		t.Errorf("a second run changes\n%s", out)
	}
	if after := c.emulated(t); !bytes.Equal(before, after) {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	c.mend(t, "-adopt")
}

// emulated returns what the program prints of an emulator of its own.
func (c corpus) emulated(t *testing.T) []byte {
	t.Helper()
	srv, err := bttest.NewServer("localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	out, errout := c.exec(t, []string{"BIGTABLE_EMULATOR_HOST=" + srv.Addr}, "go", "run", "./adopt/before")
	if len(errout) > 0 {
		t.Errorf("go run: %s", errout)
	}
	return out
}
