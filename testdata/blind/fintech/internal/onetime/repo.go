// Package onetime issues and redeems one-time tokens: codes sent by SMS,
// links sent by mail, step-up challenges. Their cells expire: a cell's
// timestamp is the moment the token dies.
package onetime

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/payments/internal/clock"
	"example.com/payments/internal/schema"
	"example.com/payments/internal/store"
)

// Errors of this package.
var (
	ErrUnknown  = errors.New("onetime: unknown or expired token")
	ErrMismatch = errors.New("onetime: wrong code")
	ErrLocked   = errors.New("onetime: too many attempts")
)

// Token is an issued token.
type Token struct {
	Subject   string
	Hash      string
	Channel   string
	ExpiresAt time.Time
}

// Repo stores tokens.
type Repo struct {
	tbl store.Table
	clk clock.Clock
	ttl time.Duration
	max int
	log *slog.Logger
}

// Option configures a Repo.
type Option func(*Repo)

// WithClock replaces the system's clock.
func WithClock(c clock.Clock) Option { return func(r *Repo) { r.clk = c } }

// WithTTL replaces the default lifetime.
func WithTTL(d time.Duration) Option { return func(r *Repo) { r.ttl = d } }

// WithMaxAttempts replaces the default number of attempts.
func WithMaxAttempts(n int) Option { return func(r *Repo) { r.max = n } }

// WithLogger replaces the default logger.
func WithLogger(l *slog.Logger) Option { return func(r *Repo) { r.log = l } }

// New is a repository over tbl.
func New(tbl store.Table, opts ...Option) *Repo {
	r := &Repo{tbl: tbl, clk: clock.System{}, ttl: 10 * time.Minute, max: 5, log: slog.Default()}
	for _, o := range opts {
		o(r)
	}
	return r
}

func hash(code string) string {
	sum := sha256.Sum256([]byte(code))
	return hex.EncodeToString(sum[:])
}

func newCode() (string, error) {
	var b [4]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", err
	}
	n := uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
	return fmt.Sprintf("%06d", n%1000000), nil
}

func rowKey(subject string) string { return "subj#" + subject }

// Issue stores a new code for a subject and returns it.
func (r *Repo) Issue(ctx context.Context, subject, channel string) (string, error) {
	code, err := newCode()
	if err != nil {
		return "", err
	}
	dies := bigtable.Time(r.clk.Now().Add(r.ttl))
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(string(schema.FamToken))                                                   // ok ttlwrite/delete-after-set
	mut.Set(string(schema.FamToken), string(schema.OTPHash.Column), dies, []byte(hash(code)))          // ok ttlwrite/write-time
	mut.Set(string(schema.FamToken), string(schema.OTPChannel.Column), dies, []byte(channel))          // ok ttlwrite/same-timestamp
	mut.Set(string(schema.FamContact), "last-channel", bigtable.Now(), []byte(channel))                // ok ttlwrite/write-time
	mut.Set(string(schema.FamContact), "last-sent", bigtable.ServerTime, []byte(r.clk.Now().String())) // ok ttlwrite/server-timestamp
	if err := r.tbl.Apply(ctx, rowKey(subject), mut); err != nil {
		return "", fmt.Errorf("issue: %w", err)
	}
	return code, nil
}

// Reissue replaces the code but keeps the channel.
func (r *Repo) Reissue(ctx context.Context, subject string) (string, error) {
	code, err := newCode()
	if err != nil {
		return "", err
	}
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(string(schema.FamToken), "hash")
	mut.Set(string(schema.FamToken), "hash", bigtable.ServerTime, []byte(hash(code))) // want ttlwrite/server-timestamp
	if err := r.tbl.Apply(ctx, rowKey(subject), mut); err != nil {
		return "", fmt.Errorf("reissue: %w", err)
	}
	return code, nil
}

// Extend gives a subject's token another lifetime.
func (r *Repo) Extend(ctx context.Context, subject string, tok Token) error {
	ts := bigtable.Time(r.clk.Now())
	mut := bigtable.NewMutation()
	mut.Set(schema.FamToken.String(), "hash", ts, []byte(tok.Hash)) // want ttlwrite/write-time
	until := store.ExpiresIn(r.clk, r.ttl)
	mut.Set(schema.FamToken.String(), "channel", until, []byte(tok.Channel)) // ok ttlwrite/write-time
	return r.tbl.Apply(ctx, rowKey(subject), mut)
}

// Find returns the live token of a subject.
func (r *Repo) Find(ctx context.Context, subject string) (Token, error) {
	row, err := r.tbl.ReadRow(ctx, rowKey(subject), bigtable.RowFilter(store.LiveFamily(schema.FamToken, r.clk.Now()))) // ok ttlread/missing-filter
	if err != nil {
		return Token{}, fmt.Errorf("find: %w", err)
	}
	return decode(subject, row)
}

func decode(subject string, row bigtable.Row) (Token, error) {
	it, ok := store.Newest(row, schema.OTPHash)
	if !ok {
		return Token{}, ErrUnknown
	}
	return Token{
		Subject:   subject,
		Hash:      string(it.Value),
		Channel:   store.Text(row, schema.OTPChannel),
		ExpiresAt: it.Timestamp.Time(), // ok ttlage/not-write-time
	}, nil
}

// Channel tells how the subject got the last token.
func (r *Repo) Channel(ctx context.Context, subject string) (string, error) {
	row, err := r.tbl.ReadRow(ctx, rowKey(subject), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range row[string(schema.FamToken)] {
		if it.Column == schema.OTPChannel.Qualified() {
			return string(it.Value), nil
		}
	}
	return "", ErrUnknown
}

// LastChannel tells how the subject was last reached, however long ago.
func (r *Repo) LastChannel(ctx context.Context, subject string) (string, error) {
	row, err := r.tbl.ReadRow(ctx, rowKey(subject), bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range row[string(schema.FamContact)] {
		if it.Column == "contact:last-channel" {
			return string(it.Value), nil
		}
	}
	return "", ErrUnknown
}

// Pending says whether a subject has a token.
func (r *Repo) Pending(ctx context.Context, subject string) (bool, error) {
	only := bigtable.ChainFilters(bigtable.FamilyFilter(string(schema.FamToken)), bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter()) // want ttlread/missing-filter[pending]
	row, err := r.tbl.ReadRow(ctx, rowKey(subject), bigtable.RowFilter(only))                                                                      // want ttlread/missing-filter[pending]
	return len(row) > 0, err
}

// Active is Pending for tokens that still work.
func (r *Repo) Active(ctx context.Context, subject string) (bool, error) {
	live := bigtable.ChainFilters(
		bigtable.FamilyFilter(string(schema.FamToken)),
		bigtable.TimestampRangeFilter(r.clk.Now(), time.Time{}),
		bigtable.CellsPerRowLimitFilter(1), // ok ttlread/limit-before-filter
		bigtable.StripValueFilter(),
	)
	row, err := r.tbl.ReadRow(ctx, rowKey(subject), bigtable.RowFilter(live)) // ok ttlread/missing-filter
	return len(row) > 0, err
}

// Redeem consumes the code if it is right.
func (r *Repo) Redeem(ctx context.Context, subject, code string) error {
	n, err := r.attempts(ctx, subject)
	if err != nil {
		return err
	}
	if n >= r.max {
		return ErrLocked
	}
	tok, err := r.Find(ctx, subject)
	if err != nil {
		return err
	}
	if subtle.ConstantTimeCompare([]byte(tok.Hash), []byte(hash(code))) != 1 {
		if err := r.fail(ctx, subject, n+1); err != nil {
			r.log.Warn("counting attempts", "err", err)
		}
		return ErrMismatch
	}
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(string(schema.FamToken))
	mut.DeleteCellsInFamily(string(schema.FamAttempts))
	return r.tbl.Apply(ctx, rowKey(subject), mut)
}

// attempts counts failures since the token was issued.
func (r *Repo) attempts(ctx context.Context, subject string) (int, error) {
	row, err := r.tbl.ReadRow(ctx, rowKey(subject), bigtable.RowFilter(bigtable.FamilyFilter(string(schema.FamAttempts)))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	now, n := r.clk.Now(), 0
	for _, it := range row[string(schema.FamAttempts)] {
		if it.Timestamp.Time().Before(now) {
			continue
		}
		n++
	}
	return n, nil
}

func (r *Repo) fail(ctx context.Context, subject string, n int) error {
	mut := bigtable.NewMutation()
	mut.Set(string(schema.FamAttempts), "try-"+strconv.Itoa(n), store.ExpiresIn(r.clk, 10*time.Minute), nil) // ok ttlwrite/write-time
	return r.tbl.Apply(ctx, rowKey(subject), mut)
}

// CountFailure is what fail was before the counters had to expire.
//
// Deprecated: the old mobile gateway still calls it.
func (r *Repo) CountFailure(ctx context.Context, subject string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(string(schema.FamAttempts), "total", 1) // want ttlwrite/read-modify-write
	row, err := r.tbl.ApplyReadModifyWrite(ctx, rowKey(subject), rmw)
	if err != nil {
		return 0, err
	}
	for _, it := range row[string(schema.FamAttempts)] {
		return store.ParseInt(it.Value)
	}
	return 0, store.ErrNotFound
}

// CountContact counts how often we reached a subject, for good.
func (r *Repo) CountContact(ctx context.Context, subject string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(string(schema.FamContact), "sent-total", 1) // ok ttlwrite/read-modify-write
	_, err := r.tbl.ApplyReadModifyWrite(ctx, rowKey(subject), rmw)
	return err
}

// IssueOnce stores a challenge unless the subject has one already.
func (r *Repo) IssueOnce(ctx context.Context, subject, challenge string) (bool, error) {
	set := bigtable.NewMutation()
	set.Set(string(schema.FamToken), "challenge", bigtable.Time(r.clk.Now().Add(2*time.Minute)), []byte(challenge)) // ok ttlwrite/write-time
	have := bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.ColumnFilter("challenge"))               // want ttlread/conditional-mutation[issueonce]
	cond := bigtable.NewCondMutation(have, nil, set)                                                                // want ttlread/conditional-mutation[issueonce]
	var matched bool
	err := r.tbl.Apply(ctx, rowKey(subject), cond, bigtable.GetCondMutationResult(&matched))
	return !matched, err
}

// ChallengeOnce is IssueOnce for browsers.
func (r *Repo) ChallengeOnce(ctx context.Context, subject, challenge string) (bool, error) {
	now := r.clk.Now()
	set := bigtable.NewMutation()
	set.Set("token", "browser-challenge", bigtable.Time(now.Add(2*time.Minute)), []byte(challenge))
	have := bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.ColumnFilter("browser-challenge"), bigtable.TimestampRangeFilter(now, time.Time{}))
	cond := bigtable.NewCondMutation(have, nil, set) // ok ttlread/conditional-mutation
	var matched bool
	err := r.tbl.Apply(ctx, rowKey(subject), cond, bigtable.GetCondMutationResult(&matched))
	return !matched, err
}

// Cancel drops a challenge if there is one.
func (r *Repo) Cancel(ctx context.Context, subject string) error {
	del := bigtable.NewMutation()
	del.DeleteCellsInFamily("token")
	cond := bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.ColumnFilter("challenge")), del, nil) // ok ttlread/conditional-mutation
	return r.tbl.Apply(ctx, rowKey(subject), cond)
}

// Revoke makes a token unusable at once.
func (r *Repo) Revoke(ctx context.Context, subject string) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "hash", bigtable.Time(r.clk.Now().Add(-time.Minute)), []byte("revoked")) // want ttlwrite/already-expired
	mut.Set("contact", "revoked", bigtable.Now(), []byte("1"))                                // ok ttlwrite/write-time
	return r.tbl.Apply(ctx, rowKey(subject), mut)
}

// Replace swaps the hash of a token, e.g. when the pepper is rotated.
func (r *Repo) Replace(ctx context.Context, tok Token, pepper string) error {
	key := rowKey(tok.Subject)
	mut := bigtable.NewMutation()
	mut.Set("token", "hash", store.ExpiresAt(tok.ExpiresAt), []byte(hash(tok.Hash+pepper)))
	mut.DeleteCellsInColumn("token", "hash") // want ttlwrite/delete-after-set
	return r.tbl.Apply(ctx, key, mut)
}

// Rotate is Replace for the channel.
func (r *Repo) Rotate(ctx context.Context, tok Token, channel string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn("token", "channel") // ok ttlwrite/delete-after-set
	mut.Set("token", "channel", store.ExpiresAt(tok.ExpiresAt), []byte(channel))
	return r.tbl.Apply(ctx, rowKey(tok.Subject), mut)
}
