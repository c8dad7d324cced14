package handstruct

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type session struct {
	data    []byte
	expires time.Time
}

func (s session) expired(now time.Time) bool { return now.After(s.expires) }

func Inline(ctx context.Context, c *bigtable.Client, k string) (out []session) {
	row, _ := c.Open("magic_links").ReadRow(ctx, k) // silent
	for _, it := range row["link"] {
		v := session{data: it.Value, expires: it.Timestamp.Time()}
		if v.expires.Before(time.Now()) {
			continue
		}
		out = append(out, v)
	}
	return out
}

func Method(ctx context.Context, c *bigtable.Client, k string) (out []session) {
	row, _ := c.Open("magic_links").ReadRow(ctx, k) // silent
	for _, it := range row["link"] {
		v := session{data: it.Value, expires: it.Timestamp.Time()}
		if v.expired(time.Now()) {
			continue
		}
		out = append(out, v)
	}
	return out
}

func Local(ctx context.Context, c *bigtable.Client, k string) (out [][]byte) {
	row, _ := c.Open("magic_links").ReadRow(ctx, k) // silent
	for _, it := range row["link"] {
		exp := it.Timestamp.Time().Add(-time.Second)
		if time.Now().After(exp) {
			continue
		}
		out = append(out, it.Value)
	}
	return out
}

func IsZero(ctx context.Context, c *bigtable.Client, k string) (out [][]byte) {
	row, _ := c.Open("magic_links").ReadRow(ctx, k) // want `missing-filter: .*"link"`
	for _, it := range row["link"] {
		if it.Timestamp.Time().IsZero() {
			continue
		}
		out = append(out, it.Value)
	}
	return out
}
