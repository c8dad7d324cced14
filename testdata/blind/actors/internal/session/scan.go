package session

import (
	"context"
	"iter"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/arena/internal/schema"
	"example.com/arena/internal/stamp"
)

// started is when the process came up; all scans of a process agree on it.
var started = time.Now() // want ttlread/stale-bound[online] ttlwrite/stale-clock[warm]

// Token is one live token.
type Token struct {
	Player string
	Name   string
	Value  []byte
	Until  time.Time
}

// Tokens iterates over the tokens of all players.
func (m *Manager) Tokens(ctx context.Context) iter.Seq2[Token, error] {
	return func(yield func(Token, error) bool) {
		err := m.tbl.ReadRows(ctx, bigtable.PrefixRange("p#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
			for _, it := range row[schema.FamToken] {
				t := Token{
					Player: strings.TrimPrefix(row.Key(), "p#"),
					Name:   strings.TrimPrefix(it.Column, schema.FamToken+":"),
					Value:  it.Value,
					Until:  it.Timestamp.Time(), // ok ttlage/not-write-time
				}
				if !yield(t, nil) {
					return false
				}
			}
			return true
		}, bigtable.RowFilter(stamp.Family(schema.FamToken, stamp.Live())))
		if err != nil {
			yield(Token{}, err)
		}
	}
}

// Rows iterates over whole rows.
func (m *Manager) Rows(ctx context.Context, prefix string) iter.Seq2[string, bigtable.Row] {
	return func(yield func(string, bigtable.Row) bool) {
		err := m.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // want ttlread/missing-filter
			return yield(row.Key(), row)
		}, bigtable.LimitRows(10_000))
		if err != nil {
			m.log.ErrorContext(ctx, "scan", "err", err)
		}
	}
}

// Online iterates over the players that have a token.
func (m *Manager) Online(ctx context.Context) iter.Seq[string] {
	return func(yield func(string) bool) {
		f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamToken), bigtable.TimestampRangeFilter(started, time.Time{})) // want ttlread/stale-bound[online]
		err := m.tbl.ReadRows(ctx, bigtable.InfiniteRange("p#"), func(row bigtable.Row) bool {                                  // want ttlread/stale-bound[online]
			if len(row[schema.FamToken]) == 0 {
				return true
			}
			return yield(string(row[schema.FamToken][0].Value))
		}, bigtable.RowFilter(f))
		if err != nil {
			m.log.ErrorContext(ctx, "online", "err", err)
		}
	}
}

// Keys iterates over the keys of all players that ever logged in.
func (m *Manager) Keys(ctx context.Context) iter.Seq[string] {
	return func(yield func(string) bool) {
		_ = m.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
			return yield(row.Key())
		}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())))
	}
}

// Warm writes the sessions of a snapshot, so that they live for one token's
// time from now.
func (m *Manager) Warm(ctx context.Context, tokens iter.Seq[Token]) (int, error) {
	var keys []string
	var muts []*bigtable.Mutation
	until := bigtable.Time(started.Add(schema.TokenTTL))
	for t := range tokens {
		mut := bigtable.NewMutation()
		mut.Set(schema.FamToken, t.Name, until, t.Value) // want ttlwrite/stale-clock[warm]
		keys, muts = append(keys, rowKey(t.Player)), append(muts, mut)
	}
	errs, err := m.tbl.ApplyBulk(ctx, keys, muts)
	if err != nil {
		return 0, err
	}
	return len(keys) - len(errs), nil
}

// Copy writes tokens under the expiry that they came with.
func (m *Manager) Copy(ctx context.Context, tokens iter.Seq2[Token, error]) (n int, err error) {
	for t, err := range tokens {
		if err != nil {
			return n, err
		}
		mut := bigtable.NewMutation()
		mut.Set(schema.FamToken, t.Name, bigtable.Time(t.Until), t.Value) // ok ttlwrite/write-time
		if err := m.tbl.Apply(ctx, rowKey(t.Player), mut); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// Expired counts the tokens that are dead and still there.
func (m *Manager) Expired(ctx context.Context) (n int, err error) {
	now := time.Now()
	err = m.tbl.ReadRows(ctx, bigtable.InfiniteRange("p#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[schema.FamToken] {
			if it.Timestamp.Time().Before(now) {
				n++
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamToken)))
	return n, err
}

// Soon lists who has to log in again within the next ten minutes.
func (m *Manager) Soon(ctx context.Context) ([]string, error) {
	now := time.Now()
	var out []string
	err := m.tbl.ReadRows(ctx, bigtable.InfiniteRange("p#"), func(row bigtable.Row) bool { // want ttlread/upper-bound[soon]
		out = append(out, string(row[schema.FamToken][0].Value))
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/upper-bound[soon]
		bigtable.FamilyFilter(schema.FamToken),
		bigtable.TimestampRangeFilter(now, now.Add(10*time.Minute)), // want ttlread/upper-bound[soon]
	)))
	return out, err
}

// Hour lists the tokens of the next hour, which is all of them.
func (m *Manager) Hour(ctx context.Context) ([]string, error) {
	now := time.Now()
	var out []string
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamToken), bigtable.TimestampRangeFilter(now, now.Add(time.Hour)))
	err := m.tbl.ReadRows(ctx, bigtable.InfiniteRange("p#"), func(row bigtable.Row) bool { // ok ttlread/upper-bound
		out = append(out, string(row[schema.FamToken][0].Value))
		return true
	}, bigtable.RowFilter(f))
	return out, err
}

// Recent lists the tokens that were handed out in the last half hour.
func (m *Manager) Recent(ctx context.Context) ([]Token, error) {
	var out []Token
	f := stamp.Family(schema.FamToken, stamp.Within(30*time.Minute))                     // want ttlread/wrong-bound[recent]
	err := m.tbl.ReadRows(ctx, bigtable.PrefixRange("p#"), func(row bigtable.Row) bool { // want ttlread/wrong-bound[recent]
		for _, it := range row[schema.FamToken] {
			out = append(out, Token{Player: row.Key(), Value: it.Value})
		}
		return true
	}, bigtable.RowFilter(f))
	return out, err
}

// Past reads the tokens of a player up to now, newest first.
func (m *Manager) Past(ctx context.Context, player string) ([]Token, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamToken), bigtable.TimestampRangeFilter(time.Time{}, time.Now()), bigtable.LatestNFilter(5)) // want ttlread/expired-only[past]
	row, err := m.tbl.ReadRow(ctx, rowKey(player), bigtable.RowFilter(f))                                                                                 // want ttlread/expired-only[past]
	if err != nil {
		return nil, err
	}
	var out []Token
	for _, it := range row[schema.FamToken] {
		out = append(out, Token{Player: player, Name: it.Column, Value: it.Value})
	}
	return out, nil
}

// Sweep deletes dead tokens that the server has not collected yet.
func (m *Manager) Sweep(ctx context.Context) (int, error) {
	var keys []string
	var muts []*bigtable.Mutation
	now := bigtable.Now()
	err := m.tbl.ReadRows(ctx, bigtable.InfiniteRange("p#"), func(row bigtable.Row) bool { // ok ttlread/expired-only ttlread/missing-filter
		mut := bigtable.NewMutation()
		for _, it := range row[schema.FamToken] {
			_, col, _ := strings.Cut(it.Column, ":")
			mut.DeleteTimestampRange(schema.FamToken, col, 0, now)
		}
		keys, muts = append(keys, row.Key()), append(muts, mut)
		return true
	}, bigtable.RowFilter(stamp.Family(schema.FamToken, bigtable.TimestampRangeFilter(time.Time{}, now.Time()))))
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	errs, err := m.tbl.ApplyBulk(ctx, keys, muts)
	return len(keys) - len(errs), err
}
