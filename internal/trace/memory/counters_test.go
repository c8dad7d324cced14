package memory_test

import "testing"

// A number to which all that set it add one constant is a counter, whichever object it
// is a field of, and whichever element of an array or a slice; one that is computed
// otherwise, or counted by two steps, is none.
func TestCounters(t *testing.T) {
	check(t, `
type account struct { version, mixed, scaled int64 }
func (a *account) bump() { a.version++ }
func (a *account) one() { a.mixed++ }
func (a *account) two() { a.mixed += 2 }
func (a *account) grow(n int64) { a.scaled += n * 2 }
func f(a *account) {
	show(a.version) // counter(1)
	show(a.mixed) // $0.mixed
	show(a.scaled) // $0.scaled
}
var hits [4]int64
var sums []int64
func hit(i int) { hits[i]++ }
func sum(i int, n int64) { sums[i] = n * 2 }
func g(i int) {
	show(hits[i]) // counter(1)
	show(sums[i]) // [](nil, $0)
}
`)
}
