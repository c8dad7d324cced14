// Package sessions keeps the meters' sessions with the head end.
package sessions

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	bm "nordkraft.example/grid/internal/btmodel"
	"nordkraft.example/grid/internal/btrt"
	"nordkraft.example/grid/internal/obs"
)

// Service opens, resumes and ends sessions.
type Service struct {
	t   *bm.MeterSessions
	now func() time.Time
	ttl time.Duration
	log *slog.Logger
	met *obs.Metrics
}

// New makes a service whose sessions live for ttl.
func New(t *bm.MeterSessions, ttl time.Duration, log *slog.Logger, met *obs.Metrics) *Service {
	return &Service{t: t, now: time.Now, ttl: ttl, log: log, met: met}
}

func key(meter string) string { return "m#" + meter }

func token() string {
	var b [16]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// Open starts a session.
func (s *Service) Open(ctx context.Context, meter, fw, peer string) (string, error) {
	r := &bm.MeterSessionsSess{Token: token(), Firmware: fw, Peer: peer}
	if err := s.t.PutSess(ctx, key(meter), r, btrt.Expiry(s.ttl)); err != nil { // ok ttlwrite/write-time
		return "", err
	}
	s.met.Inc("session.open")
	return r.Token, nil
}

// OpenFor starts a session with a lifetime of its own.
func (s *Service) OpenFor(ctx context.Context, meter string, life time.Duration) (string, error) {
	r := &bm.MeterSessionsSess{Token: token()}
	until := s.now().Add(life)
	return r.Token, s.t.PutSess(ctx, key(meter), r, bigtable.Time(until)) // ok ttlwrite/write-time
}

// Resume takes an old session over after a reconnect.
func (s *Service) Resume(ctx context.Context, meter, peer string) (string, error) {
	old, err := s.t.GetSess(ctx, key(meter))
	if err != nil {
		return "", err
	}
	if old == nil {
		return "", btrt.ErrNotFound
	}
	old.Peer = peer
	s.met.Inc("session.resume")
	return old.Token, s.t.PutSess(ctx, key(meter), old, bigtable.Now()) // want ttlwrite/write-time
}

// Touch prolongs a session after a frame.
func (s *Service) Touch(ctx context.Context, meter string, r *bm.MeterSessionsSess) error {
	seen := s.now()
	return s.t.PutSess(ctx, key(meter), r, bigtable.Time(seen)) // want ttlwrite/write-time
}

// TouchUntil prolongs a session to the end of the meter's reporting window.
func (s *Service) TouchUntil(ctx context.Context, meter string, r *bm.MeterSessionsSess, end time.Time) error {
	if end.Before(s.now()) {
		return btrt.ErrNotFound
	}
	return s.t.PutSess(ctx, key(meter), r, btrt.Until(end)) // ok ttlwrite/write-time
}

// Adopt takes over a session that the old head end handed us.
func (s *Service) Adopt(ctx context.Context, meter, tok, peer string) error {
	r := &bm.MeterSessionsSess{Token: tok, Peer: peer}
	return s.save(ctx, meter, r, bigtable.ServerTime) // want ttlwrite/server-timestamp
}

// AdoptFor is Adopt with the rest of the old lifetime.
func (s *Service) AdoptFor(ctx context.Context, meter, tok string, left time.Duration) error {
	r := &bm.MeterSessionsSess{Token: tok}
	return s.save(ctx, meter, r, btrt.Expiry(left)) // ok ttlwrite/server-timestamp
}

// AdoptExp takes the expiry as the old head end prints it.
func (s *Service) AdoptExp(ctx context.Context, meter, tok string, exp time.Time) error {
	r := &bm.MeterSessionsSess{Token: tok}
	return s.save(ctx, meter, r, bigtable.Timestamp(exp.Unix())) // want ttlunit/wrong-unit
}

// AdoptExpMicro is what the newer head ends send.
func (s *Service) AdoptExpMicro(ctx context.Context, meter, tok string, exp time.Time) error {
	r := &bm.MeterSessionsSess{Token: tok}
	return s.save(ctx, meter, r, bigtable.Timestamp(exp.Unix()*1e6)) // ok ttlunit/wrong-unit
}

func (s *Service) save(ctx context.Context, meter string, r *bm.MeterSessionsSess, ts bigtable.Timestamp) error {
	return obs.Retry(ctx, 3, func(ctx context.Context) error {
		return s.t.PutSess(ctx, key(meter), r, ts) // ok ttlwrite/server-timestamp
	})
}

// Revoke ends a session at once by writing over it.
func (s *Service) Revoke(ctx context.Context, meter string) error {
	r := &bm.MeterSessionsSess{Token: "revoked"}
	return s.t.PutSess(ctx, key(meter), r, bigtable.Time(s.now().Add(-time.Minute))) // want ttlwrite/already-expired
}

// End deletes the session's cells.
func (s *Service) End(ctx context.Context, meter string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(bm.MeterSessionsFamilySess) // ok ttlwrite/delete-after-set
	return s.t.Apply(ctx, key(meter), m)
}

// Maintenance gives a technician's laptop a session for the shift.
func (s *Service) Maintenance(ctx context.Context, meter, who string) error {
	r := &bm.MeterSessionsSess{Token: token(), Peer: who}
	ts := bigtable.Now() + bigtable.Timestamp(8*time.Hour) // want ttlunit/wrong-unit[shift]
	return s.t.PutSess(ctx, key(meter), r, ts)             // want ttlunit/wrong-unit[shift]
}

// Handover gives both sides a few minutes.
func (s *Service) Handover(ctx context.Context, meter, who string) error {
	r := &bm.MeterSessionsSess{Token: token(), Peer: who}
	ts := bigtable.Now() + bigtable.Timestamp((5 * time.Minute).Microseconds()) // ok ttlunit/wrong-unit
	return s.t.PutSess(ctx, key(meter), r, ts)                                  // ok ttlwrite/write-time
}

// Permanent gives the lab's reference meters a session that does not end.
func (s *Service) Permanent(ctx context.Context, meter string) error {
	r := &bm.MeterSessionsSess{Token: token()}
	never := time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)
	return s.t.PutSess(ctx, key(meter), r, bigtable.Time(never)) // want ttlunit/out-of-range
}

// LongLived is the same within what a timestamp can hold.
func (s *Service) LongLived(ctx context.Context, meter string) error {
	r := &bm.MeterSessionsSess{Token: token()}
	end := time.Date(2199, 12, 31, 0, 0, 0, 0, time.UTC)
	return s.t.PutSess(ctx, key(meter), r, bigtable.Time(end)) // ok ttlunit/out-of-range
}

// Rotate replaces the token; the frame key goes into the same mutation.
func (s *Service) Rotate(ctx context.Context, meter string, r *bm.MeterSessionsSess) error {
	ts := btrt.Expiry(s.ttl)
	m := bigtable.NewMutation()
	r.Marshal(m, ts) // ok ttlwrite/write-time
	r.Token = token()
	m.Set(bm.MeterSessionsFamilySess, bm.MeterSessionsColSessToken, ts, []byte(r.Token)) // want ttlwrite/same-timestamp
	return s.t.Apply(ctx, key(meter), m)
}

// Renew clears what was there first.
func (s *Service) Renew(ctx context.Context, meter string, r *bm.MeterSessionsSess) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(bm.MeterSessionsFamilySess) // ok ttlwrite/delete-after-set
	r.Token = token()
	r.Marshal(m, btrt.Expiry(s.ttl)) // ok ttlwrite/write-time
	return s.t.Apply(ctx, key(meter), m)
}

// Strip writes a session and then drops the peer address for privacy.
func (s *Service) Strip(ctx context.Context, meter string, r *bm.MeterSessionsSess) error {
	m := bigtable.NewMutation()
	r.Marshal(m, btrt.Expiry(s.ttl))                                               // ok ttlwrite/write-time
	m.DeleteCellsInColumn(bm.MeterSessionsFamilySess, bm.MeterSessionsColSessPeer) // want ttlwrite/delete-after-set
	m.DeleteCellsInColumn(bm.MeterSessionsFamilyDev, bm.MeterSessionsColDevLatE6)  // ok ttlwrite/delete-after-set
	return s.t.Apply(ctx, key(meter), m)
}

// CountFrame counts a frame of the running session.
func (s *Service) CountFrame(ctx context.Context, meter string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(bm.MeterSessionsFamilySess, "frames", 1) // want ttlwrite/read-modify-write
	_, err := s.t.Table().ApplyReadModifyWrite(ctx, key(meter), rmw)
	return err
}

// CountReset counts a meter's resets for as long as it hangs on the wall.
func (s *Service) CountReset(ctx context.Context, meter string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(bm.MeterSessionsFamilyDev, "resets", 1) // ok ttlwrite/read-modify-write
	_, err := s.t.Table().ApplyReadModifyWrite(ctx, key(meter), rmw)
	return err
}

// Active lists the meters that are connected.
func (s *Service) Active(ctx context.Context) ([]string, error) {
	var out []string
	err := s.t.ScanSess(ctx, bigtable.PrefixRange("m#"), func(k string, r *bm.MeterSessionsSess) bool { // want ttlread/missing-filter
		out = append(out, strings.TrimPrefix(k, "m#")+"@"+r.Peer)
		return true
	})
	return out, err
}

// ActiveNow is Active for the dashboard.
func (s *Service) ActiveNow(ctx context.Context) ([]string, error) {
	var out []string
	err := s.t.ScanSess(ctx, bigtable.PrefixRange("m#"), func(k string, r *bm.MeterSessionsSess) bool { // ok ttlread/missing-filter
		out = append(out, k)
		return true
	}, bigtable.RowFilter(btrt.Live()), bigtable.LimitRows(500))
	return out, err
}

// ByFirmware counts live sessions by firmware; what has expired is skipped here.
func (s *Service) ByFirmware(ctx context.Context) (map[string]int, error) {
	now := s.now()
	out := map[string]int{}
	err := s.t.ScanSess(ctx, bigtable.PrefixRange("m#"), func(_ string, r *bm.MeterSessionsSess) bool { // ok ttlread/missing-filter
		if r.ExpiresAt.Before(now) {
			return true
		}
		out[r.Firmware]++
		return true
	})
	return out, err
}

// Peers lists peer addresses for the firewall.
func (s *Service) Peers(ctx context.Context, limit int64) ([]string, error) {
	var out []string
	latest := bigtable.LatestNFilter(1)                                                                 // want ttlread/missing-filter[peers]
	err := s.t.ScanSess(ctx, bigtable.InfiniteRange(""), func(_ string, r *bm.MeterSessionsSess) bool { // want ttlread/missing-filter[peers]
		out = append(out, r.Peer)
		return true
	}, bigtable.RowFilter(latest), bigtable.LimitRows(limit)) // want ttlread/missing-filter[peers]
	return out, err
}

// Full is a session with its device.
type Full struct {
	Sess bm.MeterSessionsSess
	Dev  bm.MeterSessionsDev
}

// Load reads a session with its device.
func (s *Service) Load(ctx context.Context, meter string) (*Full, error) {
	row, err := s.t.Table().ReadRow(ctx, key(meter)) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var f Full
	if !f.Sess.Unmarshal(row) || !f.Dev.Unmarshal(row) {
		return nil, btrt.ErrNotFound
	}
	return &f, nil
}

// LoadLive reads a live session with its device.
func (s *Service) LoadLive(ctx context.Context, meter string) (*Full, error) {
	row, err := s.t.Table().ReadRow(ctx, key(meter), bigtable.RowFilter(btrt.Live())) // want ttlread/hides-other-families
	if err != nil {
		return nil, err
	}
	var f Full
	f.Dev.Unmarshal(row)
	if !f.Sess.Unmarshal(row) {
		return nil, btrt.ErrNotFound
	}
	return &f, nil
}

// LoadBoth interleaves what is live with the device.
func (s *Service) LoadBoth(ctx context.Context, meter string) (*Full, error) {
	flt := bigtable.InterleaveFilters( // ok ttlread/unfiltered-branch
		btrt.Family(bm.MeterSessionsFamilySess, btrt.Live()),
		btrt.Family(bm.MeterSessionsFamilyDev, nil),
	)
	row, err := s.t.Table().ReadRow(ctx, key(meter), bigtable.RowFilter(flt)) // ok ttlread/hides-other-families
	if err != nil {
		return nil, err
	}
	var f Full
	f.Dev.Unmarshal(row)
	f.Sess.Unmarshal(row)
	return &f, nil
}

// Tokens reads the session's token and nothing else.
func (s *Service) Tokens(ctx context.Context, meter string) ([]byte, error) {
	row, err := s.t.Table().ReadRow(ctx, key(meter), bigtable.RowFilter(btrt.Live())) // ok ttlread/hides-other-families
	if err != nil {
		return nil, err
	}
	tok, _ := btrt.First(row, bm.MeterSessionsFamilySess, bm.MeterSessionsColSessToken)
	return tok, nil
}

// Device reads the device of a meter from a whole row.
func (s *Service) Device(ctx context.Context, meter string) (*bm.MeterSessionsDev, error) {
	row, err := s.t.Table().ReadRow(ctx, key(meter)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	d := new(bm.MeterSessionsDev)
	d.Unmarshal(row)
	return d, nil
}

// Connected says whether the meter has a session.
func (s *Service) Connected(ctx context.Context, meter string) (bool, error) {
	strip := bigtable.ChainFilters(bigtable.FamilyFilter(bm.MeterSessionsFamilySess), bigtable.StripValueFilter()) // want ttlread/missing-filter[conn]
	row, err := s.t.Table().ReadRow(ctx, key(meter), bigtable.RowFilter(strip))                                    // want ttlread/missing-filter[conn]
	return err == nil && len(row) > 0, err
}

// ConnectedNow is Connected without the dead.
func (s *Service) ConnectedNow(ctx context.Context, meter string) (bool, error) {
	strip := bigtable.ChainFilters(bigtable.FamilyFilter(bm.MeterSessionsFamilySess), btrt.Live(), bigtable.StripValueFilter()) // ok ttlread/missing-filter
	row, err := s.t.Table().ReadRow(ctx, key(meter), bigtable.RowFilter(strip))                                                 // ok ttlread/missing-filter
	return err == nil && len(row) > 0, err
}

// Age is how long the meter has been connected.
func (s *Service) Age(ctx context.Context, meter string) (time.Duration, error) {
	row, err := s.t.Table().ReadRow(ctx, key(meter), bigtable.RowFilter(btrt.Family(bm.MeterSessionsFamilySess, btrt.Live()))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[bm.MeterSessionsFamilySess] {
		return time.Since(it.Timestamp.Time()), nil // want ttlage/not-write-time
	}
	return 0, btrt.ErrNotFound
}

// Left is how long the session still lasts.
func (s *Service) Left(ctx context.Context, meter string) (time.Duration, error) {
	r, err := s.t.GetSess(ctx, key(meter))
	if err != nil || r == nil {
		return 0, err
	}
	return time.Until(r.ExpiresAt), nil // ok ttlage/not-write-time
}
