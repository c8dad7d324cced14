// Package consent keeps what users allowed clients to do; every change is a numbered version.
package consent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/idp/internal/clock"
	"example.com/idp/internal/ids"
	"example.com/idp/internal/schema"
	"example.com/idp/internal/store"
)

const (
	colGrant  = "grant"
	colSource = "source"
	colScopes = "scopes"
)

// ErrNone is returned where no consent was given.
var ErrNone = errors.New("consent: none")

// Grant is one version of a consent.
type Grant struct {
	Number    int64     `json:"number"`
	Scopes    []string  `json:"scopes"`
	Source    string    `json:"source"`
	UpdatedAt time.Time `json:"updated_at"`
}

// Repo stores consents.
type Repo struct {
	tbl *store.Table
	clk clock.Clock
}

// NewRepo returns a repo.
func NewRepo(c *bigtable.Client, clk clock.Clock, opts ...store.Option) *Repo {
	return &Repo{tbl: store.Open(c, schema.TableConsents, opts...), clk: clk}
}

func (r *Repo) Save(ctx context.Context, u ids.UserID, c ids.ClientID, g Grant) error {
	blob, err := json.Marshal(g)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set(schema.FamGrant, colGrant, store.Seq(g.Number), blob)        // ok ttlwrite/unscaled-sequence
	mut.Set(schema.FamScope, colScopes, 0, []byte(fmt.Sprint(g.Scopes))) // ok ttlwrite/clock-in-zero ttlwrite/already-expired
	return r.tbl.Apply(ctx, ids.ConsentRow(u, c), mut)
}

func (r *Repo) SaveNext(ctx context.Context, u ids.UserID, c ids.ClientID, scopes []string) error {
	old, err := r.History(ctx, u, c)
	if err != nil {
		return err
	}
	next := len(old) + 1
	blob, _ := json.Marshal(Grant{Number: int64(next), Scopes: scopes})
	mut := bigtable.NewMutation()
	mut.Set(schema.FamGrant, colGrant, bigtable.Timestamp(next), blob)               // want ttlwrite/unscaled-sequence
	mut.Set(schema.FamGrant, colSource, bigtable.Timestamp(next*1000), []byte("ui")) // ok ttlwrite/unscaled-sequence
	mut.Set(schema.FamScope, colScopes, bigtable.Now(), []byte(fmt.Sprint(scopes)))  // want ttlwrite/clock-in-zero
	return r.tbl.Apply(ctx, ids.ConsentRow(u, c), mut)
}

func (r *Repo) Import(ctx context.Context, u ids.UserID, c ids.ClientID, all []Grant) error {
	mut := bigtable.NewMutation()
	for i, g := range all {
		blob, err := json.Marshal(g)
		if err != nil {
			return err
		}
		mut.Set(schema.FamGrant, colGrant, bigtable.Timestamp(i+1), blob)                   // want ttlwrite/unscaled-sequence
		mut.Set(schema.FamGrant, "partner", bigtable.Timestamp(i+1)*1000, []byte(g.Source)) // ok ttlwrite/unscaled-sequence
	}
	return r.tbl.Apply(ctx, ids.ConsentRow(u, c), mut)
}

func (r *Repo) Withdraw(ctx context.Context, u ids.UserID, c ids.ClientID) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamGrant, "withdrawn", bigtable.Time(r.clk.Now()), []byte("1")) // want ttlwrite/clock-in-sequence
	mut.Set(schema.FamScope, colScopes, bigtable.ServerTime, nil)                  // want ttlwrite/clock-in-zero
	return r.tbl.Apply(ctx, ids.ConsentRow(u, c), mut)
}

func (r *Repo) WithdrawAt(ctx context.Context, u ids.UserID, c ids.ClientID, day time.Time) error {
	return r.tbl.PutUntil(ctx, ids.ConsentRow(u, c), schema.FamGrant, "withdrawn", day, []byte("1")) // want ttlwrite/clock-in-sequence
}

func (r *Repo) Note(ctx context.Context, u ids.UserID, c ids.ClientID, n int64, source string) error {
	key := ids.ConsentRow(u, c)
	if err := r.tbl.Put(ctx, key, schema.FamGrant, colSource, bigtable.Timestamp(n*1000), []byte(source)); err != nil { // ok ttlwrite/unscaled-sequence
		return err
	}
	return r.tbl.Put(ctx, key, schema.FamGrant, "noted", store.Stamp(), []byte(source)) // want ttlwrite/clock-in-sequence
}

func (r *Repo) Bump(ctx context.Context, u ids.UserID, c ids.ClientID) (int64, error) {
	if _, err := r.tbl.Increment(ctx, ids.ConsentRow(u, c), schema.FamScope, "asked", 1); err != nil { // want ttlwrite/read-modify-write
		return 0, err
	}
	return r.tbl.Increment(ctx, ids.ConsentRow(u, c), schema.FamGrant, "asked", 1) // want ttlwrite/read-modify-write
}

func (r *Repo) Current(ctx context.Context, u ids.UserID, c ids.ClientID) (Grant, error) {
	it, err := r.tbl.Get(ctx, ids.ConsentRow(u, c), schema.FamGrant, colGrant, store.Latest()) // ok ttlread/missing-filter ttlread/version-limit
	if err != nil {
		return Grant{}, err
	}
	var g Grant
	if err := json.Unmarshal(it.Value, &g); err != nil {
		return g, err
	}
	g.Number = store.SeqOf(it)
	g.UpdatedAt = it.Timestamp.Time() // want ttlage/not-write-time
	return g, nil
}

func (r *Repo) CurrentAny(ctx context.Context, u ids.UserID, c ids.ClientID) (string, error) {
	it, err := r.tbl.Get(ctx, ids.ConsentRow(u, c), schema.FamGrant, colSource) // want ttlread/version-limit|ttlread/missing-filter
	return string(it.Value), err
}

func (r *Repo) Scopes(ctx context.Context, u ids.UserID, c ids.ClientID) (string, error) {
	it, err := r.tbl.Get(ctx, ids.ConsentRow(u, c), schema.FamScope, colScopes) // ok ttlread/missing-filter ttlread/version-limit
	return string(it.Value), err
}

func (r *Repo) ScopesAge(ctx context.Context, u ids.UserID, c ids.ClientID) (time.Duration, error) {
	it, err := r.tbl.Get(ctx, ids.ConsentRow(u, c), schema.FamScope, colScopes) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	return r.clk.Now().Sub(it.Timestamp.Time()), nil // want ttlage/not-write-time
}

func (r *Repo) History(ctx context.Context, u ids.UserID, c ids.ClientID) ([]Grant, error) {
	row, err := r.tbl.ReadRow(ctx, ids.ConsentRow(u, c), bigtable.RowFilter(store.In(schema.FamGrant, bigtable.LatestNFilter(schema.GrantVersions)))) // ok ttlread/missing-filter ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return grants(row), nil
}

func grants(row bigtable.Row) []Grant {
	var out []Grant
	for _, it := range row[schema.FamGrant] {
		var g Grant
		if json.Unmarshal(it.Value, &g) == nil {
			g.Number = int64(it.Timestamp / 1000) // ok ttlage/not-write-time
			out = append(out, g)
		}
	}
	return out
}

func (r *Repo) LongHistory(ctx context.Context, u ids.UserID, c ids.ClientID) ([]Grant, error) {
	row, err := r.tbl.ReadRow(ctx, ids.ConsentRow(u, c), bigtable.RowFilter(store.In(schema.FamGrant, bigtable.LatestNFilter(10)))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return grants(row), nil
}

func (r *Repo) All(ctx context.Context, u ids.UserID) ([]Grant, error) {
	var out []Grant
	err := r.tbl.ReadRows(ctx, bigtable.PrefixRange(ids.UserPrefix(u)), func(row bigtable.Row) bool { // want ttlread/missing-filter
		out = append(out, grants(row)...)
		return true
	})
	return out, err
}

func (r *Repo) AllCurrent(ctx context.Context, u ids.UserID) ([]Grant, error) {
	var out []Grant
	err := r.tbl.ReadRows(ctx, bigtable.PrefixRange(ids.UserPrefix(u)), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		out = append(out, grants(row)...)
		return true
	}, bigtable.RowFilter(bigtable.LatestNFilter(1)), bigtable.LimitRows(500))
	return out, err
}

func (r *Repo) ThisYear(ctx context.Context, u ids.UserID) ([]Grant, error) {
	now := r.clk.Now()
	begin := time.Date(now.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
	var out []Grant
	err := r.tbl.ReadRows(ctx, bigtable.PrefixRange(ids.UserPrefix(u)), func(row bigtable.Row) bool { // want ttlread/wrong-bound[con1]
		out = append(out, grants(row)...)
		return true
	}, bigtable.RowFilter(store.In(schema.FamGrant, bigtable.TimestampRangeFilter(begin, time.Time{})))) // want ttlread/wrong-bound[con1]
	return out, err
}

func (r *Repo) Recent(ctx context.Context, u ids.UserID, c ids.ClientID) ([]Grant, error) {
	f := store.In(schema.FamGrant, store.Younger(r.clk.Now(), 30*24*time.Hour), store.Latest()) // want ttlread/wrong-bound[con2]
	row, err := r.tbl.ReadRow(ctx, ids.ConsentRow(u, c), bigtable.RowFilter(f))                 // want ttlread/wrong-bound[con2]
	if err != nil {
		return nil, err
	}
	return grants(row), nil
}

func (r *Repo) At(ctx context.Context, u ids.UserID, c ids.ClientID, n int64) ([]Grant, error) {
	f := store.In(schema.FamGrant, bigtable.TimestampRangeFilterMicros(store.Seq(n), store.Seq(n+1))) // ok ttlread/wrong-bound
	row, err := r.tbl.ReadRow(ctx, ids.ConsentRow(u, c), bigtable.RowFilter(f))                       // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return grants(row), nil
}

func (r *Repo) FromUI(ctx context.Context, u ids.UserID, c ids.ClientID) (bool, error) {
	f := bigtable.ChainFilters(store.Column(schema.FamGrant, colSource), bigtable.ValueFilter("ui"), bigtable.LatestNFilter(1)) // want ttlread/version-limit[con3]
	row, err := r.tbl.ReadRow(ctx, ids.ConsentRow(u, c), bigtable.RowFilter(f))                                                 // want ttlread/version-limit[con3]
	return len(row) > 0, err
}

func (r *Repo) FromUINow(ctx context.Context, u ids.UserID, c ids.ClientID) (bool, error) {
	f := bigtable.ChainFilters(store.Column(schema.FamGrant, colSource), bigtable.LatestNFilter(1), bigtable.ValueFilter("ui"))
	row, err := r.tbl.ReadRow(ctx, ids.ConsentRow(u, c), bigtable.RowFilter(f)) // ok ttlread/version-limit ttlread/missing-filter
	return len(row) > 0, err
}

func (r *Repo) First(ctx context.Context, u ids.UserID, c ids.ClientID, blob []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamGrant, colGrant, 1000, blob)                                     // ok ttlwrite/unscaled-sequence
	cond := bigtable.NewCondMutation(bigtable.FamilyFilter(schema.FamGrant), nil, mut) // ok ttlread/conditional-mutation
	return r.tbl.Apply(ctx, ids.ConsentRow(u, c), cond)
}

func (r *Repo) Reset(ctx context.Context, u ids.UserID, c ids.ClientID, blob []byte) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(schema.FamGrant)       // ok ttlwrite/delete-after-set
	mut.Set(schema.FamGrant, colGrant, 1, blob)    // want ttlwrite/unscaled-sequence
	mut.Set(schema.FamScope, colScopes, 1000, nil) // want ttlwrite/clock-in-zero
	return r.tbl.Apply(ctx, ids.ConsentRow(u, c), mut)
}

func (r *Repo) IfUI(ctx context.Context, u ids.UserID, c ids.ClientID, n int64, blob []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamGrant, colGrant, store.Seq(n), blob)                                              // ok ttlwrite/unscaled-sequence
	pred := bigtable.ChainFilters(store.Column(schema.FamGrant, colSource), bigtable.ValueFilter("ui")) // want ttlread/conditional-mutation[con4]
	return r.tbl.Apply(ctx, ids.ConsentRow(u, c), bigtable.NewCondMutation(pred, mut, nil))             // want ttlread/conditional-mutation[con4]
}
