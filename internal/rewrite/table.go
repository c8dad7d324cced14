package rewrite

// box is what most helpers keep the value in.
const box = `
type box%N struct{ v %T }
`

// call is what most transformations put in an expression's place.
const call = "carry%N(%x)"

// All lists the transformations.
var All = []*Transformation{
	{Name: "identity", Call: call, Helper: `
func carry%N(v %T) %T { return v }
`},
	{Name: "generic", Call: "carry%N[type%N](%x)", Helper: `
type type%N = %T

func carry%N[V any](v V) V { return v }
`},
	{Name: "closure", Call: call, Helper: `
func carry%N(v %T) %T {
	get := func() %T { return v }
	return get()
}
`},
	{Name: "literal", Call: "func(v type%N) type%N { return v }(%x)", Helper: `
type type%N = %T
`},
	{Name: "literal around", Call: "func() type%N { return %x }()", Helper: `
type type%N = %T
`},
	{Name: "captured variable", Call: call, Helper: `
func carry%N(v %T) %T {
	var out %T
	set := func() { out = v }
	set()
	return out
}
`},
	{Name: "captured pointer", Call: call, Helper: `
func carry%N(v %T) %T {
	b := &struct{ v %T }{}
	set := func(v %T) { b.v = v }
	get := func() %T { return b.v }
	set(v)
	return get()
}
`},
	{Name: "literal with a state", Call: call, Helper: `
func made%N() func(%T) %T {
	b := &struct{ v %T }{}
	return func(v %T) %T {
		b.v = v
		return b.v
	}
}

func carry%N(v %T) %T { return made%N()(v) }
`},
	{Name: "pointer", Call: call, Helper: `
func carry%N(v %T) %T {
	p := new(%T)
	*p = v
	return *p
}
`},
	{Name: "pointer to pointer", Call: call, Helper: `
func carry%N(v %T) %T {
	p := new(%T)
	q := &p
	**q = v
	return *p
}
`},
	{Name: "field", Call: call, Helper: box + `
func carry%N(v %T) %T {
	b := box%N{v: v}
	return b.v
}
`},
	{Name: "field by pointer", Call: call, Helper: box + `
func carry%N(v %T) %T {
	b := &box%N{}
	b.v = v
	return b.v
}
`},
	{Name: "nested by pointer", Call: call, Helper: box + `
type outer%N struct{ in *box%N }

func carry%N(v %T) %T {
	o := &outer%N{in: &box%N{}}
	o.in.v = v
	return o.in.v
}
`},
	{Name: "alias", Call: call, Helper: box + `
func carry%N(v %T) %T {
	x := &box%N{}
	y := x
	x.v = v
	return y.v
}
`},
	{Name: "nested alias", Call: call, Helper: box + `
type outer%N struct{ in *box%N }

func carry%N(v %T) %T {
	x := &box%N{}
	o := &outer%N{in: x}
	o.in.v = v
	return x.v
}
`},
	{Name: "embedded", Call: call, Helper: box + `
type outer%N struct{ box%N }

func carry%N(v %T) %T {
	var o outer%N
	o.v = v
	return o.box%N.v
}
`},
	{Name: "struct copy", Call: call, Helper: box + `
func carry%N(v %T) %T {
	a := box%N{v: v}
	b := a
	a = box%N{}
	_ = a
	return b.v
}
`},
	{Name: "accessors", Call: call, Helper: box + `
func (b *box%N) set(v %T) { b.v = v }
func (b *box%N) get() %T  { return b.v }

func carry%N(v %T) %T {
	var b box%N
	b.set(v)
	return b.get()
}
`},
	{Name: "method value", Call: call, Helper: box + `
func (b box%N) get() %T { return b.v }

func carry%N(v %T) %T {
	get := box%N{v: v}.get
	return get()
}
`},
	{Name: "interface", Call: call, Helper: box + `
func (b box%N) get() %T { return b.v }

type getter%N interface{ get() %T }

func carry%N(v %T) %T {
	var g getter%N = box%N{v: v}
	return g.get()
}
`},
	{Name: "interfaces", Call: call, Helper: box + `
func (b *box%N) get() %T { return b.v }

type getter%N interface{ get() %T }

type other%N struct{ g getter%N }

func (o other%N) get() %T { return o.g.get() }

func carry%N(v %T) %T {
	var g getter%N = &box%N{v: v}
	g = other%N{g: g}
	return g.get()
}
`},
	{Name: "assertion", Call: call, Helper: `
func carry%N(v %T) %T {
	var a any = v
	out, _ := a.(%T)
	return out
}
`},
	{Name: "options", Call: call, Helper: box + `
type option%N func(*box%N)

func with%N(v %T) option%N { return func(b *box%N) { b.v = v } }

func new%N(opts ...option%N) *box%N {
	b := &box%N{}
	for _, opt := range opts {
		opt(b)
	}
	return b
}

func carry%N(v %T) %T { return new%N(with%N(v)).v }
`},
	{Name: "slice", Call: call, Helper: `
func carry%N(v %T) %T {
	list := []%T{v}
	return list[0]
}
`},
	{Name: "append", Call: call, Helper: `
func carry%N(v %T) %T {
	var list []%T
	list = append(list, v)
	return list[len(list)-1]
}
`},
	{Name: "slice alias", Call: call, Helper: `
func carry%N(v %T) %T {
	list := make([]%T, 1)
	same := list
	same[0] = v
	return list[0]
}
`},
	{Name: "slice of pointers", Call: call, Helper: box + `
func carry%N(v %T) %T {
	list := []*box%N{{}, {}}
	for _, b := range list {
		b.v = v
	}
	return list[0].v
}
`},
	{Name: "array loops", Call: call, Helper: `
func carry%N(v %T) %T {
	var list [2]%T
	for i := range list {
		list[i] = v
	}
	var out %T
	for i := range list {
		out = list[i]
	}
	return out
}
`},
	{Name: "map", Call: call, Helper: `
func carry%N(v %T) %T {
	m := map[string]%T{}
	m["k"] = v
	return m["k"]
}
`},
	{Name: "map of pointers", Call: call, Helper: box + `
func carry%N(v %T) %T {
	m := map[string]*box%N{"k": {}}
	m["k"].v = v
	return m["k"].v
}
`},
	{Name: "channel", Call: call, Helper: `
func carry%N(v %T) %T {
	c := make(chan %T, 1)
	c <- v
	return <-c
}
`},
	{Name: "channel and goroutine", Call: call, Helper: `
func carry%N(v %T) %T {
	c := make(chan %T)
	go func() { c <- v }()
	return <-c
}
`},
	{Name: "wait group", Call: call, Imports: []string{"sync"}, Helper: `
func carry%N(v %T) %T {
	var wg sync.WaitGroup
	var out %T
	wg.Add(1)
	go func() {
		defer wg.Done()
		out = v
	}()
	wg.Wait()
	return out
}
`},
	{Name: "once", Call: call, Imports: []string{"sync"}, Helper: `
func carry%N(v %T) %T {
	var once sync.Once
	var out %T
	once.Do(func() { out = v })
	return out
}
`},
	{Name: "defer", Call: call, Helper: `
func carry%N(v %T) (out %T) {
	defer func() { out = v }()
	return
}
`},
	{Name: "out parameter", Call: call, Helper: `
func put%N(v %T, out *%T) { *out = v }

func carry%N(v %T) %T {
	var out %T
	put%N(v, &out)
	return out
}
`},
	{Name: "two results", Call: call, Helper: `
func both%N(v %T) (%T, error) { return v, nil }

func carry%N(v %T) %T {
	out, err := both%N(v)
	if err != nil {
		panic(err)
	}
	return out
}
`},
	{Name: "recursion", Call: "carry%N(%x, 3)", Helper: `
func carry%N(v %T, n int) %T {
	if n == 0 {
		return v
	}
	return carry%N(v, n-1)
}
`},
	{Name: "mutual recursion", Call: "ping%N(%x, 3)", Helper: `
func ping%N(v %T, n int) %T {
	if n == 0 {
		return v
	}
	return pong%N(v, n-1)
}

func pong%N(v %T, n int) %T {
	if n == 0 {
		return v
	}
	return ping%N(v, n-1)
}
`},
	{Name: "iterator", Call: call, Helper: `
func seq%N(v %T) func(func(%T) bool) {
	return func(yield func(%T) bool) { yield(v) }
}

func carry%N(v %T) %T {
	var out %T
	for x := range seq%N(v) {
		out = x
	}
	return out
}
`},
	{Name: "switch", Call: call, Helper: `
const one%N = 1

func carry%N(v %T) %T {
	var out %T
	switch one%N {
	case 1:
		out = v
	case 2:
	}
	return out
}
`},
	{Name: "variadic", Call: call, Helper: `
func carry%N(list ...%T) %T { return list[0] }
`},
	{Name: "swap", Call: call, Helper: `
func carry%N(v %T) %T {
	var a, b %T
	a = v
	a, b = b, a
	_ = a
	return b
}
`},
	{Name: "package", Call: "carried__.Carry%N(%x)", Package: "carried__", Helper: `
func Carry%N(v %T) %T { return v }
`},
	{Name: "field in a package", Call: "boxed__.New%N(%x).V", Package: "boxed__", Helper: `
type Box%N struct{ V %T }

func New%N(v %T) *Box%N { return &Box%N{V: v} }
`},
	{Name: "out parameter of a package", Call: "func() put__.Type%N { var out put__.Type%N; put__.Put%N(%x, &out); return out }()", Package: "put__", Helper: `
type Type%N = %T

func Put%N(v %T, out *%T) { *out = v }
`},

	{Name: "other names", whole: rename},
	{Name: "other order", whole: reverse, Moves: true},
	{Name: "more files", whole: split, Moves: true},
}
