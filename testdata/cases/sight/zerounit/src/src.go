// Package src has a record that may not be there.
package src

// Rec is a record.
type Rec struct{ EndSec int64 }

// Option may hold one.
type Option struct {
	rec Rec
	ok  bool
}

// Some holds one.
func Some(r Rec) Option { return Option{r, true} }

// OrElse returns the record, or another where there is none.
func (o Option) OrElse(def Rec) Rec {
	if o.ok {
		return o.rec
	}
	return def
}
