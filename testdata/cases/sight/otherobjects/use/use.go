// Package use makes objects of another package from rows, and others.
package use

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/otherobjects/lib"
)

func fromRow(row bigtable.Row) *lib.Session {
	s := &lib.Session{}
	for _, it := range row["token"] {
		s.Devices = append(s.Devices, lib.Device{Seen: it.Timestamp.Time()})
	}
	return s
}

func ofRow(ctx context.Context, c *bigtable.Client) []lib.View {
	row, err := c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
	if err != nil {
		return nil
	}
	return lib.Views(fromRow(row)) // want `not-write-time: .*"token"`
}

func okEmpty() []lib.View { return lib.Views(&lib.Session{}) }

func okGrown(ids []string) []lib.View {
	s := &lib.Session{}
	for _, id := range ids {
		s.Devices = append(s.Devices, lib.Device{ID: id})
	}
	for _, d := range s.Devices {
		_ = d.View()
	}
	return lib.Views(s)
}
