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

func p14058(ctx context.Context) {
	in := [2]bool{asked(0), asked(1)}
	t0, t1 := T(bigtable.Now()), T(number(1))
	i0, i1, i2 := &inner{v: bigtable.ServerTime, next: &inner{v: bigtable.ServerTime}}, &inner{v: number(2), next: &inner{v: bigtable.Now()}}, &inner{v: bigtable.ServerTime, next: &inner{v: bigtable.Timestamp(3000)}}
	l0, l1 := []T{bigtable.Now(), bigtable.Now()}, []T{bigtable.Timestamp(3000), bigtable.Timestamp(3000)}
	a0 := [2]T{bigtable.ServerTime, bigtable.Now()}
	m0, m1 := map[string]T{"a": bigtable.ServerTime, "b": bigtable.Now()}, map[string]T{"a": bigtable.ServerTime, "b": bigtable.Now()}
	o0, o1 := &outer{a: i0, b: &inner{v: number(2), next: &inner{v: bigtable.Now()}}, in: inner{v: number(2), next: i1}, arr: [2]T{bigtable.Timestamp(3000), bigtable.Timestamp(3000)}, list: l0, m: m0, ptrs: []*inner{i1, i2}}, &outer{a: i0, b: &inner{v: bigtable.Timestamp(3000), next: &inner{v: bigtable.ServerTime}}, in: inner{v: bigtable.Timestamp(3000), next: i1}, arr: [2]T{number(1), bigtable.Timestamp(3000)}, list: l0, m: m0, ptrs: []*inner{i1, i2}}
	p0, f0 := []*inner{i0, i2}, func() T { return number(2) }
	var h0 holder = i0
	q0 := &i1
	_, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _ = t0, t1, i0, i1, i2, o0, o1, l0, l1, a0, m0, m1, p0, f0, h0, q0, in
	l0 = a0[:]
	use(ctx, only(each(h0.get())))
	var wg1 sync.WaitGroup
	wg1.Add(1)
	go func() {
		defer wg1.Done()
		o1.arr[1] = o0.list[0]
	}()
	wg1.Wait()
	copy(l1, l0)
	var once2 sync.Once
	once2.Do(func() { o0.a.v = h0.get() })
	use(ctx, o0.a.v)
	h0 = i2.next
	i1 = o0.a
	{
		m := bigtable.NewMutation()
		m.Set("entry", "c", only(each(h0.get())), nil)
		_ = client.Open("eu-ledger").Apply(ctx, "k", m)
	}
	o0 = o1
	i0.set(only(each(bigtable.Timestamp(3000))))
	use(ctx, m1["a"])
	if in[1] {
		q0 = &i1
		{
			m := bigtable.NewMutation()
			m.Set("entry", "c", again(3, o0.b.v), nil)
			_ = client.Open("eu-ledger").Apply(ctx, "k", m)
		}
	} else {
		o0.b.v = o1.ptrs[1].v
		use(ctx, same(deferred(t1)))
	}
	o1 = o1
	{
		m := bigtable.NewMutation()
		m.Set("entry", "c", with(set(o1.arr[0])), nil)
		_ = client.Open("eu-ledger").Apply(ctx, "k", m)
	}
	use(ctx, again(3, o1.a.v))
}
