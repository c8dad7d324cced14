package trace_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"

	"github.com/ttlvet/ttlvet/internal/sources"
	"github.com/ttlvet/ttlvet/internal/trace"
)

// wide returns a package of about that many lines, as generated code and
// grown services have them: many functions and methods, most of which have
// nothing to do with the client, some that write and read, helpers that call
// each other, structs with fields stored in many places, long switches.
func wide(lines int) string {
	var b strings.Builder
	b.WriteString(`package wide

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
)

type Store struct {
	tbl    *bigtable.Table
	family string
	ttl    time.Duration
	count  int
}

func New(client *bigtable.Client) *Store {
	return &Store{tbl: client.Open("sessions"), family: "token", ttl: time.Hour}
}

func put0(mut *bigtable.Mutation, family string, ts bigtable.Timestamp) { mut.Set(family, "x", ts, nil) }

func filter0(expired bool) bigtable.Filter {
	if expired {
		return bigtable.PassAllFilter()
	}
	return bigtable.TimestampRangeFilter(time.Now(), time.Time{})
}
`)
	const unit = `
type Record%[1]d struct {
	Name, Family string
	At           time.Time
	Count        int
	Next         *Record%[1]d
}

func (r *Record%[1]d) Fill(in map[string]string) error {
	for k, v := range in {
		switch k {
		case "name":
			r.Name = v
		case "family":
			r.Family = v
		case "count":
			if _, err := fmt.Sscan(v, &r.Count); err != nil {
				return fmt.Errorf("count of %%s: %%w", r.Name, err)
			}
		default:
			if r.Next == nil {
				r.Next = &Record%[1]d{Name: k}
			}
			if err := r.Next.Fill(map[string]string{k: v}); err != nil {
				return err
			}
		}
	}
	return nil
}

func put%[1]d(mut *bigtable.Mutation, family string, ts bigtable.Timestamp) {
	if family == "" {
		family = "token"
	}
	put%[2]d(mut, family, ts)
}

func filter%[1]d(expired bool) bigtable.Filter {
	if expired {
		return bigtable.ChainFilters(bigtable.LatestNFilter(%[1]d+1), filter%[2]d(expired))
	}
	return filter%[2]d(false)
}

func (s *Store) Write%[1]d(ctx context.Context, r *Record%[1]d) error {
	mut := bigtable.NewMutation()
	ts := bigtable.Time(r.At)
	for i := 0; i < r.Count; i++ {
		if i%%2 == 0 {
			ts = bigtable.Time(time.Now().Add(s.ttl))
		}
		put%[1]d(mut, s.family, ts)
	}
	s.count += r.Count
	s.ttl = time.Duration(%[1]d+1) * time.Minute
	return s.tbl.Apply(ctx, r.Name, mut)
}

func (s *Store) Read%[1]d(ctx context.Context, key string, expired bool) (*Record%[1]d, error) {
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(filter%[1]d(expired)))
	if err != nil {
		return nil, err
	}
	r := &Record%[1]d{}
	for _, item := range row[s.family] {
		r.Name += string(item.Value)
	}
	return r, r.Fill(map[string]string{"name": r.Name})
}
`
	per := strings.Count(unit, "\n")
	for i := 1; i*per < lines; i++ {
		// Chains of helpers of up to eight calls.
		below := i - 1
		if i%8 == 1 {
			below = 0
		}
		fmt.Fprintf(&b, unit, i, below)
	}
	return b.String()
}

// branches returns a function of n branches, each of which writes: what code
// generators make of a message of n optional fields.
func branches(n int) string {
	var fields, writes strings.Builder
	for i := range n {
		fmt.Fprintf(&fields, "\tF%d *string\n", i)
		fmt.Fprintf(&writes, "\tif r.F%[1]d != nil {\n\t\tmut.Set(\"token\", \"c%[1]d\", bigtable.Now(), []byte(*r.F%[1]d))\n\t}\n", i)
	}
	return "package wide\n\nimport \"cloud.google.com/go/bigtable\"\n\ntype R struct {\n" + fields.String() +
		"}\n\nfunc write(mut *bigtable.Mutation, r *R) {\n" + writes.String() + "}\n"
}

// generated writes a package into a module with the client and loads it.
func generated(t testing.TB, source string) *sources.Program {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(module(t, "facts"), name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "wide.go"), []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	program, err := sources.Load(dir, false, ".")
	if err != nil {
		t.Fatal(err)
	}
	return program
}

func traceAll(t testing.TB, program *sources.Program) *trace.Result {
	t.Helper()
	graph, err := checker.Analyze([]*analysis.Analyzer{trace.Analyzer}, program.Packages, nil)
	if err != nil {
		t.Fatal(err)
	}
	root := graph.Roots[0]
	if root.Err != nil {
		t.Fatal(root.Err)
	}
	return root.Result.(*trace.Result)
}

// TestLargePackage: a package of 20,000 lines is not given up, and what the
// tracer does with it grows with the package, not with its square. Work is counted
// in allocations, since time depends on what else the machine does;
// BenchmarkTrace has that.
func TestLargePackage(t *testing.T) {
	const lines = 20_000
	allocated := func(lines int) float64 {
		program := generated(t, wide(lines))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := traceAll(t, program)
		runtime.ReadMemStats(&after)
		n := after.Mallocs - before.Mallocs
		t.Logf("%d lines, %d events: %d allocations", lines, len(r.Events), n)
		if !r.Reaches || len(r.Events) < lines/100 {
			t.Errorf("only %d events of %d lines: the package was given up", len(r.Events), lines)
		}
		return float64(n)
	}
	if small, large := allocated(lines/8), allocated(lines); large > 12*small {
		t.Errorf("eight times the lines take %.1f times the allocations", large/small)
	}
}

// TestBranches: a function of thousands of branches is not given up.
func TestBranches(t *testing.T) {
	const n = 2_000
	writes := 0
	for _, e := range traceAll(t, generated(t, branches(n))).Events {
		if e.Op == "bigtable.Mutation.Set" && e.Cases[0].Args[3].Is("bigtable.Now") {
			writes++
		}
	}
	if writes != n {
		t.Errorf("%d of %d writes are traced", writes, n)
	}
}

func BenchmarkTrace(b *testing.B) {
	for _, lines := range []int{2_000, 20_000} {
		b.Run(fmt.Sprint(lines), func(b *testing.B) {
			program := generated(b, wide(lines))
			for b.Loop() {
				traceAll(b, program)
			}
		})
	}
}

// BenchmarkBranches traces a function and asks for the order of each pair of
// its writes.
func BenchmarkBranches(b *testing.B) {
	for _, n := range []int{100, 1_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			program := generated(b, branches(n))
			for b.Loop() {
				r := traceAll(b, program)
				for _, e := range r.Events {
					for _, f := range r.Events {
						e.Precedes(f)
					}
				}
			}
		})
	}
}
