// Package hidesgiven gives constructors tables whose other families a bare time
// range hides.
package hidesgiven

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/hidesgiven/lib"
)

func mixed(c *bigtable.Client) *lib.Viewer {
	return lib.View(c.Open("wallets")) // want `hides-other-families: .*"val" of table "wallets"`
}

func okOnly(c *bigtable.Client) *lib.Pages { return lib.Only(c.Open("wallets")) }

func okWhole(c *bigtable.Client) *lib.Reader { return lib.New(c.Open("wallets")) }

func okOne(c *bigtable.Client) *lib.Reader { return lib.New(c.Open("tickets")) }

func okOther(c *bigtable.Client) *lib.Reader { return lib.New(c.Open("metrics2")) }

type reader struct{ tbl *bigtable.Table }

func newReader(tbl *bigtable.Table) *reader { return &reader{tbl} }

func (r *reader) Load(ctx context.Context, key string) (bigtable.Row, error) {
	return r.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{}))) // want `hides-other-families: .*"profile"`
}

func own(c *bigtable.Client) *reader { return newReader(c.Open("sessions")) }
