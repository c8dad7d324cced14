package draft

import (
	"strings"
	"testing"
	"time"

	"github.com/ttlvet/ttlvet/internal/agreement"
	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/filter"
	"github.com/ttlvet/ttlvet/internal/gcpolicy"
	"github.com/ttlvet/ttlvet/internal/gcrule"
	"github.com/ttlvet/ttlvet/internal/instant"
	"github.com/ttlvet/ttlvet/internal/registry"
)

const week = 7 * 24 * time.Hour

func union(sub ...*gcpolicy.Policy) *gcpolicy.Policy {
	return &gcpolicy.Policy{Op: gcpolicy.Union, Sub: sub}
}

func both(sub ...*gcpolicy.Policy) *gcpolicy.Policy {
	return &gcpolicy.Policy{Op: gcpolicy.Intersection, Sub: sub}
}

// writes makes writes of kinds: F (now + 30m), G (now + 1h), W (now), S
// (before now), M (moved), Z (0), C (a number), R (read-modify-write), ?.
func writes(kinds string) (list []*evidence.Write) {
	for _, k := range kinds {
		w := &evidence.Write{Kind: map[rune]evidence.WriteKind{'E': evidence.Future, 'F': evidence.Future, 'G': evidence.Future, 'W': evidence.Clock, 'S': evidence.Shifted,
			'M': evidence.Moved, 'Z': evidence.ZeroWrite, 'C': evidence.Number, 'R': evidence.ServerSet, '?': evidence.UnknownWrite}[k]}
		switch k {
		case 'F':
			w.Lifetime = 30 * time.Minute
		case 'E':
			w.Lifetime = 4294967295 * time.Second
		case 'G':
			w.Lifetime = time.Hour
		}
		list = append(list, w)
	}
	return list
}

// reads makes reads: L (from now on), D (the last week), K (the latest 3), N
// (no filter).
func reads(kinds string) (list []*evidence.Read) {
	since := func(d time.Duration) *filter.Tree {
		return &filter.Tree{Op: filter.TimeRange, Start: instant.Instant{Kind: instant.Now, Lo: -float64(d), Hi: -float64(d)}, End: instant.Instant{Kind: instant.Zero}}
	}
	for _, k := range kinds {
		r := &evidence.Read{Known: true}
		switch k {
		case 'L':
			r.Tree = since(0)
		case 'D':
			r.Tree = since(week)
		case 'K':
			r.Tree = &filter.Tree{Op: filter.LatestN, N: 3, NKnown: true}
		}
		list = append(list, r)
	}
	return list
}

func TestDecide(t *testing.T) {
	second, old, three := gcrule.Age(time.Second), gcrule.Age(week), gcrule.Versions(3)
	for _, test := range []struct {
		policies      []*gcpolicy.Policy
		writes, reads string
		want          string // begins with OPEN where nothing is certain
	}{
		{[]*gcpolicy.Policy{second}, "FF", "L", "{strategy: one-second-expiration, ttl: 30m}"},
		{[]*gcpolicy.Policy{second}, "FG", "", "{strategy: one-second-expiration}"},
		{[]*gcpolicy.Policy{second}, "", "L", "{strategy: one-second-expiration}"},
		{[]*gcpolicy.Policy{second}, "", "", "{strategy: one-second-expiration}"},
		{[]*gcpolicy.Policy{second}, "W", "", "OPEN {strategy: one-second-expiration}"},
		{[]*gcpolicy.Policy{second}, "FW", "", "{strategy: one-second-expiration}"},
		{[]*gcpolicy.Policy{second}, "FFW", "", "{strategy: one-second-expiration, ttl: 30m}"},
		{[]*gcpolicy.Policy{second}, "FFM", "", "{strategy: one-second-expiration}"},
		{[]*gcpolicy.Policy{second}, "C", "", "OPEN {strategy: sequential-numbers, versions: 1} {strategy: one-second-expiration}"},
		{[]*gcpolicy.Policy{gcrule.Age(time.Millisecond)}, "FF", "", "{strategy: one-second-expiration, ttl: 30m, max-age: 1ms}"},
		{[]*gcpolicy.Policy{union(second, gcrule.Versions(1))}, "FF", "", "{strategy: one-second-expiration, ttl: 30m}"},
		{[]*gcpolicy.Policy{old}, "W", "D", "{strategy: default-expiration, ttl: 7d}"},
		{[]*gcpolicy.Policy{old}, "S", "D", "{strategy: default-expiration, ttl: 7d}"},
		{[]*gcpolicy.Policy{old}, "W", "N", "{strategy: real-timestamps, max-age: 7d}"},
		{[]*gcpolicy.Policy{old}, "F", "L", "OPEN {strategy: one-second-expiration, ttl: 30m} {strategy: default-expiration, ttl: 7d}"},
		{[]*gcpolicy.Policy{old}, "S", "N", "OPEN {strategy: default-expiration, ttl: 7d} {strategy: real-timestamps, max-age: 7d}"},
		{[]*gcpolicy.Policy{old}, "C", "", "OPEN {strategy: sequential-numbers, versions: 1} {strategy: real-timestamps, max-age: 7d}"},
		{[]*gcpolicy.Policy{union(old, gcrule.Versions(1))}, "W", "K", "{strategy: real-timestamps, max-age: 7d, versions: 1}"},
		{[]*gcpolicy.Policy{union(old, gcrule.Versions(1))}, "Z", "", "OPEN {strategy: timestamp-zero} {strategy: real-timestamps, max-age: 7d, versions: 1}"},
		{[]*gcpolicy.Policy{three}, "C", "K", "{strategy: sequential-numbers, versions: 3}"},
		{[]*gcpolicy.Policy{three}, "Z", "", "{strategy: timestamp-zero}"},
		{[]*gcpolicy.Policy{three}, "W", "", "{strategy: real-timestamps, versions: 3}"},
		{[]*gcpolicy.Policy{three}, "F", "L", "OPEN {strategy: one-second-expiration, ttl: 30m} {strategy: real-timestamps, versions: 3}"},
		{[]*gcpolicy.Policy{three}, "?", "K", "OPEN {strategy: real-timestamps, versions: 3} {strategy: sequential-numbers, versions: 3}"},
		{[]*gcpolicy.Policy{three}, "CZ", "", "OPEN {strategy: sequential-numbers, versions: 3} {strategy: timestamp-zero} {strategy: real-timestamps, versions: 3}"},
		{[]*gcpolicy.Policy{three}, "ZWW", "", "OPEN {strategy: timestamp-zero} {strategy: real-timestamps, versions: 3}"},
		{[]*gcpolicy.Policy{three}, "CCCCCCWW", "", "{strategy: sequential-numbers, versions: 3}"},
		{[]*gcpolicy.Policy{three}, "CCWW", "", "OPEN {strategy: sequential-numbers, versions: 3} {strategy: real-timestamps, versions: 3}"},
		{[]*gcpolicy.Policy{three}, "", "", "OPEN {strategy: real-timestamps, versions: 3} {strategy: sequential-numbers, versions: 3}"},
		{[]*gcpolicy.Policy{both(old, three)}, "C", "", "{strategy: sequential-numbers, versions: 3}"},
		{[]*gcpolicy.Policy{both(old, three)}, "W", "", "{strategy: real-timestamps, max-age: 7d, versions: 3}"},
		{[]*gcpolicy.Policy{gcrule.Never()}, "Z", "", "{strategy: timestamp-zero}"},
		{[]*gcpolicy.Policy{gcrule.Never()}, "W", "", "OPEN {strategy: real-timestamps}"},
		{[]*gcpolicy.Policy{gcrule.Age(3600)}, "WW", "", "OPEN {strategy: real-timestamps}"},
		{nil, "FF", "L", "{strategy: one-second-expiration, ttl: 30m}"},
		{nil, "F", "", "OPEN {strategy: one-second-expiration, ttl: 30m}"},
		{nil, "W", "D", "OPEN {strategy: default-expiration, ttl: 7d} {strategy: real-timestamps}"},
		{nil, "E", "", "OPEN {strategy: one-second-expiration}"},
		{nil, "C", "K", "OPEN {strategy: sequential-numbers, versions: 3}"},
		{nil, "R", "", "OPEN"},
		{nil, "FZ", "", "OPEN {strategy: one-second-expiration, ttl: 30m} {strategy: timestamp-zero}"},
		{nil, "", "", "OPEN"},
		{[]*gcpolicy.Policy{{}}, "W", "", "{strategy: real-timestamps}"},
		// Several policies: those that fit the writers decide.
		{[]*gcpolicy.Policy{three, union(three, old)}, "C", "", "{strategy: sequential-numbers, versions: 3}"},
		{[]*gcpolicy.Policy{second, old}, "FF", "", "{strategy: one-second-expiration, ttl: 30m}"},
		{[]*gcpolicy.Policy{second, old}, "", "", "OPEN {strategy: one-second-expiration} {strategy: real-timestamps, max-age: 7d} {strategy: default-expiration, ttl: 7d}"},
		{[]*gcpolicy.Policy{second, second}, "", "", "{strategy: one-second-expiration}"},
		{[]*gcpolicy.Policy{three, gcrule.Versions(1)}, "C", "", "OPEN {strategy: sequential-numbers, versions: 3} {strategy: sequential-numbers, versions: 1}"},
		{[]*gcpolicy.Policy{three, old}, "WWW", "", "{strategy: real-timestamps}"},
		{[]*gcpolicy.Policy{three, old}, "W", "", "OPEN {strategy: real-timestamps, versions: 3} {strategy: real-timestamps, max-age: 7d}"},
		// Versions and numbers agree though another source sets an age.
		{[]*gcpolicy.Policy{three, both(three, old), old}, "CC", "", "{strategy: sequential-numbers, versions: 3}"},
	} {
		f := &agreement.Family{Name: "f", Writes: writes(test.writes), Reads: reads(test.reads)}
		for _, p := range test.policies {
			f.Settings = append(f.Settings, &evidence.Setting{Table: "t", Family: "f", Policy: p})
		}
		v := decide(f)
		got := "OPEN"
		if v.certain {
			got = v.entry()
		}
		for _, o := range v.others {
			got += " " + o.entry()
		}
		if got != test.want {
			t.Errorf("policies %v, writes %q, reads %q: %s, want %s", test.policies, test.writes, test.reads, got, test.want)
		}
	}
}

// TestFile holds that a draft of odd names parses.
func TestFile(t *testing.T) {
	d := &Draft{Sources: []string{"infra/*.tf", "a b.sh"}, Tables: []*Table{
		{Name: "*-x", Handles: []string{"example.com/a.B.c"}, Families: []*Family{{Name: "n", Entry: "{strategy: timestamp-zero}", Because: strings.Repeat("because of this ", 20), Remark: "odd"}}},
		{Name: "true", Handles: []string{"example.com/a.Config.Table"}, Families: []*Family{{Name: "1", Entry: "{strategy: real-timestamps}"}, {Name: "open", Remark: "open", Others: []string{"{strategy: timestamp-zero} # so"}}}},
		{Name: "held", Nameless: true, Handles: []string{"example.com/a.B.held"}, Families: []*Family{{Name: "f", Entry: "{strategy: timestamp-zero}"}}},
		{Name: "only-open", Families: []*Family{{Name: "f", Remark: "open"}}},
		{Name: "foreign", Foreign: true, Families: []*Family{{Name: "f", Entry: "{strategy: timestamp-zero}"}}},
	}}
	f, err := registry.Parse("ttlvet.yaml", []byte(d.File()))
	if err != nil {
		t.Fatalf("%v\n%s", err, d.File())
	}
	if len(f.Tables) != 3 || len(f.Tables[1].Handles) != 1 || len(f.Tables[2].Handles) != 1 || len(f.Schema) != 2 || f.Tables[0].Family("n") == nil || f.Tables[1].Family("1") == nil {
		t.Errorf("the draft has other tables:\n%s", d.File())
	}
	if _, err := registry.Parse("ttlvet.yaml", []byte((&Draft{Tables: d.Tables[3:]}).File())); err != nil {
		t.Errorf("a draft of comments: %v", err)
	}
}

// TestReasons looks for what speaks for each reading of an open family: two lines of Go
// state policies here that differ, and neither is enough for a limit.
func TestReasons(t *testing.T) {
	f := &agreement.Family{Name: "f", Writes: writes("W")}
	for _, p := range []*gcpolicy.Policy{gcrule.Age(week), gcrule.Versions(1)} {
		f.Settings = append(f.Settings, &evidence.Setting{Table: "t", Family: "f", Policy: p, Kind: evidence.Go})
	}
	v := decide(f)
	if len(v.others) == 0 {
		t.Errorf("decided: %s", v.entry())
	}
	for _, o := range v.others {
		if o.why == "" {
			t.Errorf("nothing speaks for %s", o.entry())
		}
	}
}
