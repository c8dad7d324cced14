package aliases

import "cloud.google.com/go/bigtable"

type named struct{ family string }

func (n *named) name() string { return n.family }

type holders struct{ ptrs []*named }

// Which elements a list has that an iterator's loop copies is not known: what other objects of
// the type hold says nothing of them.
func okCopied(mut *bigtable.Mutation) {
	x, y := &named{family: "profile"}, &named{family: "token"}
	o := &holders{ptrs: []*named{x, y}}
	for range twice {
		*o = *o
	}
	mut.Set(o.ptrs[0].name(), "c", bigtable.Now(), nil)
}
