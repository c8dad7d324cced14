// Package merchant stores merchants: settings and flags as single cells at
// timestamp zero, profiles as ordinary cells.
package merchant

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/payments/internal/clock"
	"example.com/payments/internal/schema"
	"example.com/payments/internal/store"
)

// ErrNoMerchant says that there is no such merchant.
var ErrNoMerchant = errors.New("merchant: unknown")

// Merchant is a merchant.
type Merchant struct {
	ID          string
	Name        string
	State       string
	Settings    map[string]string
	CreatedAt   time.Time
	ModifiedAt  time.Time
	StateSince  time.Time
	ProfileFrom string
}

// Reader is the read side.
type Reader interface {
	Merchant(ctx context.Context, id string) (Merchant, error)
}

// Writer is the write side.
type Writer interface {
	SetSetting(ctx context.Context, id, name, value string) error
	SetFlag(ctx context.Context, id, flag string, on bool) error
	SetState(ctx context.Context, id, state string) error
	SaveProfile(ctx context.Context, m Merchant) error
}

// Repo implements both.
type Repo struct {
	tbl *bigtable.Table
	clk clock.Clock
}

var (
	_ Reader = (*Repo)(nil)
	_ Writer = (*Repo)(nil)
)

// Option configures a Repo.
type Option func(*Repo)

// WithClock replaces the system's clock.
func WithClock(c clock.Clock) Option { return func(r *Repo) { r.clk = c } }

// New opens the merchants table.
func New(client *bigtable.Client, opts ...Option) *Repo {
	r := &Repo{tbl: client.Open(schema.TableMerchants.String()), clk: clock.System{}}
	for _, o := range opts {
		o(r)
	}
	return r
}

// SetSetting stores a setting; the last one written counts.
func (r *Repo) SetSetting(ctx context.Context, id, name, value string) error {
	mut := bigtable.NewMutation()
	mut.Set(string(schema.FamSettings), name, 0, []byte(value)) // ok ttlwrite/clock-in-zero
	return r.tbl.Apply(ctx, id, mut)
}

// SetFlag stores a flag.
func (r *Repo) SetFlag(ctx context.Context, id, flag string, on bool) error {
	mut := bigtable.NewMutation()
	v := []byte("0")
	if on {
		v = []byte("1")
	}
	var at bigtable.Timestamp
	mut.Set(string(schema.FamFlags), flag, at, v) // ok ttlwrite/clock-in-zero
	return r.tbl.Apply(ctx, id, mut)
}

// SetFlags stores many flags; the console uses it.
func (r *Repo) SetFlags(ctx context.Context, id string, flags map[string]bool) error {
	mut := bigtable.NewMutation()
	now := bigtable.Now()
	for name, on := range flags {
		mut.Set("flags", name, now, []byte(fmt.Sprint(on))) // want ttlwrite/clock-in-zero
	}
	return r.tbl.Apply(ctx, id, mut)
}

// SetState stores a merchant's state.
func (r *Repo) SetState(ctx context.Context, id, state string) error {
	mut := bigtable.NewMutation()
	mut.Set(string(schema.FamState), "current", bigtable.Now(), []byte(state))     // ok ttlwrite/clock-in-sequence
	mut.Set(string(schema.FamState), "server", bigtable.ServerTime, []byte(state)) // ok ttlwrite/clock-in-sequence
	return r.tbl.Apply(ctx, id, mut)
}

// Bump counts changes of a merchant's state.
func (r *Repo) Bump(ctx context.Context, id string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment("state", "changes", 1)    // ok ttlwrite/read-modify-write
	rmw.Increment("settings", "changes", 1) // want ttlwrite/read-modify-write
	_, err := r.tbl.ApplyReadModifyWrite(ctx, id, rmw)
	return err
}

// SaveProfile stores a profile.
func (r *Repo) SaveProfile(ctx context.Context, m Merchant) error {
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set("profile", "body", bigtable.Time(r.clk.Now()), body)   // ok ttlwrite/clock-in-zero
	mut.Set("settings", "profile-saved", bigtable.ServerTime, nil) // want ttlwrite/clock-in-zero
	mut.Set("settings", "profile-by", bigtable.Timestamp(0), nil)  // ok ttlwrite/clock-in-zero
	return r.tbl.Apply(ctx, m.ID, mut)
}

// Merchant reads a merchant whole; one cell per column will do.
func (r *Repo) Merchant(ctx context.Context, id string) (Merchant, error) {
	row, err := r.tbl.ReadRow(ctx, id, bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		return Merchant{}, err
	}
	if len(row) == 0 {
		return Merchant{}, ErrNoMerchant
	}
	m := Merchant{ID: id, Settings: map[string]string{}}
	for _, it := range row["settings"] {
		m.Settings[it.Column] = string(it.Value)
		m.ModifiedAt = it.Timestamp.Time() // want ttlage/not-write-time
	}
	for _, it := range row["profile"] {
		m.CreatedAt = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	for _, it := range row["state"] {
		m.State = string(it.Value)
		m.StateSince = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	return m, nil
}

// Changed says how long a merchant's state has been what it is.
func (r *Repo) Changed(ctx context.Context, id string) (time.Duration, error) {
	row, err := r.tbl.ReadRow(ctx, id, store.WholeFamily(schema.FamState)) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	for _, it := range row["state"] {
		return r.clk.Now().Sub(it.Timestamp.Time()), nil // ok ttlage/not-write-time
	}
	return 0, ErrNoMerchant
}

// Settings reads settings only.
func (r *Repo) Settings(ctx context.Context, id string) (map[string]string, error) {
	row, err := r.tbl.ReadRow(ctx, id) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, it := range row["settings"] {
		out[it.Column] = string(it.Value)
	}
	return out, nil
}

// Drift prints settings that were changed by hand.
func (r *Repo) Drift(ctx context.Context, id string) ([]string, error) {
	row, err := r.tbl.ReadRow(ctx, id, store.WholeFamily(schema.FamSettings)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row["settings"] {
		out = append(out, fmt.Sprintf("%s last updated %s", it.Column, it.Timestamp.Time().Format(time.RFC822))) // want ttlage/not-write-time
	}
	return out, nil
}

// Clean replaces a setting in one go.
func (r *Repo) Clean(ctx context.Context, id, name string) error {
	mut := bigtable.NewMutation()
	mut.Set("settings", name, 0, []byte("default"))
	mut.DeleteCellsInFamily("settings") // want ttlwrite/delete-after-set
	return r.tbl.Apply(ctx, id, mut)
}

// Rename moves a setting from one name to another.
func (r *Repo) Rename(ctx context.Context, id, from, to, value string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn("settings", from) // ok ttlwrite/delete-after-set
	mut.Set("settings", to, 0, []byte(value))
	mut.DeleteCellsInFamily("flags") // ok ttlwrite/delete-after-set
	return r.tbl.Apply(ctx, id, mut)
}

// Recent lists merchants whose state changed in a window.
func (r *Repo) Recent(ctx context.Context, from, to time.Time) ([]string, error) {
	var out []string
	f := bigtable.ChainFilters(bigtable.FamilyFilter("state"), bigtable.TimestampRangeFilter(from, to))
	err := r.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/wrong-bound
		out = append(out, row.Key())
		return true
	}, bigtable.RowFilter(f))
	return out, err
}
