// Package vanish has calls of which not everything is known.
package vanish

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type doc struct {
	tbl *bigtable.Table
	buf []byte
}

func (d *doc) Buffer() []byte {
	if d.buf == nil {
		d.buf = make([]byte, 0, 64)
	}
	return d.buf
}

// The key is unknown; the rest is not.
func (d *doc) Save(ctx context.Context) error {
	mut := bigtable.NewMutation()
	mut.Set("token", string(d.buf), bigtable.Now(), nil) // want `write-time: .*"token"`
	return d.tbl.Apply(ctx, string(d.buf), mut)
}

func (d *doc) SaveFamily(ctx context.Context) error {
	mut := bigtable.NewMutation()
	mut.Set(string(d.buf), "c", bigtable.Now(), nil)
	mut.Set("token", "c", bigtable.ServerTime, d.buf) // want `server-timestamp: .*"token"`
	return d.tbl.Apply(ctx, string(d.buf), mut)
}

type lazy struct {
	name   []byte
	filter bigtable.Filter
	opts   []bigtable.ReadOption
	col    string
}

func (l *lazy) init() {
	if l.filter == nil {
		l.filter = bigtable.LatestNFilter(1)
	}
	if l.col == "" {
		l.col = "jwt"
	}
	if l.opts == nil {
		l.opts = make([]bigtable.ReadOption, 0)
	}
}

func (l *lazy) Read(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	if l.filter == nil {
		return nil, nil
	}
	return c.Open("sessions").ReadRow(ctx, string(l.name), bigtable.RowFilter(l.filter)) // want `missing-filter: .*"token"`
}

func (l *lazy) Write(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	if l.col != "" && len(l.opts) == 0 {
		mut.Set("token", l.col, bigtable.Now(), nil) // want `write-time: .*"token"`
	}
	return c.Open("sessions").Apply(ctx, "k", mut)
}

func impossible(ctx context.Context, c *bigtable.Client, n int) error {
	mut := bigtable.NewMutation()
	const debug = false
	if debug {
		mut.Set("token", "dead", bigtable.Now(), nil)
	}
	return c.Open("sessions").Apply(ctx, "k", mut)
}
