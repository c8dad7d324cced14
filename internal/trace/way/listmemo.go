package way

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/value"
)

// remembered resolves an element of a map in which one function keeps what it
// makes of its parameter, under that: tables by their names. It is what the
// function makes of the key. It returns nil of other maps.
func remembered(m, key *value.Value) *value.Value {
	b := m.Base()
	if b.Kind != value.Map || len(b.Args) != 2 {
		return nil
	}
	by := b.Args[0].Base()
	in, ok := by.Site.(*ssa.Function)
	if !ok || by.Kind != value.Param {
		return nil
	}
	return b.Args[1].Subst(func(leaf *value.Value) *value.Value {
		switch {
		case leaf.Kind != value.Param || leaf.Site != any(in):
			return nil
		case leaf.Num == by.Num:
			return key
		}
		return leaf.Forgotten("what another call was given")
	})
}
