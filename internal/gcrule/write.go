package gcrule

import (
	"fmt"
	"strings"
	"time"

	"github.com/ttlvet/ttlvet/internal/gcpolicy"
)

// WriteCBT writes a policy, or a union of two, as the command cbt reads it;
// "" for one that it cannot express.
func WriteCBT(p *gcpolicy.Policy) string {
	var parts []string
	for _, q := range terms(p) {
		switch q.Op {
		case gcpolicy.MaxAge:
			parts = append(parts, "maxage="+cbtAgeText(q.Age))
		case gcpolicy.MaxVersions:
			parts = append(parts, fmt.Sprintf("maxversions=%d", q.N))
		}
	}
	text := strings.Join(parts, " or ")
	if q, _, err := CBT(text); err != nil || !q.Equal(p) {
		return ""
	}
	return text
}

// cbtAgeText writes an age with one number and one unit.
func cbtAgeText(d time.Duration) string {
	for _, unit := range []string{"d", "h", "m", "s"} {
		if d%cbtUnits[unit] == 0 {
			return fmt.Sprintf("%d%s", d/cbtUnits[unit], unit)
		}
	}
	return fmt.Sprintf("%dms", d.Milliseconds())
}

// WriteProvider writes a policy, or a union of two, as the provider's
// gc_rules in JSON; "" for one that they cannot express.
func WriteProvider(p *gcpolicy.Policy) string {
	var parts []string
	for _, q := range terms(p) {
		switch q.Op {
		case gcpolicy.MaxAge:
			parts = append(parts, fmt.Sprintf(`{"max_age": %q}`, Duration(q.Age)))
		case gcpolicy.MaxVersions:
			parts = append(parts, fmt.Sprintf(`{"max_version": %d}`, q.N))
		}
	}
	text := `{"rules": [` + strings.Join(parts, ", ") + `]}`
	if len(parts) > 1 {
		text = `{"mode": "union", "rules": [` + strings.Join(parts, ", ") + `]}`
	}
	if q, err := OfProvider(text); err != nil || q.Inert != "" || !q.Policy.Equal(p) {
		return ""
	}
	return text
}

// Duration writes an age as Go's durations are written, with the largest unit
// that it is a whole number of: "720h", "90m", "1s".
func Duration(d time.Duration) string {
	for _, unit := range []string{"h", "m", "s"} {
		if d%cbtUnits[unit] == 0 {
			return fmt.Sprintf("%d%s", d/cbtUnits[unit], unit)
		}
	}
	return d.String()
}

func terms(p *gcpolicy.Policy) []*gcpolicy.Policy {
	if p.Op == gcpolicy.Union {
		return p.Sub
	}
	return []*gcpolicy.Policy{p}
}
