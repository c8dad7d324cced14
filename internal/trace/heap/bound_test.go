package heap

import (
	"fmt"
	"go/types"
	"testing"
)

// TestBound solves constraints that are told of more than the solver allows.
func TestBound(t *testing.T) {
	solve := func(cells int) (err any) {
		defer func() { err = recover() }()
		s := &solver{checked: map[[2]int32]bool{}, most: 100}
		n := s.node()
		s.when(n, func(int) {})
		for cell := range cells {
			s.add(n, cell)
		}
		s.solve()
		return nil
	}
	if err := solve(50); err != nil {
		t.Error(err)
	}
	if _, ok := solve(51).(TooMuch); !ok {
		t.Error("the bound does not hold")
	}
}

// TestSift sifts what two nodes hold, by one type, and makes one of them: a sieve is left
// of the two, which lets pass what either node is given then.
func TestSift(t *testing.T) {
	s := &solver{checked: map[[2]int32]bool{}, most: 100}
	space := newSpace(nil, s)
	first := space.nodes(4)
	b := space.object(nil, types.Typ[types.Bool], nil)
	i := space.object(nil, types.Typ[types.Int], nil)
	f := &fitting{space: space, t: types.NewPointer(types.Typ[types.Int])}
	made := 0
	node := func() int {
		made++
		return first + 1 + made
	}
	one, other := s.sift(first, f, node), s.sift(first+1, f, node)
	s.add(first, b.start)
	s.solve()
	s.same(first, first+1)
	s.add(first+1, i.start)
	s.solve()
	if s.of(one) != s.of(other) || s.sift(first, f, node) != one || made != 2 {
		t.Error("two sieves are left")
	}
	if got := s.points[s.of(other)]; got == nil || got.String() != fmt.Sprintf("{%d}", i.start) {
		t.Errorf("%v went through, %d fits", got, i.start)
	}
}
