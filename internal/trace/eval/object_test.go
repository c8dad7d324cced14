package eval_test

import (
	"testing"
)

// A field is what the package stores in it: where the object is made, where
// methods assign it, by options.
func TestFields(t *testing.T) {
	check(t, `
type store struct {
	family string
	ttl    time.Duration
	unset  int
	hits   int64
}
func newStore() *store { return &store{family: "token", ttl: time.Hour} }
func newShort() *store { return &store{family: "session", ttl: time.Minute} }
func (s *store) setFamily() { s.family = "renamed" }
func (s *store) write() {
	show(s.ttl) // 1000000000 | 3600000000000 | 60000000000
	show(s.unset) // 0
	s.hits++
	show(s.hits) // counter(1)
}
func (s *store) both() {
	show([]any{s.family, s.ttl}) // ["renamed", 1000000000] | ["renamed", 3600000000000] | ["renamed", 60000000000] | ["token", 1000000000] | ["token", 3600000000000] | ["session", 1000000000] | ["session", 60000000000]
}
func local() {
	s := newStore()
	show(s.family) // "token"
	s.ttl = time.Second
	show(s.ttl) // 1000000000
	s.setFamily()
	show(s.family) // "renamed"
}
func given(s *store) {
	show(s.ttl) // $0.ttl
}
`)
}

// What leaves the function's sight while its address is known to others is
// unknown afterwards.
func TestGivenAway(t *testing.T) {
	check(t, `
type config struct { Family string }
func load() {
	c := config{Family: "token"}
	fmt.Sscan("session", &c.Family)
	show(c.Family) // ?what a call stores via example.com/p.config.Family
}
func kept() {
	c := config{Family: "token"}
	fmt.Println(c)
	show(c.Family) // "token"
}
func pointer() {
	family := "token"
	p := &family
	*p = "session"
	show(family) // "session"
}
`)
}

// Functional options are run on the object where the constructor is called.
func TestOptions(t *testing.T) {
	check(t, `
type store struct { ttl time.Duration; family string }
type option func(*store)
func withTTL(d time.Duration) option { return func(s *store) { s.ttl = d } }
func double() option { return func(s *store) { s.ttl = s.ttl * 2 } }
func newStore(opts ...option) *store {
	s := &store{ttl: time.Hour, family: "token"}
	for _, o := range opts {
		o(s)
	}
	return s
}
func f(opts []option) {
	show(newStore().ttl) // 3600000000000
	show(newStore(withTTL(time.Minute)).ttl) // 60000000000
	show(newStore(withTTL(time.Minute), double()).ttl) // 120000000000
	show(newStore(withTTL(time.Minute)).family) // "token"
	show(newStore(opts...).ttl) // optioned(3600000000000, $0, "ttl")
}
`)
}

// Package variables are what the package stores in them.
func TestVariables(t *testing.T) {
	check(t, `
var family = "token"
var ttl = time.Hour
func init() { ttl = time.Minute }
var started = time.Now()
var Exported string
func f() {
	show(family) // "token"
	show(ttl) // 3600000000000 | 60000000000
	show(started) // once(time.Now())
	show(Exported) // ?a variable that other packages may set via example.com/p.Exported
}
`)
}

// A clock reading that a package variable keeps was taken once, where only the
// initialisation of the package or a sync.Once assigns it.
func TestTakenOnce(t *testing.T) {
	check(t, `
var declared = bigtable.Time(time.Now().Add(time.Hour))
var inInit, inOnce, byName, refreshed, inGoroutine, lazily, reset, perObject time.Time
var once, again sync.Once
var value = sync.OnceValue(func() time.Time { return time.Now() })
var direct = sync.OnceValue(time.Now)
var clock = time.Now
type store struct { once sync.Once; started time.Time }
func init() {
	inInit = time.Now()
	refreshed = time.Now()
	go func() { inGoroutine = time.Now() }()
}
func load() { byName = time.Now() }
func refresh() { refreshed = time.Now(); again = sync.Once{} }
func f(s *store) {
	once.Do(func() { inOnce = time.Now() })
	once.Do(load)
	again.Do(func() { reset = time.Now() })
	s.once.Do(func() { perObject = time.Now() })
	if lazily.IsZero() {
		lazily = time.Now()
	}
	s.started = time.Now()
	show(declared) // bigtable.Time(time.Time.Add(once(time.Now()), 3600000000000))
	show(inInit) // once(time.Now())
	show(inOnce) // once(time.Now())
	show(byName) // once(time.Now())
	show(value()) // once(time.Now())
	show(direct()) // once(time.Now())
	show(refreshed) // time.Now()
	show(inGoroutine) // time.Now()
	show(reset) // time.Now()
	show(perObject) // time.Now()
	show(lazily) // time.Now()
	show(clock()) // time.Now()
	show(s.started) // time.Now()
}
`)
}

// A variable that a literal captures is the function's own; what a literal is
// given is looked for at its calls.
func TestClosures(t *testing.T) {
	check(t, `
func f(admin bool) {
	family := "token"
	g := func() { show(family) } // "token"
	g()
	family = "session"
}
func result() {
	expiry := func(d time.Duration) time.Duration { return d * 2 }
	show(expiry(time.Hour)) // 7200000000000
}
func stored() {
	var family string
	func() { family = "token" }()
	show(family) // "token"
}
func passed(name func() string) {
	show(name()) // ()($0)
}
func named() string { return "token" }
func passes() { show(apply(named)) } // "token"
func apply(f func() string) string { return f() }
`)
}

// Instances of generic functions and types share the generic code.
func TestGenerics(t *testing.T) {
	check(t, `
func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}
type box[T any] struct { v T }
func boxed[T any](v T) box[T] { return box[T]{v} }
func (b box[T]) get() T { return b.v }
func f(family string) {
	show(or("token", "session")) // "token"
	show(or(family, "session")) // if ==($0, zero()) "session" | if !(==($0, zero())) $0
	show(boxed("token").get()) // "token"
}
`)
}

// Methods are followed through values, pointers, embedding, interfaces with
// one implementation, method values and method expressions.
func TestMethods(t *testing.T) {
	check(t, `
type names struct { prefix string }
func (n names) token() string { return n.prefix + "token" }
type store struct { names }
type namer interface{ session() string }
func (n names) session() string { return n.prefix + "session" }
func f() {
	var n namer = names{"us-"}
	show(n.session()) // "us-session"
	s := &store{names{"eu-"}}
	show(s.token()) // "eu-token"
	g := s.token
	show(g()) // "eu-token"
	show(names.token(s.names)) // "eu-token"
}
`)
}

// A local struct that is stored as a whole is that struct, with what is set of it
// since, also for methods that are given its address.
func TestStoredWhole(t *testing.T) {
	check(t, `
type base struct { family, column string }
func newBase(family string) base { return base{family, "c"} }
func (b *base) name() string { return b.family }
func (b *base) rename(to string) { b.family = to }
func f(run func(func())) {
	b := newBase("token")
	show(b.name()) // "token"
	b.rename("session")
	show(b.name()) // "session"
	b = newBase("entry")
	show(b.name()) // "entry"
	c := newBase("token")
	run(func() { c.column = "d" })
	show(c.name()) // "token"
	d := newBase("token")
	run(func() { d.rename("session") })
	show(d.name()) // ?what a call stores via example.com/p.base.family via example.com/p.base.name
}
`)
}

// What is written where it is made alone is the same for all who have a pointer to it;
// what others may write to is not known.
func TestBegun(t *testing.T) {
	check(t, `
type options struct{ ttl *time.Duration }
func ptr[T any](v T) *T { return &v }
func (o options) withDefaults() options { if o.ttl == nil { o.ttl = ptr(time.Duration(600)) }; return o }
func def(o options) { o = o.withDefaults(); show(*o.ttl) } // if !(==($0.ttl, nil)) $0.ttl | if ==($0.ttl, nil) 600
func own(x *time.Duration) { if x == nil { v := time.Duration(600); x = &v }; show(*x) } // if !(==($0, nil)) $0 | if ==($0, nil) 600
func set(x *time.Duration) { *x = 7 }
func given(x *time.Duration) { if x == nil { x = ptr(time.Duration(600)) }; set(x); show(*x) } // ?a part of memory that may have been written by way of another pointer
func twice(v time.Duration) *time.Duration { x := v; y := &x; *y = 7; return &x }
func changed(x *time.Duration) { if x == nil { x = twice(5) }; show(*x) } // ?a part of memory that may have been written by way of another pointer
`)
}
