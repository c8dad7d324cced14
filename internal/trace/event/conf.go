package event

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/helper"
	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Given returns the configuration of a declared table, v, as a call is given
// it: with what the function has put in it since. Other configurations are
// returned as they are.
func (p *TableConfs) Given(q *eval.Path, v ssa.Value, conf *value.Value, at ssa.Instruction) *value.Value {
	declared := helper.Conf(conf)
	v = kind.Stripped(v)
	if declared == nil || v.Referrers() == nil {
		return conf
	}
	changed := false
	for _, r := range *v.Referrers() {
		fa, ok := r.(*ssa.FieldAddr)
		if !ok {
			continue
		}
		name := kind.StructField(kind.Deref(v.Type()), fa.Field).Name()
		for _, use := range *fa.Referrers() {
			switch use := use.(type) {
			case *ssa.Store:
				if use.Addr == ssa.Value(fa) && p.Precedes(use, at) {
					declared, changed = with(declared, name, p.putAt(q, use.Val, use, at)), true
				}
			case *ssa.UnOp:
				if use.Op != token.MUL || name != "ColumnFamilies" {
					continue
				}
				for _, update := range *use.Referrers() {
					m, ok := update.(*ssa.MapUpdate)
					if !ok || !p.Precedes(m, at) {
						continue
					}
					families := declared.Get(name)
					if families == nil || families.Kind != value.Map {
						return conf
					}
					declared, changed = with(declared, name, withEntry(families, q.Eval(m.Key, m), p.putAt(q, m.Value, m, at))), true
				}
			}
		}
	}
	if !changed {
		return conf
	}
	return declared
}

// putAt resolves what an instruction stores, which is not known where the
// instruction may be passed over.
func (p *TableConfs) putAt(q *eval.Path, v ssa.Value, by, at ssa.Instruction) *value.Value {
	if !by.Block().Dominates(at.Block()) {
		return value.UnknownFor("what is stored under a condition")
	}
	return q.Force(q.Eval(v, by), 4)
}

// with returns a struct with another value of a field.
func with(s *value.Value, field string, v *value.Value) *value.Value {
	c := *s
	c.Keys, c.Args = nil, nil
	for i, k := range s.Keys {
		if k != field {
			c.Keys, c.Args = append(c.Keys, k), append(c.Args, s.Args[i])
		}
	}
	c.Keys, c.Args = append(c.Keys, field), append(c.Args, v)
	return &c
}

// withEntry returns a map with another element.
func withEntry(m, key, v *value.Value) *value.Value {
	c := *m
	c.Args = nil
	name, known := key.IsStr()
	for i := 0; i+1 < len(m.Args); i += 2 {
		if k, ok := m.Args[i].IsStr(); !known || ok && k == name {
			if !known {
				c.Args = append(c.Args, m.Args[i], value.UnknownFor("an element that may be replaced"))
			}
			continue
		}
		c.Args = append(c.Args, m.Args[i], m.Args[i+1])
	}
	if known {
		c.Args = append(c.Args, key, v)
	}
	return &c
}
