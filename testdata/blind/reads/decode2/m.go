package decode2

import (
	"context"
	"encoding/json"
	"time"

	"cloud.google.com/go/bigtable"
)

type config struct{ Retention time.Duration }

func load(b []byte) (config, error) {
	c := config{Retention: 14 * 24 * time.Hour}
	err := json.Unmarshal(b, &c)
	return c, err
}

func demo() config { return config{Retention: time.Hour} }

var _ = demo

func Imps(ctx context.Context, c *bigtable.Client, k string, b []byte) int {
	cfg, err := load(b)
	if err != nil {
		return 0
	}
	row, _ := c.Open("impressions").ReadRow(ctx, k, bigtable.RowFilter(
		bigtable.TimestampRangeFilter(time.Now().Add(-cfg.Retention), time.Time{}))) // silent
	return len(row["imp"])
}

type server struct {
	cfg config
	t   *bigtable.Table
}

func newServer(c *bigtable.Client, b []byte) (*server, error) {
	cfg, err := load(b)
	if err != nil {
		return nil, err
	}
	return &server{cfg: cfg, t: c.Open("impressions")}, nil
}

func (s *server) imps(ctx context.Context, k string) int {
	row, _ := s.t.ReadRow(ctx, k, bigtable.RowFilter(
		bigtable.TimestampRangeFilter(time.Now().Add(-s.cfg.Retention), time.Time{}))) // silent
	return len(row["imp"])
}

var _, _ = newServer, (*server).imps

type zero struct{ D time.Duration }

func Zero(ctx context.Context, c *bigtable.Client, k string, b []byte) int {
	var z struct{ Z zero }
	if json.Unmarshal(b, &z) != nil {
		return 0
	}
	row, _ := c.Open("impressions").ReadRow(ctx, k, bigtable.RowFilter(
		bigtable.TimestampRangeFilter(time.Now().Add(-z.Z.D), time.Time{}))) // silent
	return len(row["imp"])
}
