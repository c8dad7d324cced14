// Package rowobjects keeps rows in objects whose methods use them.
package rowobjects

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type view struct {
	row bigtable.Row
	now time.Time
}

func (v view) count(family string) int { return len(v.row[family]) }

func (v *view) tokens() []bigtable.ReadItem { return v.row["token"] }

func (v *view) live() (n int) {
	for _, it := range v.tokens() {
		if it.Timestamp.Time().After(v.now) {
			n++
		}
	}
	return n
}

func (v *view) get(family, column string) []byte {
	for _, it := range v.cells(family) {
		if it.Column == family+":"+column {
			return it.Value
		}
	}
	return nil
}

func (v *view) cells(family string) []bigtable.ReadItem { return v.row[family] }

func okProfile(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("sessions").ReadRow(ctx, "k")
	return view{row: row}.count("profile")
}

func token(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	return view{row: row}.count("token")
}

func okLive(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("sessions").ReadRow(ctx, "k")
	v := &view{row, time.Now()}
	return v.live()
}

func tokens(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	v := &view{row, time.Now()}
	return len(v.tokens())
}

func okGet(ctx context.Context, c *bigtable.Client) []byte {
	row, _ := c.Open("sessions").ReadRow(ctx, "k")
	v := &view{row: row}
	return v.get("profile", "name")
}

func get(ctx context.Context, c *bigtable.Client) []byte {
	row, _ := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	v := &view{row: row}
	return v.get("token", "jwt")
}

// By a constructor, a setter, and a loader.
func newView(row bigtable.Row) *view { return &view{row, time.Now()} }

func (v *view) set(row bigtable.Row) { v.row = row }

func okMade(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("sessions").ReadRow(ctx, "k")
	return newView(row).count("profile")
}

func made(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	return newView(row).count("token")
}

func okSet(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("sessions").ReadRow(ctx, "k")
	var v view
	v.set(row)
	return v.count("profile")
}

func set(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	var v view
	v.set(row)
	return v.count("token")
}

func load(ctx context.Context, tbl *bigtable.Table) (*view, error) {
	row, err := tbl.ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	return &view{row: row}, err
}

func okLoaded(ctx context.Context, c *bigtable.Client) int {
	v, _ := load(ctx, c.Open("sessions"))
	return v.count("profile")
}

// What callers do with what it returns is judged where it is read, as with a bare row.
func loaded(ctx context.Context, c *bigtable.Client) int {
	v, _ := load(ctx, c.Open("sessions"))
	return v.count("token")
}

// A view that leaves the package: whoever has it uses it all.
func Escaping(ctx context.Context, c *bigtable.Client) any {
	row, _ := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	return &view{row: row}
}

type Exported struct{ Row bigtable.Row }

func Read(ctx context.Context, c *bigtable.Client) Exported {
	row, _ := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	return Exported{row}
}

var _ = []any{okProfile, token, okLive, tokens, okGet, get, okMade, made, okSet, set, okLoaded, loaded}
