package referee

import (
	"slices"
	"strings"
	"testing"

	"github.com/ttlvet/ttlvet/internal/referee/record"
)

// The same seed and number are the same program; another number is another.
func TestGenerate(t *testing.T) {
	p, q, r := Generate(3, 5), Generate(3, 5), Generate(3, 6)
	q.Number, r.Number = p.Number, p.Number
	if p.Source("p", false) != q.Source("p", false) {
		t.Error("one seed and number make two programs")
	}
	if p.Source("p", false) == r.Source("p", false) {
		t.Error("two numbers make one program")
	}
}

// All mechanisms come up among the programs that the suite runs.
func TestMechanisms(t *testing.T) {
	met := map[string]bool{}
	for i := range 500 {
		for m := range mechanisms(Generate(1, i).Body) {
			met[m] = true
		}
	}
	if len(met) < 30 {
		t.Errorf("%d mechanisms", len(met))
	}
}

// The two texts of a program have the same lines.
func TestLines(t *testing.T) {
	for i := range 50 {
		p := Generate(2, i)
		plain, recording := strings.Split(p.Source("p", false), "\n"), strings.Split(p.Source("p", true), "\n")
		if len(plain) != len(recording) {
			t.Fatalf("program %d has %d lines, and %d where it records", i, len(plain), len(recording))
		}
	}
}

// What is left is what the failure needs.
func TestShrink(t *testing.T) {
	stmt := func(text string, body ...Stmt) Stmt { return Stmt{Text: text, Body: body} }
	p := &Program{Body: []Stmt{stmt("begin"), stmt("a"), stmt("for {", stmt("b"), stmt("needed"), stmt("c")), stmt("also"), stmt("d")}}
	holds := func(p *Program) bool {
		var b strings.Builder
		lines(&b, p.Body, "")
		return strings.Contains(b.String(), "needed") && strings.Contains(b.String(), "also")
	}
	err := Shrink([]*Program{p}, func(candidates []*Program) ([]bool, error) {
		var out []bool
		for _, c := range candidates {
			out = append(out, holds(c))
		}
		return out, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	lines(&b, p.Body, "")
	if got, want := strings.Fields(b.String()), strings.Fields("begin for { needed } also"); !slices.Equal(got, want) {
		t.Errorf("left: %q", got)
	}
}

// A finding that no request bears out contradicts, a fault that none tells is missed.
func TestJudge(t *testing.T) {
	p := &Program{Number: 1}
	request := func(line string, rules ...string) *record.Request {
		return &record.Request{Program: p.Name(), Stack: []string{p.Name() + ".go:" + line}, Rules: rules}
	}
	v := Judge([]*Program{p},
		[]Finding{
			{At: p.Name() + ".go:1", Rule: "ttlwrite/write-time"},
			{At: p.Name() + ".go:2", Rule: "ttlwrite/write-time"},
			{At: p.Name() + ".go:3", Rule: "ttlread/hides-other-families"}, // nothing that requests can show
		},
		[]*record.Request{request("1", "ttlwrite/write-time"), request("2"), request("3"), request("4", "ttlwrite/server-timestamp")})
	if n := len(v.Contradictions[p]); n != 1 || v.Contradictions[p][0].At != p.Name()+".go:2" {
		t.Errorf("contradictions: %v", v.Contradictions)
	}
	if v.Faults != 2 || v.Found != 1 || len(v.Misses[p]) != 1 {
		t.Errorf("%d of %d faults found, missed %v", v.Found, v.Faults, v.Misses)
	}
}
