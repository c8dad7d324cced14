// Package players keeps accounts: profiles, login sessions and wallets.
package players

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"studio.example/leaderbd/internal/kit"
	"studio.example/leaderbd/internal/schema"
)

// Session is one login.
type Session struct {
	Token  string `json:"token"`
	Device string `json:"device"`
	Region string `json:"region"`
}

// Device is what a client tells about itself.
type Device struct {
	Model string `json:"model"`
	OS    string `json:"os"`
	Build int    `json:"build"`
}

// Profile is what other players see.
type Profile struct {
	Name    string `json:"name"`
	Avatar  string `json:"avatar"`
	Country string `json:"country"`
	Level   int    `json:"level"`
}

// Summary is a profile with what we know beside it.
type Summary struct {
	Player    string
	Profile   Profile
	Online    bool
	UpdatedAt time.Time
	SeenAt    time.Time
	ExpiresAt time.Time
	Coins     int64
}

// Store keeps players.
type Store struct {
	tbl       *bigtable.Table
	analytics *bigtable.Table
	sessions  *kit.Repo[Session]
	devices   *kit.Repo[Device]
	pins      *kit.Repo[string]
	profiles  *kit.Repo[Profile]
	now       func() time.Time
	log       *slog.Logger
	logins    int64
}

// New is a store on c.
func New(c *bigtable.Client, log *slog.Logger) *Store {
	tbl := c.Open(schema.Players)
	ttl := func() bigtable.Timestamp { return kit.ExpireIn(schema.SessionTTL) }
	return &Store{
		tbl:       tbl,
		analytics: c.Open(schema.Analytics),
		sessions:  kit.NewRepo(tbl, schema.FamSession, "current", kit.JSON[Session]{}, kit.StampedBy[Session](ttl), kit.ReadThrough[Session](kit.Live)), // ok ttlwrite/write-time // ok ttlread/missing-filter
		devices:   kit.NewRepo(tbl, schema.FamSession, "device", kit.JSON[Device]{}, kit.ReadThrough[Device](kit.Live)),                                 // want ttlwrite/write-time
		pins:      kit.NewRepo(tbl, schema.FamSession, "pin", kit.Text{}, kit.StampedBy[string](ttl), kit.Replacing[string]()),                          // want ttlread/missing-filter[pins]
		profiles:  kit.NewRepo(tbl, schema.FamProfile, "card", kit.JSON[Profile]{}),                                                                     // ok ttlwrite/write-time // ok ttlread/missing-filter
		now:       time.Now,
		log:       log.With("store", "players"),
	}
}

// Login starts a session.
func (s *Store) Login(ctx context.Context, player string, ses Session, dev Device) error {
	if err := s.sessions.Put(ctx, player, ses); err != nil { // ok ttlwrite/write-time
		return fmt.Errorf("session: %w", err)
	}
	if err := s.devices.Put(ctx, player, dev); err != nil {
		return fmt.Errorf("device: %w", err)
	}
	s.logins++
	return kit.Change(ctx, s.tbl, player,
		kit.Put(schema.FamProfile, "last_login", bigtable.Now(), []byte(s.now().Format(time.RFC3339))), // ok ttlwrite/write-time
		kit.Put(schema.FamSession, "region", bigtable.ServerTime, []byte(ses.Region)),                  // want ttlwrite/server-timestamp
		kit.Put(schema.FamSession, "build", kit.ExpireIn(schema.SessionTTL), kit.Must(dev.Build)),      // ok ttlwrite/server-timestamp
	)
}

// Touch keeps the session for another while.
func (s *Store) Touch(ctx context.Context, player, token string) error {
	at := s.now()
	until := bigtable.Time(at.Add(schema.SessionTTL))
	m := bigtable.NewMutation()
	m.Set(schema.FamSession, "token", until, []byte(token))                                 // ok ttlwrite/write-time
	m.Set(schema.FamSession, "touched", bigtable.Time(at), []byte(at.Format(time.Kitchen))) // want ttlwrite/write-time
	m.Set(schema.FamProfile, "seen", bigtable.Time(at), nil)                                // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, player, m)
}

// Guest is a session without a profile; it lives for ten minutes.
func (s *Store) Guest(ctx context.Context, id string) error {
	edits := []kit.Edit{
		kit.Drop(schema.FamSession, "current"), // ok ttlwrite/delete-after-set
		kit.PutAny(schema.FamSession, "current", kit.ExpireIn(10*time.Minute), Session{Token: id, Device: "guest"}), // ok ttlwrite/write-time
	}
	edits = append(edits, kit.Put(schema.FamSession, "guest", kit.Stamp(), []byte{1})) // want ttlwrite/write-time
	return kit.Change(ctx, s.tbl, id, edits...)
}

// Revoke ends all sessions of a player.
func (s *Store) Revoke(ctx context.Context, player string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamProfile, "revoked", bigtable.ServerTime, []byte("1")) // ok ttlwrite/server-timestamp
	m.DeleteCellsInFamily(schema.FamSession)                              // ok ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, player, m)
}

// Swap replaces a token.
func (s *Store) Swap(ctx context.Context, player, token string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamSession, "token", kit.ExpireIn(schema.SessionTTL), []byte(token)) // ok ttlwrite/server-timestamp
	m.DeleteCellsInColumn(schema.FamSession, "token")                                 // want ttlwrite/delete-after-set
	m.DeleteCellsInColumn(schema.FamSession, "pin")                                   // ok ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, player, m)
}

// Extend gives a session d more, by the clock of the edge that asked.
func (s *Store) Extend(ctx context.Context, player, token string, until time.Time) error {
	if until.IsZero() || until.Before(s.now()) {
		return errors.New("session would be over")
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamSession, "token", kit.ExpireAt(until), []byte(token)) // ok ttlwrite/write-time // ok ttlwrite/already-expired
	return s.tbl.Apply(ctx, player, m)
}

// Remember stores a long token for "keep me logged in".
func (s *Store) Remember(ctx context.Context, player, token string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamSession, "remember", bigtable.Now()+bigtable.Timestamp(30*24*time.Hour), []byte(token))                     // want ttlunit/wrong-unit
	m.Set(schema.FamSession, "remember_id", bigtable.Now()+bigtable.Timestamp((30*24*time.Hour).Microseconds()), []byte(token)) // ok ttlunit/wrong-unit
	return s.tbl.Apply(ctx, player, m)
}

// PIN is the player's current second factor.
func (s *Store) PIN(ctx context.Context, player string) (string, error) {
	pin, err := s.pins.Get(ctx, player) // want ttlread/missing-filter[pins]
	return pin.Or(""), err
}

// SetPIN stores a second factor.
func (s *Store) SetPIN(ctx context.Context, player, pin string) error {
	return s.pins.Put(ctx, player, pin) // ok ttlwrite/write-time
}

// Current is the session of a player.
func (s *Store) Current(ctx context.Context, player string) (kit.Option[Session], error) {
	return s.sessions.Get(ctx, player) // ok ttlread/missing-filter
}

// DeviceOf is the device of a player's session.
func (s *Store) DeviceOf(ctx context.Context, player string) (kit.Option[Device], error) {
	return s.devices.Get(ctx, player) // ok ttlread/missing-filter
}

// Profile is a player's card.
func (s *Store) Profile(ctx context.Context, player string) (Profile, error) {
	p, err := s.profiles.Get(ctx, player) // ok ttlread/missing-filter
	if err != nil {
		return Profile{}, err
	}
	if v, ok := p.Get(); ok {
		return v, nil
	}
	return Profile{}, kit.ErrNotFound
}

// Rename changes a player's name.
func (s *Store) Rename(ctx context.Context, player string, f func(*Profile)) error {
	p, err := s.Profile(ctx, player)
	if err != nil {
		return err
	}
	f(&p)
	return s.profiles.Put(ctx, player, p) // ok ttlwrite/write-time
}

// Online says whether a player has a session.
func (s *Store) Online(ctx context.Context, player string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, player, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamSession))) // want ttlread/missing-filter
	return len(row[schema.FamSession]) > 0, err
}

// OnlineNow is what Online was before.
func (s *Store) OnlineNow(ctx context.Context, player string) (bool, error) {
	live := bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.FamSession),
		bigtable.TimestampRangeFilter(s.now(), time.Time{}),
		bigtable.StripValueFilter(),
	)
	row, err := s.tbl.ReadRow(ctx, player, bigtable.RowFilter(live)) // ok ttlread/missing-filter
	return len(row) > 0, err
}

// Summarize reads everything that the friends list shows.
func (s *Store) Summarize(ctx context.Context, player string) (Summary, error) {
	row, err := kit.Get(ctx, s.tbl, player, kit.Where(bigtable.InterleaveFilters( // ok ttlread/missing-filter // ok ttlread/unfiltered-branch
		kit.In(schema.FamSession, kit.Live()),
		kit.In(schema.FamProfile, kit.Latest(1)),
		kit.In(schema.FamWallet),
	)))
	if err != nil {
		return Summary{}, err
	}
	sum := Summary{Player: player}
	if it, ok := kit.Cell(row, schema.FamSession, "current").Get(); ok {
		sum.Online = true
		sum.SeenAt = it.Timestamp.Time().Add(-schema.SessionTTL) // ok ttlage/not-write-time
		sum.ExpiresAt = it.Timestamp.Time()                      // ok ttlage/not-write-time
	}
	for col, it := range kit.Cells(row, schema.FamProfile) {
		if col == "card" {
			sum.UpdatedAt = it.Timestamp.Time() // ok ttlage/not-write-time
			sum.Profile, err = kit.JSON[Profile]{}.Decode(it.Value)
		}
	}
	if it, ok := kit.Cell(row, schema.FamWallet, "coins").Get(); ok {
		sum.Coins = int64(binary.BigEndian.Uint64(it.Value))
	}
	return sum, err
}

// Friends reads many summaries at once.
func (s *Store) Friends(ctx context.Context, ids []string) ([]Summary, error) {
	var out []Summary
	for row, err := range kit.Rows(ctx, s.tbl, bigtable.RowList(ids), kit.Where(kit.Live())) { // want ttlread/hides-other-families
		if err != nil {
			return nil, err
		}
		sum := Summary{Player: row.Key(), Online: len(row[schema.FamSession]) > 0}
		for col, it := range kit.Cells(row, schema.FamProfile) {
			if col == "card" {
				sum.Profile, err = kit.JSON[Profile]{}.Decode(it.Value)
			}
		}
		if err != nil {
			return nil, err
		}
		out = append(out, sum)
	}
	return out, nil
}

// LiveSessions counts the sessions of a shard.
func (s *Store) LiveSessions(ctx context.Context, shard string) (map[string]int, error) {
	devices := map[string]int{}
	for row, err := range kit.Rows(ctx, s.tbl, bigtable.PrefixRange(shard), kit.Where(kit.Live())) { // ok ttlread/hides-other-families
		if err != nil {
			return nil, err
		}
		for _, it := range row[schema.FamSession] {
			if ses, err := (kit.JSON[Session]{}).Decode(it.Value); err == nil {
				devices[ses.Device]++
			}
		}
	}
	return devices, nil
}

// Stale lists the sessions that nobody has touched for an hour.
func (s *Store) Stale(ctx context.Context, shard string) ([]string, error) {
	var out []string
	now := s.now()
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(shard), func(row bigtable.Row) bool {
		for _, it := range row[schema.FamSession] {
			if idle := now.Sub(it.Timestamp.Time()); idle > time.Hour { // want ttlage/not-write-time
				out = append(out, row.Key()+" "+idle.String())
			}
		}
		return true
	}, bigtable.RowFilter(kit.In(schema.FamSession, kit.Live())))
	return out, err
}

// ExpiringSoon lists the sessions that end within d.
func (s *Store) ExpiringSoon(ctx context.Context, shard string, d time.Duration) ([]string, error) {
	var out []string
	for row, err := range kit.Rows(ctx, s.tbl, bigtable.PrefixRange(shard), kit.Where(kit.In(schema.FamSession, kit.Live()))) { // ok ttlread/missing-filter
		if err != nil {
			return nil, err
		}
		for _, it := range row[schema.FamSession] {
			if left := time.Until(it.Timestamp.Time()); left < d { // ok ttlage/not-write-time
				out = append(out, row.Key()+" "+left.Round(time.Second).String())
			}
		}
	}
	slices.Sort(out)
	return out, nil
}

// Tokens lists the tokens of a player and checks by hand what is still good.
func (s *Store) Tokens(ctx context.Context, player string) ([]string, error) {
	row, err := s.tbl.ReadRow(ctx, player, bigtable.RowFilter(kit.In(schema.FamSession))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []string
	now := s.now()
	for col, it := range kit.Cells(row, schema.FamSession) {
		if it.Timestamp.Time().Before(now) { // ok ttlage/not-write-time
			continue
		}
		out = append(out, col+"="+string(it.Value))
	}
	return out, nil
}

// Audit lists the tokens of a player for support.
func (s *Store) Audit(ctx context.Context, player string) ([]string, error) {
	row, err := s.tbl.ReadRow(ctx, player) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[schema.FamSession] {
		s.log.Info("token", "player", player, "column", it.Column, "expires", it.Timestamp.Time()) // ok ttlage/not-write-time
		out = append(out, it.Column+"="+string(it.Value))
	}
	for _, it := range row[schema.FamProfile] {
		out = append(out, it.Column+" updated "+it.Timestamp.Time().Format(time.RFC3339)) // ok ttlage/not-write-time
	}
	return out, nil
}

// Card reads only the ordinary family.
func (s *Store) Card(ctx context.Context, player string) (map[string]string, error) {
	row, err := s.tbl.ReadRow(ctx, player) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for col, it := range kit.Cells(row, schema.FamProfile) {
		out[col] = string(it.Value)
	}
	return out, nil
}

// SetCoins overwrites a wallet.
func (s *Store) SetCoins(ctx context.Context, player string, n int64) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamWallet, "coins", 0, binary.BigEndian.AppendUint64(nil, uint64(n))) // ok ttlwrite/clock-in-zero
	m.Set(schema.FamWallet, "gems", 0, binary.BigEndian.AppendUint64(nil, 0))          // ok ttlwrite/clock-in-zero // ok ttlwrite/same-timestamp
	return s.tbl.Apply(ctx, player, m)
}

// Grant adds coins and keeps a note of why.
func (s *Store) Grant(ctx context.Context, player string, n int64, why string) error {
	row, err := s.tbl.ReadRow(ctx, player, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamWallet), bigtable.ColumnFilter("coins")))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	if it, ok := kit.Cell(row, schema.FamWallet, "coins").Get(); ok {
		n += int64(binary.BigEndian.Uint64(it.Value))
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamWallet, "coins", 0, binary.BigEndian.AppendUint64(nil, uint64(n))) // ok ttlwrite/clock-in-zero
	m.Set(schema.FamWallet, "granted", bigtable.Now(), []byte(why))                    // want ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, player, m)
}

// Spend takes coins; the old way.
func (s *Store) Spend(ctx context.Context, player string, n int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamWallet, "coins", -n)          // want ttlwrite/read-modify-write
	rmw.Increment(schema.FamProfile, "lifetime_spend", n) // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, player, rmw)
	return err
}

// CountRequest counts the requests of a session, for the rate limiter.
func (s *Store) CountRequest(ctx context.Context, player, route string) error {
	return errors.Join(
		kit.Bump(ctx, s.tbl, player, schema.FamSession, "requests", 1),  // want ttlwrite/read-modify-write
		kit.Bump(ctx, s.tbl, player, schema.FamProfile, "requests", 1),  // ok ttlwrite/read-modify-write
		kit.Bump(ctx, s.analytics, route, schema.FamSession, "hits", 1), // ok ttlwrite/read-modify-write
	)
}

// Track sends a login to the data team.
func (s *Store) Track(ctx context.Context, player string, ses Session) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamSession, "login", bigtable.ServerTime, kit.Must(ses)) // ok ttlwrite/server-timestamp
	m.Set(schema.FamTicket, "login", bigtable.Now(), nil)                 // ok ttlwrite/write-time
	return s.analytics.Apply(ctx, player+"#"+strconv.FormatInt(s.now().Unix(), 10), m)
}

// Tracked reads what Track wrote.
func (s *Store) Tracked(ctx context.Context, player string) (n int, err error) {
	err = s.analytics.ReadRows(ctx, bigtable.PrefixRange(player+"#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		n += len(row[schema.FamSession])
		return true
	})
	return n, err
}

// Adopt turns a guest into a player, if the guest is still there.
func (s *Store) Adopt(ctx context.Context, guest string, p Profile) (bool, error) {
	yes := bigtable.NewMutation()
	yes.Set(schema.FamProfile, "card", bigtable.Now(), kit.Must(p))                                         // ok ttlwrite/write-time
	cond := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamSession), bigtable.ColumnFilter("guest")) // want ttlread/conditional-mutation[gu]
	var matched bool
	err := s.tbl.Apply(ctx, guest, bigtable.NewCondMutation(cond, yes, nil), bigtable.GetCondMutationResult(&matched)) // want ttlread/conditional-mutation[gu]
	return matched, err
}

// AdoptDevice is Adopt for a device that is still logged in.
func (s *Store) AdoptDevice(ctx context.Context, guest string, p Profile) (bool, error) {
	yes := bigtable.NewMutation()
	yes.Set(schema.FamProfile, "card", bigtable.ServerTime, kit.Must(p)) // ok ttlwrite/server-timestamp
	var matched bool
	cond := kit.In(schema.FamSession, bigtable.ColumnFilter("device"), kit.Live())
	err := s.tbl.Apply(ctx, guest, bigtable.NewCondMutation(cond, yes, nil), bigtable.GetCondMutationResult(&matched)) // ok ttlread/conditional-mutation
	return matched, err
}

// DropGuest removes a guest that has no profile.
func (s *Store) DropGuest(ctx context.Context, guest string) error {
	del := bigtable.NewMutation()
	del.DeleteRow()
	return s.tbl.Apply(ctx, guest, bigtable.NewCondMutation(bigtable.FamilyFilter(schema.FamSession), del, nil)) // ok ttlread/conditional-mutation
}

// Named gives a player a name unless it has one.
func (s *Store) Named(ctx context.Context, player, name string) error {
	no := bigtable.NewMutation()
	no.Set(schema.FamProfile, "name", bigtable.Now(), []byte(name)) // ok ttlwrite/write-time
	has := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamProfile), bigtable.ColumnFilter("name"))
	return s.tbl.Apply(ctx, player, bigtable.NewCondMutation(has, nil, no)) // ok ttlread/conditional-mutation
}
