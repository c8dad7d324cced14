package terraform

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/gcpolicy"
	"github.com/ttlvet/ttlvet/internal/gcrule"
)

// source returns the text of a range, and the file's.
func (p *policyReader) source(r hcl.Range) (part string, all []byte) {
	all = p.sources[r.Filename]
	if r.Start.Byte < 0 || r.End.Byte < r.Start.Byte || r.End.Byte > len(all) {
		return "", nil
	}
	return string(all[r.Start.Byte:r.End.Byte]), all
}

func edit(r hcl.Range, text string) evidence.Edit {
	return evidence.Edit{File: r.Filename, Start: r.Start.Byte, End: r.End.Byte, New: text}
}

// commented reports whether there may be a comment in a part of a file: a
// fix that would delete it is none.
func commented(part string) bool {
	return strings.Contains(part, "#") || strings.Contains(part, "//") || strings.Contains(part, "/*")
}

// literal reports whether an expression is written out.
func literal(e hcl.Expression) bool {
	switch e := e.(type) {
	case *hclsyntax.LiteralValueExpr:
		return true
	case *hclsyntax.TemplateExpr:
		return e.IsStringLiteral()
	}
	return false
}

// written returns where a policy of blocks is written out, or nil.
func (p *policyReader) written(ages, limits []nested, mode *hcl.Attribute) *evidence.Written {
	if len(ages) > 1 || len(limits) > 1 || len(ages)+len(limits) == 0 {
		return nil
	}
	all := append(slices.Clone(ages), limits...)
	first := all[0].at
	return &evidence.Written{File: first.Filename, Start: first.Start.Byte, Rewrite: func(q *gcpolicy.Policy) []evidence.Edit {
		var edits []evidence.Edit
		done := false
		for _, b := range all {
			age := strings.HasPrefix(p.part(b.at), "max_age")
			if !age && !strings.HasPrefix(p.part(b.at), "max_version") {
				return nil // made by a dynamic block
			}
			// The block of the kind that is needed stays, or the only one.
			if age == (q.Op == gcpolicy.MaxAge) && !done || len(all) == 1 {
				more := p.alter(b, age, q)
				if more == nil {
					return nil
				}
				edits, done = append(edits, more...), true
				continue
			}
			body, ok := b.bodies[0].(*hclsyntax.Body)
			if !ok {
				return nil
			}
			cut := p.line(hcl.Range{Filename: b.at.Filename, Start: b.at.Start, End: body.SrcRange.End})
			if cut == nil {
				return nil
			}
			edits = append(edits, *cut)
		}
		if mode != nil {
			cut := p.line(mode.Range)
			if cut == nil || !literal(mode.Expr) {
				return nil
			}
			edits = append(edits, *cut)
		}
		if !done {
			return nil
		}
		return edits
	}}
}

// part is the text of a range.
func (p *policyReader) part(r hcl.Range) string {
	part, _ := p.source(r)
	return part
}

// alter writes a policy in the place of the block of another.
func (p *policyReader) alter(b nested, age bool, q *gcpolicy.Policy) []evidence.Edit {
	var attrs []*hcl.Attribute
	for _, name := range []string{"days", "duration", "number"} {
		if a := b.attr(name); a != nil {
			attrs = append(attrs, a)
		}
	}
	if len(attrs) != 1 || !literal(attrs[0].Expr) {
		return nil
	}
	a := attrs[0]
	value := a.Expr.Range()
	switch {
	case q.Op == gcpolicy.MaxAge && age:
		if a.Name == "days" && q.Age%(24*time.Hour) == 0 {
			return []evidence.Edit{edit(value, fmt.Sprint(int(q.Age/(24*time.Hour))))}
		}
		if a.Name == "days" {
			return []evidence.Edit{edit(a.NameRange, "duration"), edit(value, fmt.Sprintf("%q", gcrule.Duration(q.Age)))}
		}
		return []evidence.Edit{edit(value, fmt.Sprintf("%q", gcrule.Duration(q.Age)))}
	case q.Op == gcpolicy.MaxVersions && !age:
		return []evidence.Edit{edit(value, fmt.Sprint(q.N))}
	case q.Op == gcpolicy.MaxAge:
		return []evidence.Edit{edit(p.word(b.at), "max_age"), edit(a.NameRange, "duration"), edit(value, fmt.Sprintf("%q", gcrule.Duration(q.Age)))}
	case q.Op == gcpolicy.MaxVersions:
		return []evidence.Edit{edit(p.word(b.at), "max_version"), edit(a.NameRange, "number"), edit(value, fmt.Sprint(q.N))}
	}
	return nil
}

// word is the range of the type of a block.
func (p *policyReader) word(r hcl.Range) hcl.Range {
	name := "max_age"
	if strings.HasPrefix(p.part(r), "max_version") {
		name = "max_version"
	}
	r.End = r.Start
	r.End.Byte += len(name)
	return r
}

// line deletes what stands on lines of its own, without comments.
func (p *policyReader) line(r hcl.Range) *evidence.Edit {
	part, all := p.source(r)
	if all == nil || commented(part) {
		return nil
	}
	e := edit(r, "")
	for e.Start > 0 && (all[e.Start-1] == ' ' || all[e.Start-1] == '\t') {
		e.Start--
	}
	for e.End < len(all) && strings.IndexByte(" \t\r", all[e.End]) >= 0 {
		e.End++
	}
	if e.Start > 0 && all[e.Start-1] != '\n' || e.End >= len(all) || all[e.End] != '\n' {
		return nil
	}
	e.End++
	return &e
}

// writtenRules returns where gc_rules are written out, or nil.
func (p *policyReader) writtenRules(a *hcl.Attribute, value string) *evidence.Written {
	r := a.Expr.Range()
	return &evidence.Written{File: r.Filename, Start: r.Start.Byte, Rewrite: func(q *gcpolicy.Policy) []evidence.Edit {
		text := gcrule.WriteProvider(q)
		if text == "" {
			return nil
		}
		if o := encoded(a.Expr); o != nil {
			return p.object(o, q)
		}
		return p.json(a.Expr, value, text)
	}}
}

// json writes other JSON in the place of a string or heredoc.
func (p *policyReader) json(e hcl.Expression, value, text string) []evidence.Edit {
	r := e.Range()
	part, _ := p.source(r)
	old := strings.TrimSpace(value)
	if strings.HasPrefix(part, `"`) {
		escape := func(s string) string { return strings.ReplaceAll(s, `"`, `\"`) }
		old, text = escape(old), escape(text)
	}
	i := strings.Index(part, old)
	if i < 0 || old == "" || strings.Count(part, old) > 1 || !literal(e) && !strings.HasPrefix(part, "<<") {
		return nil
	}
	start := r.Start.Byte + i
	return []evidence.Edit{{File: r.Filename, Start: start, End: start + len(old), New: text}}
}

// encoded returns the object of jsonencode({…}), or nil.
func encoded(e hcl.Expression) *hclsyntax.ObjectConsExpr {
	call, ok := e.(*hclsyntax.FunctionCallExpr)
	if !ok || call.Name != "jsonencode" || len(call.Args) != 1 {
		return nil
	}
	o, _ := call.Args[0].(*hclsyntax.ObjectConsExpr)
	return o
}

// item returns an item of an object.
func item(o *hclsyntax.ObjectConsExpr, name string) *hclsyntax.ObjectConsItem {
	for i := range o.Items {
		if v, diags := o.Items[i].KeyExpr.Value(nil); !diags.HasErrors() {
			if t, ok := text(v); ok && t == name {
				return &o.Items[i]
			}
		}
	}
	return nil
}

// object writes one rule in the place of those of an object.
func (p *policyReader) object(o *hclsyntax.ObjectConsExpr, q *gcpolicy.Policy) []evidence.Edit {
	rules, mode := item(o, "rules"), item(o, "mode")
	if rules == nil || commented(p.part(rules.ValueExpr.Range())) || len(rules.ValueExpr.Variables()) > 0 {
		return nil
	}
	rule := ""
	switch q.Op {
	case gcpolicy.MaxAge:
		rule = fmt.Sprintf("{ max_age = %q }", gcrule.Duration(q.Age))
	case gcpolicy.MaxVersions:
		rule = fmt.Sprintf("{ max_version = %d }", q.N)
	default:
		return nil
	}
	edits := []evidence.Edit{edit(rules.ValueExpr.Range(), "["+rule+"]")}
	if mode == nil {
		return edits
	}
	at := hcl.Range{Filename: o.SrcRange.Filename, Start: mode.KeyExpr.Range().Start, End: mode.ValueExpr.Range().End}
	if cut := p.line(at); cut != nil {
		return append(edits, *cut)
	}
	// On one line with what follows.
	at.End = rules.KeyExpr.Range().Start
	if between := p.part(at); at.End.Byte <= at.Start.Byte || commented(between) || strings.Contains(between, "\n") {
		return nil
	}
	return append(edits, edit(at, ""))
}

// mended returns the edit that writes a mode as it is read, where it is
// written out.
func (p *policyReader) mended(a *hcl.Attribute, mode, right string) []evidence.Edit {
	e := a.Expr
	if o := encoded(e); o != nil {
		i := item(o, "mode")
		if i == nil {
			return nil
		}
		e = i.ValueExpr
	}
	part, _ := p.source(e.Range())
	quoted := []string{fmt.Sprintf("%q", mode), `\"` + mode + `\"`}
	for n, old := range quoted {
		if strings.Count(part, old) == 1 {
			start := e.Range().Start.Byte + strings.Index(part, old) + n + 1
			return []evidence.Edit{{File: e.Range().Filename, Start: start, End: start + len(mode), New: right}}
		}
	}
	return nil
}
