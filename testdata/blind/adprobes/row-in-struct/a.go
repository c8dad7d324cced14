// Package rowinstruct: a row in a field of a struct whose methods use it is
// taken for a row that goes where nobody follows it. Wrong findings.
package rowinstruct

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type view struct {
	row bigtable.Row
	now time.Time
}

func (v view) live() (n int) {
	for _, it := range v.row["cap"] {
		if it.Timestamp.Time().After(v.now) {
			n++
		}
	}
	return n
}

func (v view) count(family string) int { return len(v.row[family]) }

func (v *view) segments() int { return len(v.row["seg"]) }

func live(ctx context.Context, c *bigtable.Client) (int, error) {
	row, err := c.Open("freqcap").ReadRow(ctx, "k") // ok ttlread/missing-filter
	return view{row, time.Now()}.live(), err
}

func byName(ctx context.Context, c *bigtable.Client) (int, error) {
	row, err := c.Open("freqcap").ReadRow(ctx, "k") // ok ttlread/missing-filter
	return view{row: row}.count("seg"), err
}

func pointer(ctx context.Context, c *bigtable.Client) (int, error) {
	row, err := c.Open("freqcap").ReadRow(ctx, "k") // ok ttlread/missing-filter
	v := &view{row: row}
	return v.segments(), err
}

func local(ctx context.Context, c *bigtable.Client) (int, error) {
	row, err := c.Open("freqcap").ReadRow(ctx, "k") // ok ttlread/missing-filter
	v := view{row: row}
	return len(v.row["seg"]), err
}

func bad(ctx context.Context, c *bigtable.Client) (int, error) {
	row, err := c.Open("freqcap").ReadRow(ctx, "k") // want ttlread/missing-filter
	return view{row: row}.count("cap"), err
}

var _ = []any{live, byName, pointer, local, bad}

type profile struct {
	bigtable.Row
	loaded time.Time
}

func (p profile) segments() int { return len(p.Row["seg"]) }

func load(ctx context.Context, c *bigtable.Client) (profile, error) {
	row, err := c.Open("freqcap").ReadRow(ctx, "k") // ok ttlread/missing-filter
	return profile{row, time.Now()}, err
}

func embedded(ctx context.Context, c *bigtable.Client) (int, error) {
	p, err := load(ctx, c) // ok ttlread/missing-filter
	return p.segments(), err
}

var _ = embedded
