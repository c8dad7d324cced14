package summary

import (
	"slices"
	"sort"
)

// Uses says what a program does with the rows of a read.
type Uses struct {
	Families []string // families that are looked up by name
	All      bool     // all families may be used: the row is ranged over or handed on
	Exists   bool     // the row is compared with nil or its length is asked
	Keys     bool     // the row's key is asked
	Checked  bool     // timestamps of cells are compared with a time
	Returned bool     // the row is returned to callers, which use it further
	Callback int      // rows go to the callback that is this parameter, counted from 1
	// FamilyParams are the parameters that name further families that are
	// looked up.
	FamilyParams []int
}

func (u Uses) With(v Uses) Uses {
	u.All = u.All || v.All
	u.Exists = u.Exists || v.Exists
	u.Keys = u.Keys || v.Keys
	u.Checked = u.Checked || v.Checked
	u.Returned = v.Returned
	if v.Callback != 0 {
		u.Callback = v.Callback
	}
	for _, f := range v.Families {
		u.Families = Insert(u.Families, f)
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
