package script

import (
	"strings"

	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/gcpolicy"
	"github.com/ttlvet/ttlvet/internal/gcrule"
)

// written returns where a policy stands in the lines of its command, after
// the name of its family, or nil: it may come from a variable, be there
// twice, or stand in text of which the lines are not the file's.
func (r *replay) written(c command, family, policy string) *evidence.Written {
	at := r.place(c)
	last := max(at.End.Line, at.Line)
	start, end, ok := evidence.Lines(r.data, at.Line, last)
	if !ok || strings.Contains(family, unknown) {
		return nil
	}
	i, ok := evidence.Only(r.data[start:end], family+policy)
	if !ok {
		return nil
	}
	start += i + len(family)
	return &evidence.Written{File: r.file, Start: start, Rewrite: func(p *gcpolicy.Policy) []evidence.Edit {
		text := gcrule.WriteCBT(p)
		if text == "" || strings.Contains(text, " ") {
			return nil // it may want quotes, which may be those of another language
		}
		return []evidence.Edit{{File: r.file, Start: start, End: start + len(policy), New: text}}
	}}
}

// listed returns where a policy can be written behind the i-th item of a list
// of families, or nil: the list may come from variables.
func (r *replay) listed(c command, list, sep string, i int) *evidence.Written {
	at := r.place(c)
	start, end, ok := evidence.Lines(r.data, at.Line, max(at.End.Line, at.Line))
	if !ok || strings.Contains(list, unknown) {
		return nil
	}
	offset, ok := evidence.Only(r.data[start:end], list)
	if !ok {
		return nil
	}
	start += offset + len(strings.Join(strings.Split(list, sep)[:i+1], sep))
	return &evidence.Written{File: r.file, Start: start, Rewrite: func(p *gcpolicy.Policy) []evidence.Edit {
		text := gcrule.WriteCBT(p)
		if text == "" || strings.Contains(text, " ") {
			return nil
		}
		return []evidence.Edit{{File: r.file, Start: start, End: start, New: ":" + text}}
	}}
}

// following returns where a command that sets a policy can follow the one
// that creates its family, or nil: each must have lines of its own.
func (r *replay) following(c command) *evidence.Written {
	const create = "createfamily"
	at := r.place(c)
	start, end, ok := evidence.Lines(r.data, at.Line, max(at.End.Line, at.Line))
	if !ok || !r.lines {
		return nil
	}
	text := string(r.data[start:end])
	last, _, _ := evidence.Lines(r.data, at.End.Line, at.End.Line)
	before, stop := start+at.Column-1, last+at.End.Column-1
	i, ok := evidence.Only(r.data[start:end], create)
	if !ok || before > stop || stop > end || strings.Trim(string(r.data[start:before]), " \t@-+") != "" || strings.TrimSpace(string(r.data[stop:end])) != "" {
		return nil
	}
	command := strings.TrimRight(text[:i]+"setgcpolicy"+text[i+len(create):], " \t\r\n")
	ending := "\n"
	if strings.HasSuffix(text, "\r\n") {
		ending = "\r\n"
	}
	return &evidence.Written{File: r.file, Start: start + i, Apart: true, Rewrite: func(p *gcpolicy.Policy) []evidence.Edit {
		policy := gcrule.WriteCBT(p)
		if policy == "" || strings.Contains(policy, " ") {
			return nil
		}
		added := command + " " + policy + ending
		if !strings.HasSuffix(text, "\n") {
			added = ending + strings.TrimSuffix(added, ending)
		}
		return []evidence.Edit{{File: r.file, Start: end, End: end, New: added}}
	}}
}
