package store

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/paywell/domain"
)

// setOr writes a value, for d where the time is the server's.
func (s *Sessions) setOr(w cells, family, col string, ts bigtable.Timestamp, d time.Duration, value []byte) {
	if ts == bigtable.ServerTime { // ok ttlage/server-sentinel
		ts = expiresIn(s.clk, d)
	}
	w.Set(family, col, ts, value) // ok ttlwrite/server-timestamp
}

// Flag marks a session until it ends.
func (s *Sessions) Flag(ctx context.Context, id, reason string) error {
	mut := bigtable.NewMutation()
	s.setOr(mut, FamTok, "flag", bigtable.ServerTime, domain.SessionTTL, []byte(reason)) // ok ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, sessionKey(id), mut)
}

// Mark marks both families.
func (s *Sessions) Mark(ctx context.Context, id, mark string) error {
	ts := writtenAt(s.clk) // want ttlwrite/write-time[mark]
	mut := bigtable.NewMutation()
	for _, fam := range []string{FamTok, FamProf} {
		mut.Set(fam, "mark", ts, []byte(mark)) // want ttlwrite/write-time[mark]
	}
	return s.tbl.Apply(ctx, sessionKey(id), mut)
}

// Remember stores a value until the session ends, or for ever.
func (s *Sessions) Remember(ctx context.Context, id, col string, value []byte, forever bool) error {
	family, ts := FamTok, expiresIn(s.clk, domain.SessionTTL)
	if forever {
		family, ts = FamProf, bigtable.Now()
	}
	mut := bigtable.NewMutation()
	mut.Set(family, col, ts, value) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, sessionKey(id), mut)
}

func (s *Sessions) note(ctx context.Context, id string, lasting bool, text string) error {
	ts := bigtable.Now()
	if lasting {
		ts = bigtable.Time(s.clk.Now().Add(domain.SessionTTL))
	}
	mut := bigtable.NewMutation()
	mut.Set(FamTok, "note", ts, []byte(text)) // want ttlwrite/write-time[note]
	return s.tbl.Apply(ctx, sessionKey(id), mut)
}

// Notify leaves notes for the browser.
func (s *Sessions) Notify(ctx context.Context, id string, texts ...string) error {
	for i, text := range texts {
		if i == 0 {
			if err := s.note(ctx, id, true, text); err != nil { // ok ttlwrite/write-time
				return err
			}
			continue
		}
		if err := s.note(ctx, id, false, text); err != nil { // want ttlwrite/write-time[note]
			return err
		}
	}
	return nil
}

// Pair reads the newest of two columns.
func (r *Reports) Pair(ctx context.Context, key string) (first, second bool, err error) {
	f := bigtable.ChainFilters(bigtable.ColumnFilter("a|b"), bigtable.LatestNFilter(1)) // ok ttlunit/invalid-filter
	row, err := r.tbl.ReadRow(ctx, key, bigtable.RowFilter(f))                          // ok ttlread/missing-filter
	if err != nil {
		return false, false, err
	}
	for _, item := range row[FamTok] {
		first = first || item.Timestamp == 0 // ok ttlage/server-sentinel
		second = second || item.Timestamp > 0
	}
	return first, second, nil
}
