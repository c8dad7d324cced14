package schema

import (
	"fmt"
	"strings"

	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/gcpolicy"
	"github.com/ttlvet/ttlvet/internal/gcrule"
)

// Write writes a policy as a source of the kind does.
func Write(k evidence.Kind, p *gcpolicy.Policy) string {
	if k == evidence.Script {
		return gcrule.WriteCBT(p)
	}
	age, n := "", 0
	for _, q := range append([]*gcpolicy.Policy{p}, p.Sub...) {
		switch q.Op {
		case gcpolicy.MaxAge:
			age = gcrule.Duration(q.Age)
		case gcpolicy.MaxVersions:
			n = q.N
		}
	}
	var parts []string
	switch k {
	case evidence.Terraform, evidence.Plan, evidence.State:
		if age != "" {
			parts = append(parts, fmt.Sprintf("max_age { duration = %q }", age))
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("max_version { number = %d }", n))
		}
	case evidence.Manifest:
		if age != "" {
			parts = append(parts, fmt.Sprintf("maxAge: [{duration: %s}]", age))
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("maxVersion: [{number: %d}]", n))
		}
	default:
		return p.String()
	}
	return strings.Join(parts, " and ")
}
