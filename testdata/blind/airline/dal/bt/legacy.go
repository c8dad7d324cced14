package bt

import (
	"context"
	"errors"
	"time"

	"cloud.google.com/go/bigtable"
	"skyward.example/dal/names"
)

// The v1 calls. Deprecated since 2022; flightops still needs them.

// ErrGone says that a row has no live cells.
var ErrGone = errors.New("bt: gone")

// GetFiltered reads a row through f and returns one version of each column.
func GetFiltered(ctx context.Context, t bigtable.TableAPI, key string, f bigtable.Filter) (bigtable.Row, error) {
	opts := []bigtable.ReadOption{bigtable.RowFilter(f)}               // want ttlread/overridden-filter[getfiltered]
	opts = append(opts, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/overridden-filter[getfiltered]
	return t.ReadRow(ctx, key, opts...)                                // want ttlread/overridden-filter[getfiltered]
}

// GetLatest reads a row through f, one version of each column.
func GetLatest(ctx context.Context, t bigtable.TableAPI, key string, f bigtable.Filter) (bigtable.Row, error) {
	return t.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(f, bigtable.LatestNFilter(1)))) // ok ttlread/overridden-filter
}

// SetV1 is the old one-column write. expires says whether the value is to expire after the usual hold.
func SetV1(ctx context.Context, t bigtable.TableAPI, key, family, column string, v []byte, expires bool) error {
	ts := bigtable.Now()
	if expires {
		ts = bigtable.Time(time.Now().Add(names.HoldFor))
	}
	m := bigtable.NewMutation()
	m.Set(family, column, ts, v) // ok ttlwrite/write-time
	return t.Apply(ctx, key, m)
}

// readFilter is the filter of the v1 readers.
func readFilter(expires bool) bigtable.Filter {
	if expires {
		return bigtable.ChainFilters(bigtable.TimestampRangeFilter(time.Now(), time.Time{}), bigtable.LatestNFilter(1))
	}
	return bigtable.LatestNFilter(1)
}

// GetV1 is the old read of one family.
func GetV1(ctx context.Context, t bigtable.TableAPI, key, family string, expires bool) ([]bigtable.ReadItem, error) {
	row, err := t.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(family), readFilter(expires)))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	if len(row[family]) == 0 {
		return nil, ErrGone
	}
	return row[family], nil
}

// SeatRow is what the kiosks of 2019 read: the hold on a seat and the seat.
type SeatRow struct {
	HeldBy  string
	Class   string
	Expires time.Time
}

// KioskSeat reads a seat for a kiosk.
func KioskSeat(ctx context.Context, c *Client, key string) (*SeatRow, error) {
	tbl := c.raw.Open(names.TableHolds)
	row, err := tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := &SeatRow{}
	for _, it := range row[names.FamHold] {
		out.HeldBy = string(it.Value)
		out.Expires = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	for _, it := range row[names.FamSeat] {
		out.Class = string(it.Value)
	}
	return out, nil
}

// KioskClass reads only the cabin class of a seat.
func KioskClass(ctx context.Context, c *Client, key string) (string, error) {
	tbl := c.raw.Open(names.TableHolds)
	row, err := tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range row[names.FamSeat] {
		return string(it.Value), nil
	}
	return "", ErrGone
}

// KioskHold takes a seat for a kiosk.
func KioskHold(ctx context.Context, c *Client, key, kiosk string) error {
	m := bigtable.NewMutation()
	m.Set(names.FamHold, "by", bigtable.ServerTime, []byte(kiosk))    // want ttlwrite/server-timestamp
	m.Set(names.FamSeat, "kiosk", bigtable.ServerTime, []byte(kiosk)) // ok ttlwrite/server-timestamp
	return c.raw.Open(names.TableHolds).Apply(ctx, key, m)
}

// KioskExtend lengthens a hold by the usual time.
func KioskExtend(ctx context.Context, c *Client, key, kiosk string) error {
	m := bigtable.NewMutation()
	m.Set(names.FamHold, "by", Stamp(names.HoldFor), []byte(kiosk)) // ok ttlwrite/write-time
	m.Set(names.FamHold, "seen", NowStamp(), []byte("1"))           // want ttlwrite/write-time
	return c.raw.Open(names.TableHolds).Apply(ctx, key, m)
}

// CustomsHold marks a bag; same family name, other table.
func CustomsHold(ctx context.Context, c *Client, key, officer string) error {
	m := bigtable.NewMutation()
	m.Set(names.FamHold, "by", bigtable.ServerTime, []byte(officer)) // ok ttlwrite/server-timestamp
	m.Set(names.FamHold, "since", bigtable.Now(), []byte(officer))   // ok ttlwrite/write-time
	return c.raw.Open(names.TableBags).Apply(ctx, key, m)
}

// RosterHold writes into the crew team's table, which has a family of that name too.
func RosterHold(ctx context.Context, c *Client, key, crew string) error {
	m := bigtable.NewMutation()
	m.Set(names.FamHold, "crew", bigtable.Now(), []byte(crew)) // ok ttlwrite/write-time
	m.Set(names.FamRev, "crew", bigtable.Now(), []byte(crew))  // ok ttlwrite/clock-in-sequence
	return c.raw.Open(names.TableRoster).Apply(ctx, key, m)
}
