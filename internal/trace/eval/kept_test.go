package eval_test

import "testing"

// A map in which a function keeps what it makes of its parameter is that
// function: what is looked up is what it makes of the key.
func TestRemembered(t *testing.T) {
	check(t, `
var client *bigtable.Client
var opened = map[string]*bigtable.Table{}
var both = map[string]*bigtable.Table{"a": nil}
func open(name string) *bigtable.Table {
	if t, ok := opened[name]; ok {
		show(t) // bigtable.Client.Open(nil, $0)
		return t
	}
	t := client.Open(name)
	opened[name], both[name] = t, t
	return t
}
func f(name string) {
	show(open("history")) // bigtable.Client.Open(nil, "history") via example.com/p.open
	show(opened[name]) // bigtable.Client.Open(nil, $0)
}
`)
}

// What package atomic reads of a counter is the counter.
func TestAtomicCounters(t *testing.T) {
	check(t, `
type numbers struct {
	steps, plain, resumed, other, idle atomic.Int64
}
func resume(n *atomic.Int64, last int64) {}
func (n *numbers) next(last int64) {
	n.steps.Add(1)
	n.plain.Add(5)
	resume(&n.resumed, last)
	n.resumed.Add(1)
	n.other.Add(1)
	n.other.Add(2)
}
func (n *numbers) read() {
	show(n.steps.Load()) // counter(1)
	show(n.plain.Load()) // counter(5)
	show(n.resumed.Load()) // atomic.Int64.Load(?a field of an object that is made elsewhere)
	show(n.other.Load()) // atomic.Int64.Load(?a field of an object that is made elsewhere)
	show(n.idle.Load()) // atomic.Int64.Load(?a field of an object that is made elsewhere)
}
`)
}
