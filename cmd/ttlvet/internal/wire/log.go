package wire

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"go/token"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/atomicfile"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/report"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/shown"
	"github.com/ttlvet/ttlvet/internal/rule"
	"github.com/ttlvet/ttlvet/internal/sarif"
	"github.com/ttlvet/ttlvet/runtime/ttlguard"
)

// A violationLog prints violations as they happen and sums them up. newLog makes one.
type violationLog struct {
	declared *Declaration
	out      Output

	mu    sync.Mutex
	byKey map[violationKey]*ttlguard.Violation
	order []*ttlguard.Violation
	// notJudged says of which requests it is not known whether they violate
	// anything.
	notJudged []string
}

type violationKey struct{ rule, method, table, message string }

// An Output says where violations are printed, and how.
type Output struct {
	Stdout, Stderr io.Writer
	Shown          shown.Dir
	Root           string // relative to which SARIF names files
	JSON           bool   // the summary as JSON on Stdout
	SARIF          string // the file of a summary as SARIF, "-" for Stdout
	Rejected       bool   // whether requests with violations are not passed on
}

// newLog returns a log of violations of what is declared.
func newLog(declared *Declaration, out Output) *violationLog {
	return &violationLog{declared: declared, out: out, byKey: map[violationKey]*ttlguard.Violation{}}
}

// any reports whether there was a violation, which with strict rules a request
// is that cannot be judged.
func (l *violationLog) any() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.order) > 0 || l.declared.Strict && len(l.notJudged) > 0
}

// add prints a violation when it happens first, and counts it.
func (l *violationLog) add(_ context.Context, v ttlguard.Violation) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if v.Rule == ttlguard.NotJudged { // it comes once for each kind of request
		l.notJudged = append(l.notJudged, v.Message)
		fmt.Fprintf(l.out.Stderr, "ttlvet proxy: %s\n", v.Message)
		return
	}
	k := violationKey{v.Rule, v.Method, v.Table, v.Message}
	if before := l.byKey[k]; before != nil {
		before.Count += v.Count
		return
	}
	first := v
	l.byKey[k] = &first
	l.order = append(l.order, &first)
	v.Count = 1
	fmt.Fprintf(l.out.Stderr, "%s%s\n", l.where(&v), v)
}

// where says on which table a request is, where its declaration is a pattern.
func (l *violationLog) where(v *ttlguard.Violation) string {
	if _, ok := l.place(v); ok || v.Table == "" {
		return ""
	}
	return v.Table + ": "
}

// place returns where the family of a violation is declared, and whether under
// the table's own name.
func (l *violationLog) place(v *ttlguard.Violation) (pos token.Position, named bool) {
	pos = token.Position{Filename: l.declared.File, Line: 1, Column: 1}
	for _, f := range l.declared.Families {
		if f.Agreement.Name != v.Family {
			continue
		}
		if f.Table == v.Table || matches(f.Table, v.Table) && !named {
			pos, named = token.Position{Filename: f.File, Line: f.Line, Column: f.Column}, f.Table == v.Table
		}
	}
	return pos, named
}

// summary prints what there was in the formats that were asked for.
func (l *violationLog) summary(requests int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	slices.SortStableFunc(l.order, func(a, b *ttlguard.Violation) int {
		return cmp.Or(cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Table, b.Table), cmp.Compare(a.Method, b.Method), cmp.Compare(a.Message, b.Message))
	})
	l.text(requests)
	if l.out.JSON {
		if err := l.json(requests); err != nil {
			return err
		}
	}
	if l.out.SARIF == "" {
		return nil
	}
	var b bytes.Buffer
	if err := l.sarif().Write(&b); err != nil {
		return err
	}
	if l.out.SARIF == "-" {
		_, err := l.out.Stdout.Write(b.Bytes())
		return err
	}
	return atomicfile.Write(l.out.SARIF, b.Bytes())
}

// text prints the summary for people.
func (l *violationLog) text(requests int64) {
	var total int64
	for _, v := range l.order {
		total += v.Count
	}
	fmt.Fprintf(l.out.Stderr, "ttlvet proxy: %s in %s\n", counted(total, "violation"), counted(requests, "request"))
	for _, v := range l.order {
		n := v.Count
		once := *v
		once.Count = 1
		fmt.Fprintf(l.out.Stderr, "%8d  %s%s\n", n, l.where(v), once)
	}
	for _, what := range l.notJudged {
		fmt.Fprintf(l.out.Stderr, "          %s\n", what)
	}
	if requests == 0 {
		fmt.Fprintln(l.out.Stderr, "Nothing came: did the clients have BIGTABLE_EMULATOR_HOST?")
	}
}

func counted(n int64, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// json prints the summary for programs.
func (l *violationLog) json(requests int64) error {
	type violation struct {
		Rule     string `json:"rule"`
		URL      string `json:"url"`
		Method   string `json:"method"`
		Table    string `json:"table"`
		Family   string `json:"family"`
		Strategy string `json:"strategy,omitempty"`
		Message  string `json:"message"`
		Posn     string `json:"posn"` // of the declaration
		Count    int64  `json:"count"`
		Rejected bool   `json:"rejected"`
	}
	out := struct {
		Requests   int64       `json:"requests"`
		Violations []violation `json:"violations"`
		NotJudged  []string    `json:"notJudged,omitempty"`
	}{requests, []violation{}, l.notJudged}
	for _, v := range l.order {
		pos, _ := l.place(v)
		pos.Filename = l.out.Shown.Path(pos.Filename)
		rule := ruleNamed(v.Rule)
		out.Violations = append(out.Violations, violation{v.Rule, rule.URL(), v.Method, v.Table, v.Family, string(v.Strategy), v.Message, pos.String(), v.Count, l.out.Rejected})
	}
	enc := json.NewEncoder(l.out.Stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "\t")
	return enc.Encode(out)
}

// ruleNamed returns the rule with a full name.
func ruleNamed(name string) rule.Rule {
	analyzer, category, _ := strings.Cut(name, "/")
	rule, _ := rule.Lookup(analyzer, category)
	return rule
}

// sarif is the summary as SARIF. What is at fault is in a program that nobody
// knows: a result stands where the family is declared.
func (l *violationLog) sarif() *sarif.Log {
	run := report.NewSARIFRun(l.out.Root, "ttlvet proxy", filepath.Dir(l.declared.File))
	for _, v := range l.order {
		index, level := run.Rule(ruleNamed(v.Rule))
		pos, _ := l.place(v)
		location := run.Location(pos, pos)
		location.LogicalLocations = []sarif.LogicalLocation{{Name: v.Method, FullyQualifiedName: v.Service + "." + v.Method, Kind: "member"}}
		run.Results = append(run.Results, sarif.Result{
			RuleID: v.Rule, RuleIndex: index, Level: level,
			Message:             sarif.Message{Text: fmt.Sprintf("%s on table %q, %s: %s", v.Method, v.Table, counted(v.Count, "time"), v.Message)},
			Locations:           []sarif.Location{location},
			PartialFingerprints: map[string]string{"ttlvet/wire/v1": v.Rule + " " + v.Method + " " + v.Table + " " + v.Family},
		})
	}
	return sarif.New(run.Run)
}
