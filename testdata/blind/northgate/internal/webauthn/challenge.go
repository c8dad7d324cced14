// Package webauthn keeps the challenges of registration and login ceremonies.
package webauthn

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/northgate/identity/internal/platform/bt"
	"github.com/northgate/identity/internal/schema"
)

// ErrChallenge is returned for unknown, used and expired challenges alike.
var ErrChallenge = errors.New("webauthn: bad challenge")

// Ceremony is what a challenge is for.
type Ceremony string

// Ceremonies.
const (
	Register Ceremony = "reg"
	Login    Ceremony = "login"
	StepUp   Ceremony = "step"
)

// Challenge is one challenge.
type Challenge struct {
	Ceremony Ceremony
	User     string
	Nonce    []byte
	TTL      time.Duration
}

// column is the column of a ceremony.
func (c Ceremony) column() string { return "c_" + string(c) }

// Keeper keeps challenges.
type Keeper struct {
	table bt.Table
	repo  *bt.Repository[Attempt]
	now   func() time.Time
}

// Attempt counts failed answers.
type Attempt struct {
	Failed int       `json:"failed"`
	Last   time.Time `json:"last"`
	Ends   time.Time `json:"ends"`
}

// NewKeeper makes a Keeper.
func NewKeeper(table bt.Table) *Keeper {
	return &Keeper{
		table: table,
		now:   time.Now,
		repo: bt.NewRepository(table, schema.FamChallenge, "attempt", // ok ttlwrite/write-time
			bt.Stamped(func(a Attempt) bigtable.Timestamp { return bigtable.Time(a.Ends) }), // ok ttlwrite/write-time
			bt.Filtered[Attempt](bt.Live), // ok ttlread/missing-filter
		),
	}
}

// Issue makes a challenge.
func (k *Keeper) Issue(ctx context.Context, user string, c Ceremony) (*Challenge, error) {
	ch := &Challenge{Ceremony: c, User: user, Nonce: make([]byte, 32), TTL: schema.ChallengeTTL}
	if _, err := rand.Read(ch.Nonce); err != nil {
		return nil, err
	}
	ts := bigtable.Time(k.now().Add(ch.TTL))
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(schema.FamChallenge, c.column())
	m.Set(schema.FamChallenge, c.column(), ts, ch.Nonce) // ok ttlwrite/write-time
	if err := k.table.Apply(ctx, user, m); err != nil {
		return nil, fmt.Errorf("issue challenge: %w", err)
	}
	return ch, nil
}

// IssueStepUp makes a challenge for a sensitive action. Those live shorter.
func (k *Keeper) IssueStepUp(ctx context.Context, user, action string) (*Challenge, error) {
	ch := &Challenge{Ceremony: StepUp, User: user, Nonce: []byte(rand.Text()), TTL: 30 * time.Second}
	deadline := k.now().Add(ch.TTL).Unix()
	m := bigtable.NewMutation()
	m.Set(schema.FamChallenge, StepUp.column(), bigtable.Timestamp(deadline), ch.Nonce) // want ttlunit/wrong-unit|ttlwrite/already-expired
	m.Set(schema.FamChallenge, "action", bt.FromUnix(deadline), []byte(action))         // ok ttlunit/wrong-unit
	if err := k.table.Apply(ctx, user, m); err != nil {
		return nil, fmt.Errorf("issue step-up: %w", err)
	}
	return ch, nil
}

// Answer checks an answer and uses the challenge up.
func (k *Keeper) Answer(ctx context.Context, user string, c Ceremony, nonce []byte) error {
	filter := bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.FamChallenge),
		bigtable.ColumnFilter(c.column()),
		bigtable.TimestampRangeFilter(k.now(), time.Time{}), // ok ttlread/missing-filter
	)
	row, err := k.table.ReadRow(ctx, user, bigtable.RowFilter(filter)) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	for it := range bt.Cells(row, schema.FamChallenge) {
		if subtle.ConstantTimeCompare(it.Value, nonce) == 1 {
			return k.consume(ctx, user, c)
		}
	}
	return errors.Join(ErrChallenge, k.fail(ctx, user))
}

func (k *Keeper) consume(ctx context.Context, user string, c Ceremony) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(schema.FamChallenge, c.column())
	m.Set(schema.FamChallenge, "used", bigtable.Now(), []byte(c)) // want ttlwrite/write-time
	return k.table.Apply(ctx, user, m)
}

// fail counts a failed answer.
func (k *Keeper) fail(ctx context.Context, user string) error {
	a, err := k.repo.Get(ctx, user)
	if err != nil && !errors.Is(err, bt.ErrNotFound) {
		return err
	}
	a.Failed++
	a.Last, a.Ends = k.now(), k.now().Add(10*time.Minute)
	return k.repo.Put(ctx, user, a)
}

// Pending lists the ceremonies that a user has begun.
func (k *Keeper) Pending(ctx context.Context, user string) ([]Ceremony, error) {
	// A second of slack, for clocks that disagree.
	live := bigtable.TimestampRangeFilter(k.now().Add(-time.Second), time.Time{}) // want ttlread/wrong-bound[pending]
	row, err := k.table.ReadRow(ctx, user, bigtable.RowFilter(live))              // want ttlread/wrong-bound[pending]
	if err != nil {
		return nil, err
	}
	var out []Ceremony
	for _, c := range []Ceremony{Register, Login, StepUp} {
		if _, ok := bt.First(row, schema.FamChallenge, c.column()); ok {
			out = append(out, c)
		}
	}
	return out, nil
}

// Reset forgets a user's challenges.
func (k *Keeper) Reset(ctx context.Context, user string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(schema.FamChallenge)
	return k.table.Apply(ctx, user, m)
}

// Recent tells whether a user has begun a ceremony at all.
func (k *Keeper) Recent(ctx context.Context, user string) bool {
	row, err := k.table.ReadRow(ctx, user, bigtable.RowFilter(bt.Where(schema.FamChallenge).Latest(1).Build())) // want ttlread/missing-filter
	return err == nil && len(row[schema.FamChallenge]) > 0
}

// Live is Recent without what has run out.
func (k *Keeper) Live(ctx context.Context, user string) bool {
	row, err := k.table.ReadRow(ctx, user, bt.Where(schema.FamChallenge).Since(time.Now()).Latest(1).Option()) // ok ttlread/missing-filter
	return err == nil && len(row[schema.FamChallenge]) > 0
}
