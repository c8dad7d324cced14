package heap

import "testing"

// TestBound solves constraints that are told of more than the solver allows.
func TestBound(t *testing.T) {
	solve := func(cells int) (err any) {
		defer func() { err = recover() }()
		s := &solver{checked: map[[2]int32]bool{}, most: 100}
		n := s.node()
		s.when(n, each(func(int) {}))
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
