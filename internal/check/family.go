package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Ref reads a value that is a table, or a table's name, as what the registry
// looks tables up by.
func Ref(v *value.Value) registry.Ref {
	var ref registry.Ref
	for depth := 0; v != nil && depth < 8; depth++ {
		switch v.Kind {
		case value.Via:
			ref.Handles = append(ref.Handles, v.Name)
			v = v.Args[0]
			continue
		case value.Call:
			if v.Is(trace.Fake) {
				return registry.Ref{Fake: true}
			}
			if name := trace.OpenedName(v); name != nil {
				ref.Name = value.Glob(name)
				ref.Handles = append(ref.Handles, nameHandles(name)...)
				ref.Among = among(name)
				return ref
			}
			if t := wrapped(v); t != nil {
				v = t
				continue
			}
			ref.Asked = asked(v)
			ref.Among = among(v)
		case value.Struct:
			// A type that embeds or wraps a table.
			if v = inner(v); v == nil {
				return ref
			}
			continue
		case value.Field:
			ref.Handles = append(ref.Handles, v.Name)
			return ref
		case value.Global:
			ref.Handles = append(ref.Handles, v.Name)
			return ref
		case value.Str:
			ref.Name = v.Name
			return ref
		}
		break
	}
	if v != nil && ref.Name == "" {
		ref.Name = value.Glob(v)
	}
	return ref
}

// among returns the names of the tables of which a value, a table or its name, is one;
// nil where not all are known.
func among(v *value.Value) (names []string) {
	for _, one := range value.Among(v) {
		ref := Ref(one)
		if ref.Name == "" {
			return nil
		}
		names = append(names, ref.Name)
	}
	return names
}

// wrapped returns the table that a call which is not known is given beside
// nothing else, to return it: by a middleware. It is nil of any other call.
func wrapped(v *value.Value) *value.Value {
	if v.Is(value.Invoke) && len(v.Args) == 2 && trace.OpenedName(v.Args[1]) != nil {
		return v.Args[1]
	}
	return nil
}

// asked returns a pattern of the name of a table that somebody is asked for who
// is not known — a factory, a registry of tables — under a constant text: that
// need not be the name, but says something of it. It is "" for any other call.
func asked(v *value.Value) string {
	var args []*value.Value
	switch {
	case v.Is(value.Method) && len(v.Args) > 2:
		args = v.Args[2:]
	case v.Is(value.Invoke) && len(v.Args) > 1:
		args = v.Args[1:]
	}
	name := ""
	for _, a := range args {
		s, ok := a.IsStr()
		if !ok {
			continue
		}
		if name != "" || s == "" {
			return ""
		}
		name = s
	}
	if name == "" {
		return ""
	}
	return "*" + strings.NewReplacer("-", "*", "_", "*", ".", "*", " ", "*").Replace(strings.ToLower(name)) + "*"
}

// nameHandles returns the fields, variables and functions that a table's name
// comes from.
func nameHandles(v *value.Value) (handles []string) {
	for ; v.Kind == value.Via; v = v.Args[0] {
		handles = append(handles, v.Name)
	}
	if v.Kind == value.Field || v.Kind == value.Global {
		handles = append(handles, v.Name)
	}
	return handles
}

// inner returns the table in a struct that stands for one, or nil.
func inner(v *value.Value) *value.Value {
	for _, key := range v.Keys {
		f := value.FieldOf(v, v.Name+"."+key, value.NoClass)
		if f.Kind == value.Via || trace.OpenedName(f) != nil {
			return f
		}
	}
	return nil
}

// A Target is a family that an event touches, in the table that it touches.
type Target struct {
	Family *registry.Family
	Table  *registry.Table // nil when the table is not certain
	Ref    registry.Ref
}

// Targets returns what is declared of the family of that name in the tables
// to which an event goes; with no tables known, in whichever table it is.
func (p *Pass) Targets(tables []*value.Value, family string) []Target {
	return targets(p.Model, tables, family)
}

func targets(model *registry.Model, tables []*value.Value, family string) []Target {
	if family == "" {
		return nil
	}
	var out []Target
	refs := Refs(tables)
	for _, ref := range refs {
		if f, t := model.Family(ref, family); f != nil && !overruled(model, ref, refs) {
			out = append(out, Target{f, t, ref})
		}
	}
	return out
}

// Refs returns the references of tables; one that says nothing for none.
func Refs(tables []*value.Value) []registry.Ref {
	var refs []registry.Ref
	for _, t := range tables {
		ref := Ref(t)
		if ref.Says() || ref.Asked != "" || len(ref.Among) > 0 {
			refs = append(refs, ref)
		}
	}
	if len(refs) == 0 {
		refs = []registry.Ref{{}}
	}
	return refs
}

// overruled reports whether a table of which nothing certain is known is one
// of several alternatives of which another has a name: what is kept in a map
// is what was opened before.
func overruled(model *registry.Model, ref registry.Ref, others []registry.Ref) bool {
	if table, known := model.Table(ref); table != nil || known || ref.Name != "" {
		return false
	}
	for _, o := range others {
		if o.Name != "" {
			return true
		}
	}
	return false
}

// Overruled reports whether the table of a case is not known while that of
// another case of the event is.
func (p *Pass) Overruled(e *trace.Event, table *value.Value) bool {
	var tables []*value.Value
	for _, c := range e.Cases {
		if len(c.Args) > 0 {
			tables = append(tables, c.Args[0])
		}
	}
	return overruled(p.Model, Ref(table), Refs(tables))
}

// Writes returns the targets of a write: mutation is the argument of the
// case that is the mutation, family the one that is the family.
func (p *Pass) Writes(e *trace.Event, c trace.Case, family *value.Value) []Target {
	name, ok := family.IsStr()
	if !ok || p.Undeclared(e, c) != nil {
		return nil
	}
	return WriteTargets(p.Trace, p.Model, e, c, name)
}

// WriteTargets returns the targets of a write to a family.
func WriteTargets(tr *trace.Result, model *registry.Model, e *trace.Event, c trace.Case, family string) []Target {
	tables := slices.DeleteFunc(slices.Clone(tr.EventTables(e, c)), func(t *value.Value) bool {
		declared, _ := model.Table(Ref(t))
		return declared == nil && tr.OfTests(e, t)
	})
	if possible := tr.PossibleTables(e, c); len(possible) > 0 && !KnownTables(tables) {
		return agreedTargets(model, possible, family)
	}
	return targets(model, tables, family)
}

// KnownTables reports whether one of the tables is known by name, pattern or
// handle.
func KnownTables(tables []*value.Value) bool {
	for _, t := range tables {
		if Ref(t).Says() {
			return true
		}
	}
	return false
}

// AllKnown reports whether there are tables and each is known by name, pattern
// or handle.
func AllKnown(tables []*value.Value) bool {
	for i := range tables {
		if !KnownTables(tables[i : i+1]) {
			return false
		}
	}
	return len(tables) > 0
}

// agreedTargets returns what is declared of the family in whichever of the tables
// it is, as far as they agree on its strategy.
func agreedTargets(model *registry.Model, tables []*value.Value, family string) []Target {
	var found *Target
	for i, v := range tables {
		ref := Ref(v)
		f, t := model.Family(ref, family)
		switch {
		case f == nil || i > 0 && (found == nil || !found.Family.Same(f)):
			return nil
		case found == nil:
			found = &Target{f, t, ref}
		}
	}
	return []Target{*found}
}

// TablePattern is the registry's pattern of the table, "" when it is not
// certain.
func (t Target) TablePattern() string {
	if t.Table == nil {
		return ""
	}
	return t.Table.Pattern
}

// Of says, behind a family's name in messages, which table it is of.
func (t Target) Of() string {
	switch {
	case t.Table == nil:
		return " (table not known)"
	case t.Table.Pattern != "":
		return fmt.Sprintf(" of table %q", t.Table.Pattern)
	}
	return ""
}

// Name says which family a target is, for messages: its strategy, its name,
// its table, and what its strategy was inferred from.
func (t Target) Name() string {
	s := fmt.Sprintf("%s family %q", t.Family.Strategy, t.Family.Name) + t.Of()
	if t.Family.Source == registry.FromGuess {
		s += " (inferred from the policy at " + t.Family.Evidence + ")"
	}
	return s
}
