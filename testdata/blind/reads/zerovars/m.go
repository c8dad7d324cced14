package zerovars

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type options struct {
	dead bool
	col  string
}

func (o options) filter() bigtable.Filter {
	if o.dead {
		return bigtable.PassAllFilter()
	}
	return bigtable.TimestampRangeFilter(time.Now(), time.Time{})
}

func scan(ctx context.Context, c *bigtable.Client, o options) (n int) {
	row, _ := c.Open("magic_links").ReadRow(ctx, "k", bigtable.RowFilter(o.filter()))
	return len(row["link"])
}

func Var(ctx context.Context, c *bigtable.Client) int {
	var o options
	return scan(ctx, c, o) // silent
}

func Set(ctx context.Context, c *bigtable.Client) int {
	o := options{}
	o.col = "a"
	return scan(ctx, c, o) // silent
}

func Col(ctx context.Context, c *bigtable.Client) int {
	return scan(ctx, c, options{col: "a"}) // silent
}

func New(ctx context.Context, c *bigtable.Client) int { return scan(ctx, c, *new(options)) } // silent

func defaults() options { return options{} }

func Func(ctx context.Context, c *bigtable.Client) int { return scan(ctx, c, defaults()) } // silent

type outer struct{ read options }

func scanOuter(ctx context.Context, c *bigtable.Client, o outer) int { return scan(ctx, c, o.read) }

func Outer(ctx context.Context, c *bigtable.Client) int { return scanOuter(ctx, c, outer{}) } // silent

func scanNil(ctx context.Context, c *bigtable.Client, o *options) int {
	if o == nil {
		o = &options{}
	}
	return scan(ctx, c, *o)
}

func Nil(ctx context.Context, c *bigtable.Client) int { return scanNil(ctx, c, nil) } // silent

func scanNil2(ctx context.Context, c *bigtable.Client, o *options) (n int) {
	f := bigtable.TimestampRangeFilter(time.Now(), time.Time{})
	if o != nil && o.dead {
		f = bigtable.PassAllFilter()
	}
	row, _ := c.Open("magic_links").ReadRow(ctx, "k", bigtable.RowFilter(f))
	return len(row["link"])
}

func Nil2(ctx context.Context, c *bigtable.Client) int  { return scanNil2(ctx, c, nil) }                // silent
func Ptr2(ctx context.Context, c *bigtable.Client) int  { return scanNil2(ctx, c, &options{col: "a"}) } // silent
func Zero2(ctx context.Context, c *bigtable.Client) int { return scanNil2(ctx, c, &options{}) }         // silent

type Store struct {
	t    *bigtable.Table
	opts options
}

func NewStore(c *bigtable.Client) *Store { return &Store{t: c.Open("magic_links")} }

func (s *Store) Read(ctx context.Context) (n int) {
	row, _ := s.t.ReadRow(ctx, "k", bigtable.RowFilter(s.opts.filter())) // silent
	return len(row["link"])
}

func variadic(ctx context.Context, c *bigtable.Client, o ...options) (n int) {
	var x options
	if len(o) > 0 {
		x = o[0]
	}
	return scan(ctx, c, x)
}

func Variadic(ctx context.Context, c *bigtable.Client) int { return variadic(ctx, c) } // silent
func Variadic1(ctx context.Context, c *bigtable.Client) int {
	return variadic(ctx, c, options{col: "x"})
} // silent

func flag(ctx context.Context, c *bigtable.Client, dead ...bool) int {
	return scan(ctx, c, options{dead: len(dead) > 0 && dead[0]})
}

func Flag(ctx context.Context, c *bigtable.Client) int { return flag(ctx, c) } // silent

type mode string

func byMode(ctx context.Context, c *bigtable.Client, m mode) int {
	return scan(ctx, c, options{dead: m == "all"})
}

func ByMode(ctx context.Context, c *bigtable.Client) int    { return byMode(ctx, c, "") }    // silent
func ByModeAll(ctx context.Context, c *bigtable.Client) int { return byMode(ctx, c, "all") } // want `missing-filter: .*"link"`
func NotDead(ctx context.Context, c *bigtable.Client, live bool) int {
	return scan(ctx, c, options{dead: !true}) // silent
}
