package trace_test

import (
	"bytes"
	"encoding/gob"
	"go/types"
	"path/filepath"
	"reflect"
	"sort"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"

	"github.com/ttlvet/ttlvet/internal/sources"
	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/trace/summary"

	"github.com/ttlvet/ttlvet/internal/wants"
)

func module(t testing.TB, name string) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestFacts holds the facts of functions, variables and packages against
// what testdata/facts wants.
func TestFacts(t *testing.T) {
	trace.DebugPanics()
	program, err := sources.Load(module(t, "facts"), true, "./...")
	if err != nil {
		t.Fatal(err)
	}
	wants.Check(t, program, trace.Analyzer, wants.Below(module(t, "facts"), "./..."))
}

// A stored fact is one as drivers write it into files.
type stored struct {
	of    string // package, object and type of the fact
	bytes []byte
	text  string
	fact  analysis.Fact
}

// storedFacts traces a module and encodes every fact, sorted by what it is of.
func storedFacts(t testing.TB, dir string) []stored {
	t.Helper()
	program, err := sources.Load(dir, false, "./...")
	if err != nil {
		t.Fatal(err)
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{trace.Analyzer}, program.Packages, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out []stored
	add := func(of string, fact analysis.Fact) {
		var b bytes.Buffer
		if err := gob.NewEncoder(&b).Encode(fact); err != nil {
			t.Fatalf("%s: %v", of, err)
		}
		out = append(out, stored{of + " " + reflect.TypeOf(fact).String(), b.Bytes(), fact.(interface{ String() string }).String(), fact})
	}
	for _, root := range graph.Roots {
		if root.Err != nil {
			t.Fatal(root.Err)
		}
		for _, f := range root.AllPackageFacts() {
			if f.Package == root.Package.Types {
				add(f.Package.Path(), f.Fact)
				f.Fact.(*summary.Package).Objects(func(obj types.Object, fact analysis.Fact) { add(obj.String(), fact) })
			}
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].of < out[j].of })
	return out
}

// TestFactsRoundTrip: a fact that a driver wrote and reads again says the
// same, and writes the same once more.
func TestFactsRoundTrip(t *testing.T) {
	total, largest := 0, stored{}
	list := storedFacts(t, module(t, "facts"))
	kinds := map[string]int{}
	for _, f := range list {
		back := reflect.New(reflect.TypeOf(f.fact).Elem()).Interface().(analysis.Fact)
		if err := gob.NewDecoder(bytes.NewReader(f.bytes)).Decode(back); err != nil {
			t.Errorf("%s: %v", f.of, err)
			continue
		}
		if got := back.(interface{ String() string }).String(); got != f.text {
			t.Errorf("%s came back as\n%s\nand was\n%s", f.of, got, f.text)
		}
		var b bytes.Buffer
		if err := gob.NewEncoder(&b).Encode(back); err != nil || !bytes.Equal(b.Bytes(), f.bytes) {
			t.Errorf("%s has %d bytes after a round trip, %d before; %v", f.of, b.Len(), len(f.bytes), err)
		}
		t.Logf("%6d bytes  %s", len(f.bytes), f.of)
		total += len(f.bytes)
		kinds[f.of[strings.LastIndexByte(f.of, ' ')+1:]]++
		if _, ok := f.fact.(*summary.Package); !ok && len(f.bytes) > len(largest.bytes) {
			largest = f
		}
	}
	t.Logf("%d facts, %d bytes, %v", len(list), total, kinds)
	// A summary is bounded by the number of its cases and the size of its
	// values; a recursive function comes nearest to both bounds.
	if len(largest.bytes) > 32<<10 {
		t.Errorf("%s has %d bytes", largest.of, len(largest.bytes))
	}
	for _, of := range append(trace.Analyzer.FactTypes, new(summary.Summary)) {
		if kinds[reflect.TypeOf(of).String()] == 0 {
			t.Errorf("testdata has no %T", of)
		}
	}
}

// TestFactsRepeat: two runs write the same bytes, or the go command's cache
// never answers.
func TestFactsRepeat(t *testing.T) {
	a, b := storedFacts(t, module(t, "facts")), storedFacts(t, module(t, "facts"))
	if len(a) != len(b) {
		t.Fatalf("%d facts, then %d", len(a), len(b))
	}
	for i := range a {
		if a[i].of != b[i].of || !bytes.Equal(a[i].bytes, b[i].bytes) {
			t.Errorf("%s differs:\n%s\n%s", a[i].of, a[i].text, b[i].text)
		}
	}
}
