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

// Meets reports whether what both lead to may have a part in common: unlike
// [PathTo.HasPrefix], an element of which it is not known which may be any.
func (a PathTo) Meets(b PathTo) bool {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] && (a[i] >= 0 || b[i] >= 0 || a[i] != AnyElement && b[i] != AnyElement) {
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
		if c, ok := v.Index.(*ssa.Const); ok { // of a slice
			if n, ok := IntConst(c); ok {
				if root, path, ok := listOf(v.X); ok {
					return root, append(path[:len(path):len(path)], -1-int(n))
				}
			}
		}
	case *ssa.ChangeType:
		return LocalAddress(v.X)
	}
	return v, nil
}

// listOf returns the array of which a slice has the elements from the first on.
func listOf(v ssa.Value) (root ssa.Value, path PathTo, ok bool) {
	switch v := v.(type) {
	case *ssa.MakeSlice:
		return v, nil, true
	case *ssa.Slice:
		if v.Low != nil {
			return nil, nil, false
		}
		if _, array := v.X.Type().Underlying().(*types.Pointer); array {
			root, path = LocalAddress(v.X)
			return root, path, true
		}
		return listOf(v.X)
	case *ssa.ChangeType:
		return listOf(v.X)
	}
	return nil, nil, false
}
