package instant

import "github.com/ttlvet/ttlvet/internal/value"

// LostUnit returns the unit other than microseconds in which a number counts
// that is made of a constant date, such as "milliseconds" of
// time.Date(2024, …).UnixMilli(); "" of others. As a number it says nothing of
// its unit: what it is made of does.
func LostUnit(v *value.Value) string {
	dated := false
	open := v.Rewrite(func(w *value.Value) *value.Value {
		if !w.Is("time.Time.Unix") && !w.Is("time.Time.UnixMilli") && !w.Is("time.Time.UnixMicro") && !w.Is("time.Time.UnixNano") {
			return nil
		}
		if !number(w.Args[0], value.Time).isConst() || !hasDate(w.Args[0]) {
			return nil
		}
		dated = true
		some := value.UnknownFor("a date")
		some.Class = value.Time
		c := *w
		c.Args = []*value.Value{some}
		return &c
	})
	if !dated {
		return ""
	}
	if i := OfTimestamp(open); i.Kind == WrongUnit {
		return i.Unit
	}
	return ""
}

func hasDate(v *value.Value) bool {
	found := false
	v.Walk(func(w *value.Value) { found = found || w.Is("time.Date") })
	return found
}
