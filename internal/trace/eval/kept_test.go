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
