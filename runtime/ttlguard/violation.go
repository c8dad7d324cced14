package ttlguard

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ttlvet/ttlvet/runtime/strategy"
)

// A Violation is a request, or many of one kind, that contradicts the
// agreement of a column family. It has no values, keys, columns or timestamps.
type Violation struct {
	// Rule is ttlvet's: "ttlwrite/server-timestamp". Its page is at
	// https://github.com/ttlvet/ttlvet/tree/main/docs. Or it is [NotJudged].
	Rule string
	// Service and Method are those of the request: "google.bigtable.v2.Bigtable",
	// "MutateRow".
	Service, Method string
	Table           string // the table's ID; "" of what is not judged
	Family          string
	Strategy        strategy.Strategy // "" where the family is not declared
	// Message says what is wrong, what will happen to the data and what to do
	// instead.
	Message string
	// Count is how many cells or reads the report stands for, one at least.
	Count int64
	// Since is when the first of them happened.
	Since time.Time
}

// String returns the message with method and rule.
func (v Violation) String() string {
	s := fmt.Sprintf("%s: %s (%s)", v.Method, v.Message, v.Rule)
	if v.Count > 1 {
		s += fmt.Sprintf(" (%d times)", v.Count)
	}
	return s
}

// Attributes returns the violation as attributes for spans, logs and metrics.
// Four are those of OpenTelemetry's semantic conventions for database client
// spans, https://opentelemetry.io/docs/specs/semconv/db/database-spans/:
//
//	db.system.name      "gcp.bigtable", formed like "gcp.spanner": the list of well-known names lacks Bigtable
//	db.operation.name   the method, "MutateRow"
//	db.collection.name  the table's ID
//	error.type          the rule, "ttlwrite/server-timestamp"
//
// There is no convention for the others: ttlvet.rule, ttlvet.family,
// ttlvet.strategy. All have few values, as attributes of metrics must.
func (v Violation) Attributes() map[string]string {
	all := map[string]string{
		"db.system.name":     "gcp.bigtable",
		"db.operation.name":  v.Method,
		"db.collection.name": v.Table,
		"error.type":         v.Rule,
		"ttlvet.rule":        v.Rule,
		"ttlvet.family":      v.Family,
		"ttlvet.strategy":    string(v.Strategy),
	}
	for k, s := range all {
		if s == "" {
			delete(all, k)
		}
	}
	return all
}

// rules are those that the wire can show.
var rules = []string{
	"ttlgc/age-mismatch", "ttlgc/age-on-sequence", "ttlgc/age-on-zero", "ttlgc/empty-mask",
	"ttlgc/existing-data", "ttlgc/no-policy", "ttlgc/policy-mismatch", "ttlgc/versions-with-expiry",
	"ttlread/conditional-mutation", "ttlread/expired-only", "ttlread/hides-other-families",
	"ttlread/limit-before-filter", "ttlread/missing-filter", "ttlread/sql",
	"ttlread/unfiltered-branch", "ttlread/upper-bound", "ttlread/version-limit",
	"ttlread/wrong-bound", "ttlunit/age-unit", "ttlunit/out-of-range", "ttlunit/wrong-unit",
	"ttlwrite/aggregate-server-time", "ttlwrite/already-expired", "ttlwrite/clock-in-sequence",
	"ttlwrite/clock-in-zero", "ttlwrite/delete-after-set", "ttlwrite/read-modify-write",
	"ttlwrite/same-timestamp", "ttlwrite/server-timestamp", "ttlwrite/stale-survivor", "ttlwrite/unscaled-sequence",
	"ttlwrite/write-time",
}

// Rules returns the rules to which requests are held, sorted.
func Rules() []string { return slices.Clone(rules) }

func analyzerOf(rule string) string {
	analyzer, _, _ := strings.Cut(rule, "/")
	return analyzer
}

func knownRule(name string) error {
	if name == NotJudged {
		return nil
	}
	for _, r := range rules {
		if r == name || analyzerOf(r) == name {
			return nil
		}
	}
	return fmt.Errorf("ttlguard: no rule %q; they are %s", name, strings.Join(rules, ", "))
}
