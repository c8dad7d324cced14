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
	Perhaps  bool
	Returned bool // the row is returned to callers, which use it further
	// Around says that it is returned by the declared function around the literal
	// of the read, which assigns it to a variable there.
	Around   bool
	Callback int // rows go to the callback that is this parameter, counted from 1
	Yields   int // the function returns an iterator, which passes rows on as this argument, counted from 1
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
	return u
}

// Outside reports whether rows go to the callers, which use them further.
func (u Uses) Outside() bool { return u.Returned || u.Around || u.Callback != 0 || u.Yields != 0 }

// Inside returns the uses without what callers do.
func (u Uses) Inside() Uses {
	u.Returned, u.Around, u.Callback, u.Yields = false, false, 0, 0
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
// name, by other parameters than the receiver: they are no matter of the object.
func (u Uses) OfObject() Uses {
	named := func(family *value.Value) bool {
		found := false
		family.Walk(func(v *value.Value) { found = found || v.Kind == value.Param && v.Num > 0 })
		return found
	}
	u.FamilyParams = nil
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
