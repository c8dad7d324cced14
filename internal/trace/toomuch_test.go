package trace

import (
	"errors"
	"testing"

	"github.com/ttlvet/ttlvet/internal/trace/heap"
)

// TestUnlessTooMuch gives up on a package that is too much, and on nothing else.
func TestUnlessTooMuch(t *testing.T) {
	traced := func(err error) (left any) {
		defer func() { left = recover() }()
		unlessTooMuch(func() {
			if err != nil {
				panic(err)
			}
		})()
		return nil
	}
	if traced(nil) != nil || traced(heap.TooMuch{}) != nil {
		t.Error("a package that is too much is an error")
	}
	if traced(errors.ErrUnsupported) == nil {
		t.Error("another panic is lost")
	}
}
