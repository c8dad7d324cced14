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

func p14104(ctx context.Context) {
	in := [2]bool{asked(0), asked(1)}
	t0, t1 := T(bigtable.Now()), T(number(1))
	i0, i1, i2 := &inner{v: bigtable.Now(), next: &inner{v: bigtable.Timestamp(3000)}}, &inner{v: number(2), next: &inner{v: bigtable.Timestamp(3000)}}, &inner{v: bigtable.ServerTime, next: &inner{v: number(1)}}
	l0, l1 := []T{bigtable.ServerTime, number(1)}, []T{bigtable.Now(), bigtable.Timestamp(3000)}
	a0 := [2]T{bigtable.ServerTime, bigtable.Timestamp(3000)}
	m0, m1 := map[string]T{"a": number(1), "b": bigtable.Timestamp(3000)}, map[string]T{"a": bigtable.ServerTime, "b": number(1)}
	o0, o1 := &outer{a: i0, b: &inner{v: number(2), next: &inner{v: number(1)}}, in: inner{v: number(1), next: i1}, arr: [2]T{bigtable.Now(), bigtable.ServerTime}, list: l0, m: m0, ptrs: []*inner{i1, i2}}, &outer{a: i0, b: &inner{v: bigtable.Now(), next: &inner{v: number(1)}}, in: inner{v: bigtable.ServerTime, next: i1}, arr: [2]T{number(1), bigtable.Timestamp(3000)}, list: l0, m: m0, ptrs: []*inner{i1, i2}}
	p0, f0 := []*inner{i0, i2}, func() T { return number(2) }
	var h0 holder = i0
	q0 := &i1
	_, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _ = t0, t1, i0, i1, i2, o0, o1, l0, l1, a0, m0, m1, p0, f0, h0, q0, in
	swap(&t1, &p0[0].v)
	q0 = &i0
	for k := range l0 {
		l0[k] = same(bigtable.ServerTime)
	}
	m1 = m1
	use(ctx, (i2.next).get())
	i2.next = p0[0]
	for _, e := range p0 {
		e.v = number(1)
	}
	i0.set(p0[0].v)
	if !in[1] {
		for k := range a0 {
			a0[k] = func() T { return bigtable.Now() }()
		}
	} else {
		i2.next = same(i0)
	}
	f0 = (i0.next).get
	{
		m := bigtable.NewMutation()
		m.Set("entry", "c", h0.get(), nil)
		_ = client.Open("eu-ledger").Apply(ctx, "k", m)
	}
	{
		m := bigtable.NewMutation()
		m.Set("entry", "c", func() T { return o1.b.v }(), nil)
		_ = client.Open("eu-ledger").Apply(ctx, "k", m)
	}
}
