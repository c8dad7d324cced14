package kind

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A PathTo leads from a root to a part of it: field numbers, and for
// elements of arrays the index, or [AnyElement], below zero.
type PathTo []int

// AnyElement is an element of an array of which it is not known which: elements
// are written as −1−index so that they differ from fields.
const AnyElement = -1 << 30

// Equal reports whether both lead to the same part.
func (a PathTo) Equal(b PathTo) bool {
	return len(a) == len(b) && a.HasPrefix(b)
}

// HasPrefix reports whether what b leads to holds what a does, or is it.
func (a PathTo) HasPrefix(b PathTo) bool {
	if len(a) < len(b) {
		return false
	}
	for i := range b {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// LocalAddress is address within one function.
func LocalAddress(v ssa.Value) (root ssa.Value, path PathTo) {
	switch v := v.(type) {
	case *ssa.FieldAddr:
		root, path = LocalAddress(v.X)
		return root, append(path[:len(path):len(path)], v.Field)
	case *ssa.IndexAddr:
		if _, ok := v.X.Type().Underlying().(*types.Pointer); ok { // to an array
			root, path = LocalAddress(v.X)
			step := AnyElement
			if c, ok := v.Index.(*ssa.Const); ok {
				if n, ok := IntConst(c); ok {
					step = -1 - int(n)
				}
			}
			return root, append(path[:len(path):len(path)], step)
		}
	case *ssa.ChangeType:
		return LocalAddress(v.X)
	}
	return v, nil
}
