// Package shapes reads through TableAPI, interfaces, embedding, generics,
// method values and mocks.
package shapes

import (
	"context"
	"time"

	cbt "cloud.google.com/go/bigtable"
)

func live() cbt.Filter { return cbt.TimestampRangeFilter(time.Now(), time.Time{}) }

// TableAPI.

func tableAPI(ctx context.Context, c *cbt.Client) (cbt.Row, error) {
	var tbl cbt.TableAPI = c.OpenTable("otp")
	return tbl.ReadRow(ctx, "k") // want `missing-filter: .*"code"`
}

func okTableAPI(ctx context.Context, c *cbt.Client) (cbt.Row, error) {
	return c.OpenTable("otp").ReadRow(ctx, "k", cbt.RowFilter(live()))
}

// An interface of one's own.

type reader interface {
	ReadRow(ctx context.Context, row string, opts ...cbt.ReadOption) (cbt.Row, error)
}

type repository struct{ r reader }

func newRepository(c *cbt.Client) *repository { return &repository{r: c.Open("otp")} }

func (r *repository) get(ctx context.Context) (cbt.Row, error) {
	return r.r.ReadRow(ctx, "k") // want `missing-filter: .*"code"`
}

func (r *repository) okGet(ctx context.Context) (cbt.Row, error) {
	return r.r.ReadRow(ctx, "k", cbt.RowFilter(live()))
}

func byFamily(ctx context.Context, r reader) (int, error) {
	row, err := r.ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	return len(row["token"]), err
}

func okUnknownReader(ctx context.Context, r reader) (cbt.Row, error) {
	return r.ReadRow(ctx, "k")
}

// Embedding.

type otpTable struct{ *cbt.Table }

func embedded(ctx context.Context, c *cbt.Client) (cbt.Row, error) {
	t := otpTable{c.Open("otp")}
	return t.ReadRow(ctx, "k") // want `missing-filter: .*"code"`
}

func okEmbedded(ctx context.Context, c *cbt.Client) (cbt.Row, error) {
	t := otpTable{c.Open("otp")}
	return t.ReadRow(ctx, "k", cbt.RowFilter(live()))
}

// A method that hides the client's: what it adds is seen.

type liveTable struct{ *cbt.Table }

func (t liveTable) ReadRow(ctx context.Context, row string, opts ...cbt.ReadOption) (cbt.Row, error) {
	return t.Table.ReadRow(ctx, row, append(opts, cbt.RowFilter(live()))...)
}

func okHiding(ctx context.Context, c *cbt.Client) (cbt.Row, error) {
	return liveTable{c.Open("otp")}.ReadRow(ctx, "k")
}

// Generics.

type decoder[T any] func(cbt.Row) T

func get[T any](ctx context.Context, tbl *cbt.Table, decode decoder[T], opts ...cbt.ReadOption) (T, error) {
	row, err := tbl.ReadRow(ctx, "k", opts...)
	return decode(row), err
}

func whole(row cbt.Row) cbt.Row { return row }

func generic(ctx context.Context, c *cbt.Client) (cbt.Row, error) {
	return get(ctx, c.Open("otp"), whole) // want `missing-filter: .*"code"`
}

func okGeneric(ctx context.Context, c *cbt.Client) (cbt.Row, error) {
	return get(ctx, c.Open("otp"), whole, cbt.RowFilter(live()))
}

type cache[K ~string] struct{ tbl *cbt.Table }

func newCache[K ~string](c *cbt.Client) *cache[K] { return &cache[K]{tbl: c.Open("otp")} }

func (c *cache[K]) get(ctx context.Context, key K) (cbt.Row, error) {
	return c.tbl.ReadRow(ctx, string(key)) // want `missing-filter: .*"code"`
}

func (c *cache[K]) okGet(ctx context.Context, key K) (cbt.Row, error) {
	return c.tbl.ReadRow(ctx, string(key), cbt.RowFilter(live()))
}

// Method values.

func methodValue(ctx context.Context, c *cbt.Client) (cbt.Row, error) {
	read := c.Open("otp").ReadRow
	return read(ctx, "k") // want `missing-filter: .*"code"`
}

func okMethodValue(ctx context.Context, c *cbt.Client) (cbt.Row, error) {
	read := c.Open("otp").ReadRow
	return read(ctx, "k", cbt.RowFilter(live()))
}

// A double reads nothing.

type double struct{ rows map[string]cbt.Row }

func (d *double) ReadRow(ctx context.Context, row string, opts ...cbt.ReadOption) (cbt.Row, error) {
	return d.rows[row], nil
}

func okDouble(ctx context.Context) (cbt.Row, error) {
	d := &double{rows: map[string]cbt.Row{}}
	return d.ReadRow(ctx, "k")
}
