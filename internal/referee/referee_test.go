package referee

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ttlvet/ttlvet/internal/referee/record"
)

var (
	seed  = flag.Uint64("seed", 1, "the seed of the programs")
	count = flag.Int("programs", 500, "how many programs")
	only  = flag.Int("program", -1, "the number of the only program, of which all is told")
	keep  = flag.String("keep", "", "a directory in which the modules of the only program are left")
)

// batch is how many programs are built and analysed at once.
const batch = 500

// leastFound is the share of the faults that programs show which ttlvet has to find, in
// per cent.
const leastFound = 90

// TestProgram tells all of one program: its source, what is said of it, and what it did.
func TestProgram(t *testing.T) {
	if *only < 0 {
		t.Skip("no -program is given")
	}
	// Those that share its package come along: they may be what makes the difference.
	p := Generate(*seed, *only)
	var beside []*Program
	for i := *only / batch * batch; i < (*only/batch+1)*batch; i++ {
		if other := Generate(*seed, i); other.Subject.Name == p.Subject.Name {
			beside = append(beside, other)
		}
	}
	i := slices.IndexFunc(beside, func(other *Program) bool { return other.Number == p.Number }) / perPackage * perPackage
	_, findings, requests := tried(t, beside[i:min(i+perPackage, len(beside))])
	n := 0
	for line := range strings.Lines(p.Source(p.Subject.Name, false)) {
		n++
		at := fmt.Sprintf("%s.go:%d", p.Name(), n)
		t.Logf("%3d %s", n, strings.TrimRight(line, "\n"))
		for _, f := range findings {
			if f.At == at {
				t.Logf("    ^ %s (%s)", f.Message, f.Rule)
			}
		}
		for _, r := range requests {
			if slices.Contains(r.Stack, at) {
				t.Logf("    > %s", strings.Join(r.Rules, ", "))
			}
		}
	}
}

// TestReferee runs random programs and holds what ttlvet says of them to what they do.
func TestReferee(t *testing.T) {
	n := *count
	if os.Getenv("TTLVET_SLOW") != "" && n == 500 {
		n = 20_000
	}
	faults, found := 0, 0
	missed, had := map[string]int{}, map[string]int{}
	for from := 0; from < n; from += batch {
		var programs []*Program
		for i := from; i < min(from+batch, n); i++ {
			programs = append(programs, Generate(*seed, i))
		}
		v := verdict(t, programs)
		faults, found = faults+v.Faults, found+v.Found
		for _, p := range programs {
			of := mechanisms(p.Body)
			of[fmt.Sprintf("%d statements", len(p.Body)-1)] = true
			for m := range of {
				missed[m] += len(v.Misses[p])
				had[m] += v.Wrong[p]
			}
		}
		for p := range v.Contradictions {
			t.Logf("program %d of seed %d contradicts", p.Number, *seed)
		}
		for _, p := range shrunk(t, v) {
			t.Errorf("a finding that no execution bears out:\n%s", p)
		}
	}
	t.Logf("%d of %d faults found (%.1f %%)", found, faults, 100*float64(found)/float64(max(faults, 1)))
	if n >= batch && found*100 < faults*leastFound {
		t.Errorf("less than %d %% of the faults are found", leastFound)
	}
	for _, m := range slices.SortedFunc(maps.Keys(had), func(a, b string) int {
		return cmp.Or(cmp.Compare(missed[b]*had[a], missed[a]*had[b]), cmp.Compare(a, b))
	}) {
		t.Logf("%5.1f %% missed of %5d with %s", 100*float64(missed[m])/float64(max(had[m], 1)), had[m], m)
	}
}

// mechanisms are those of a program.
func mechanisms(body []Stmt) map[string]bool {
	out := map[string]bool{}
	for _, s := range body {
		if s.Mechanism != "" && s.Mechanism != "beginning" {
			out[s.Mechanism] = true
		}
		maps.Copy(out, mechanisms(s.Body))
		maps.Copy(out, mechanisms(s.Else))
	}
	return out
}

// verdict runs and analyses programs, and judges.
func verdict(t *testing.T, programs []*Program) *Verdict {
	t.Helper()
	programs, findings, requests := tried(t, programs)
	return Judge(programs, findings, requests)
}

// tried runs and analyses programs.
func tried(t *testing.T, programs []*Program) ([]*Program, []Finding, []*record.Request) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := *keep
	if dir == "" {
		if dir, err = os.MkdirTemp(t.TempDir(), "batch"); err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
	}
	b, err := NewBatch(dir, root, programs)
	if err != nil {
		t.Fatal(err)
	}
	requests, err := b.Execute()
	if err != nil {
		t.Fatal(err)
	}
	findings, err := b.Analyze()
	if err != nil {
		t.Fatal(err)
	}
	return programs, findings, requests
}

// shrunk returns the programs that contradict, made small, as what is left of their
// functions and what is said of them.
func shrunk(t *testing.T, v *Verdict) (out []string) {
	t.Helper()
	var programs []*Program
	for p := range v.Contradictions {
		programs = append(programs, p)
	}
	slices.SortFunc(programs, func(a, b *Program) int { return cmp.Compare(a.Number, b.Number) })
	numbers := map[*Program]int{}
	for _, p := range programs {
		numbers[p] = p.Number
	}
	err := Shrink(programs, func(candidates []*Program) ([]bool, error) {
		v := verdict(t, candidates)
		fails := make([]bool, len(candidates))
		for i, c := range candidates {
			fails[i] = len(v.Contradictions[c]) > 0
		}
		return fails, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(programs) == 0 {
		return nil
	}
	for i, p := range programs {
		p.Number = i
	}
	last := verdict(t, programs)
	for _, p := range programs {
		var b strings.Builder
		lines(&b, p.Body[1:], "\t")
		for _, f := range last.Contradictions[p] {
			b.WriteString("\t// " + f.At + ": " + f.Message + "\n")
		}
		declared, _, _ := strings.Cut(p.Body[0].Text, "\nvar h0")
		out = append(out, "\t// seed "+p.Subject.Name+"\n\t"+strings.ReplaceAll(declared, "\n", "\n\t")+"\n"+calls(b.String(), false))
	}
	return out
}
