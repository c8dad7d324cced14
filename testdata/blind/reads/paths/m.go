package paths

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
)

func live() bigtable.Filter { return bigtable.TimestampRangeFilter(time.Now(), time.Time{}) }

func read(ctx context.Context, c *bigtable.Client, k string, f bigtable.Filter) int {
	row, _ := c.Open("magic_links").ReadRow(ctx, k, bigtable.RowFilter(f))
	return len(row["link"])
}

func SwitchDefault(ctx context.Context, c *bigtable.Client, k, kind string) (int, error) {
	var f bigtable.Filter
	switch kind {
	case "a":
		f = live()
	case "b":
		f = bigtable.ChainFilters(live(), bigtable.LatestNFilter(1))
	default:
		return 0, fmt.Errorf("unknown kind %q", kind)
	}
	return read(ctx, c, k, f), nil // silent
}

func Fatal(ctx context.Context, c *bigtable.Client, k, kind string) int {
	var f bigtable.Filter
	if kind == "a" {
		f = live()
	} else {
		log.Fatalf("unknown kind %q", kind)
	}
	return read(ctx, c, k, f) // silent
}

func Panic(ctx context.Context, c *bigtable.Client, k, kind string) int {
	var f bigtable.Filter
	switch kind {
	case "a":
		f = live()
	default:
		panic("unknown kind " + kind)
	}
	return read(ctx, c, k, f) // silent
}

func Once(ctx context.Context, c *bigtable.Client, k string) int {
	var f bigtable.Filter
	var once sync.Once
	once.Do(func() { f = live() })
	return read(ctx, c, k, f) // silent
}

func locked(mu *sync.Mutex, f func()) {
	mu.Lock()
	defer mu.Unlock()
	f()
}

func Locked(ctx context.Context, c *bigtable.Client, k string) int {
	var f bigtable.Filter
	var mu sync.Mutex
	locked(&mu, func() { f = live() })
	return read(ctx, c, k, f) // silent
}

type Req struct {
	Filter bigtable.Filter
	Key    string
}

func (r *Req) normalize() {
	if r.Filter == nil {
		r.Filter = live()
	}
}

func Get(ctx context.Context, c *bigtable.Client, r Req) int {
	r.normalize()
	return read(ctx, c, r.Key, r.Filter) // silent
}

func getPtr(ctx context.Context, c *bigtable.Client, r *Req) int {
	r.normalize()
	return read(ctx, c, r.Key, r.Filter) // silent
}

func GetPtr(ctx context.Context, c *bigtable.Client, k string) int {
	return getPtr(ctx, c, &Req{Key: k})
} // silent

func LenZero(ctx context.Context, c *bigtable.Client, k string, fs ...bigtable.Filter) int {
	if len(fs) == 0 {
		fs = append(fs, live())
	}
	return read(ctx, c, k, fs[0]) // silent
}

func callLenZero(ctx context.Context, c *bigtable.Client, k string) int { return LenZero(ctx, c, k) } // silent

var ErrMode = errors.New("mode")

type mode int

const (
	modeLive mode = iota
	modeAll
)

func (m mode) filter() bigtable.Filter {
	if m == modeAll {
		return bigtable.PassAllFilter()
	}
	return live()
}

func guarded(ctx context.Context, c *bigtable.Client, k string, m mode) (int, error) {
	if m == modeAll {
		return 0, ErrMode
	}
	return read(ctx, c, k, m.filter()), nil // silent
}

func GuardedLive(ctx context.Context, c *bigtable.Client, k string) (int, error) {
	return guarded(ctx, c, k, modeLive)
}
func GuardedAll(ctx context.Context, c *bigtable.Client, k string) (int, error) {
	return guarded(ctx, c, k, modeAll)
} // silent

func maybe(k string) (bigtable.Filter, bool) {
	if k == "" {
		return nil, false
	}
	return live(), true
}

func Maybe(ctx context.Context, c *bigtable.Client, k string) int {
	if f, ok := maybe(k); ok {
		return read(ctx, c, k, f) // silent
	}
	return 0
}

func build(k string) (bigtable.Filter, error) {
	if k == "" {
		return nil, ErrMode
	}
	return live(), nil
}

func Build(ctx context.Context, c *bigtable.Client, k string) (int, error) {
	f, err := build(k)
	if err != nil {
		return 0, err
	}
	return read(ctx, c, k, f), nil // silent
}

func buildOpts(k string) ([]bigtable.ReadOption, error) {
	if k == "" {
		return nil, ErrMode
	}
	return []bigtable.ReadOption{bigtable.RowFilter(live())}, nil
}

func BuildOpts(ctx context.Context, c *bigtable.Client, k string) (int, error) {
	opts, err := buildOpts(k)
	if err != nil {
		return 0, err
	}
	row, err := c.Open("magic_links").ReadRow(ctx, k, opts...) // silent
	return len(row["link"]), err
}
