package referee

import (
	"slices"
	"strings"

	"github.com/ttlvet/ttlvet/internal/referee/record"
)

// judged are the rules that requests can bear out.
var judged = []string{
	"ttlwrite/server-timestamp", "ttlwrite/write-time", "ttlwrite/already-expired",
	"ttlwrite/clock-in-sequence", "ttlwrite/unscaled-sequence", "ttlwrite/clock-in-zero",
	"ttlwrite/read-modify-write",
	"ttlread/missing-filter", "ttlread/version-limit", "ttlread/wrong-bound", "ttlread/sql",
	"ttlgc/age-mismatch", "ttlgc/age-on-sequence", "ttlgc/policy-mismatch", "ttlgc/versions-with-expiry", "ttlgc/no-policy",
}

// A Verdict is what the programs of a batch show.
type Verdict struct {
	Contradictions map[*Program][]Finding         // that no execution bears out
	Misses         map[*Program][]*record.Request // faults that no finding tells, one for each line
	Wrong          map[*Program]int               // how many lines are wrong on the wire
	Faults, Found  int                            // lines that are wrong on the wire, and those of which ttlvet says so
	Findings       int
}

// Judge holds findings against requests.
func Judge(programs []*Program, findings []Finding, requests []*record.Request) *Verdict {
	v := &Verdict{Contradictions: map[*Program][]Finding{}, Misses: map[*Program][]*record.Request{}, Wrong: map[*Program]int{}}
	byName := map[string]*Program{}
	for _, p := range programs {
		byName[p.Name()] = p
	}
	failed := map[string]bool{}
	for _, r := range requests {
		failed[r.Program] = failed[r.Program] || slices.Contains(r.Rules, record.Failed)
	}
	for _, f := range findings {
		if !slices.Contains(judged, f.Rule) {
			continue
		}
		v.Findings++
		if slices.ContainsFunc(requests, func(r *record.Request) bool { return bears(r, f) }) {
			continue
		}
		if p := byName[strings.TrimSuffix(f.At[:strings.IndexByte(f.At, ':')], ".go")]; p != nil && !failed[p.Name()] {
			v.Contradictions[p] = append(v.Contradictions[p], f)
		}
	}
	told := map[string]bool{}
	for _, r := range requests {
		if !slices.ContainsFunc(r.Rules, func(rule string) bool { return slices.Contains(judged, rule) }) {
			continue
		}
		key := strings.Join(r.Stack, " ")
		if told[key] {
			continue
		}
		told[key] = true
		if failed[r.Program] {
			continue
		}
		v.Faults++
		p := byName[r.Program]
		v.Wrong[p]++
		if slices.ContainsFunc(findings, func(f Finding) bool { return tells(f, r) }) {
			v.Found++
		} else {
			v.Misses[p] = append(v.Misses[p], r)
		}
	}
	return v
}

// bears reports whether a request has the fault that a finding tells: it came of the
// line of the finding, or of the line that the finding's value gets to.
func bears(r *record.Request, f Finding) bool {
	return slices.Contains(r.Rules, f.Rule) && tells(f, r)
}

// tells reports whether a finding is about a request.
func tells(f Finding, r *record.Request) bool {
	if slices.Contains(r.Stack, f.At) {
		return true
	}
	return f.Reached != "" && slices.Contains(r.Stack, f.Reached) && strings.HasPrefix(f.At, r.Program+".go:")
}
