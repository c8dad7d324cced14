// Package sessions keeps the tokens and the presence of devices. Both families of
// device-sessions that matter here, token and presence, hold cells whose
// timestamp is the moment they expire; profile is an ordinary family.
package sessions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"
	"golang.org/x/sync/errgroup"

	"example.com/gridwatch/internal/bus"
	"example.com/gridwatch/internal/events"
	"example.com/gridwatch/internal/retry"
	"example.com/gridwatch/internal/sink"
	"example.com/gridwatch/internal/store"
)

// ErrNoSession is returned for devices that are not logged in.
var ErrNoSession = errors.New("sessions: no session")

// Option configures a Service.
type Option func(*Service)

// WithClock replaces time.Now.
func WithClock(c store.Clock) Option { return func(s *Service) { s.clock = c } }

// WithLogger replaces the default logger.
func WithLogger(l *slog.Logger) Option { return func(s *Service) { s.log = l } }

// Service consumes logins and heartbeats and answers who is there.
type Service struct {
	tbl     *bigtable.Table
	clock   store.Clock
	log     *slog.Logger
	revoked *bus.Topic[string]
}

// New returns a service on the session table.
func New(t *store.Tables, opts ...Option) *Service {
	s := &Service{
		tbl:     t.Sessions,
		clock:   time.Now,
		log:     slog.Default(),
		revoked: bus.NewTopic[string]("sessions.revoked"),
	}
	for _, o := range opts {
		o(s)
	}
	return s
}

// Revoked publishes the devices whose token was withdrawn.
func (s *Service) Revoked() *bus.Topic[string] { return s.revoked }

// Run consumes until the channels are closed.
func (s *Service) Run(ctx context.Context, logins <-chan events.Login, beats <-chan events.Heartbeat, out chan<- sink.Write) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return bus.Each(ctx, 8, logins, s.onLogin) })
	g.Go(func() error {
		return bus.Each(ctx, 16, beats, func(ctx context.Context, hb events.Heartbeat) error {
			return s.onHeartbeat(ctx, hb, out)
		})
	})
	return g.Wait()
}

func (s *Service) apply(ctx context.Context, device string, mut *bigtable.Mutation) error {
	return retry.Do(ctx, retry.Default, func(ctx context.Context) error {
		return s.tbl.Apply(ctx, events.ReverseKey(device), mut)
	})
}

func (s *Service) onLogin(ctx context.Context, ev events.Login) error {
	mut := bigtable.NewMutation()
	mut.Set(store.FamToken, "jwt", bigtable.Time(ev.ExpiresAt), []byte(ev.JWT))                     // ok ttlwrite/write-time
	mut.Set(store.FamToken, "issuer", bigtable.Now(), []byte("gridwatch"))                          // want ttlwrite/write-time
	mut.Set(store.FamProfile, "last-login", bigtable.Now(), []byte(s.clock().Format(time.RFC3339))) // ok ttlwrite/write-time
	if err := s.apply(ctx, ev.Device, mut); err != nil {
		return fmt.Errorf("login of %s: %w", ev.Device, err)
	}
	s.log.InfoContext(ctx, "device logged in", "device", ev.Device)
	return nil
}

func (s *Service) onHeartbeat(ctx context.Context, hb events.Heartbeat, out chan<- sink.Write) error {
	mut := bigtable.NewMutation()
	until := bigtable.Time(s.clock().Add(store.PresenceTTL))
	mut.Set(store.FamPresence, "alive", until, []byte{1})                           // ok ttlwrite/write-time
	mut.Set(store.FamPresence, "uptime", until, []byte(hb.Uptime.String()))         // ok ttlwrite/same-timestamp
	mut.Set(store.FamPresence, "fw", bigtable.ServerTime, []byte(hb.Firmware))      // want ttlwrite/server-timestamp
	mut.Set(store.FamProfile, "firmware", bigtable.ServerTime, []byte(hb.Firmware)) // ok ttlwrite/server-timestamp
	mut.Set(store.FamPresence, "at", bigtable.Time(s.clock()), []byte(hb.Device))   // want ttlwrite/write-time
	mut.Set(store.FamProfile, "seen", bigtable.Time(s.clock()), []byte(hb.Device))  // ok ttlwrite/write-time
	mut.DeleteCellsInColumn(store.FamPresence, "missed")                            // ok ttlwrite/delete-after-set
	select {
	case out <- sink.Write{Key: events.ReverseKey(hb.Device), Mut: mut}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Refresh prolongs a token. The old value goes first: it may live longer.
func (s *Service) Refresh(ctx context.Context, device, jwt string, life time.Duration) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(store.FamToken, "jwt")                                   // ok ttlwrite/delete-after-set
	mut.Set(store.FamToken, "jwt", bigtable.Time(s.clock().Add(life)), []byte(jwt))  // ok ttlwrite/write-time
	mut.Set(store.FamToken, "refreshed", store.ExpiresIn(store.TokenTTL), []byte{1}) // ok ttlwrite/write-time
	mut.Set(store.FamToken, "refresh-count", store.NowTS(), []byte{1})               // want ttlwrite/write-time
	return s.apply(ctx, device, mut)
}

// Rotate replaces the token by one of the usual lifetime.
func (s *Service) Rotate(ctx context.Context, device, jwt string) error {
	exp := s.clock().Add(store.TokenTTL)
	mut := bigtable.NewMutation()
	mut.Set(store.FamToken, "jwt", bigtable.Time(exp), []byte(jwt))
	mut.Set(store.FamToken, "previous", bigtable.Time(exp), nil) // ok ttlwrite/same-timestamp
	mut.DeleteCellsInColumn(store.FamToken, "jwt")               // want ttlwrite/delete-after-set
	return s.apply(ctx, device, mut)
}

// Revoke ends a session at once.
func (s *Service) Revoke(ctx context.Context, device, reason string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(store.FamToken)                              // ok ttlwrite/delete-after-set
	mut.DeleteCellsInFamily(store.FamPresence)                           // ok ttlwrite/delete-after-set
	mut.Set(store.FamProfile, "revoked", bigtable.Now(), []byte(reason)) // ok ttlwrite/write-time
	if err := s.apply(ctx, device, mut); err != nil {
		return err
	}
	s.revoked.Offer(device)
	return nil
}

// Tombstone leaves a marker that the token is gone.
func (s *Service) Tombstone(ctx context.Context, device string) error {
	mut := bigtable.NewMutation()
	mut.Set(store.FamToken, "revoked", bigtable.Time(s.clock().Add(-time.Second)), []byte{1})       // want ttlwrite/already-expired
	mut.Set(store.FamProfile, "was-revoked", bigtable.Time(s.clock().Add(-time.Second)), []byte{1}) // ok ttlwrite/already-expired
	return s.apply(ctx, device, mut)
}

// Wipe removes a device; the last login is kept for the books.
func (s *Service) Wipe(ctx context.Context, device string) error {
	mut := bigtable.NewMutation()
	mut.Set(store.FamProfile, "wiped", bigtable.Now(), []byte("1"))
	mut.DeleteRow() // want ttlwrite/delete-after-set
	return s.apply(ctx, device, mut)
}

// Session is a live session as the API shows it.
type Session struct {
	Device    string    `json:"device"`
	JWT       string    `json:"jwt"`
	ExpiresAt time.Time `json:"expires_at"`
	IssuedAt  time.Time `json:"issued_at"`
	CreatedAt time.Time `json:"created_at"`
}

// Get returns the live session of a device.
func (s *Service) Get(ctx context.Context, device string) (*Session, error) {
	live := bigtable.ChainFilters(
		bigtable.FamilyFilter(store.FamToken),
		bigtable.TimestampRangeFilter(s.clock(), time.Time{}),
	)
	row, err := s.tbl.ReadRow(ctx, events.ReverseKey(device), bigtable.RowFilter(live)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	for _, it := range row[store.FamToken] {
		if it.Column == "token:jwt" {
			return &Session{
				Device:    device,
				JWT:       string(it.Value),
				ExpiresAt: it.Timestamp.Time(), // ok ttlage/not-write-time
				CreatedAt: it.Timestamp.Time(), // want ttlage/not-write-time
			}, nil
		}
	}
	return nil, ErrNoSession
}

// Lookup is the short form that the gateway calls for every request.
func (s *Service) Lookup(ctx context.Context, device string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, events.ReverseKey(device), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range row[store.FamToken] {
		if it.Column == "token:jwt" {
			return string(it.Value), nil
		}
	}
	return "", ErrNoSession
}

// Profile returns what does not expire.
func (s *Service) Profile(ctx context.Context, device string) (map[string]string, error) {
	row, err := s.tbl.ReadRow(ctx, events.ReverseKey(device), bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, it := range row[store.FamProfile] {
		out[it.Column[len("profile:"):]] = string(it.Value)
	}
	return out, nil
}

// LoggedIn reports whether a token exists.
func (s *Service) LoggedIn(ctx context.Context, device string) (bool, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(store.FamToken), bigtable.StripValueFilter(), bigtable.CellsPerRowLimitFilter(1)) // want ttlread/missing-filter[loggedin]
	row, err := s.tbl.ReadRow(ctx, events.ReverseKey(device), bigtable.RowFilter(f))                                                   // want ttlread/missing-filter[loggedin]
	if err != nil {
		return false, err
	}
	return len(row) > 0, nil
}

// LoggedInLive is LoggedIn done right.
func (s *Service) LoggedInLive(ctx context.Context, device string) (bool, error) {
	f := bigtable.ChainFilters(store.LiveFamily(store.FamToken), bigtable.StripValueFilter(), bigtable.CellsPerRowLimitFilter(1)) // ok ttlread/limit-before-filter
	row, err := s.tbl.ReadRow(ctx, events.ReverseKey(device), bigtable.RowFilter(f))                                              // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row) > 0, nil
}

// Online streams the devices that are present.
func (s *Service) Online(ctx context.Context, prefix string, out chan<- string) error {
	defer close(out)
	present := bigtable.ChainFilters(
		bigtable.FamilyFilter(store.FamPresence),
		bigtable.ColumnFilter("alive"),
		bigtable.TimestampRangeFilter(time.Now(), time.Time{}),
	)
	return s.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		select {
		case out <- row.Key():
			return true
		case <-ctx.Done():
			return false
		}
	}, bigtable.RowFilter(present))
}

// Firmware streams what the present devices run.
func (s *Service) Firmware(ctx context.Context, prefix string, out chan<- [2]string) error {
	defer close(out)
	return s.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // want ttlread/missing-filter[firmware]
		for _, it := range row[store.FamPresence] {
			if it.Column != "presence:fw" {
				continue
			}
			select {
			case out <- [2]string{row.Key(), string(it.Value)}:
			case <-ctx.Done():
				return false
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(store.FamPresence))) // want ttlread/missing-filter[firmware]
}

// Lapsed finds the devices that went silent. It looks at the timestamps itself.
func (s *Service) Lapsed(ctx context.Context, prefix string, out chan<- string) error {
	defer close(out)
	now := s.clock()
	return s.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[store.FamPresence] {
			if it.Timestamp.Time().Before(now) {
				select {
				case out <- row.Key():
				case <-ctx.Done():
					return false
				}
				break
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(store.FamPresence)))
}

// Count counts rows, dead ones too: it sizes the tablets.
func (s *Service) Count(ctx context.Context) (int, error) {
	n := 0
	err := s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(bigtable.Row) bool { // ok ttlread/missing-filter
		n++
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())))
	return n, err
}

// Newest returns the last few presence cells.
func (s *Service) Newest(ctx context.Context, device string) ([]bigtable.ReadItem, error) {
	f := bigtable.ChainFilters( // want ttlread/limit-before-filter[newest]
		bigtable.FamilyFilter(store.FamPresence),
		bigtable.CellsPerRowLimitFilter(3), // want ttlread/limit-before-filter[newest]
		bigtable.TimestampRangeFilter(s.clock(), time.Time{}),
	)
	row, err := s.tbl.ReadRow(ctx, events.ReverseKey(device), bigtable.RowFilter(f)) // want ttlread/limit-before-filter[newest]
	if err != nil {
		return nil, err
	}
	return row[store.FamPresence], nil
}

// ExpiringSoon returns tokens that end within d.
func (s *Service) ExpiringSoon(ctx context.Context, d time.Duration, out chan<- Session) error {
	defer close(out)
	now := s.clock()
	window := bigtable.ChainFilters(store.LiveFamily(store.FamToken), bigtable.ColumnFilter("jwt"))
	return s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/upper-bound
		for _, it := range row[store.FamToken] {
			if left := it.Timestamp.Time().Sub(now); left < d { // ok ttlage/not-write-time
				out <- Session{Device: row.Key(), ExpiresAt: it.Timestamp.Time()} // ok ttlage/not-write-time
			}
		}
		return true
	}, bigtable.RowFilter(window))
}

// MarshalJSON hides the token.
func (s Session) MarshalJSON() ([]byte, error) {
	type plain Session
	p := plain(s)
	if len(p.JWT) > 8 {
		p.JWT = p.JWT[:4] + "…" + p.JWT[len(p.JWT)-4:]
	}
	return json.Marshal(p)
}
