package value

import "time"

// parsed folds time.Parse of constants to the date that they say. The names of zones
// mean what the place where the program runs says.
func parsed(a []*Value) *Value {
	if len(a) != 2 {
		return nil
	}
	layout, isLayout := a[0].IsStr()
	text, isText := a[1].IsStr()
	if !isLayout || !isText {
		return nil
	}
	t, err := time.ParseInLocation(layout, text, time.UTC)
	if name, _ := t.Zone(); err != nil || name != "" && name != "UTC" {
		return nil
	}
	t = t.UTC()
	date := &Value{Kind: Call, Name: "time.Date", Class: Time}
	for _, n := range []int{t.Year(), int(t.Month()), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond()} {
		date.Args = append(date.Args, IntOf(int64(n)))
	}
	date.Args = append(date.Args, &Value{Kind: Global, Name: "time.UTC"})
	return date
}

func isZero(a []*Value) *Value {
	switch {
	case a[0].Is(ZeroTime):
		return BoolOf(true)
	case ofClock(a[0]), a[0].Is("time.Unix"), a[0].Is("time.UnixMilli"), a[0].Is("time.Date"):
		return BoolOf(false)
	}
	return nil
}
