package registry

import (
	"fmt"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/ttlvet/ttlvet/internal/lazy"
)

// familyName is what the service accepts as the name of a column family.
var familyName = lazy.Regexp(`^[-_.a-zA-Z0-9]+$`)

// fieldsOf lists the fields of each strategy (RULES: required ones are
// checked in requirements).
var fieldsOf = map[Strategy][]string{
	OneSecond: {"ttl", "max-age"},
	Default:   {"ttl"},
	Sequence:  {"versions"},
	Zero:      {},
	Real:      {"max-age", "versions"},
}

func (p *fileParser) families(t *Table, n ast.Node) {
	for _, e := range p.entries(n, fmt.Sprintf("the families of table %q", t.Pattern)) {
		if !familyName().MatchString(e.key) {
			p.errorAt(e.node, "%q is not the name of a column family", e.key)
		}
		if f := p.family(e); f != nil {
			t.Families = append(t.Families, f)
		}
	}
}

func (p *fileParser) family(e entry) *Family {
	what := fmt.Sprintf("family %q", e.key)
	f := &Family{Name: e.key, Source: FromFile, Pos: p.pos(e.node)}
	given := map[string]ast.Node{}
	before := len(p.errs)
	p.fields(e.value, what, map[string]func(entry){
		"strategy": func(e entry) {
			if s, ok := p.scalar(e); ok {
				f.Strategy = p.strategy(e.value, s)
			}
		},
		"ttl": func(e entry) {
			given["ttl"] = e.node
			f.TTL = p.duration(e)
		},
		"max-age": func(e entry) {
			given["max-age"] = e.node
			f.MaxAge = p.duration(e)
		},
		"versions": func(e entry) {
			given["versions"] = e.node
			f.Versions = p.integer(e, 1)
		},
	})
	if len(p.errs) > before {
		return nil // what follows would repeat these mistakes
	}
	if f.Strategy == "" {
		p.errorAt(e.node, "%s has no strategy; it has one of %s", what, strategyList())
		return nil
	}
	p.requirements(e.node, f, given)
	return f
}

// requirements checks the fields that go with the strategy and sets their
// defaults.
func (p *fileParser) requirements(key ast.Node, f *Family, given map[string]ast.Node) {
	allowed := strings.Join(fieldsOf[f.Strategy], " ")
	for _, field := range []string{"ttl", "max-age", "versions"} {
		if n := given[field]; n != nil && !strings.Contains(" "+allowed+" ", " "+field+" ") {
			p.errorAt(n, "a family with %s has no %s%s", f.Strategy, field, insteadOf(f.Strategy))
		}
	}
	switch f.Strategy {
	case OneSecond:
		if f.MaxAge == 0 {
			f.MaxAge = time.Second
		}
		if f.MaxAge > time.Second {
			p.errorAt(given["max-age"], "max-age %s is more than the one second of one-second-expiration; did you mean strategy default-expiration with ttl %s?",
				FormatDuration(f.MaxAge), FormatDuration(f.MaxAge))
		}
	case Default:
		if given["ttl"] == nil {
			p.errorAt(key, "family %q needs its ttl, the age of its garbage collection policy: ttl: 90d", f.Name)
		}
		f.MaxAge = f.TTL
	case Sequence:
		if given["versions"] == nil {
			p.errorAt(key, "family %q needs versions, the number that its garbage collection policy keeps: versions: 1", f.Name)
		}
	}
}

// insteadOf says which fields a strategy has.
func insteadOf(s Strategy) string {
	if len(fieldsOf[s]) == 0 {
		return "; it has no field beside strategy"
	}
	return "; it has " + strings.Join(fieldsOf[s], " and ")
}

func (p *fileParser) strategy(n ast.Node, s string) Strategy {
	for _, known := range Strategies {
		if s == string(known) {
			return known
		}
	}
	var names []string
	for _, known := range Strategies {
		names = append(names, string(known))
	}
	// Writers abbreviate: "one-second", "sequence", "zero", "real".
	for short, known := range map[string]Strategy{"one": OneSecond, "default": Default, "seq": Sequence, "zero": Zero, "real": Real} {
		if strings.HasPrefix(strings.ToLower(s), short) {
			p.errorAt(n, "unknown strategy %q%s", s, didYouMean(string(known)))
			return ""
		}
	}
	p.errorAt(n, "unknown strategy %q%s", s, suggestion(s, names))
	return ""
}

func strategyList() string {
	var names []string
	for _, s := range Strategies {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}

func (p *fileParser) duration(e entry) time.Duration {
	s, ok := p.scalar(e)
	if !ok {
		return 0
	}
	d, err := ParseDuration(s)
	if err != nil {
		p.errorAt(e.value, "%s %v", e.key, err)
	}
	return d
}
