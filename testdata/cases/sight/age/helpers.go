package age

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/age/ages"
)

// A view shows cells.
type view struct {
	age func(bigtable.ReadItem) time.Duration
}

func (s *store) Helpers(ctx context.Context, key string) (out []time.Duration, cells []ages.Cell) {
	row, err := s.sessions.ReadRow(ctx, key, live())
	if err != nil {
		return nil, nil
	}
	for _, it := range row["token"] {
		out = append(out, ages.Of(it))           // want `not-write-time: .*"token"`
		if ages.Older(it.Timestamp, time.Hour) { // want `not-write-time: .*"token"`
			continue
		}
		cells = append(cells, ages.Show(it)) // want `not-write-time: .*"token"`
	}
	return append(out, ages.OfRow(row, "token")), cells // want `not-write-time: .*"token"`
}

func (s *store) OkHelpers(ctx context.Context, key string) (out []time.Duration, cells []ages.Cell) {
	row, err := s.sessions.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter("profile")))
	if err != nil {
		return nil, nil
	}
	for _, it := range row["profile"] {
		out = append(out, ages.Of(it))
		if ages.Older(it.Timestamp, time.Hour) {
			continue
		}
		cells = append(cells, ages.Show(it))
	}
	return append(out, ages.OfRow(row, "profile")), cells
}

func (s *store) ByField(ctx context.Context, key string) time.Duration {
	v := view{age: ages.Of}
	row, _ := s.sessions.ReadRow(ctx, key, live())
	for _, it := range row["token"] {
		return v.age(it) // want `not-write-time: .*"token"`
	}
	return 0
}

func (s *store) Oldest(ctx context.Context, key string) (oldest time.Duration) {
	row, _ := s.sessions.ReadRow(ctx, key, live())
	each(row["token"], func(it bigtable.ReadItem) { // want `not-write-time: .*"token"`
		oldest = max(oldest, ageOf(it))
	})
	return oldest
}

func each(items []bigtable.ReadItem, f func(bigtable.ReadItem)) {
	for _, it := range items {
		f(it)
	}
}
