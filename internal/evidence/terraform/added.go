package terraform

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/gcpolicy"
	"github.com/ttlvet/ttlvet/internal/gcrule"
	"github.com/ttlvet/ttlvet/internal/lazy"
)

var unfit = lazy.Regexp(`[^A-Za-z0-9_-]`)

// added returns where a resource with the policy of a family can be written,
// behind the resource of its table; nil where there may be several tables or
// families, or where its name is taken.
func (s *scope) added(table *block, family nested, name string) *evidence.Written {
	p := &policyReader{scope: s}
	kind, ok := strings.CutSuffix(table.kind, "_table")
	body, native := table.bodies[0].(*hclsyntax.Body)
	label := unfit().ReplaceAllString(table.name+"_"+name, "_")
	if !ok || !native || len(table.bodies) > 1 || table.attr("instance_name") == nil || !strings.HasPrefix(p.part(family.at), "column_family") ||
		family.attr("family") == nil || !literal(family.attr("family").Expr) {
		return nil
	}
	for _, meta := range []string{"count", "for_each", "provider"} {
		if table.attr(meta) != nil {
			return nil
		}
	}
	for _, r := range s.resources {
		if r.kind == kind+"_gc_policy" && r.name == label {
			return nil
		}
	}
	end := body.SrcRange.End.Byte
	file := body.SrcRange.Filename
	return &evidence.Written{File: file, Start: family.at.Start.Byte, Apart: true, Rewrite: func(q *gcpolicy.Policy) []evidence.Edit {
		limit := ""
		switch q.Op {
		case gcpolicy.MaxAge:
			limit = fmt.Sprintf("max_age {\n    duration = %q\n  }", gcrule.Duration(q.Age))
		case gcpolicy.MaxVersions:
			limit = fmt.Sprintf("max_version {\n    number = %d\n  }", q.N)
		default:
			return nil
		}
		var b strings.Builder
		of := table.kind + "." + table.name
		fmt.Fprintf(&b, "\n\nresource %q %q {\n", kind+"_gc_policy", label)
		if table.attr("project") != nil {
			fmt.Fprintf(&b, "  project       = %s.project\n", of)
		}
		fmt.Fprintf(&b, "  instance_name = %[1]s.instance_name\n  table         = %[1]s.name\n  column_family = %[2]q\n\n  %[3]s\n}", of, name, limit)
		text := b.String()
		if strings.Contains(string(s.sources[file]), "\r\n") {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		return []evidence.Edit{{File: file, Start: end, End: end, New: text}}
	}}
}
