package value

import "strings"

// Methods that a struct has from one that it embeds take the embedded one as
// their receiver, and those that it passes on to an object in a field take that
// one. Where an interface hides the struct, what they use is asked of the struct
// itself.

// How deep an embedded struct is looked for, and one around which others stand.
const (
	maxEmbedded  = 3
	maxDecorated = 8
)

// Embedded returns the part of a struct, of whatever type, that is the struct
// which has the field of that key ("path.Type.field"), or nil where that is
// the struct itself, or not known.
func (v *Value) Embedded(key string) *Value {
	owner := key[:max(strings.LastIndexByte(key, '.'), 0)]
	if owner == "" || v.Name == "" || v.Name == owner {
		return nil
	}
	if part := v.part(owner, maxEmbedded); part != nil {
		return part
	}
	if parts := v.decorated(owner, maxDecorated, nil); len(parts) == 1 {
		return parts[0]
	}
	return nil
}

// decorated returns the structs of a type that a struct has in its fields, and
// in theirs.
func (v *Value) decorated(owner string, depth int, found []*Value) []*Value {
	if depth == 0 || v.Lazy != nil {
		return found
	}
	for _, a := range v.Args {
		b := a.Base()
		switch {
		case b.Kind != Struct || b == v:
		case b.Name == owner:
			found = append(found, b)
		default:
			found = b.decorated(owner, depth-1, found)
		}
	}
	return found
}

func (v *Value) part(owner string, depth int) *Value {
	name := FieldName(owner)
	for _, k := range v.Keys {
		if k != name {
			continue
		}
		// One that is not filled is as good as none.
		if part := v.Get(k); part != nil && (part.Base().Kind != Struct || part.Base().Name == owner) {
			return part
		}
	}
	if depth == 0 {
		return nil
	}
	for _, k := range v.Keys {
		// An embedded struct is named for its type.
		e := v.Get(k)
		if e == nil {
			continue
		}
		if b := e.Base(); b.Kind == Struct && k == FieldName(b.Name) {
			if part := b.part(owner, depth-1); part != nil {
				return part
			}
		}
	}
	return nil
}
