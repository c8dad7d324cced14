package nilfilter

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func read(ctx context.Context, t *bigtable.Table, f bigtable.Filter) (bigtable.Row, error) {
	if f == nil {
		f = bigtable.LatestNFilter(1)
	}
	return t.ReadRow(ctx, "k", bigtable.RowFilter(f))
}

func Get(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return read(ctx, c.Open("sessions"), bigtable.ChainFilters( // silent
		bigtable.FamilyFilter("tok"), bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
}

func set(ctx context.Context, ac *bigtable.AdminClient, t, f string, p bigtable.GCPolicy) error {
	if p == nil {
		p = bigtable.NoGcPolicy()
	}
	return ac.SetGCPolicy(ctx, t, f, p)
}

func Set(ctx context.Context, ac *bigtable.AdminClient) error {
	return set(ctx, ac, "sessions", "tok", bigtable.MaxAgePolicy(time.Second))
}

type T struct{ t *bigtable.Table }

func (t T) read(ctx context.Context, f bigtable.Filter) (bigtable.Row, error) {
	if f == nil {
		f = bigtable.LatestNFilter(1)
	}
	return t.t.ReadRow(ctx, "k", bigtable.RowFilter(f))
}

type S struct{ t T }

func New(c *bigtable.Client) S { return S{T{c.Open("sessions")}} }
func (s S) Get(ctx context.Context) (bigtable.Row, error) {
	return s.t.read(ctx, bigtable.ChainFilters( // silent
		bigtable.FamilyFilter("tok"), bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
}
func (s S) Prof(ctx context.Context) (bigtable.Row, error) {
	return s.t.read(ctx, bigtable.FamilyFilter("prof"))
}
