package eval_test

import "testing"

// An iterator is known by what it yields: of one that a function is given, callers
// know.
func TestIterators(t *testing.T) {
	check(t, `
func names(first string) func(func(string) bool) {
	return func(yield func(string) bool) {
		if yield(first) {
			yield("last")
		}
	}
}
func rows(tbl *bigtable.Table) func(func(bigtable.Row, error) bool) {
	return func(yield func(bigtable.Row, error) bool) {
		if err := tbl.ReadRows(context.Background(), bigtable.PrefixRange(""), func(r bigtable.Row) bool { return yield(r, nil) }); err != nil {
			yield(nil, err)
		}
	}
}
type store struct{ tbl *bigtable.Table }
func (s *store) each(yield func(bigtable.Row) bool) {
	s.tbl.ReadRows(context.Background(), bigtable.PrefixRange(""), yield)
}
func f(c *bigtable.Client, s *store, given func(func(bigtable.Row) bool)) {
	for name := range names("first") {
		show(name) // "first" | "last"
	}
	for row := range rows(c.Open("x")) {
		show(row) // row("example.com/p/p.go:24:23>example.com/p/p.go:11:25")
	}
	for row := range s.each {
		show(row) // row("example.com/p/p.go:18:16")
	}
	for row := range given {
		show(row) // yielded($2, 0)
	}
	next, _ := iter.Pull2(rows(c.Open("y")))
	row, err, ok := next()
	show(row) // row("example.com/p/p.go:33:28>example.com/p/p.go:11:25")
	show(err) // nil
	show(ok) // ?whether an iterator has more
}
`)
}

// Iterators that range over themselves end.
func TestRecursiveIterators(t *testing.T) {
	check(t, `
type node struct{ left *node; name string }
func (n *node) each(yield func(string) bool) {
	for name := range n.left.each {
		if !yield(name) {
			return
		}
	}
	yield("own")
}
func (n *node) all() func(func(string) bool) {
	return func(yield func(string) bool) {
		for name := range n.left.all() {
			if !yield(name) {
				return
			}
		}
		yield("own")
	}
}
func f(n *node) {
	for name := range n.each {
		show(name) // "own" | ?more combinations of values than are followed
	}
	for name := range n.all() {
		show(name) // "own"
	}
	var self func(func(string) bool)
	self = func(yield func(string) bool) {
		for name := range self {
			yield(name)
		}
		yield("own")
	}
	for name := range self {
		show(name) // "own" | $0
	}
}
`)
}
