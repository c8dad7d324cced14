// Package mapped makes lists of other lists, element by element, in new slices.
package mapped

import (
	"context"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
)

type family string

// only fills a slice by index with what it makes of what it is given.
func only(fs ...family) bigtable.Filter {
	s := make([]string, len(fs))
	for i, f := range fs {
		s[i] = string(f)
	}
	return bigtable.FamilyFilter(strings.Join(s, "|"))
}

func read(ctx context.Context, tbl *bigtable.Table) (bigtable.Row, error) {
	return tbl.ReadRow(ctx, "k", bigtable.RowFilter(only("token"))) // want `missing-filter: .*"token"`
}

func okRead(ctx context.Context, tbl *bigtable.Table) (bigtable.Row, error) {
	return tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(only("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))))
}

func okOther(ctx context.Context, client *bigtable.Client) (bigtable.Row, error) {
	return client.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(only("profile")))
}

func both(ctx context.Context, client *bigtable.Client) (bigtable.Row, error) {
	return client.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(only("profile", "token"))) // want `missing-filter: .*"token"`
}

// some leaves elements as they are: which families it asks for is not known.
func some(fs ...family) bigtable.Filter {
	s := make([]string, len(fs))
	for i, f := range fs {
		if f != "token" {
			s[i] = string(f)
		}
	}
	return bigtable.FamilyFilter(strings.Join(s, "|"))
}

func okSome(ctx context.Context, client *bigtable.Client) (bigtable.Row, error) {
	return client.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(some("profile", "token")))
}

// longer has an element that no turn fills.
func longer(fs ...family) bigtable.Filter {
	s := make([]string, len(fs)+1)
	for i, f := range fs {
		s[i] = string(f)
	}
	return bigtable.FamilyFilter(strings.Join(s, "|"))
}

func okLonger(ctx context.Context, client *bigtable.Client) (bigtable.Row, error) {
	return client.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(longer("profile")))
}

// filters are made one for each family.
func filters(now time.Time, fs ...family) []bigtable.Filter {
	out := make([]bigtable.Filter, len(fs))
	for i := range fs {
		out[i] = bigtable.ChainFilters(bigtable.FamilyFilter(string(fs[i])), bigtable.TimestampRangeFilter(now, time.Time{}))
	}
	return out
}

func okFilters(ctx context.Context, tbl *bigtable.Table) (bigtable.Row, error) {
	return tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.InterleaveFilters(filters(time.Now(), "token", "code")...)))
}

func hourOld(ctx context.Context, tbl *bigtable.Table) (bigtable.Row, error) {
	return tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.InterleaveFilters(filters(time.Now().Add(-time.Hour), "token", "code")...))) // want `wrong-bound: .*"code", "token"`
}

var _ = []any{read, okRead, okOther, both, okSome, okLonger, okFilters, hourOld}
