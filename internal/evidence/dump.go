package evidence

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Dump writes a schema in lines, for tests: one for each setting, fault,
// note and error.
func (s *Schema) Dump() string {
	var b strings.Builder
	at := func(p Place) string {
		text := fmt.Sprintf("%s:%d:%d", filepath.Base(p.File), p.Line, p.Column)
		if p.Address != "" {
			text += " " + p.Address
		}
		return text
	}
	for _, t := range s.Settings {
		fmt.Fprintf(&b, "%s: %s", at(t.Place), t.Table)
		if t.Family != "" {
			fmt.Fprintf(&b, " %s", t.Family)
		}
		if t.Created {
			b.WriteString(" created")
		}
		if t.Policy != nil {
			fmt.Fprintf(&b, ": %s", t.Policy)
		}
		for _, flag := range []struct {
			on   bool
			text string
		}{{t.Aggregate, "aggregate"}, {t.Relaxes, "relaxes"}, {t.Test, "test"}} {
			if flag.on {
				b.WriteString(" [" + flag.text + "]")
			}
		}
		if t.Project+t.Instance+t.Variant != "" {
			fmt.Fprintf(&b, " (%s/%s%s)", t.Project, t.Instance, t.Variant)
		}
		b.WriteString("\n")
	}
	for _, f := range s.Faults {
		fmt.Fprintf(&b, "%s: inert: %s %s: %s\n", at(f.Place), f.Table, f.Family, f.Message)
	}
	for _, n := range s.Notes {
		fmt.Fprintf(&b, "%s: note: %s\n", at(n.Place), n.Message)
	}
	for _, n := range s.Errors {
		fmt.Fprintf(&b, "%s: error: %s\n", at(n.Place), n.Message)
	}
	return b.String()
}
