package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The packages that answer for most units, in place of the compiler, and for all
// units, are initialised before what takes time: one import more in them can end
// that without anybody seeing it.
func TestEarlyComesFirst(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	at := func(path string) int { return strings.Index(string(out), "\ninit "+path+" @") }
	late := []string{"regexp", "net/http", "google.golang.org/grpc", "github.com/ttlvet/ttlvet/internal/registry"}
	for name, late := range map[string][]string{
		"early":   append(late, "go/types"),
		"instead": late,
		"unit":    {"html/template", "net", "github.com/yuin/goldmark/extension", "google.golang.org/grpc"},
	} {
		early := "github.com/ttlvet/ttlvet/cmd/ttlvet/internal/" + name
		if at(early) < 0 {
			t.Fatalf("%s is not initialised:\n%s", early, out)
		}
		for _, path := range late {
			if at(path) < at(early) {
				t.Errorf("%s is initialised at %d, before %s at %d", path, at(path), name, at(early))
			}
		}
	}
}
