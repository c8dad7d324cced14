// Package aliases has timestamps that are stored by way of one pointer and read by way
// of another: what counts is what was stored last, whichever way it went.
package aliases

import (
	"iter"
	"os"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
)

type inner struct{ ts bigtable.Timestamp }
type outer struct{ in *inner }
type opts struct {
	Family string
	At     bigtable.Timestamp
}
type req struct{ opts *opts }

func later() bigtable.Timestamp { return bigtable.Time(time.Now().Add(time.Hour)) }

func okNested(mut *bigtable.Mutation) {
	r := &req{opts: &opts{Family: "token", At: bigtable.Now()}}
	r.opts.At = later()
	mut.Set(r.opts.Family, "c", r.opts.At, nil)
}

func nested(mut *bigtable.Mutation) {
	r := &req{opts: &opts{Family: "token", At: later()}}
	r.opts.At = bigtable.Now()
	mut.Set(r.opts.Family, "c", r.opts.At, nil) // want `write-time`
}

func okElements(mut *bigtable.Mutation) {
	l := []*inner{{}, {}}
	for _, e := range l {
		e.ts = later()
	}
	mut.Set("token", "c", l[0].ts, nil)
}

func okAlias(mut *bigtable.Mutation) {
	x := &inner{}
	y := x
	a := &outer{in: x}
	a.in.ts = later()
	mut.Set("token", "c", y.ts, nil)
}

func alias(mut *bigtable.Mutation) {
	x := &inner{ts: later()}
	y := x
	a := &outer{in: x}
	a.in.ts = bigtable.ServerTime
	mut.Set("token", "c", y.ts, nil) // want `server-timestamp`
}

func okMap(mut *bigtable.Mutation) {
	m := map[string]*inner{"a": {}}
	x := m["a"]
	x.ts = later()
	mut.Set("token", "c", m["a"].ts, nil)
}

func okMapKept(mut *bigtable.Mutation, key string) {
	x := &inner{}
	m := map[string]*inner{key: x}
	m[key].ts = later()
	mut.Set("token", "c", x.ts, nil)
}

func okSlice(mut *bigtable.Mutation) {
	l := []bigtable.Timestamp{bigtable.Now()}
	m := l[:]
	m[0] = later()
	mut.Set("token", "c", l[0], nil)
}

func okMade(mut *bigtable.Mutation) {
	l := make([]bigtable.Timestamp, 1)
	l[0] = bigtable.Now()
	l[0] = later()
	mut.Set("token", "c", l[0], nil)
}

func made(mut *bigtable.Mutation) {
	l := make([]bigtable.Timestamp, 1)
	l[0] = later()
	l[0] = bigtable.Now()
	mut.Set("token", "c", l[0], nil) // want `write-time`
}

type box struct{ p *inner }

func okBox(mut *bigtable.Mutation) {
	b := box{p: &inner{ts: bigtable.Now()}}
	c := b
	c.p.ts = later()
	mut.Set("token", "c", b.p.ts, nil)
}

func okArray(mut *bigtable.Mutation) {
	var l [3]bigtable.Timestamp
	for i := range l {
		l[i] = later()
	}
	for i := range l {
		mut.Set("token", "c", l[i], nil)
	}
	mut.Set("token", "d", l[1], nil)
}

func array(mut *bigtable.Mutation) {
	var l [3]bigtable.Timestamp
	for i := range l {
		l[i] = bigtable.Now()
	}
	for i := range l {
		mut.Set("token", "c", l[i], nil) // want `write-time`
	}
}

func (o *outer) set(ts bigtable.Timestamp) { o.in.ts = ts }

func okMethod(mut *bigtable.Mutation) {
	o := &outer{in: &inner{ts: bigtable.Now()}}
	o.set(later())
	mut.Set("token", "c", o.in.ts, nil)
}

func method(mut *bigtable.Mutation) {
	o := &outer{in: &inner{}}
	o.set(bigtable.ServerTime)
	mut.Set("token", "c", o.in.ts, nil) // want `server-timestamp`
}

func okSecondPass(mut *bigtable.Mutation) {
	var l []*inner
	for range 3 {
		l = append(l, &inner{})
	}
	for _, e := range l {
		e.ts = later()
	}
	for _, e := range l {
		mut.Set("token", "c", e.ts, nil)
	}
}

func okPointerPointer(mut *bigtable.Mutation) {
	x := &inner{ts: bigtable.Now()}
	p := &x
	(*p).ts = later()
	mut.Set("token", "c", x.ts, nil)
}

func okReplaced(mut *bigtable.Mutation) {
	o := &outer{in: &inner{ts: bigtable.Now()}}
	o.in = &inner{ts: later()}
	mut.Set("token", "c", o.in.ts, nil)
}

func sent(ts bigtable.Timestamp) bigtable.Timestamp {
	c := make(chan bigtable.Timestamp, 1)
	c <- ts
	return <-c
}

func okSent(mut *bigtable.Mutation) {
	mut.Set("token", "c", sent(later()), nil)
	mut.Set("token", "d", sent(bigtable.Now()), nil) // want `write-time`
}

func okParameter(mut *bigtable.Mutation, o *outer) {
	o.in.ts = bigtable.Now()
	o.in.ts = later()
	mut.Set("token", "c", o.in.ts, nil)
}

func parameter(mut *bigtable.Mutation, o *outer) {
	o.in.ts = later()
	o.in.ts = bigtable.Now()
	mut.Set("token", "c", o.in.ts, nil) // want `write-time`
}

func okClosure(mut *bigtable.Mutation) {
	x := bigtable.Now()
	f := func() { mut.Set("token", "c", x, nil) }
	x = later()
	f()
}

func okGiven(mut *bigtable.Mutation) {
	x := &inner{ts: bigtable.Now()}
	o := &outer{in: x}
	func(o *outer) { o.in.ts = later() }(o)
	mut.Set("token", "c", x.ts, nil)
}

type holder interface {
	get() bigtable.Timestamp
	put(bigtable.Timestamp)
}

func (i *inner) get() bigtable.Timestamp   { return i.ts }
func (i *inner) put(ts bigtable.Timestamp) { i.ts = ts }

type other struct{ at bigtable.Timestamp }

func (o *other) get() bigtable.Timestamp   { return o.at }
func (o *other) put(ts bigtable.Timestamp) { o.at = ts }

func swap(a, b *bigtable.Timestamp) { *a, *b = *b, *a }

func okHolder(mut *bigtable.Mutation) {
	x, l := &inner{ts: bigtable.Now()}, later()
	var h holder = x
	h.put(bigtable.ServerTime)
	swap(&x.ts, &l)
	mut.Set("token", "c", h.get(), nil)
}

func okReceiver(mut *bigtable.Mutation) {
	x := &inner{ts: bigtable.Now()}
	o := &outer{in: x}
	o.in.ts = later()
	mut.Set("token", "c", x.get(), nil)
}

func twice(yield func() bool) {
	if yield() {
		yield()
	}
}

func okBeforeLoop(mut *bigtable.Mutation) {
	l := []bigtable.Timestamp{later()}
	x := &inner{}
	x.put(l[0])
	for range twice {
		l = []bigtable.Timestamp{bigtable.Now()}
	}
	mut.Set("token", "c", x.ts, nil)
	_ = l
}

func okInLoop(mut *bigtable.Mutation) {
	f := later
	for range twice {
		mut.Set("token", "c", f(), nil)
	}
	f = func() bigtable.Timestamp { return bigtable.Now() }
	_ = f
}

func okSurelyTaken(mut *bigtable.Mutation) {
	x := &inner{ts: bigtable.Now()}
	q := &x
	for range 2 {
		x.ts = later()
	}
	mut.Set("token", "c", (*q).ts, nil)
}

func okOwnChannel(mut *bigtable.Mutation) {
	a, b := make(chan bigtable.Timestamp, 1), make(chan bigtable.Timestamp, 1)
	a <- bigtable.Now()
	b <- later()
	mut.Set("token", "c", <-b, nil)
	mut.Set("token", "d", <-a, nil) // want `write-time`
}

func firstSent(mut *bigtable.Mutation) {
	c := make(chan bigtable.Timestamp, 2)
	c <- later()
	c <- bigtable.Now()
	mut.Set("token", "c", <-c, nil)
	mut.Set("token", "d", <-c, nil) // want `write-time`
}

func okListSurelyTaken(mut *bigtable.Mutation) {
	i1, i2 := &inner{ts: later()}, &inner{ts: later()}
	q := &i1
	o := &struct{ list []*inner }{[]*inner{i1, i2}}
	i1.ts = bigtable.Now()
	for range 2 {
		o.list[0].ts = later()
	}
	mut.Set("token", "c", (*q).ts, nil)
}

func okChannelOfTurn(mut *bigtable.Mutation) {
	for range 2 {
		c := make(chan bigtable.Timestamp, 2)
		c <- later()
		c <- bigtable.Now()
		mut.Set("token", "c", <-c, nil)
	}
}

func okFunctionReplaced(mut *bigtable.Mutation) {
	o := &outer{in: &inner{ts: later()}}
	f := func() bigtable.Timestamp { return bigtable.Now() }
	for range twice {
		for range 2 {
			f = func() bigtable.Timestamp { return o.in.ts }
		}
	}
	mut.Set("token", "c", f(), nil)
}

func okElementsInLiteral() {
	i1, i2 := &inner{ts: later()}, &inner{ts: bigtable.Now()}
	list := []*inner{i1, i2}
	for range twice {
		list[1] = list[:][1]
		mut := bigtable.NewMutation()
		mut.Set("token", "c", list[0].ts, nil)
	}
}

func okSliceOfArrayWaits(mut *bigtable.Mutation) {
	a := [2]bigtable.Timestamp{bigtable.Now(), bigtable.Now()}
	var l []bigtable.Timestamp
	for range 2 {
		l = a[:]
	}
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		a[1] = later()
	}()
	wg.Wait()
	func() { l = l[:] }()
	mut.Set("token", "c", l[1], nil)
}

func okSliceOfArrayTwice(mut *bigtable.Mutation) {
	a := [2]bigtable.Timestamp{bigtable.Now(), bigtable.Now()}
	l := []bigtable.Timestamp{bigtable.Now(), bigtable.Now()}
	for range 2 {
		for range 2 {
			l = a[:]
		}
	}
	func() { l = l[:] }()
	func() { a[1] = later() }()
	mut.Set("token", "c", l[1], nil)
}

func okPerhapsReplaced(mut *bigtable.Mutation) {
	o := &outer{in: &inner{ts: later()}}
	f := func() bigtable.Timestamp { return bigtable.Now() }
	for range twice {
		f = func() bigtable.Timestamp { return o.in.ts }
	}
	mut.Set("token", "c", f(), nil)
}

func okPerhapsZero(mut *bigtable.Mutation) {
	f := func() bigtable.Timestamp { return bigtable.Now() }
	for range twice {
		f = later
	}
	mut.Set("token", "c", f(), nil)
}

type tree struct {
	a    *inner
	in   linked
	list []*inner
}

type linked struct {
	ts   bigtable.Timestamp
	next *inner
}

func (l *linked) get() bigtable.Timestamp { return l.ts }

type getter interface{ get() bigtable.Timestamp }

func okBoundPart(mut *bigtable.Mutation) {
	o, p := &tree{in: linked{ts: bigtable.Now()}}, &tree{in: linked{ts: later()}}
	f := (&o.in).get
	*o = *p
	mut.Set("token", "c", f(), nil)
}

func okSetAfterStore(mut *bigtable.Mutation) {
	x := &inner{ts: bigtable.Now()}
	q := &x
	x.ts = bigtable.Now()
	x.put(later())
	mut.Set("token", "c", (*q).ts, nil)
}

func okTwoAtOnce(mut *bigtable.Mutation) {
	x, y := &inner{ts: bigtable.Now()}, &inner{ts: bigtable.Now()}
	list := []*inner{x, y}
	var ts bigtable.Timestamp
	ts, y.ts = x.ts, later()
	mut.Set("token", "c", list[1].get(), nil)
	_ = ts
}

func okTwoAtOnceInField(mut *bigtable.Mutation) {
	x := &inner{ts: bigtable.Now()}
	o := &tree{a: x}
	var ts bigtable.Timestamp
	ts, x.ts = o.in.ts, later()
	mut.Set("token", "c", o.a.get(), nil)
	_ = ts
}

func okElementAsInterface(mut *bigtable.Mutation, b bool) {
	x, y := &inner{ts: bigtable.Now()}, &inner{ts: later()}
	list := []*inner{x, y}
	var g getter = y
	x.put(later())
	if b {
		g = list[0]
		mut.Set("token", "c", g.get(), nil)
	}
	_ = g
}

func okCopiedPart(mut *bigtable.Mutation) {
	x := &linked{ts: bigtable.Now(), next: &inner{ts: later()}}
	o := &tree{in: linked{next: &inner{ts: bigtable.Now()}}}
	o.in = *x
	mut.Set("token", "c", func() bigtable.Timestamp { return o.in.next.ts }(), nil)
}

func okPartOfCopied(mut *bigtable.Mutation) {
	o, p := &tree{in: linked{ts: bigtable.Now()}}, &tree{in: linked{ts: later()}}
	*o = *p
	mut.Set("token", "c", (&o.in).get(), nil)
}

func either(b bool, x, y bigtable.Timestamp) bigtable.Timestamp {
	if b {
		return x
	}
	return y
}

func ask() bool { return os.Getenv("IN") != "" }

func okAskedTwice(mut *bigtable.Mutation) {
	in := [2]bool{ask(), ask()}
	mut.Set("token", "c", either(in[0], either(in[0], later(), bigtable.Now()), later()), nil)
	mut.Set("token", "d", either(in[0], func() bigtable.Timestamp { return either(in[0], later(), bigtable.Now()) }(), later()), nil)
	if !in[0] {
		mut.Set("token", "e", either(in[0], bigtable.Now(), later()), nil)
	}
	mut.Set("token", "f", either(in[1], later(), either(in[0], later(), bigtable.Now())), nil) // want `write-time`
}

func askedAnew(mut *bigtable.Mutation) {
	in := [2]bool{ask(), ask()}
	ts := either(in[0], later(), bigtable.Now())
	in[0] = ask()
	mut.Set("token", "c", either(in[0], ts, later()), nil) // want `write-time`
}

func okPointerReplaced(mut *bigtable.Mutation) {
	x, y := &inner{ts: bigtable.Now()}, &inner{ts: later()}
	q := &x
	func() { y.ts = (*q).ts }()
	*q = &inner{ts: later()}
	mut.Set("token", "c", (*q).ts, nil)
}

func okPointerReplacedBefore(mut *bigtable.Mutation) {
	x, y := &linked{ts: bigtable.Now()}, &linked{next: &inner{ts: later()}}
	z := &inner{ts: bigtable.Now()}
	q := &z
	*q = y.next
	for range twice {
		mut := bigtable.NewMutation()
		mut.Set("token", "c", (*q).ts, nil)
	}
	_, _ = x, mut
}

func okCopiedPointer(mut *bigtable.Mutation) {
	x := &inner{ts: bigtable.Now()}
	o, p := &tree{in: linked{next: x}}, &tree{}
	p.in = linked{ts: later(), next: &inner{ts: later()}}
	x.put(func() bigtable.Timestamp { return p.in.next.ts }())
	mut.Set("token", "c", o.in.next.ts, nil)
}

func okLiteralReads(mut *bigtable.Mutation) {
	x, y, z := &inner{ts: bigtable.Now()}, &inner{ts: bigtable.Now()}, &inner{ts: later()}
	q := &x
	f := func() bigtable.Timestamp { return (*q).ts }
	q = &y
	*q = z
	mut.Set("token", "c", f(), nil)
}

func okWholeCopied(mut *bigtable.Mutation) {
	x := &linked{ts: bigtable.Now()}
	y := &linked{ts: later(), next: &inner{ts: later()}}
	o := &tree{in: linked{ts: bigtable.Now(), next: &inner{ts: bigtable.Now()}}}
	q, r := &x, &o
	*q = &o.in
	(*r).in = *y
	mut.Set("token", "c", (*q).get(), nil)
	func() { mut.Set("token", "c", (*q).next.ts, nil) }()
}

func deferred(x bigtable.Timestamp) (y bigtable.Timestamp) {
	defer func() { y = x }()
	return
}

func okRotated(mut *bigtable.Mutation) {
	l := []bigtable.Timestamp{later(), bigtable.Now()}
	for range 2 {
		l = append(l, deferred(later()))[1:]
	}
	mut.Set("token", "c", l[0], nil)
}

func okRotatedCaptured(mut *bigtable.Mutation) {
	l := []bigtable.Timestamp{later(), bigtable.Now()}
	f := func() bigtable.Timestamp { return l[1] }
	for range 2 {
		l = append(l, later())[1:]
	}
	mut.Set("token", "c", l[0], nil)
	_ = f
}

func each(ts bigtable.Timestamp) iter.Seq[bigtable.Timestamp] {
	return func(yield func(bigtable.Timestamp) bool) { yield(ts) }
}

func only(all iter.Seq[bigtable.Timestamp]) (ts bigtable.Timestamp) {
	for e := range all {
		ts = e
	}
	return ts
}

func okPartYielded(mut *bigtable.Mutation) {
	x, y := &linked{ts: bigtable.Now()}, &linked{ts: later()}
	o := &tree{in: linked{ts: bigtable.Now()}}
	q := &x
	*q = &o.in
	o.in = *y
	mut.Set("token", "c", only(each((*q).get())), nil)
}

func okWaitsInTurn(mut *bigtable.Mutation) {
	a := [2]bigtable.Timestamp{bigtable.Now(), bigtable.Now()}
	list := []*inner{{ts: later()}, {ts: later()}}
	for range twice {
		var wg sync.WaitGroup
		wg.Add(1)
		go func() {
			defer wg.Done()
			a[0] = list[1].ts
		}()
		wg.Wait()
	}
	mut.Set("token", "c", a[0], nil)
	for k := range a {
		a[k] = later()
	}
}

func okSetByElement(mut *bigtable.Mutation) {
	x, y, z := &inner{ts: bigtable.Now()}, &inner{ts: bigtable.Now()}, &inner{ts: later()}
	q := &z
	l, m := []*inner{x, y}, []*inner{z, y}
	func() { m[1].ts = (*q).ts }()
	for range 2 {
		for range twice {
		}
	}
	mut.Set("token", "c", l[1].ts, nil)
}

func okOnceSet(mut *bigtable.Mutation) {
	x, y, z := &inner{ts: bigtable.Now()}, &inner{ts: bigtable.Now()}, &inner{ts: later()}
	o := &tree{a: x, list: []*inner{x, y}}
	f := func() bigtable.Timestamp { return bigtable.Now() }
	f = func() bigtable.Timestamp { return o.a.ts }
	var once sync.Once
	once.Do(func() { y.ts = f() })
	_, x.ts = z.ts, z.ts
	mut.Set("token", "c", f(), nil)
}

func otherStale() {
	o := &outer{in: &inner{ts: bigtable.Now()}}
	_ = o
}

func okCopyThatIsNotKnown(mut *bigtable.Mutation) {
	i := &inner{ts: later()}
	o, p := &outer{in: i}, &outer{in: i}
	for range 2 {
		c := make(chan *inner, 2)
		c <- i
		c <- i
		i.ts = (<-c).ts
	}
	*o = *p
	func() { p = o }()
	mut.Set("token", "c", o.in.ts, nil)
}

func okLiteralMadeInLiteral(mut *bigtable.Mutation) {
	a := [2]bigtable.Timestamp{}
	f := later
	func() {
		f = func() bigtable.Timestamp { return a[1] }
	}()
	var once sync.Once
	once.Do(func() { a[1] = later() })
	mut.Set("token", "c", f(), nil)
}

func literalCalledInLiteral(mut *bigtable.Mutation) {
	a := [2]bigtable.Timestamp{0, later()}
	func() {
		func() { mut.Set("token", "c", a[0], nil) }() // want `\(ttlwrite/already-expired\)`
	}()
	a[0] = later()
}
