// Package mixedguards decides by optional values, types, lookups and predicates together.
package mixedguards

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/mixedguards/lib"
)

type Value interface{ isValue() }
type Str string
type Num int
type Exp struct {
	V  Value
	At time.Time
}

func (Str) isValue()  {}
func (Num) isValue()  {}
func (*Exp) isValue() {}

func set(m *bigtable.Mutation, fam, col string, v Value) {
	switch v := v.(type) {
	case *Exp:
		m.Set(fam, col, bigtable.Time(v.At), nil)
	case Str, Num:
		m.Set(fam, col, bigtable.ServerTime, []byte(fmt.Sprint(v)))
	}
}

type Maybe[T any] struct {
	v  T
	ok bool
}

func Some[T any](v T) Maybe[T]    { return Maybe[T]{v, true} }
func None[T any]() Maybe[T]       { return Maybe[T]{} }
func (o Maybe[T]) Get() (T, bool) { return o.v, o.ok }
func (o Maybe[T]) Or(d T) T {
	if o.ok {
		return o.v
	}
	return d
}

func opt(m *bigtable.Mutation, col string, ttl Maybe[time.Duration]) {
	if d, ok := ttl.Get(); ok {
		m.Set("token", col, bigtable.Time(time.Now().Add(d)), nil)
	} else {
		m.Set("token", col, bigtable.Now(), nil) // want `write-time: .*"token"`
	}
}

type store struct{ ttls map[string]time.Duration }

func newStore() *store { return &store{ttls: map[string]time.Duration{"token": time.Hour}} }

func (s *store) ttl(fam string) (time.Duration, bool) {
	d, ok := s.ttls[fam]
	return d, ok
}

func (s *store) put(m *bigtable.Mutation, fam, col string) {
	d, ok := s.ttl(fam)
	if !ok {
		m.Set(fam, col, bigtable.Now(), nil)
		return
	}
	m.Set(fam, col, bigtable.Time(time.Now().Add(d)), nil)
}

func isShort(fam string) bool {
	return slices.ContainsFunc([]string{"token", "code"}, func(s string) bool { return s == fam })
}

func derived(m *bigtable.Mutation, fam string) {
	ts := bigtable.ServerTime
	if isShort(fam) {
		ts = bigtable.Time(time.Now().Add(time.Hour))
	}
	m.Set(fam, "d", ts, nil)
}

var shortSet = map[string]struct{}{"token": {}, "code": {}}

func derived2(m *bigtable.Mutation, fam string) {
	ts := bigtable.ServerTime
	if _, ok := shortSet[fam]; ok {
		ts = bigtable.Time(time.Now().Add(time.Hour))
	}
	m.Set(fam, "e", ts, nil)
}

func kindOf(fam string) string {
	switch {
	case strings.HasPrefix(fam, "tok"), fam == "code":
		return "short"
	}
	return "long"
}

func derived3(m *bigtable.Mutation, fam string) {
	var ts bigtable.Timestamp
	switch kindOf(fam) {
	case "short":
		ts = bigtable.Time(time.Now().Add(time.Hour))
	default:
		ts = bigtable.ServerTime
	}
	m.Set(fam, "f", ts, nil)
}

func fromErr(v any) bigtable.Timestamp {
	switch v := v.(type) {
	case error:
		return bigtable.ServerTime
	case fmt.Stringer:
		_ = v
		return bigtable.Now()
	case time.Duration:
		return bigtable.Time(time.Now().Add(v))
	}
	return bigtable.Time(time.Now().Add(time.Hour))
}

func fn(v any) bigtable.Timestamp {
	if f, ok := v.(func() time.Duration); ok {
		return bigtable.Time(time.Now().Add(f()))
	}
	if p, ok := v.(*time.Duration); ok && p != nil {
		return bigtable.Time(time.Now().Add(*p))
	}
	return bigtable.Now()
}

func use(m *bigtable.Mutation, end time.Time) {
	set(m, "token", "a", &Exp{At: end})
	set(m, "token", "b", &Exp{At: time.Now()}) // want `write-time: .*"token"`
	set(m, "token", "c", Str("x"))             // want `server-timestamp: .*"token"`
	set(m, "profile", "d", Num(3))
	opt(m, "e", Some(time.Hour))
	opt(m, "f", None[time.Duration]())
	m.Set("token", "g", bigtable.Time(time.Now().Add(Some(time.Hour).Or(0))), nil)
	m.Set("token", "h", bigtable.Time(time.Now().Add(None[time.Duration]().Or(0))), nil) // want `write-time: .*"token"`
	s := newStore()
	s.put(m, "token", "i")
	s.put(m, "profile", "j")
	s.put(m, "code", "k") // want `write-time: .*"code"`
	derived(m, "token")
	derived(m, "profile")
	derived2(m, "token")
	derived2(m, "profile")
	derived3(m, "token")
	derived3(m, "profile")
	m.Set("token", "l", fromErr(time.Hour), nil) // want `write-time: .*"token"`
	m.Set("token", "m", fromErr(3), nil)
	m.Set("token", "n", fn(func() time.Duration { return time.Hour }), nil)
	hour := time.Hour
	m.Set("token", "o", fn(&hour), nil)
	m.Set("token", "p", fn(hour), nil) // want `write-time: .*"token"`
	w := lib.New(m)
	w.Put("token", "q")
	w.Put("profile", "r")
	w.PutOne("token", "s", time.Hour)
	w.PutOne("token", "t", end)
	w.PutOne("token", "u", "x") // want `write-time: .*"token"`
	w.PutOne("token", "v", nil) // want `write-time: .*"token"`
	w.Put("token", "w", time.Hour)
	w.Put("token", "x", "suffix")
	for _, v := range []any{time.Hour, end} {
		w.PutOne("token", "y", v)
	}
	for _, v := range map[string]any{"a": time.Hour, "b": "x"} {
		w.PutOne("token", "z", v) // want `write-time: .*"token"`
	}
}

var _ = use
