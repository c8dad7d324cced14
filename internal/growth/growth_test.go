package growth_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/go/analysis/checker"

	"github.com/ttlvet/ttlvet/analyzers"
	"github.com/ttlvet/ttlvet/internal/sources"
)

const registry = `version: 1
tables:
  sessions:
    families:
      token: {strategy: one-second-expiration, ttl: 30m}
      profile: {strategy: real-timestamps}
`

// load writes a package into a module with the client and loads it.
func load(t testing.TB, source string) *sources.Program {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join("..", "trace", "testdata", "facts", name))
		if err != nil {
			t.Fatal(err)
		}
		write(name, string(text))
	}
	write("shape.go", source)
	write("ttlvet.yaml", registry)
	program, err := sources.Load(dir, false, ".")
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// run analyses the program's package with the whole suite, and returns what is found.
func run(t testing.TB, program *sources.Program) int {
	t.Helper()
	graph, err := checker.Analyze(analyzers.Suite(), program.Packages, &checker.Options{Sequential: true})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, root := range graph.Roots {
		if root.Err != nil {
			t.Fatal(root.Err)
		}
		found += len(root.Diagnostics)
	}
	return found
}

func BenchmarkShapes(b *testing.B) {
	for _, s := range shapes {
		for _, n := range []int{s.n / 4, s.n / 2, s.n} {
			b.Run(fmt.Sprintf("%s/%d", s.name, n), func(b *testing.B) {
				program := load(b, s.source(n))
				b.ReportAllocs()
				for b.Loop() {
					b.ReportMetric(float64(run(b, program)), "findings")
				}
			})
		}
	}
}
