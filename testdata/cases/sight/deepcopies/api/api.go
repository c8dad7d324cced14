// Package api has a type whose methods copy it, as generated code does.
package api

import "cloud.google.com/go/bigtable"

// A Spec says what to write.
type Spec struct {
	Family string
	Stamp  bigtable.Timestamp
}

// DeepCopyInto copies it to out.
func (in *Spec) DeepCopyInto(out *Spec) { *out = *in }

// DeepCopy returns a copy.
func (in *Spec) DeepCopy() *Spec {
	out := new(Spec)
	in.DeepCopyInto(out)
	return out
}
