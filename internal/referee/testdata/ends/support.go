package ends

import (
	"context"
	"fmt"
	"iter"
	"os"
	"time"

	"cloud.google.com/go/bigtable"
)

var client *bigtable.Client

type T = bigtable.Timestamp

func later(hours int) bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(time.Duration(hours) * time.Hour))
}
func number(n int64) bigtable.Timestamp { return bigtable.Timestamp(n * 1000) }
func zero() bigtable.Timestamp          { return 0 }
func live() bigtable.Filter             { return bigtable.TimestampRangeFilter(time.Now(), time.Time{}) }
func token() string                     { return "token" }
func profile() string                   { return "profile" }

// asked is an input.
func asked(i int) bool { return os.Getenv("IN") == string(rune('0'+i)) }

// show shows the cells of a row.
func show(row bigtable.Row) {
	for _, items := range row {
		for _, item := range items {
			fmt.Println(item.Column, item.Value)
		}
	}
}

// use makes a request.
func use(ctx context.Context, v T) {
	m := bigtable.NewMutation()
	m.Set("entry", "c", v, nil)
	_ = client.Open("eu-ledger").Apply(ctx, "k", m)
}

type inner struct {
	v    T
	next *inner
}

func (i *inner) get() T  { return i.v }
func (i *inner) set(v T) { i.v = v }

type outer struct {
	a, b *inner
	in   inner
	arr  [2]T
	list []T
	m    map[string]T
	ptrs []*inner
}

func (o *outer) setA(v T) { o.a.v = v }

type holder interface {
	get() T
	set(v T)
}

type other struct{ w T }

func (o *other) get() T  { return o.w }
func (o *other) set(v T) { o.w = v }

type base[V any] struct{ v V }

func (b base[V]) get() V { return b.v }

type box[V any] struct{ base[V] }

func same[V any](v V) V { return v }

func sent(v T) T {
	c := make(chan T, 1)
	c <- v
	return <-c
}

func again(n int, v T) T {
	if n == 0 {
		return v
	}
	return again(n-1, v)
}

func even(n int, v T) T {
	if n == 0 {
		return v
	}
	return odd(n-1, v)
}

func odd(n int, v T) T {
	if n == 0 {
		return v
	}
	return even(n-1, v)
}

func either(b bool, v, w T) T {
	if b {
		return v
	}
	return w
}

func first(vs ...T) T { return vs[0] }

func deferred(v T) (w T) {
	defer func() { w = v }()
	return
}

func out(p *T, v T) { *p = v }
func swap(p, q *T)  { *p, *q = *q, *p }

type option func(*settings)
type settings struct{ v T }

func set(v T) option { return func(s *settings) { s.v = v } }
func with(opts ...option) T {
	var s settings
	for _, o := range opts {
		o(&s)
	}
	return s.v
}

func each(v T) iter.Seq[T] { return func(yield func(T) bool) { yield(v) } }
func only(all iter.Seq[T]) (v T) {
	for e := range all {
		v = e
	}
	return v
}
func twice(yield func() bool) {
	if yield() {
		yield()
	}
}

func put[K comparable, V any](m map[K]V, k K, v V) { m[k] = v }
