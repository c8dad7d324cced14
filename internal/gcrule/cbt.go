package gcrule

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ttlvet/ttlvet/internal/gcpolicy"
	"github.com/ttlvet/ttlvet/internal/lazy"
)

// CBT parses a policy of the command cbt. mixed reports whether it joins
// conditions by both operators without parentheses: cbt gives them equal
// precedence and reads from left to right.
func CBT(s string) (p *gcpolicy.Policy, mixed bool, err error) {
	if strings.TrimSpace(s) == "never" {
		return Never(), false, nil
	}
	c := &cbtParser{tokens: cbtTokens().FindAllString(s, -1)}
	if strings.Join(c.tokens, "") != strings.Join(strings.Fields(s), "") {
		return nil, false, fmt.Errorf("cbt cannot read the policy %q", s)
	}
	p, err = c.expr()
	if err == nil && len(c.tokens) > 0 {
		err = fmt.Errorf("cbt cannot read %q in the policy %q: conditions are joined by and, or", c.tokens[0], s)
	}
	if err != nil {
		return nil, false, err
	}
	return p, c.mixed, nil
}

var cbtTokens = lazy.Regexp(`\(|\)|&&|\|\||=|[^\s()&|=]+`)

type cbtParser struct {
	tokens []string
	depth  int
	mixed  bool
}

func (c *cbtParser) next() string {
	if len(c.tokens) == 0 {
		return ""
	}
	t := c.tokens[0]
	c.tokens = c.tokens[1:]
	return t
}

func (c *cbtParser) expr() (*gcpolicy.Policy, error) {
	if c.depth++; c.depth > 100 {
		return nil, fmt.Errorf("the policy is nested too deep")
	}
	defer func() { c.depth-- }()
	p, err := c.term()
	last := gcpolicy.Unknown
	for err == nil && len(c.tokens) > 0 && c.tokens[0] != ")" {
		op := gcpolicy.Union
		switch t := c.next(); t {
		case "and", "&&":
			op = gcpolicy.Intersection
		case "or", "||":
		default:
			return nil, fmt.Errorf("cbt joins conditions by and, &&, or, ||, in lower case, and not by %q", t)
		}
		c.mixed = c.mixed || last != gcpolicy.Unknown && last != op
		last = op
		var q *gcpolicy.Policy
		if q, err = c.term(); err == nil {
			p = &gcpolicy.Policy{Op: op, Sub: []*gcpolicy.Policy{p, q}}
		}
	}
	return p, err
}

func (c *cbtParser) term() (*gcpolicy.Policy, error) {
	switch t := c.next(); t {
	case "(":
		p, err := c.expr()
		if err == nil && c.next() != ")" {
			err = fmt.Errorf("a parenthesis is not closed")
		}
		return p, err
	case "maxage", "maxversions":
		if c.next() != "=" {
			return nil, fmt.Errorf("cbt reads %s=…", t)
		}
		val := c.next()
		if t == "maxage" {
			d, err := cbtAge(val)
			if err != nil {
				return nil, err
			}
			return Age(d), nil
		}
		n, err := strconv.ParseUint(val, 10, 31)
		if err != nil {
			return nil, fmt.Errorf("cbt cannot read the number of versions %q", val)
		}
		return Versions(int(n)), nil
	case "never":
		return nil, fmt.Errorf("cbt takes never by itself only")
	case "":
		return nil, fmt.Errorf("a condition is missing")
	default:
		return nil, fmt.Errorf("cbt has no condition %q: they are maxage= and maxversions=, in lower case", t)
	}
}

// Client parses a policy as the Go client writes it, which is also what the
// provider keeps as the id of a policy: "(age() > 7d || versions() > 1)".
func Client(s string) (*gcpolicy.Policy, error) {
	switch strings.TrimSpace(s) {
	case "", "<never>", "<default>", "()":
		return Never(), nil
	}
	c := &clientParser{rest: s}
	p, err := c.expr()
	if err == nil && strings.TrimSpace(c.rest) != "" {
		err = fmt.Errorf("%q is left over in the policy %q", c.rest, s)
	}
	return p, err
}

type clientParser struct {
	rest  string
	depth int
}

var (
	clientAge      = lazy.Regexp(`^age\(\) > (\d+)(d|h|m)?`)
	clientVersions = lazy.Regexp(`^versions\(\) > (\d+)`)
)

func (c *clientParser) expr() (*gcpolicy.Policy, error) {
	if c.depth++; c.depth > 100 {
		return nil, fmt.Errorf("the policy is nested too deep")
	}
	defer func() { c.depth-- }()
	p, err := c.term()
	for err == nil {
		c.rest = strings.TrimLeft(c.rest, " ")
		op := gcpolicy.Union
		switch {
		case strings.HasPrefix(c.rest, "&&"):
			op = gcpolicy.Intersection
		case strings.HasPrefix(c.rest, "||"):
		default:
			return p, nil
		}
		c.rest = c.rest[2:]
		var q *gcpolicy.Policy
		if q, err = c.term(); err == nil {
			p = &gcpolicy.Policy{Op: op, Sub: []*gcpolicy.Policy{p, q}}
		}
	}
	return p, err
}

func (c *clientParser) term() (*gcpolicy.Policy, error) {
	c.rest = strings.TrimLeft(c.rest, " ")
	if strings.HasPrefix(c.rest, "(") {
		c.rest = c.rest[1:]
		p, err := c.expr()
		if err == nil && !strings.HasPrefix(c.rest, ")") {
			err = fmt.Errorf("a parenthesis is not closed")
		}
		if err == nil {
			c.rest = c.rest[1:]
		}
		return p, err
	}
	if m := clientAge().FindStringSubmatch(c.rest); m != nil {
		c.rest = c.rest[len(m[0]):]
		n, err := strconv.ParseInt(m[1], 10, 64)
		// An age that is no whole number of minutes is written in
		// microseconds, without a unit.
		unit := map[string]time.Duration{"d": 24 * time.Hour, "h": time.Hour, "m": time.Minute, "": time.Microsecond}[m[2]]
		if err != nil || n > int64(1<<62)/int64(unit) {
			return nil, fmt.Errorf("the age %q is too long", m[0])
		}
		return Age(time.Duration(n) * unit), nil
	}
	if m := clientVersions().FindStringSubmatch(c.rest); m != nil {
		c.rest = c.rest[len(m[0]):]
		n, err := strconv.Atoi(m[1])
		return Versions(n), err
	}
	return nil, fmt.Errorf("%q is no policy of the client's", c.rest)
}
