package match

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/guild/internal/kit"
	"example.com/guild/schema"
)

// Current returns the newest state of a match.
func (s *Store) Current(ctx context.Context, id string) (State, error) {
	return s.state(ctx, id, bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamState), bigtable.LatestNFilter(1))) // ok ttlread/version-limit ttlread/missing-filter
}

// Past returns the states of a match that are kept, newest first.
func (s *Store) Past(ctx context.Context, id string) ([]State, error) {
	row, err := s.tbl.ReadRow(ctx, rowKey(id), bigtable.RowFilter(bigtable.ChainFilters( // ok ttlread/version-limit
		bigtable.FamilyFilter(schema.FamState),
		bigtable.LatestNFilter(StateVersions), // ok ttlread/version-limit
	)))
	if err != nil {
		return nil, err
	}
	return states(row)
}

// History returns as many states of a match as there are.
func (s *Store) History(ctx context.Context, id string) ([]State, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamState), bigtable.LatestNFilter(10)) // want ttlread/version-limit[history]
	row, err := s.tbl.ReadRow(ctx, rowKey(id), bigtable.RowFilter(f))                              // want ttlread/version-limit[history]
	if err != nil {
		return nil, err
	}
	return states(row)
}

// Scores returns the scores of the newest state.
func (s *Store) Scores(ctx context.Context, id string) (map[string]int, error) {
	f := kit.OfFamily(schema.FamState, bigtable.ColumnFilter("cur")) // want ttlread/version-limit[scores]
	st, err := s.state(ctx, id, f)                                   // want ttlread/version-limit[scores]
	return st.Scores, err
}

// Since returns the state of a match, if it changed within the last minute.
func (s *Store) Since(ctx context.Context, id string) (State, error) {
	f := kit.OfFamily(schema.FamState, kit.FreshWithin(time.Now(), time.Minute), bigtable.LatestNFilter(1)) // want ttlread/wrong-bound[since]
	return s.state(ctx, id, f)                                                                              // want ttlread/wrong-bound[since]
}

// From returns the states of a match from a tick on.
func (s *Store) From(ctx context.Context, id string, tick int64) ([]State, error) {
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.FamState),
		bigtable.TimestampRangeFilterMicros(kit.Sequence(tick), 0), // ok ttlread/wrong-bound
		bigtable.LatestNFilter(StateVersions),
	)
	row, err := s.tbl.ReadRow(ctx, rowKey(id), bigtable.RowFilter(f)) // ok ttlread/version-limit ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return states(row)
}

// state reads one state through a filter.
func (s *Store) state(ctx context.Context, id string, f bigtable.Filter) (State, error) {
	row, err := s.tbl.ReadRow(ctx, rowKey(id), bigtable.RowFilter(f))
	if err != nil {
		return State{}, err
	}
	all, err := states(row)
	if err != nil || len(all) == 0 {
		return State{}, err
	}
	return all[0], nil
}

// states decodes the states of a row.
func states(row bigtable.Row) ([]State, error) {
	var out []State
	for _, item := range row[schema.FamState] {
		if item.Column != schema.FamState+":cur" {
			continue
		}
		var st State
		if err := json.Unmarshal(item.Value, &st); err != nil {
			return nil, err
		}
		st.Tick = kit.SequenceOf(item) // ok ttlage/not-write-time
		out = append(out, st)
	}
	return out, nil
}

// Mode returns the mode of a match.
func (s *Store) Mode(ctx context.Context, id string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, rowKey(id), bigtable.RowFilter(bigtable.ColumnFilter("mode"))) // ok ttlread/missing-filter ttlread/version-limit // strict ttlread/missing-filter
	if err != nil {
		return "", err
	}
	b, ok := kit.First(row, schema.FamMeta, "mode")
	if !ok {
		return "", kit.ErrNotFound
	}
	return string(b), nil
}

// Winner returns the winner of a match that ended in the last month.
func (s *Store) Winner(ctx context.Context, id string) (string, error) {
	f := kit.OfFamily(schema.FamMeta, kit.FreshWithin(time.Now(), 720*time.Hour))
	row, err := s.tbl.ReadRow(ctx, rowKey(id), bigtable.RowFilter(f)) // ok ttlread/missing-filter ttlread/wrong-bound
	if err != nil {
		return "", err
	}
	b, ok := kit.First(row, schema.FamMeta, "winner")
	if !ok {
		return "", kit.ErrNotFound
	}
	return string(b), nil
}

// Exists says whether there is a match.
func (s *Store) Exists(ctx context.Context, id string) (bool, error) {
	f := kit.OfFamily(schema.FamState, bigtable.StripValueFilter())
	row, err := s.tbl.ReadRow(ctx, rowKey(id), bigtable.RowFilter(f)) // ok ttlread/missing-filter ttlread/version-limit
	return len(row) > 0, err
}

// Events calls f for the events of a match.
func (s *Store) Events(ctx context.Context, id string, f func(Event)) error {
	row, err := s.tbl.ReadRow(ctx, rowKey(id)) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, item := range row[schema.FamEvent] {
		f(event(item))
	}
	return nil
}

// EventsOf calls f for the events of all matches of a day.
func (s *Store) EventsOf(ctx context.Context, day string, f func(Event)) error {
	filter := kit.OfFamily(schema.FamEvent, bigtable.LatestNFilter(1))
	return s.tbl.ReadRows(ctx, bigtable.PrefixRange(rowKey(day)), func(row bigtable.Row) bool { // ok ttlread/missing-filter ttlread/version-limit
		for _, item := range row[schema.FamEvent] {
			f(event(item))
		}
		return true
	}, bigtable.RowFilter(filter))
}

// EventsBy calls f for the events of a player. The value begins with the
// player's name.
func (s *Store) EventsBy(ctx context.Context, day, player string, f func(Event)) error {
	filter := kit.OfFamily(schema.FamEvent, bigtable.ValueFilter(player+":.*"), bigtable.LatestNFilter(1)) // want ttlread/version-limit[eventsBy]
	return s.tbl.ReadRows(ctx, bigtable.PrefixRange(rowKey(day)), func(row bigtable.Row) bool {            // want ttlread/version-limit[eventsBy]
		for _, item := range row[schema.FamEvent] {
			f(event(item))
		}
		return true
	}, bigtable.RowFilter(filter)) // want ttlread/version-limit[eventsBy]
}

// EventsByLatest is EventsBy with the limit first.
func (s *Store) EventsByLatest(ctx context.Context, day, player string, f func(Event)) error {
	filter := kit.OfFamily(schema.FamEvent, bigtable.LatestNFilter(1), bigtable.ValueFilter(player+":.*"))
	return s.tbl.ReadRows(ctx, bigtable.PrefixRange(rowKey(day)), func(row bigtable.Row) bool { // ok ttlread/version-limit
		for _, item := range row[schema.FamEvent] {
			f(event(item))
		}
		return true
	}, bigtable.RowFilter(filter))
}

// event makes an event of a cell.
func event(item bigtable.ReadItem) Event {
	kind, _, _ := strings.Cut(strings.TrimPrefix(item.Column, schema.FamEvent+":"), ":")
	player, data, _ := strings.Cut(string(item.Value), ":")
	return Event{Seq: kit.SequenceOf(item), Kind: kind, Player: player, Data: []byte(data)} // ok ttlage/not-write-time
}

// Summary is what the lobby shows of a match.
type Summary struct {
	ID        string
	Mode      string
	UpdatedAt time.Time
	Ticks     int64
	At        time.Time
}

// Summarize returns the summary of a match.
func (s *Store) Summarize(ctx context.Context, id string) (Summary, error) {
	f := bigtable.InterleaveFilters(
		kit.OfFamily(schema.FamState, bigtable.LatestNFilter(1)),
		kit.OfFamily(schema.FamMeta, kit.FreshWithin(time.Now(), 720*time.Hour)),
	)
	row, err := s.tbl.ReadRow(ctx, rowKey(id), bigtable.RowFilter(f)) // ok ttlread/missing-filter ttlread/unfiltered-branch
	if err != nil {
		return Summary{}, err
	}
	sum := Summary{ID: id}
	for _, item := range row[schema.FamState] {
		sum.UpdatedAt = item.Timestamp.Time()    // want ttlage/not-write-time
		sum.Ticks = int64(item.Timestamp) / 1000 // ok ttlage/not-write-time
	}
	for _, item := range row[schema.FamMeta] {
		if item.Column == schema.FamMeta+":mode" {
			sum.Mode = string(item.Value)
			sum.At = item.Timestamp.Time() // ok ttlage/not-write-time
		}
	}
	return sum, nil
}

// tickLength is how long a tick lasts.
const tickLength = 50 * time.Millisecond

// LastMove returns when the newest state was reached, counted from the begin
// of the match.
func (s *Store) LastMove(ctx context.Context, id string, begun time.Time) (time.Time, error) {
	f := kit.OfFamily(schema.FamState, bigtable.LatestNFilter(1))
	row, err := s.tbl.ReadRow(ctx, rowKey(id), bigtable.RowFilter(f)) // ok ttlread/version-limit
	if err != nil {
		return time.Time{}, err
	}
	last := begun
	for _, item := range row[schema.FamState] {
		last = begun.Add(time.Duration(kit.SequenceOf(item)) * tickLength) // ok ttlage/not-write-time
	}
	return last, nil
}

// Stuck says whether nothing was written to a match for a minute.
func (s *Store) Stuck(ctx context.Context, id string) (bool, error) {
	f := kit.OfFamily(schema.FamState, bigtable.LatestNFilter(1))
	row, err := s.tbl.ReadRow(ctx, rowKey(id), bigtable.RowFilter(f)) // ok ttlread/version-limit
	if err != nil {
		return false, err
	}
	for _, item := range row[schema.FamState] {
		if time.Since(item.Timestamp.Time()) < time.Minute { // want ttlage/not-write-time
			return false, nil
		}
	}
	return true, nil
}
