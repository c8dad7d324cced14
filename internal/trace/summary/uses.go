package summary

import (
	"slices"
	"sort"

	"github.com/ttlvet/ttlvet/internal/value"
)

// Uses says what a program does with the rows of a read.
type Uses struct {
	Families []string // families that are looked up by name
	All      bool     // all families may be used: the row is ranged over or handed on
	Exists   bool     // the row is compared with nil or its length is asked
	Keys     bool     // the row's key is asked
	Checked  bool     // timestamps of cells are compared with a time
	// CheckedOf are the families whose cells are compared, where that is known;
	// nil where it may be any.
	CheckedOf []string
	// Perhaps says that what is made of the cells goes to a function that callers
	// give, and that something in the package compares the time in such objects. Who
	// calls it from another package sees what its function does.
	Perhaps bool
	// Handed are the functions and objects to which cells go, as callers give them.
	Handed   []Handed
	Returned bool // the row is returned to callers, which use it further
	// Around says that it is returned by the declared function around the literal
	// of the read, which assigns it to a variable there.
	Around   bool
	Callback int // rows go to the callback that is this parameter, counted from 1
	Yields   int // the function returns an iterator, which passes rows on as this argument, counted from 1
	// Kept is where rows are left for callers, which use them there.
	Kept []Kept
	// FamilyParams are the parameters that name further families that are
	// looked up.
	FamilyParams []int
	// Given are further families that are looked up, over the parameters: the
	// field of a receiver. InView are those that they are of the objects that
	// the package makes, AnyInView says that one of them is not known.
	Given     []*value.Value
	InView    []string
	AnyInView bool
}

// A Kept is where a function leaves rows for its callers: a field, or what a parameter points
// to itself.
type Kept struct {
	Param int    // of what the parameter points to that is the Param-th from 1; 0: of what it returns
	Field string // "path.Type.field"; "" of what the parameter points to itself
}

// A Handed is a function that callers give, or an object that they give, which gets what
// is read.
type Handed struct {
	To     *value.Value // over the parameters; nil where it is returned to callers
	Method string       // of the object, the method that is called
	Rows   bool         // it gets whole rows,
	Times  bool         // or times of cells; otherwise cells
	Left   bool         // not the times, but how far they are from a moment
	Of     []string     // those of the families, where that is known
}

func (u Uses) With(v Uses) Uses {
	u.All = u.All || v.All
	u.Exists = u.Exists || v.Exists
	u.Keys = u.Keys || v.Keys
	switch {
	case u.Checked && v.Checked && (u.CheckedOf == nil || v.CheckedOf == nil):
		u.CheckedOf = nil
	case v.Checked:
		for _, f := range v.CheckedOf {
			u.CheckedOf = Insert(u.CheckedOf, f)
		}
	}
	u.Checked = u.Checked || v.Checked
	u.Perhaps = u.Perhaps || v.Perhaps
	u.Returned = v.Returned
	u.Around = u.Around || v.Around
	if v.Callback != 0 {
		u.Callback = v.Callback
	}
	if v.Yields != 0 {
		u.Yields = v.Yields
	}
	for _, f := range v.Families {
		u.Families = Insert(u.Families, f)
	}
	for _, g := range v.Given {
		u.AddGiven(g)
	}
	for _, f := range v.InView {
		u.InView = Insert(u.InView, f)
	}
	u.AnyInView = u.AnyInView || v.AnyInView
	for _, h := range v.Handed {
		u.AddHanded(h)
	}
	for _, k := range v.Kept {
		u.AddKept(k)
	}
	return u
}

// Common returns what two uses, of which one or the other happens, use both.
func (u Uses) Common(v Uses) Uses {
	w := Uses{All: u.All && v.All, Exists: u.Exists && v.Exists, Keys: u.Keys && v.Keys}
	for _, f := range slices.Concat(u.Families, v.Families) {
		if (u.All || slices.Contains(u.Families, f)) && (v.All || slices.Contains(v.Families, f)) {
			w.Families = Insert(w.Families, f)
		}
	}
	for _, by := range []Uses{u, v} {
		w = w.With(Uses{Checked: by.Checked, CheckedOf: by.CheckedOf})
	}
	return w
}

// Outside reports whether rows go to the callers, which use them further.
func (u Uses) Outside() bool {
	return u.Returned || u.Around || u.Callback != 0 || u.Yields != 0 || len(u.Handed)+len(u.Kept) > 0
}

// Inside returns the uses without what callers do.
func (u Uses) Inside() Uses {
	u.Returned, u.Around, u.Callback, u.Yields, u.Handed, u.Kept = false, false, 0, 0, nil, nil
	return u
}

// Checks reports whether the timestamps of a family's cells may be compared with
// a time.
func (u Uses) Checks(family string) bool {
	return u.Checked && (u.CheckedOf == nil || slices.Contains(u.CheckedOf, family))
}

// AddGiven adds a family over the parameters.
func (u *Uses) AddGiven(family *value.Value) {
	for _, g := range u.Given {
		if g.String() == family.String() {
			return
		}
	}
	u.Given = append(u.Given[:len(u.Given):len(u.Given)], family)
}

// AddHanded adds a function or an object to which cells or rows go.
func (u *Uses) AddHanded(h Handed) {
	for _, g := range u.Handed {
		if (g.To == nil) == (h.To == nil) && (g.To == nil || g.To.String() == h.To.String()) && g.Method == h.Method && g.Rows == h.Rows && g.Times == h.Times && g.Left == h.Left && slices.Equal(g.Of, h.Of) {
			return
		}
	}
	u.Handed = append(u.Handed[:len(u.Handed):len(u.Handed)], h)
}

// AddKept adds a field in which rows are left.
func (u *Uses) AddKept(k Kept) {
	if !slices.Contains(u.Kept, k) {
		u.Kept = append(u.Kept[:len(u.Kept):len(u.Kept)], k)
	}
}

// Alone returns the uses where nothing is known of what callers give: of rows it may use
// all. To hand on cells is no check.
func (u Uses) Alone() Uses {
	u.All = u.All || slices.ContainsFunc(u.Handed, func(h Handed) bool { return h.Rows })
	u.Handed = nil
	return u
}

// Here returns the uses with the families that the parameters name as those
// that the package shows.
func (u Uses) Here() Uses {
	for _, f := range u.InView {
		u.Families = Insert(u.Families, f)
	}
	u.All = u.All || u.AnyInView
	u.Given, u.InView, u.AnyInView = nil, nil, false
	return u
}

// OfObject returns the uses of a method without those families that its callers
// name, by other parameters than the receiver, and without what functions do that they
// give: they are no matter of the object.
func (u Uses) OfObject() Uses {
	named := func(family *value.Value) bool {
		found := false
		family.Walk(func(v *value.Value) { found = found || v.Kind == value.Param && v.Num > 0 })
		return found
	}
	u.FamilyParams = nil
	u.Handed = slices.DeleteFunc(slices.Clone(u.Handed), func(h Handed) bool { return h.To == nil || named(h.To) })
	u.AnyInView = u.AnyInView && !slices.ContainsFunc(u.Given, named)
	return u
}

// Cautious returns the uses with what is perhaps checked as checked.
func (u Uses) Cautious() Uses {
	if u.Perhaps {
		u.Checked, u.CheckedOf, u.Perhaps = true, nil, false
	}
	return u
}

func (u *Uses) AddFamilyParam(i int) {
	if !slices.Contains(u.FamilyParams, i) {
		u.FamilyParams = append(u.FamilyParams, i)
	}
}

func Insert(list []string, s string) []string {
	i := sort.SearchStrings(list, s)
	if i < len(list) && list[i] == s {
		return list
	}
	out := append(append(append([]string(nil), list[:i]...), s), list[i:]...)
	return out
}
