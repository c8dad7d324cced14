package kind

import "go/types"

// Core returns the underlying type of a type; of a type parameter that of the types
// that its constraint allows, where they have one: in a function of M ~map[K]V, an M is
// a map. Where they have none it is the constraint.
func Core(t types.Type) types.Type {
	tp, ok := types.Unalias(t).(*types.TypeParam)
	if !ok {
		return t.Underlying()
	}
	if core := coreOf(tp.Constraint()); core != nil {
		return core
	}
	return t.Underlying()
}

// coreOf returns the one underlying type of the types of a constraint; nil of none or
// several.
func coreOf(t types.Type) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Interface:
		for i := range u.NumEmbeddeds() {
			if core := coreOf(u.EmbeddedType(i)); core != nil {
				return core
			}
		}
		return nil
	case *types.Union:
		var core types.Type
		for i := range u.Len() {
			of := Core(u.Term(i).Type())
			if core != nil && !types.Identical(core, of) {
				return nil
			}
			core = of
		}
		return core
	default:
		return u
	}
}
