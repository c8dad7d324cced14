package session

import (
	"context"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"wallet.example/platform/internal/btx"
	"wallet.example/platform/internal/clock"
	"wallet.example/platform/internal/schema"
)

// _started is when the process came up; it goes into logs.
var _started = time.Now() // want ttlread/stale-bound[health] ttlwrite/stale-clock[canary]

// _liveAtStart is shared by the health checks, which run all the time.
var _liveAtStart = bigtable.TimestampRangeFilter(_started, time.Time{}) // want ttlread/stale-bound[health]

// Health says whether the canary session can be read.
func (s *Store) Health(ctx context.Context) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, "canary#health", bigtable.RowFilter(btx.Only(schema.FamilyToken, _liveAtStart))) // want ttlread/stale-bound[health]
	if err != nil {
		return false, err
	}
	return len(row[schema.FamilyToken.String()]) > 0, nil
}

// PutCanary writes the session that Health reads.
func (s *Store) PutCanary(ctx context.Context) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilyToken.String(), schema.ColJWT.String(), bigtable.Time(_started.Add(_accessTTL)), []byte("canary")) // want ttlwrite/stale-clock[canary]
	mut.Set(schema.FamilyProfile.String(), "started", bigtable.Time(_started), nil)                                         // ok ttlwrite/stale-clock
	return s.apply(ctx, "canary#health", mut)
}

// Uptime is for the status page.
func Uptime() time.Duration { return time.Since(_started) }

// putOptions is what PutOptions set.
type putOptions struct {
	ts      bigtable.Timestamp
	replace bool
}

// PutOption adjusts Put.
type PutOption interface {
	apply(*putOptions)
}

type timestampOption bigtable.Timestamp

func (o timestampOption) apply(opts *putOptions) { opts.ts = bigtable.Timestamp(o) }

// At writes with a timestamp.
func At(ts bigtable.Timestamp) PutOption { return timestampOption(ts) }

type replaceOption bool

func (o replaceOption) apply(opts *putOptions) { opts.replace = bool(o) }

// Replace drops older cells of the column first.
func Replace(r bool) PutOption { return replaceOption(r) }

// Put writes a token column. Without At it lives as long as an access token.
func (s *Store) Put(ctx context.Context, user, device string, col schema.Column, value []byte, opts ...PutOption) error {
	o := putOptions{ts: btx.ExpiresIn(s.clock, _accessTTL)}
	for _, opt := range opts {
		opt.apply(&o)
	}
	mut := bigtable.NewMutation()
	if o.replace {
		mut.DeleteCellsInColumn(schema.FamilyToken.String(), col.String())
	}
	mut.Set(schema.FamilyToken.String(), col.String(), o.ts, value) // maybe ttlwrite/server-timestamp ttlwrite/write-time
	return s.apply(ctx, rowKey(user, device), mut)
}

// PutChallenge remembers a WebAuthn challenge.
func (s *Store) PutChallenge(ctx context.Context, user, device string, challenge []byte) error {
	return s.Put(ctx, user, device, "challenge", challenge, Replace(true), At(btx.ExpiresIn(s.clock, time.Minute))) // ok ttlwrite/write-time
}

// PutFingerprint remembers a device's fingerprint.
func (s *Store) PutFingerprint(ctx context.Context, user, device string, fp []byte) error {
	return s.Put(ctx, user, device, "fp", fp, At(bigtable.ServerTime)) // want ttlwrite/server-timestamp
}

// PutNonce remembers a nonce.
func (s *Store) PutNonce(ctx context.Context, user, device string, nonce []byte) error {
	return s.Put(ctx, user, device, "nonce", nonce) // ok ttlwrite/server-timestamp
}

// Throttle remembers in the process who asked for a password lately. Its zero
// value is ready.
type Throttle struct {
	mu   sync.Mutex
	last map[string]time.Time
}

// Allow says whether user may ask again.
func (t *Throttle) Allow(c clock.Clock, user string, every time.Duration) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := c.Now()
	if last, ok := t.last[user]; ok && now.Sub(last) < every { // ok ttlage/not-write-time
		return false
	}
	if t.last == nil {
		t.last = make(map[string]time.Time)
	}
	t.last[user] = now
	return true
}

// Persist writes down whom the throttle knows.
func (t *Throttle) Persist(ctx context.Context, s *Store, every time.Duration) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for user, last := range t.last {
		mut := bigtable.NewMutation()
		mut.Set(schema.FamilyToken.String(), "throttle", bigtable.Time(last.Add(every)), nil) // ok ttlwrite/already-expired
		if err := s.apply(ctx, rowKey(user, "otp"), mut); err != nil {
			return err
		}
	}
	return nil
}
