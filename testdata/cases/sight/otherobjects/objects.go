// Package otherobjects makes objects of one type from rows and others that no row
// reaches: of a field counts what was put into that object.
package otherobjects

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type device struct {
	ID   string
	Seen time.Time
	At   int64
}

type session struct {
	ID      string
	Seen    time.Time
	Devices []device
	ByID    map[string]*device
	Last    *device
}

type view struct{ UpdatedAt, CreatedAt int64 }

func fromRow(row bigtable.Row) *session {
	s := &session{ByID: map[string]*device{}}
	for _, it := range row["token"] {
		s.Seen = it.Timestamp.Time()
		s.Devices = append(s.Devices, device{Seen: it.Timestamp.Time(), At: int64(it.Timestamp)})
		s.ByID[it.Column] = &device{Seen: it.Timestamp.Time()}
		s.Last = &device{Seen: it.Timestamp.Time()}
	}
	return s
}

func all(s *session) (out []view) {
	for _, d := range s.Devices {
		out = append(out, view{UpdatedAt: d.Seen.Unix()})
	}
	return out
}

func numbers(s *session) (out []view) {
	for _, d := range s.Devices {
		out = append(out, view{UpdatedAt: d.At / 1000})
	}
	return out
}

func first(s *session) view           { return view{UpdatedAt: s.Devices[0].Seen.Unix()} }
func byID(s *session, id string) view { return view{UpdatedAt: s.ByID[id].Seen.Unix()} }
func last(s *session) view            { return view{UpdatedAt: s.Last.Seen.Unix()} }
func (s *session) view() view         { return view{UpdatedAt: s.Seen.Unix()} }
func (d *device) view() view          { return view{UpdatedAt: d.Seen.Unix()} }

func read(ctx context.Context, tbl *bigtable.Table) *session {
	row, err := tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))))
	if err != nil {
		return nil
	}
	return fromRow(row)
}

func ofRow(ctx context.Context, c *bigtable.Client) {
	s := read(ctx, c.Open("sessions"))
	_ = all(s)       // want `not-write-time: .*"token"`
	_ = numbers(s)   // want `not-write-time: .*"token"`
	_ = first(s)     // want `not-write-time: .*"token"`
	_ = byID(s, "a") // want `not-write-time: .*"token"`
	_ = last(s)      // want `not-write-time: .*"token"`
	_ = s.view()     // want `not-write-time: .*"token"`
	for _, d := range s.Devices {
		_ = d.view() // want `not-write-time: .*"token"`
	}
}

func okEmpty(id string) {
	s := &session{ID: id}
	_, _, _, _, _, _ = all(s), numbers(s), first(s), byID(s, id), last(s), s.view()
	for _, d := range s.Devices {
		_ = d.view()
	}
}

func okMade(id string) {
	s := &session{Seen: time.Now(), Devices: []device{{ID: id}}, Last: &device{ID: id}, ByID: map[string]*device{"a": {ID: id}}}
	_, _, _, _, _, _ = all(s), numbers(s), first(s), byID(s, id), last(s), s.view()
	_ = s.Last.view()
}

func okGrown(ids []string) {
	s := &session{}
	for _, id := range ids {
		s.Devices = append(s.Devices, device{ID: id})
	}
	_, _, _ = all(s), numbers(s), first(s)
	for _, d := range s.Devices {
		_ = d.view()
	}
}
