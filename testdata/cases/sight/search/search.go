// Package search gets cells from helpers that look for them in a row.
package search

import (
	"context"
	"errors"
	"slices"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/search/rows"
)

type store struct{ client *bigtable.Client }

func (s *store) row(ctx context.Context, key string) (bigtable.Row, error) {
	live := bigtable.ChainFilters(bigtable.FamilyFilter("token|profile"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	return s.client.Open("sessions").ReadRow(ctx, key, bigtable.RowFilter(live))
}

func cell(row bigtable.Row, family, column string) *bigtable.ReadItem {
	for i := range row[family] {
		if row[family][i].Column == family+":"+column {
			return &row[family][i]
		}
	}
	return nil
}

func find(row bigtable.Row, family, column string) (bigtable.ReadItem, bool) {
	for _, it := range row[family] {
		if it.Column == column {
			return it, true
		}
	}
	return bigtable.ReadItem{}, false
}

func search(row bigtable.Row, family, column string) (bigtable.ReadItem, error) {
	for _, it := range row[family] {
		if it.Column == column {
			return it, nil
		}
	}
	return bigtable.ReadItem{}, errors.New("no such cell")
}

func among(items []bigtable.ReadItem, column string) (found bigtable.ReadItem) {
	for _, it := range items {
		if it.Column == column {
			return it
		}
	}
	return found
}

func moment(row bigtable.Row, family, column string) time.Time {
	for _, it := range row[family] {
		if it.Column == column {
			return it.Timestamp.Time()
		}
	}
	return time.Time{}
}

func pulled(row bigtable.Row, family, column string) (bigtable.ReadItem, bool) {
	for it := range slices.Values(row[family]) {
		if it.Column == family+":"+column {
			return it, true
		}
	}
	return bigtable.ReadItem{}, false
}

func (s *store) idle(ctx context.Context, key string) (time.Duration, error) {
	row, err := s.row(ctx, key)
	if err != nil {
		return 0, err
	}
	it := cell(row, "token", "jwt")
	if it == nil {
		return 0, nil
	}
	return time.Since(it.Timestamp.Time()), nil // want `not-write-time: .*"token"`
}

func (s *store) age(ctx context.Context, key string) (d time.Duration) {
	row, _ := s.row(ctx, key)
	if it, ok := find(row, "token", "token:jwt"); ok {
		d = time.Since(it.Timestamp.Time()) // want `not-write-time: .*"token"`
	}
	if it, err := search(row, "token", "token:jwt"); err == nil {
		d += time.Since(it.Timestamp.Time()) // want `not-write-time: .*"token"`
	}
	d += time.Since(among(row["token"], "token:jwt").Timestamp.Time()) // want `not-write-time: .*"token"`
	d += time.Since(moment(row, "token", "token:jwt"))                 // want `not-write-time: .*"token"`
	if it, ok := pulled(row, "token", "jwt"); ok {
		d += time.Since(it.Timestamp.Time()) // want `not-write-time: .*"token"`
	}
	return d
}

func (s *store) elsewhere(ctx context.Context, key string) (d time.Duration) {
	row, _ := s.row(ctx, key)
	if it := rows.Cell(row, "token", "jwt"); it != nil {
		d = time.Since(it.Timestamp.Time()) // want `not-write-time: .*"token"`
	}
	if it, ok := rows.Find(row, "token", "jwt"); ok {
		d += time.Since(it.Timestamp.Time()) // want `not-write-time: .*"token"`
	}
	d += time.Since(rows.Of(row["token"], "token:jwt").Timestamp.Time()) // want `not-write-time: .*"token"`
	if at, ok := rows.Moment(row, "token", "jwt"); ok {
		d += time.Since(at) // want `not-write-time: .*"token"`
	}
	return d
}

// The timestamps of the other family are those of writing.
func (s *store) okOrdinary(ctx context.Context, key string) (d time.Duration) {
	row, _ := s.row(ctx, key)
	if it := cell(row, "profile", "name"); it != nil {
		d = time.Since(it.Timestamp.Time())
	}
	if it, ok := rows.Find(row, "profile", "name"); ok {
		d += time.Since(it.Timestamp.Time())
	}
	return d
}

// What is not found is not copied, whoever asks for it and how.
func (s *store) okCopy(ctx context.Context, from, to string) error {
	row, err := s.row(ctx, from)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	if it, ok := pulled(row, "token", "jwt"); ok {
		mut.Set("token", "jwt", it.Timestamp, it.Value)
	}
	if it, ok := find(row, "token", "token:refresh"); ok {
		mut.Set("token", "refresh", it.Timestamp, it.Value)
	}
	if it := among(row["token"], "token:id"); it.Value != nil {
		mut.Set("token", "id", it.Timestamp, it.Value)
	}
	if it := rows.Of(row["token"], "token:sub"); len(it.Value) > 0 {
		mut.Set("token", "sub", it.Timestamp, it.Value)
	}
	if at := moment(row, "token", "token:aud"); !at.IsZero() {
		mut.Set("token", "aud", bigtable.Time(at), nil)
	}
	return s.client.Open("sessions").Apply(ctx, to, mut)
}

// What a loop over an iterator returns is not what is returned behind it.
func picked(row bigtable.Row) (bigtable.Timestamp, bool) {
	for it := range slices.Values(row["token"]) {
		if len(it.Value) == 0 {
			return 0, false
		}
		if it.Column == "token:jwt" {
			return it.Timestamp, true
		}
	}
	return bigtable.Timestamp(1000), false
}

func okPicked(mut *bigtable.Mutation, row bigtable.Row) {
	if at, ok := picked(row); ok {
		mut.Set("token", "jwt", at, nil)
	}
}

func wrongPicked(mut *bigtable.Mutation, row bigtable.Row) {
	if at, ok := picked(row); !ok {
		mut.Set("token", "jwt", at, nil) // want `already-expired: .*"token"`
	}
}
