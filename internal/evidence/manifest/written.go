package manifest

import (
	"fmt"
	"strings"
	"time"

	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/gcpolicy"
	"github.com/ttlvet/ttlvet/internal/gcrule"
)

// find returns where a text stands in the value of a node and nowhere else
// in it: on its line, and those below that are indented more, or in a list.
func (o *object) find(n *node, text string) (start int, ok bool) {
	first, _, ok := evidence.Lines(o.data, n.line, n.line)
	if !ok || text == "" || strings.Contains(text, "\n") {
		return 0, false
	}
	end := o.end(n)
	if end <= first {
		return 0, false
	}
	at, ok := evidence.Only(o.data[first:end], text)
	return first + at, ok
}

// end returns where the lines of a scalar end.
func (o *object) end(n *node) int {
	_, end, _ := evidence.Lines(o.data, n.line, n.line)
	indent := -1
	for line := n.line; ; line++ {
		from, to, ok := evidence.Lines(o.data, line, line)
		if !ok || from == to {
			return end
		}
		text := strings.TrimRight(string(o.data[from:to]), "\r\n")
		own := len(text) - len(strings.TrimLeft(text, " -"))
		switch {
		case indent < 0:
			indent = own
		case strings.TrimSpace(text) != "" && own <= indent:
			return end
		}
		end = to
	}
}

// writtenRules returns where the JSON of gcRules is written out.
func (o *object) writtenRules(rules *node) *evidence.Written {
	old := strings.TrimSpace(rules.str())
	start, ok := o.find(rules, old)
	if !ok {
		return nil
	}
	return &evidence.Written{File: o.path, Start: start, Rewrite: func(p *gcpolicy.Policy) []evidence.Edit {
		text := gcrule.WriteProvider(p)
		if text == "" {
			return nil
		}
		return []evidence.Edit{{File: o.path, Start: start, End: start + len(old), New: text}}
	}}
}

// mended returns the edit of a mode in the JSON of gcRules.
func (o *object) mended(rules *node, mode, right string) []evidence.Edit {
	start, ok := o.find(rules, `"`+mode+`"`)
	if !ok {
		return nil
	}
	return []evidence.Edit{{File: o.path, Start: start + 1, End: start + 1 + len(mode), New: right}}
}

// written returns where the only limit of a policy without gcRules is
// written out. Another kind of limit is not written in its place.
func (o *object) written() *evidence.Written {
	ages, limits := o.spec.get("maxAge").items(), o.spec.get("maxVersion").items()
	if len(ages)+len(limits) != 1 {
		return nil
	}
	var values []*node
	for _, n := range append(ages, limits...) {
		for _, key := range []string{"days", "duration", "number"} {
			if v := n.get(key); v != nil {
				values = append(values, v)
			}
		}
	}
	if len(values) != 1 {
		return nil
	}
	old := values[0].str()
	_, end, ok := evidence.Lines(o.data, values[0].line, values[0].line)
	from := 0
	if ok {
		from, _, _ = evidence.Lines(o.data, values[0].line, values[0].line)
	}
	at, once := evidence.Only(o.data[from:end], old)
	if !ok || !once {
		return nil
	}
	start := from + at
	return &evidence.Written{File: o.path, Start: start, Rewrite: func(p *gcpolicy.Policy) []evidence.Edit {
		text := ""
		switch {
		case p.Op == gcpolicy.MaxVersions && len(limits) == 1:
			text = fmt.Sprint(p.N)
		case p.Op == gcpolicy.MaxAge && len(ages) == 1 && ages[0].get("days") == nil:
			text = gcrule.Duration(p.Age)
		case p.Op == gcpolicy.MaxAge && len(ages) == 1 && p.Age%(24*time.Hour) == 0:
			text = fmt.Sprint(int(p.Age / (24 * time.Hour)))
		default:
			return nil
		}
		return []evidence.Edit{{File: o.path, Start: start, End: start + len(old), New: text}}
	}}
}
