package program_test

import (
	"testing"

	"github.com/ttlvet/ttlvet/internal/trace/layertest"
)

// What only passes calls on to another object of its interface is told from
// what changes them, and from what calls something else.
func TestDecorates(t *testing.T) {
	code := layertest.Load(t, `
type store interface {
	put(ctx context.Context, key string, n int) error
}

type logged struct{ next store }

func (l *logged) put(ctx context.Context, key string, n int) error { return l.next.put(ctx, key, n) }

type retried struct{ next store }

func (r retried) put(ctx context.Context, key string, n int) (err error) {
	try := func(ctx context.Context) { err = r.next.put(ctx, key, n) }
	try(nil)
	return err
}

type doubled struct{ next store }

func (d doubled) put(ctx context.Context, key string, n int) error { return d.next.put(ctx, key, 2*n) }

type other struct{}

func (other) put(ctx context.Context, key string, n int) error { return ctx.Err() }

type given struct{}

func (given) put(ctx context.Context, key string, n int) error { return with(ctx, nil, key, n) }

func with(ctx context.Context, s store, key string, n int) error { return s.put(ctx, key, n) }
`)
	for name, want := range map[string]bool{"logged.put": true, "retried.put": true, "doubled.put": false, "other.put": false, "given.put": false, "with": false} {
		if got := code.Prog.Decorates(code.Func(name)); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
