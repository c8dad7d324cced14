package dep

import "cloud.google.com/go/bigtable"

type T = bigtable.Timestamp

type Kept struct{ V T }

func Keep(v T) *Kept   { return &Kept{V: v} }
func (k *Kept) Get() T { return k.V }
func Set(p *T, v T)    { *p = v }
func Fill(list []T, v T) {
	for i := range list {
		list[i] = v
	}
}
