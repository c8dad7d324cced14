package nilparam

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func live() bigtable.Filter { return bigtable.TimestampRangeFilter(time.Now(), time.Time{}) }

type S struct{ t *bigtable.Table }

func New(c *bigtable.Client) S { return S{c.Open("magic_links")} }

func (s S) read(ctx context.Context, k string, f bigtable.Filter) int {
	var opts []bigtable.ReadOption
	if f != nil {
		opts = append(opts, bigtable.RowFilter(f))
	}
	row, _ := s.t.ReadRow(ctx, k, opts...)
	return len(row["link"])
}

func (s S) Live(ctx context.Context, k string) int { return s.read(ctx, k, live()) } // silent

func (s S) Literal(ctx context.Context, k string) int {
	return s.read(ctx, k, bigtable.TimestampRangeFilter(time.Now(), time.Time{})) // silent
}

func (s S) None(ctx context.Context, k string) int { return s.read(ctx, k, nil) } // want `missing-filter: .*"link"`

type S2 struct{ t *bigtable.Table }

func New2(c *bigtable.Client) S2 { return S2{c.Open("magic_links")} }

func (s S2) read(ctx context.Context, k string, fs ...bigtable.Filter) int {
	var opts []bigtable.ReadOption
	if len(fs) > 0 {
		opts = append(opts, bigtable.RowFilter(bigtable.ChainFilters(append(fs, bigtable.LatestNFilter(1))...)))
	}
	row, _ := s.t.ReadRow(ctx, k, opts...)
	return len(row["link"])
}

func (s S2) Live(ctx context.Context, k string) int { return s.read(ctx, k, live()) } // silent

type S3 struct {
	t *bigtable.Table
	f func() bigtable.Filter
}

func New3(c *bigtable.Client) S3 { return S3{t: c.Open("magic_links"), f: live} }

func (s S3) Read(ctx context.Context, k string) int {
	var opts []bigtable.ReadOption
	if s.f != nil {
		opts = append(opts, bigtable.RowFilter(s.f()))
	}
	row, _ := s.t.ReadRow(ctx, k, opts...) // silent
	return len(row["link"])
}

func Plain(ctx context.Context, c *bigtable.Client, k string, f bigtable.Filter) int {
	if f == nil {
		f = live()
	}
	row, _ := c.Open("magic_links").ReadRow(ctx, k, bigtable.RowFilter(f)) // silent
	return len(row["link"])
}

func ErrPath(ctx context.Context, c *bigtable.Client, k string) int {
	f, err := build()
	if err != nil {
		return 0
	}
	row, _ := c.Open("magic_links").ReadRow(ctx, k, bigtable.RowFilter(f)) // silent
	return len(row["link"])
}

func build() (bigtable.Filter, error) {
	if time.Now().Year() < 2000 {
		return nil, context.Canceled
	}
	return live(), nil
}

func OkPath(ctx context.Context, c *bigtable.Client, k string) int {
	f, ok := lookup(k)
	if !ok {
		f = live()
	}
	row, _ := c.Open("magic_links").ReadRow(ctx, k, bigtable.RowFilter(f)) // silent
	return len(row["link"])
}

func lookup(k string) (bigtable.Filter, bool) {
	if len(k) > 3 {
		return bigtable.ChainFilters(bigtable.ColumnFilter(k), live()), true
	}
	return nil, false
}
