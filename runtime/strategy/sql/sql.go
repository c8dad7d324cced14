// Package sql reads GoogleSQL statements well enough to know which table and
// which column families they read, and over what time. What it does not
// understand it does not guess.
//
// Semantics: https://cloud.google.com/bigtable/docs/reference/sql.
package sql

import (
	"strconv"
	"strings"
	"time"
)

// A Query is what is understood of a statement.
type Query struct {
	Table    string
	Columns  []string // the names that are selected or compared, families among them
	All      bool     // all families: SELECT *
	History  bool     // with_history => TRUE
	LatestN  int      // latest_n, 0 for none
	From, To *Bound   // after, after_or_equal; before, before_or_equal, as_of
	AsOf     bool     // To is as_of
	Explicit bool     // the statement looks at timestamps itself
}

// A Bound is an end of a time range: now plus Offset, where Known.
type Bound struct {
	Known  bool
	Offset time.Duration
}

// Parse reads a statement. ok reports whether it reads one table in a way
// that is understood.
func Parse(statement string) (q *Query, ok bool) {
	p := &parser{tokens: tokenize(statement)}
	if !p.next().is("SELECT") {
		return nil, false
	}
	q = &Query{}
	froms := 0
	for !p.done() {
		t := p.next()
		switch {
		case t.is("FROM"):
			froms++
			if froms > 1 || !p.table(q) {
				return nil, false
			}
		case t.is("JOIN"), t.is("UNION"), t.is("INTERSECT"), t.is("EXCEPT"), t.is("WITH"):
			return nil, false
		case t.kind == punctuation && t.text == "*" && froms == 0 && p.starIsAll():
			q.All = true
		case t.is("UNPACK"), t.is("_timestamp"):
			q.Explicit = true
		case t.kind == word && !p.called(), t.kind == quotedName:
			q.Columns = append(q.Columns, t.text)
		}
	}
	return q, froms == 1 && q.Table != ""
}

// Reads reports whether the statement reads a column family.
func (q *Query) Reads(family string) bool {
	if q.All {
		return true
	}
	for _, c := range q.Columns {
		if c == family {
			return true
		}
	}
	return false
}

type parser struct {
	tokens []token
	i      int
}

func (p *parser) done() bool { return p.i >= len(p.tokens) }

func (p *parser) peek() token {
	if p.done() {
		return token{}
	}
	return p.tokens[p.i]
}

func (p *parser) next() token {
	t := p.peek()
	p.i++
	return t
}

// called reports whether the word that was just read is the name of a
// function.
func (p *parser) called() bool { return p.peek().text == "(" && p.peek().kind == punctuation }

// starIsAll reports whether the star that was just read selects everything:
// it follows SELECT, a comma or a dot, rather than being a product or the
// argument of COUNT.
func (p *parser) starIsAll() bool {
	before := token{}
	if p.i >= 2 {
		before = p.tokens[p.i-2]
	}
	return before.is("SELECT") || before.is("DISTINCT") || before.text == "," || before.text == "."
}

// table reads the table and its arguments.
func (p *parser) table(q *Query) bool {
	t := p.next()
	if t.kind != word && t.kind != quotedName {
		return false
	}
	q.Table = t.text
	for p.peek().text == "." {
		p.next()
		q.Table = p.next().text
	}
	if p.peek().text != "(" {
		return true
	}
	p.next()
	for {
		name := p.next()
		if name.text == ")" {
			return true
		}
		if name.kind != word || p.next().text != "=>" {
			return false
		}
		if !p.argument(q, strings.ToLower(name.text)) {
			return false
		}
		switch p.next().text {
		case ",":
		case ")":
			return true
		default:
			return false
		}
	}
}

func (p *parser) argument(q *Query, name string) bool {
	switch name {
	case "with_history":
		q.History = p.next().is("TRUE")
	case "latest_n":
		n, err := strconv.Atoi(p.next().text)
		if err != nil {
			return false
		}
		q.LatestN = n
	case "after", "after_or_equal":
		q.From = p.time()
	case "before", "before_or_equal":
		q.To = p.time()
	case "as_of":
		q.To, q.AsOf = p.time(), true
	default:
		return false
	}
	return true
}

// time reads a timestamp: CURRENT_TIMESTAMP(), with TIMESTAMP_SUB or
// TIMESTAMP_ADD of an interval. Anything else is passed over as unknown.
func (p *parser) time() *Bound {
	start := p.i
	if b, ok := p.knownTime(); ok {
		return &b
	}
	p.i = start
	depth := 0
	for !p.done() {
		switch t := p.peek(); {
		case t.text == "(":
			depth++
		case t.text == ")" && depth == 0, t.text == "," && depth == 0:
			return &Bound{}
		case t.text == ")":
			depth--
		}
		p.next()
	}
	return &Bound{}
}

func (p *parser) knownTime() (Bound, bool) {
	t := p.next()
	switch {
	case t.is("CURRENT_TIMESTAMP"):
		if p.peek().text == "(" {
			p.next()
			if p.next().text != ")" {
				return Bound{}, false
			}
		}
		return Bound{Known: true}, true
	case t.is("TIMESTAMP_SUB"), t.is("TIMESTAMP_ADD"):
		if p.next().text != "(" {
			return Bound{}, false
		}
		b, ok := p.knownTime()
		if !ok || p.next().text != "," || !p.next().is("INTERVAL") {
			return Bound{}, false
		}
		n, err := strconv.Atoi(p.next().text)
		unit, known := units[strings.ToUpper(p.next().text)]
		if err != nil || !known || p.next().text != ")" {
			return Bound{}, false
		}
		d := time.Duration(n) * unit
		if t.is("TIMESTAMP_SUB") {
			d = -d
		}
		b.Offset += d
		return b, true
	}
	return Bound{}, false
}

var units = map[string]time.Duration{
	"MICROSECOND": time.Microsecond, "MILLISECOND": time.Millisecond, "SECOND": time.Second,
	"MINUTE": time.Minute, "HOUR": time.Hour, "DAY": 24 * time.Hour,
}

// Names returns the words and the quoted names of a statement, among which are
// the tables that it reads.
func Names(statement string) []string {
	var names []string
	for _, t := range tokenize(statement) {
		if t.kind == word || t.kind == quotedName {
			names = append(names, t.text)
		}
	}
	return names
}
