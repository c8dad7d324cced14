package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The package that answers for most units is initialised before what takes
// time: one import more in it can end that without anybody seeing it.
func TestEarlyComesFirst(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	at := func(path string) int { return strings.Index(string(out), "\ninit "+path+" @") }
	early := at("github.com/ttlvet/ttlvet/cmd/ttlvet/internal/early")
	if early < 0 {
		t.Fatalf("not initialised:\n%s", out)
	}
	for _, late := range []string{"go/types", "net/http", "google.golang.org/grpc", "github.com/ttlvet/ttlvet/analyzers/internal/registry"} {
		if i := at(late); i < early {
			t.Errorf("%s is initialised at %d, before %d", late, i, early)
		}
	}
}
