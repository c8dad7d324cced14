package ends

import (
	"context"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/ttlvet/ttlvet/internal/referee/testdata/ends/dep"
)

var _ sync.Mutex
var _ time.Time
var _ bigtable.Timestamp
var _ dep.T

func p14073(ctx context.Context) {
	in := [2]bool{asked(0), asked(1)}
	t0, t1 := T(number(2)), T(bigtable.ServerTime)
	i0, i1, i2 := &inner{v: bigtable.Timestamp(3000), next: &inner{v: bigtable.ServerTime}}, &inner{v: bigtable.ServerTime, next: &inner{v: number(1)}}, &inner{v: bigtable.Now(), next: &inner{v: bigtable.ServerTime}}
	l0, l1 := []T{number(1), number(1)}, []T{bigtable.Timestamp(3000), number(1)}
	a0 := [2]T{bigtable.Timestamp(3000), bigtable.Timestamp(3000)}
	m0, m1 := map[string]T{"a": number(2), "b": bigtable.Timestamp(3000)}, map[string]T{"a": number(1), "b": bigtable.Timestamp(3000)}
	o0, o1 := &outer{a: i0, b: &inner{v: bigtable.Timestamp(3000), next: &inner{v: bigtable.Timestamp(3000)}}, in: inner{v: bigtable.Timestamp(3000), next: i1}, arr: [2]T{bigtable.ServerTime, bigtable.ServerTime}, list: l0, m: m0, ptrs: []*inner{i1, i2}}, &outer{a: i0, b: &inner{v: number(2), next: &inner{v: bigtable.Timestamp(3000)}}, in: inner{v: bigtable.ServerTime, next: i1}, arr: [2]T{bigtable.Now(), number(2)}, list: l0, m: m0, ptrs: []*inner{i1, i2}}
	p0, f0 := []*inner{i0, i2}, func() T { return number(2) }
	var h0 holder = i0
	q0 := &i1
	_, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _ = t0, t1, i0, i1, i2, o0, o1, l0, l1, a0, m0, m1, p0, f0, h0, q0, in
	dep.Set(&o0.in.v, o0.list[1])
	i2.set(func() T { return o0.in.v }())
	p0[0] = (&o1.in)
	h0 = (*q0)
	{
		m := bigtable.NewMutation()
		m.Set("entry", "c", only(each(o0.in.next.v)), nil)
		_ = client.Open("eu-ledger").Apply(ctx, "k", m)
	}
	l1 = append(l1, only(each(o0.in.next.v)))[1:]
	t0, i1.v = same(o1.a.v), deferred(same(i1).v)
	{
		m := bigtable.NewMutation()
		m.Set("entry", "c", h0.get(), nil)
		_ = client.Open("eu-ledger").Apply(ctx, "k", m)
	}
	p0[0] = i1
	*q0 = i0
	use(ctx, h0.get())
	swap(&l0[1], &t0)
	func() {
		defer func() { (*q0).v = l1[0] }()
		for k := range m0 {
			m0[k] = either(in[0], number(2), bigtable.Timestamp(3000))
		}
	}()
	l0 = a0[:]
	{
		m := bigtable.NewMutation()
		m.Set("entry", "c", (i1.next).get(), nil)
		_ = client.Open("eu-ledger").Apply(ctx, "k", m)
	}
	dep.Set(&t1, only(each(bigtable.Now())))
	for k := range m1 {
		m1[k] = bigtable.Now()
	}
	use(ctx, again(3, either(in[0], bigtable.Timestamp(3000), o0.a.v)))
}
