package session

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/guild/internal/kit"
)

// Get returns the player's session.
func (s *Store) Get(ctx context.Context, player string) (Session, error) {
	row, err := s.tbl.ReadRow(ctx, key(player)) // want ttlread/missing-filter
	if err != nil {
		return Session{}, fmt.Errorf("read session of %s: %w", player, err)
	}
	return decode(player, row)
}

// GetLive returns the player's session, unless it has ended.
func (s *Store) GetLive(ctx context.Context, player string) (Session, error) {
	row, err := s.tbl.ReadRow(ctx, key(player), bigtable.RowFilter(s.live())) // ok ttlread/missing-filter ttlread/hides-other-families
	if err != nil {
		return Session{}, fmt.Errorf("read session of %s: %w", player, err)
	}
	return decode(player, row)
}

// Latest returns the newest token of the player.
func (s *Store) Latest(ctx context.Context, player string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, key(player), // want ttlread/missing-filter[latest]
		bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/missing-filter[latest]
			bigtable.FamilyFilter(FamToken), // want ttlread/missing-filter[latest]
			bigtable.LatestNFilter(1),
		)))
	if err != nil {
		return "", err
	}
	b, ok := kit.First(row, FamToken, colJWT)
	if !ok {
		return "", ErrNoSession
	}
	return string(b), nil
}

// Devices returns the devices of the player.
func (s *Store) Devices(ctx context.Context, player string) ([]string, error) {
	row, err := s.tbl.ReadRow(ctx, key(player)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []string
	for _, item := range row[FamDevice] {
		if name, ok := strings.CutPrefix(item.Column, FamDevice+":link:"); ok {
			out = append(out, name)
		}
	}
	return out, nil
}

// Online says whether the player has a row.
func (s *Store) Online(ctx context.Context, player string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, key(player), bigtable.RowFilter(bigtable.CellsPerRowLimitFilter(1))) // want ttlread/missing-filter
	return len(row) > 0, err
}

// OnlineNow says whether the player has a live token.
func (s *Store) OnlineNow(ctx context.Context, player string) (bool, error) {
	f := bigtable.ChainFilters(s.live(), bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())
	row, err := s.tbl.ReadRow(ctx, key(player), bigtable.RowFilter(f)) // ok ttlread/missing-filter ttlread/limit-before-filter
	return len(row) > 0, err
}

// List calls f for every live session whose player begins with prefix.
func (s *Store) List(ctx context.Context, prefix string, f func(Session) bool) error {
	return s.tbl.ReadRows(ctx, bigtable.PrefixRange(key(prefix)), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		sess, err := decode(strings.TrimPrefix(row.Key(), "p#"), row)
		if err != nil {
			return true
		}
		return f(sess)
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.LatestNFilter(1), s.live()))) // ok ttlread/version-limit ttlread/hides-other-families
}

// Page returns at most n cells of each live session, for the admin pages.
func (s *Store) Page(ctx context.Context, prefix string, n int) ([]Session, error) {
	var out []Session
	filter := bigtable.ChainFilters( // want ttlread/limit-before-filter[page]
		bigtable.FamilyFilter(FamToken),
		bigtable.CellsPerRowLimitFilter(4), // want ttlread/limit-before-filter[page]
		kit.UnexpiredAt(s.now()),
	)
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(key(prefix)), func(row bigtable.Row) bool { // want ttlread/limit-before-filter[page]
		if sess, err := decode(row.Key(), row); err == nil {
			out = append(out, sess)
		}
		return len(out) < n
	}, bigtable.RowFilter(filter)) // want ttlread/limit-before-filter[page]
	return out, err
}

// PageLive is Page with the limit where it belongs.
func (s *Store) PageLive(ctx context.Context, prefix string, n int) ([]Session, error) {
	var out []Session
	filter := bigtable.ChainFilters(
		bigtable.FamilyFilter(FamToken),
		kit.UnexpiredAt(s.now()),
		bigtable.CellsPerRowLimitFilter(4), // ok ttlread/limit-before-filter
	)
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(key(prefix)), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		if sess, err := decode(row.Key(), row); err == nil {
			out = append(out, sess)
		}
		return len(out) < n
	}, bigtable.RowFilter(filter))
	return out, err
}

// Owners returns who owns which session. It reads with two filters: one for
// the column and one for the time.
func (s *Store) Owners(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange("p#"), func(row bigtable.Row) bool { // want ttlread/overridden-filter[owners]
		if b, ok := kit.First(row, FamToken, colOwner); ok {
			out[row.Key()] = string(b)
		}
		return true
	}, bigtable.RowFilter(bigtable.ColumnFilter(colOwner)), bigtable.RowFilter(s.live())) // want ttlread/overridden-filter[owners]
	return out, err
}

// OwnersLive is Owners with one filter and a limit.
func (s *Store) OwnersLive(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange("p#"), func(row bigtable.Row) bool { // ok ttlread/overridden-filter
		if b, ok := kit.First(row, FamToken, colOwner); ok {
			out[row.Key()] = string(b)
		}
		return true
	}, bigtable.LimitRows(1000), bigtable.RowFilter(bigtable.ChainFilters(bigtable.ColumnFilter(colOwner), s.live()))) // ok ttlread/overridden-filter
	return out, err
}

// Ended returns the tokens that have ended but are still stored. Support uses
// it to explain logouts.
func (s *Store) Ended(ctx context.Context, player string) ([]string, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(FamToken), bigtable.TimestampRangeFilter(time.Time{}, s.now())) // want ttlread/expired-only[ended]
	row, err := s.tbl.ReadRow(ctx, key(player), bigtable.RowFilter(f))                                               // want ttlread/expired-only[ended]
	if err != nil {
		return nil, err
	}
	var out []string
	for _, item := range row[FamToken] {
		out = append(out, string(item.Value))
	}
	return out, nil
}

// Soon returns the tokens that end within the grace, for early renewal.
func (s *Store) Soon(ctx context.Context, player string) ([]string, error) {
	now := s.now()
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(FamToken),
		bigtable.TimestampRangeFilter(now, now.Add(GraceTTL)), // want ttlread/upper-bound[soon]
	)
	row, err := s.tbl.ReadRow(ctx, key(player), bigtable.RowFilter(f)) // want ttlread/upper-bound[soon]
	if err != nil {
		return nil, err
	}
	var out []string
	for _, item := range row[FamToken] {
		out = append(out, string(item.Value))
	}
	return out, nil
}

// Upcoming is Soon with a bound that no session's end lies beyond.
func (s *Store) Upcoming(ctx context.Context, player string) ([]string, error) {
	now := s.now()
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(FamToken),
		bigtable.TimestampRangeFilter(now, now.Add(DefaultTTL)), // ok ttlread/upper-bound
	)
	row, err := s.tbl.ReadRow(ctx, key(player), bigtable.RowFilter(f)) // ok ttlread/upper-bound ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []string
	for _, item := range row[FamToken] {
		out = append(out, string(item.Value))
	}
	return out, nil
}

// Recent returns the tokens of the last half hour.
func (s *Store) Recent(ctx context.Context, player string) (bigtable.Row, error) {
	f := kit.OfFamily(FamToken, kit.FreshWithin(s.now(), DefaultTTL)) // want ttlread/wrong-bound[recent]
	return s.tbl.ReadRow(ctx, key(player), bigtable.RowFilter(f))     // want ttlread/wrong-bound[recent]
}

// Whole returns tokens and devices together, each by its rule.
func (s *Store) Whole(ctx context.Context, player string) (bigtable.Row, error) {
	f := bigtable.InterleaveFilters(
		kit.OfFamily(FamToken, s.live()), // ok ttlread/unfiltered-branch
		kit.OfFamily(FamDevice),          // ok ttlread/unfiltered-branch
	)
	return s.tbl.ReadRow(ctx, key(player), bigtable.RowFilter(f)) // ok ttlread/missing-filter ttlread/hides-other-families
}

// Snapshot returns tokens and devices together, for the data export.
func (s *Store) Snapshot(ctx context.Context, player string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, key(player), bigtable.RowFilter(s.live())) // want ttlread/hides-other-families
}

// Dump writes everything about a player to the log.
func (s *Store) Dump(ctx context.Context, player string) error {
	f := bigtable.InterleaveFilters( // want ttlread/unfiltered-branch[dump]
		bigtable.ChainFilters(bigtable.FamilyFilter(FamToken), bigtable.ColumnFilter(colJWT), s.live()),
		bigtable.ChainFilters(bigtable.FamilyFilter(FamToken), bigtable.ColumnFilter(colNonce)), // want ttlread/unfiltered-branch[dump]
		bigtable.FamilyFilter(FamDevice),
	)
	row, err := s.tbl.ReadRow(ctx, key(player), bigtable.RowFilter(f)) // want ttlread/unfiltered-branch[dump]
	if err != nil {
		return err
	}
	for fam, items := range row {
		for _, item := range items {
			kit.LoggerFrom(ctx).Info("cell", "family", fam, "column", item.Column, "value", string(item.Value))
		}
	}
	return nil
}

// Sweep deletes the rows of players that begin with prefix.
func (s *Store) Sweep(ctx context.Context, prefix string) (int, error) {
	var n int
	var first error
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(key(prefix)), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		m := bigtable.NewMutation()
		m.DeleteRow()
		if first = s.tbl.Apply(ctx, row.Key(), m); first != nil {
			return false
		}
		n++
		return true
	}, bigtable.RowFilter(bigtable.StripValueFilter()))
	if err == nil {
		err = first
	}
	return n, err
}

// Count returns the number of rows.
func (s *Store) Count(ctx context.Context) (int, error) {
	var n int
	err := s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(bigtable.Row) bool { // ok ttlread/missing-filter
		n++
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter()))) // ok ttlread/limit-before-filter
	return n, err
}

// Validate says whether nonce is one of the player's. It minds the expiry
// itself, since it wants to tell late nonces from wrong ones.
func (s *Store) Validate(ctx context.Context, player, nonce string) (late bool, err error) {
	row, err := s.tbl.ReadRow(ctx, key(player), bigtable.RowFilter(kit.OfFamily(FamToken))) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	cutoff := bigtable.Time(s.now())
	for _, item := range row[FamToken] {
		if item.Column != FamToken+":"+colNonce || string(item.Value) != nonce {
			continue
		}
		if item.Timestamp < cutoff {
			late = true
			continue
		}
		return false, nil
	}
	if late {
		return true, ErrNoSession
	}
	return false, kit.ErrNotFound
}

// Idle returns for how long the player's session has been idle.
func (s *Store) Idle(ctx context.Context, player string) (time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, key(player), bigtable.RowFilter(s.live())) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, item := range row[FamToken] {
		if item.Column == FamToken+":"+colSeen {
			return time.Since(item.Timestamp.Time()), nil // want ttlage/not-write-time
		}
	}
	return 0, ErrNoSession
}

// DeviceAge returns how long ago the player's devices were last noted.
func (s *Store) DeviceAge(ctx context.Context, player string) (time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, key(player), bigtable.RowFilter(bigtable.FamilyFilter(FamDevice))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, item := range row[FamDevice] {
		if item.Column == FamDevice+":"+colAgent {
			return time.Since(item.Timestamp.Time()), nil // ok ttlage/not-write-time
		}
	}
	return 0, ErrNoSession
}

// Remaining returns how long the player's session has left.
func (s *Store) Remaining(ctx context.Context, player string) (time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, key(player), bigtable.RowFilter(s.live())) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, item := range row[FamToken] {
		if item.Column == FamToken+":"+colJWT {
			return item.Timestamp.Time().Sub(s.now()), nil // ok ttlage/not-write-time
		}
	}
	return 0, ErrNoSession
}

// Report logs the player's tokens for support.
func (s *Store) Report(ctx context.Context, player string) error {
	log := kit.LoggerFrom(ctx)
	row, err := s.tbl.ReadRow(ctx, key(player), bigtable.RowFilter(s.live())) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, item := range row[FamToken] {
		log.Info("token", "column", item.Column,
			slog.Time("expires", item.Timestamp.Time()), // ok ttlage/not-write-time
		)
	}
	return nil
}

// live returns the filter of cells that have not ended.
func (s *Store) live() bigtable.Filter {
	return bigtable.TimestampRangeFilter(s.now(), time.Time{})
}

// decode makes a session of a row.
func decode(player string, row bigtable.Row) (Session, error) {
	sess := Session{Player: player}
	for _, item := range row[FamToken] {
		switch strings.TrimPrefix(item.Column, FamToken+":") {
		case colJWT:
			sess.JWT = string(item.Value)
			sess.Expires = item.Timestamp.Time() // ok ttlage/not-write-time
		case colOwner:
			sess.Device = string(item.Value)
		}
	}
	if sess.JWT == "" {
		return sess, ErrNoSession
	}
	return sess, nil
}
