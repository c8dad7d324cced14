package explain

import (
	"fmt"
	"path"
	"strings"

	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/value"
)

// source writes a value as Go does, and behind it what stopped tracing where
// a part of it is not known.
func source(v *value.Value) string {
	v = trace.Named(v)
	reason := reasonOf(v)
	switch b := v.Base(); {
	case b.Kind == value.Unknown:
		return "not known: " + reason
	case trace.Root(v) != "":
		return made(v)
	case b.Is(trace.Cells) && len(b.Args) == 2:
		return "the cells of family " + source(b.Args[1]) + " in " + source(b.Args[0])
	case b.Is(trace.Yielded) && len(b.Args) == 2:
		return "what " + source(b.Args[0]) + " yields"
	case (b.Is(value.Elem) || b.Is(value.Index)) && len(b.Args) > 0:
		return "one of " + source(b.Args[0])
	case b.Kind == value.Field && !strings.Contains(value.Source(b), "…"):
		return value.Source(b)
	case b.Kind == value.Field:
		return value.FieldName(b.Name) + " of " + source(b.Args[0])
	case b.Kind == value.Int && b.Num == -1 && b.Class == value.Timestamp:
		return "bigtable.ServerTime"
	case b.Kind == value.List:
		var parts []string
		for _, e := range b.Args {
			parts = append(parts, source(e))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case b.Kind == value.Struct, b.Kind == value.Map, b.Kind == value.Func, b.Kind == value.Param:
		return v.String()
	}
	s := value.Source(v)
	if s == "…" || !strings.Contains(s, "…") && reason != "" {
		s = v.String()
	}
	if reason != "" && !strings.Contains(s, reason) {
		s += " (…: " + reason + ")"
	}
	return s
}

// made writes a mutation or row by where it is made: the identity says which
// calls led there, which nobody reads.
func made(v *value.Value) string {
	id := trace.Root(v)
	id = id[strings.LastIndexByte(id, '>')+1:]
	name := strings.TrimPrefix(v.Base().Name, "bigtable.")
	if v.Base().Name == trace.Row {
		name = "a row, read"
	}
	return fmt.Sprintf("%s at %s", name, path.Base(id))
}

// reasonOf returns why a part of a value is not known, or "".
func reasonOf(v *value.Value) string {
	reason := ""
	v.Walk(func(w *value.Value) {
		if w.Kind == value.Unknown && reason == "" {
			reason = w.Name
		}
	})
	return reason
}

// parts lists the texts of a value's parts, with itself.
func parts(into map[string]bool, v *value.Value) {
	trace.Named(v).Walk(func(w *value.Value) { into[w.Base().String()] = true })
}
