// Package ladder keeps the ranking of a season.
//
// Scores are numbered by the match that made them. Boosts expire. What does
// not change during a season is written at zero.
package ladder

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/guild/internal/kit"
	"example.com/guild/schema"
)

// BoostTTL is how long a boost lasts.
const BoostTTL = time.Hour

// Kind is what a column of the ladder means.
type Kind int

// The kinds of columns.
const (
	KindScore Kind = iota
	KindBoost
	KindSeason
)

// spec is how a kind of column is written and read.
type spec struct {
	family string
	stamp  kit.Stamp
	view   kit.View
}

// specs are the kinds of columns.
var specs = map[Kind]spec{
	KindBoost:  {schema.FamBoost, kit.Expires(BoostTTL), kit.Unexpired()}, // ok ttlwrite/write-time ttlread/wrong-bound
	KindSeason: {schema.FamSeason, kit.Pinned(), kit.Newest(1)},           // ok ttlwrite/clock-in-zero ttlwrite/already-expired
}

// Entry is a place in the ranking.
type Entry struct {
	Player string
	Score  int64
	Match  int64
}

// Ladder is the ranking of one season.
type Ladder struct {
	client *bigtable.Client
	tbl    *bigtable.Table
	season string
	now    func() time.Time
}

// Open returns the ranking of a season.
func Open(client *bigtable.Client, season string) *Ladder {
	return &Ladder{client: client, tbl: client.Open(schema.Ladder), season: season, now: time.Now}
}

// rowKey returns the row key of a player in the season.
func (l *Ladder) rowKey(player string) string { return l.season + "#" + player }

// Put stores a column by its kind.
func (l *Ladder) Put(ctx context.Context, k Kind, player, column string, v []byte) error {
	sp, ok := specs[k]
	if !ok {
		return fmt.Errorf("ladder: no kind %d", k)
	}
	return kit.PutCell(ctx, l.tbl, l.rowKey(player), kit.Cell{Family: sp.family, Column: column, At: sp.stamp(ctx), Value: v}) // ok ttlwrite/write-time
}

// Fetch reads a column by its kind.
func (l *Ladder) Fetch(ctx context.Context, k Kind, player, column string) kit.Result[[]byte] {
	sp, ok := specs[k]
	if !ok {
		return kit.Failf[[]byte]("ladder: no kind %d", k)
	}
	return kit.ReadCell(ctx, l.tbl, kit.ReadSpec{Key: l.rowKey(player), Family: sp.family, Column: column}, sp.view(ctx)) // ok ttlread/missing-filter ttlread/wrong-bound
}

// Record stores a player's score after a match.
func (l *Ladder) Record(ctx context.Context, player string, score, match int64) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamScore, "elo", kit.Sequence(match), kit.PutInt64(score)) // ok ttlwrite/unscaled-sequence ttlwrite/clock-in-sequence
	m.Set(schema.FamSeason, "name", 0, []byte(l.season))                    // ok ttlwrite/clock-in-zero
	return l.tbl.Apply(ctx, l.rowKey(player), m)
}

// RecordLate stores a score whose match nobody knows any more.
func (l *Ladder) RecordLate(ctx context.Context, player string, score int64) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamScore, "elo", bigtable.Now(), kit.PutInt64(score)) // want ttlwrite/clock-in-sequence
	m.Set(schema.FamScore, "first", 500, kit.PutInt64(score))          // want ttlwrite/unscaled-sequence
	return l.tbl.Apply(ctx, l.rowKey(player), m)
}

// Add adds points to a player's score.
func (l *Ladder) Add(ctx context.Context, player string, points int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamScore, "points", points) // want ttlwrite/read-modify-write
	_, err := l.tbl.ApplyReadModifyWrite(ctx, l.rowKey(player), rmw)
	return err
}

// Streak counts wins within the hour.
func (l *Ladder) Streak(ctx context.Context, player string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamBoost, "streak", 1) // want ttlwrite/read-modify-write
	row, err := l.tbl.ApplyReadModifyWrite(ctx, l.rowKey(player), rmw)
	if err != nil {
		return 0, err
	}
	b, _ := kit.First(row, schema.FamBoost, "streak")
	if len(b) != 8 {
		return 0, kit.ErrNotFound
	}
	return int64(binary.BigEndian.Uint64(b)), nil
}

// StreakUntil stores a streak, counted by the caller, until the hour ends.
func (l *Ladder) StreakUntil(ctx context.Context, player string, n int64) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(schema.FamBoost, "streak")
	m.Set(schema.FamBoost, "streak", bigtable.Time(l.now().Truncate(time.Hour).Add(time.Hour)), kit.PutInt64(n)) // ok ttlwrite/write-time
	return l.tbl.Apply(ctx, l.rowKey(player), m)
}

// Boost gives a player a boost.
func (l *Ladder) Boost(ctx context.Context, player, kind string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamBoost, kind, bigtable.Time(time.Now()), []byte("1")) // want ttlwrite/write-time
	m.Set(schema.FamSeason, "boosted:"+kind, 0, []byte("1"))             // ok ttlwrite/already-expired
	return l.tbl.Apply(ctx, l.rowKey(player), m)
}

// BoostFor gives a player a boost for a while. What is never to end gets the
// largest time there is.
func (l *Ladder) BoostFor(ctx context.Context, player, kind string, d time.Duration) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(schema.FamBoost, kind)
	m.Set(schema.FamBoost, kind, bigtable.Time(l.now().Add(d)), []byte("1"))                                        // ok ttlwrite/write-time
	m.Set(schema.FamBoost, kind+":ever", bigtable.Time(time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)), []byte("1")) // want ttlunit/out-of-range
	m.Set(schema.FamBoost, kind+":long", bigtable.Time(time.Date(2200, 12, 31, 0, 0, 0, 0, time.UTC)), []byte("1")) // ok ttlunit/out-of-range
	return l.tbl.Apply(ctx, l.rowKey(player), m)
}

// Weekend gives a player the boost of the weekend, whose end is in seconds in
// the configuration of the event.
func (l *Ladder) Weekend(ctx context.Context, player string, end time.Time) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamBoost, "weekend", bigtable.Timestamp(end.UnixNano()), []byte("2"))      // want ttlunit/wrong-unit
	m.Set(schema.FamBoost, "weekday", bigtable.Timestamp(end.UnixNano()/1000), []byte("1")) // ok ttlunit/wrong-unit
	m.Set(schema.FamBoost, "holiday", bigtable.Timestamp(end.Unix()*1e6), []byte("3"))      // ok ttlunit/wrong-unit
	return l.tbl.Apply(ctx, l.rowKey(player), m)
}

// Title stores the title that a player has during the season.
func (l *Ladder) Title(ctx context.Context, player, title string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamSeason, "title", bigtable.Time(l.now()), []byte(title)) // want ttlwrite/clock-in-zero
	return l.tbl.Apply(ctx, l.rowKey(player), m)
}

// Top returns the best n players.
func (l *Ladder) Top(ctx context.Context, n int) ([]Entry, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamScore), bigtable.ColumnFilter("elo"), bigtable.LatestNFilter(1))
	var out []Entry
	err := l.tbl.ReadRows(ctx, bigtable.PrefixRange(l.season+"#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter ttlread/version-limit
		for _, item := range row[schema.FamScore] {
			score, err := kit.Int64{}.Decode(item.Value)
			if err != nil {
				continue
			}
			out = append(out, Entry{Player: row.Key(), Score: score, Match: kit.SequenceOf(item)}) // ok ttlage/not-write-time
		}
		return true
	}, bigtable.RowFilter(f))
	if err != nil {
		return nil, err
	}
	slices.SortFunc(out, func(a, b Entry) int { return int(b.Score - a.Score) })
	return out[:min(n, len(out))], nil
}

// Boosts returns the boosts of a player.
func (l *Ladder) Boosts(ctx context.Context, player string) ([]string, error) {
	row, err := l.tbl.ReadRow(ctx, l.rowKey(player), bigtable.RowFilter(bigtable.ChainFilters(bigtable.ColumnRangeFilter(schema.FamBoost, "", ""), bigtable.LatestNFilter(1)))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []string
	for _, item := range row[schema.FamBoost] {
		out = append(out, item.Column)
	}
	return out, nil
}

// Boosted returns the boosts of a player that last.
func (l *Ladder) Boosted(ctx context.Context, player string) ([]string, error) {
	row, err := l.tbl.ReadRow(ctx, l.rowKey(player), bigtable.RowFilter(bigtable.ChainFilters(bigtable.ColumnRangeFilter(schema.FamBoost, "", ""), kit.UnexpiredAt(l.now())))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []string
	for _, item := range row[schema.FamBoost] {
		out = append(out, item.Column)
	}
	return out, nil
}

// BoostsSince returns the boosts of a player of the last hour.
func (l *Ladder) BoostsSince(ctx context.Context, player string) ([]string, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamBoost), bigtable.TimestampRangeFilter(l.now().Add(-BoostTTL), time.Time{})) // want ttlread/wrong-bound[boostsSince]
	row, err := l.tbl.ReadRow(ctx, l.rowKey(player), bigtable.RowFilter(f))                                                                // want ttlread/wrong-bound[boostsSince]
	if err != nil {
		return nil, err
	}
	var out []string
	for _, item := range row[schema.FamBoost] {
		out = append(out, item.Column)
	}
	return out, nil
}

// BoostsJustNow is Boosted with some tolerance for slow clocks.
func (l *Ladder) BoostsJustNow(ctx context.Context, player string) (int, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamBoost), bigtable.TimestampRangeFilter(l.now().Add(-time.Second), time.Time{})) // ok ttlread/wrong-bound
	row, err := l.tbl.ReadRow(ctx, l.rowKey(player), bigtable.RowFilter(f))                                                                   // ok ttlread/wrong-bound ttlread/missing-filter
	return len(row[schema.FamBoost]), err
}

// BoostGiven returns for how long a player has had a boost.
func (l *Ladder) BoostGiven(ctx context.Context, player string) (time.Duration, error) {
	row, err := l.tbl.ReadRow(ctx, l.rowKey(player), bigtable.RowFilter(kit.OfFamily(schema.FamBoost, kit.UnexpiredAt(l.now())))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, item := range row[schema.FamBoost] {
		given := item.Timestamp.Time().Add(-BoostTTL)
		if item.Column == schema.FamBoost+":double" {
			return l.now().Sub(item.Timestamp.Time()), nil // want ttlage/not-write-time
		}
		kit.LoggerFrom(ctx).Debug("boost", "column", item.Column, "ends", given.Add(BoostTTL)) // ok ttlage/not-write-time
	}
	return 0, kit.ErrNotFound
}

// Card returns what the ladder's page shows of a player.
func (l *Ladder) Card(ctx context.Context, player string) (bigtable.Row, error) {
	f := bigtable.InterleaveFilters(
		kit.OfFamily(schema.FamScore, bigtable.LatestNFilter(1)), // ok ttlread/unfiltered-branch
		kit.OfFamily(schema.FamBoost, kit.UnexpiredAt(l.now())),  // ok ttlread/unfiltered-branch
		kit.OfFamily(schema.FamSeason),                           // ok ttlread/unfiltered-branch
	)
	return l.tbl.ReadRow(ctx, l.rowKey(player), bigtable.RowFilter(f)) // ok ttlread/missing-filter ttlread/hides-other-families
}

// CardFast is Card in one chain.
func (l *Ladder) CardFast(ctx context.Context, player string) (bigtable.Row, error) {
	f := bigtable.ChainFilters(kit.UnexpiredAt(l.now()), bigtable.LatestNFilter(1)) // want ttlread/hides-other-families|ttlread/wrong-bound[cardFast]
	return l.tbl.ReadRow(ctx, l.rowKey(player), bigtable.RowFilter(f))              // want ttlread/hides-other-families|ttlread/wrong-bound[cardFast]
}
