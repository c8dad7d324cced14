// Package gcrule parses garbage collection policies in the grammars of the
// tools that set them: the commands cbt and gcloud, the rules in JSON of the
// Terraform provider and of those who copied it, the API's messages in JSON,
// and the strings of the Go client.
//
// Each tool has a grammar of durations of its own, and accepts what others
// refuse. What the tool refuses is an error here.
package gcrule

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/ttlvet/ttlvet/internal/gcpolicy"
	"github.com/ttlvet/ttlvet/internal/lazy"
)

// Age returns a policy that deletes by age.
func Age(d time.Duration) *gcpolicy.Policy {
	return &gcpolicy.Policy{Op: gcpolicy.MaxAge, Age: d, AgeKnown: true}
}

// Versions returns a policy that keeps n versions.
func Versions(n int) *gcpolicy.Policy { return &gcpolicy.Policy{Op: gcpolicy.MaxVersions, N: n} }

// Never returns the policy that deletes nothing.
func Never() *gcpolicy.Policy { return &gcpolicy.Policy{Op: gcpolicy.None} }

var cbtUnits = map[string]time.Duration{"ms": time.Millisecond, "s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}

var cbtDuration = lazy.Regexp(`^(\d+)(ms|s|m|h|d)$`)

// cbtAge parses a duration of the command cbt: one integer and one unit.
func cbtAge(s string) (time.Duration, error) {
	m := cbtDuration().FindStringSubmatch(s)
	if m == nil {
		return 0, fmt.Errorf("cbt cannot read the age %q: it takes one whole number with ms, s, m, h or d", s)
	}
	n, err := strconv.ParseInt(m[1], 10, 64)
	unit := cbtUnits[m[2]]
	if err != nil || n > math.MaxInt64/int64(unit) {
		return 0, fmt.Errorf("the age %q is too long", s)
	}
	return time.Duration(n) * unit, nil
}

var gcloudPart = lazy.Regexp(`^([+-]?\d+(?:\.\d+)?)(us|ms|s|m|h|d|w|y)`)

var gcloudUnits = map[string]float64{"us": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9, "h": 3600e9, "d": 86400e9, "w": 7 * 86400e9, "y": 31556926e9}

var isoDuration = lazy.Regexp(`^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$`)

// gcloudAge parses a duration of the command gcloud.
func gcloudAge(s string) (time.Duration, error) {
	bad := fmt.Errorf("gcloud cannot read the age %q", s)
	if m := isoDuration().FindStringSubmatch(s); m != nil && len(s) > 1 {
		total := 0.0
		for i, unit := range []float64{7 * 86400, 86400, 3600, 60, 1} {
			if m[i+1] != "" {
				n, _ := strconv.ParseFloat(m[i+1], 64)
				total += n * unit * 1e9
			}
		}
		return nanos(total, bad)
	}
	total, rest := 0.0, s
	for rest != "" {
		m := gcloudPart().FindStringSubmatch(rest)
		if m == nil {
			return 0, bad
		}
		n, _ := strconv.ParseFloat(m[1], 64)
		total += n * gcloudUnits[m[2]]
		rest = rest[len(m[0]):]
	}
	if s == "" {
		return 0, bad
	}
	return nanos(total, bad)
}

func nanos(n float64, bad error) (time.Duration, error) {
	if n < 0 || n > math.MaxInt64/2 {
		return 0, bad
	}
	return time.Duration(math.Round(n)), nil
}

// Gcloud parses a rule of gcloud's --column-families: a condition, or two
// that && or || joins.
func Gcloud(s string) (*gcpolicy.Policy, error) {
	for _, op := range []struct {
		text string
		op   gcpolicy.Op
	}{{"&&", gcpolicy.Intersection}, {"||", gcpolicy.Union}} {
		a, b, ok := strings.Cut(s, op.text)
		if !ok {
			continue
		}
		if strings.Contains(b, "&&") || strings.Contains(b, "||") {
			return nil, fmt.Errorf("gcloud joins no more than two conditions: %q", s)
		}
		x, err := gcloudTerm(a)
		if err != nil {
			return nil, err
		}
		y, err := gcloudTerm(b)
		if err != nil {
			return nil, err
		}
		return &gcpolicy.Policy{Op: op.op, Sub: []*gcpolicy.Policy{x, y}}, nil
	}
	return gcloudTerm(s)
}

func gcloudTerm(s string) (*gcpolicy.Policy, error) {
	key, val, _ := strings.Cut(s, "=")
	switch key {
	case "maxage":
		d, err := gcloudAge(val)
		if err != nil {
			return nil, err
		}
		return Age(d), nil
	case "maxversions":
		n, err := strconv.Atoi(val)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("gcloud cannot read the number of versions %q", val)
		}
		return Versions(n), nil
	}
	return nil, fmt.Errorf("gcloud has no condition %q: they are maxage= and maxversions=", s)
}

var weeks = lazy.Regexp(`(\d+(?:\.\d+)?)(w|d)`)

// providerAge parses max_age in the provider's gc_rules: Go's durations with
// days and weeks.
func providerAge(s string) (time.Duration, error) {
	var long time.Duration
	rest := weeks().ReplaceAllStringFunc(s, func(part string) string {
		n, _ := strconv.ParseFloat(part[:len(part)-1], 64)
		if strings.HasSuffix(part, "w") {
			n *= 7
		}
		long += time.Duration(n * 24 * float64(time.Hour))
		return ""
	})
	if rest == "" && long > 0 {
		return long, nil
	}
	d, err := time.ParseDuration(rest)
	if err != nil || d+long < 0 {
		return 0, fmt.Errorf("max_age %q is not a duration like 168h or 7d", s)
	}
	return d + long, nil
}

// A Provider is what the provider's gc_rules say.
type Provider struct {
	Policy *gcpolicy.Policy
	// Inert says what of the rules is not applied, in words.
	Inert string
	// Mode is the mode that is not known, RightMode the one that it is taken
	// for.
	Mode, RightMode string
}

// Meant returns the policy that the rules would be if the mode, which only
// wants lower case, were known, or nil.
func (p *Provider) Meant(s string) *gcpolicy.Policy {
	wrong, right := strconv.Quote(p.Mode), strconv.Quote(p.RightMode)
	if !strings.EqualFold(p.Mode, p.RightMode) || strings.Count(s, wrong) != 1 {
		return nil
	}
	q, err := OfProvider(strings.Replace(s, wrong, right, 1))
	if err != nil || q.Inert != "" {
		return nil
	}
	return q.Policy
}

// OfProvider parses the provider's gc_rules, JSON in a string.
func OfProvider(s string) (*Provider, error) {
	if strings.TrimSpace(s) == "" {
		return &Provider{Policy: Never()}, nil
	}
	var top map[string]any
	dec := json.NewDecoder(strings.NewReader(s))
	dec.UseNumber()
	if err := dec.Decode(&top); err != nil {
		return nil, fmt.Errorf("gc_rules are not JSON: %v", err)
	}
	p := &Provider{}
	policy, err := p.group(top)
	if err != nil {
		return nil, err
	}
	p.Policy = policy
	return p, nil
}

func (p *Provider) group(o map[string]any) (*gcpolicy.Policy, error) {
	for k := range o {
		if k != "mode" && k != "rules" {
			return nil, fmt.Errorf("gc_rules have no %q at this level: write {\"rules\": [{%q: …}]}", k, k)
		}
	}
	list, ok := o["rules"].([]any)
	if !ok {
		return nil, fmt.Errorf(`gc_rules lack the list "rules"`)
	}
	mode, hasMode := o["mode"].(string)
	switch {
	case !hasMode && o["mode"] != nil:
		return nil, fmt.Errorf(`"mode" is no string`)
	case !hasMode && len(list) != 1:
		return nil, fmt.Errorf(`%d rules and no "mode": it is "union" or "intersection"`, len(list))
	case hasMode && len(list) < 2:
		return nil, fmt.Errorf(`"mode" with fewer than two rules`)
	}
	var sub []*gcpolicy.Policy
	for _, e := range list {
		r, ok := e.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("a rule is no object")
		}
		q, err := p.rule(r)
		if err != nil {
			return nil, err
		}
		sub = append(sub, q)
	}
	switch {
	case !hasMode:
		return sub[0], nil
	case mode == "union":
		return &gcpolicy.Policy{Op: gcpolicy.Union, Sub: sub}, nil
	case mode == "intersection":
		return &gcpolicy.Policy{Op: gcpolicy.Intersection, Sub: sub}, nil
	}
	// Any other spelling passes the provider's validation, and then only the
	// first rule is applied.
	p.Mode, p.RightMode = mode, nearestMode(mode)
	p.Inert = fmt.Sprintf("the mode %q is not known in gc_rules, and only the first rule, %s, is applied; write %q", mode, sub[0], p.RightMode)
	return sub[0], nil
}

func nearestMode(mode string) string {
	if strings.HasPrefix(strings.ToLower(mode), "i") || strings.EqualFold(mode, "and") {
		return "intersection"
	}
	return "union"
}

func (p *Provider) rule(o map[string]any) (*gcpolicy.Policy, error) {
	if _, ok := o["rules"]; ok {
		if _, ok := o["mode"]; !ok {
			return nil, fmt.Errorf(`nested rules have no "mode"`)
		}
		return p.group(o)
	}
	if len(o) != 1 {
		return nil, fmt.Errorf(`a rule has one of "max_age", "max_version" and "rules"`)
	}
	for k, v := range o {
		switch k {
		case "max_age":
			s, ok := v.(string)
			if !ok {
				return nil, fmt.Errorf(`"max_age" is no string: write "168h"`)
			}
			d, err := providerAge(s)
			if err != nil {
				return nil, err
			}
			return Age(d), nil
		case "max_version":
			n, ok := v.(json.Number)
			i, err := strconv.Atoi(n.String())
			if !ok || err != nil {
				return nil, fmt.Errorf(`"max_version" is no number: write 1`)
			}
			return Versions(i), nil
		default:
			return nil, fmt.Errorf(`a rule has no %q: it is one of "max_age", "max_version" and "rules"`, k)
		}
	}
	return nil, fmt.Errorf("an empty rule")
}

// API is a google.bigtable.admin.v2.GcRule in JSON.
type API struct {
	MaxAge         *string `json:"maxAge"`
	MaxNumVersions *int    `json:"maxNumVersions"`
	Union          *struct {
		Rules []API `json:"rules"`
	} `json:"union"`
	Intersection *struct {
		Rules []API `json:"rules"`
	} `json:"intersection"`
}

// Policy returns the policy that the message describes; one without content
// deletes nothing.
func (a *API) Policy() (*gcpolicy.Policy, error) {
	switch {
	case a == nil:
		return Never(), nil
	case a.MaxAge != nil:
		s := *a.MaxAge
		d, err := time.ParseDuration(s)
		if err != nil || !strings.HasSuffix(s, "s") || d < 0 {
			return nil, fmt.Errorf("maxAge %q is not a number of seconds like 604800s", s)
		}
		return Age(d), nil
	case a.MaxNumVersions != nil:
		return Versions(*a.MaxNumVersions), nil
	case a.Union != nil:
		return apiGroup(gcpolicy.Union, a.Union.Rules)
	case a.Intersection != nil:
		return apiGroup(gcpolicy.Intersection, a.Intersection.Rules)
	}
	return Never(), nil
}

func apiGroup(op gcpolicy.Op, rules []API) (*gcpolicy.Policy, error) {
	p := &gcpolicy.Policy{Op: op}
	for i := range rules {
		q, err := rules[i].Policy()
		if err != nil {
			return nil, err
		}
		p.Sub = append(p.Sub, q)
	}
	return p, nil
}
