// Package directory keeps the users of the tenants, one table for each tenant.
package directory

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/idp/internal/clock"
	"example.com/idp/internal/ids"
	"example.com/idp/internal/schema"
	"example.com/idp/internal/store"
)

const (
	colEntry = "entry"
	colMail  = "mail"
	colToken = "token"
)

// Entry is one version of a user's entry.
type Entry struct {
	Revision int64     `json:"rev"`
	Mail     string    `json:"mail"`
	Modified time.Time `json:"modified"`
}

// Invite is an invitation that waits.
type Invite struct {
	Mail      string
	ExpiresAt time.Time
	CreatedAt time.Time
}

// Repo is the directory of one tenant.
type Repo struct {
	tbl *bigtable.Table
	clk clock.Clock
	rev int64
}

// Open opens the directory of a tenant.
func Open(c *bigtable.Client, t ids.TenantID, clk clock.Clock) *Repo {
	return &Repo{tbl: c.Open(string(t) + schema.DirectorySuffix), clk: clk}
}

func (r *Repo) Put(ctx context.Context, u ids.UserID, e Entry) error {
	blob, err := json.Marshal(e)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamEntry, colEntry, store.Seq(e.Revision), blob)          // ok ttlwrite/unscaled-sequence
	m.Set(schema.FamProfile, colMail, bigtable.ServerTime, []byte(e.Mail)) // ok ttlwrite/server-timestamp ttlwrite/clock-in-sequence
	return r.tbl.Apply(ctx, string(u), m)
}

func (r *Repo) PutNext(ctx context.Context, u ids.UserID, blob []byte) error {
	r.rev++
	m := bigtable.NewMutation()
	m.Set(schema.FamEntry, colEntry, bigtable.Timestamp(r.rev), blob)     // want ttlwrite/unscaled-sequence
	m.Set(schema.FamEntry, colMail, bigtable.Timestamp(1000*r.rev), blob) // ok ttlwrite/unscaled-sequence
	return r.tbl.Apply(ctx, string(u), m)
}

func (r *Repo) Sync(ctx context.Context, u ids.UserID, blob []byte, modified time.Time) error {
	m := bigtable.NewMutation()
	ts := bigtable.Time(modified)
	m.Set(schema.FamEntry, colEntry, ts, blob)             // want ttlwrite/clock-in-sequence
	m.Set(schema.FamProfile, "ldap", ts, []byte("synced")) // ok ttlwrite/clock-in-sequence
	return r.tbl.Apply(ctx, string(u), m)
}

func (r *Repo) Invite(ctx context.Context, mail string, token []byte) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamInvite, colToken, bigtable.Time(r.clk.Now().Add(schema.InviteTTL)), token) // ok ttlwrite/write-time
	m.Set(schema.FamInvite, colMail, bigtable.Time(r.clk.Now()), []byte(mail))                 // want ttlwrite/write-time
	m.Set(schema.FamProfile, "invited", bigtable.Now(), []byte(mail))                          // ok ttlwrite/write-time
	return r.tbl.Apply(ctx, "i#"+mail, m)
}

func (r *Repo) Reinvite(ctx context.Context, mail string) error {
	m := bigtable.NewReadModifyWrite()
	m.Increment(schema.FamProfile, "invites", 1) // ok ttlwrite/read-modify-write
	m.Increment(schema.FamInvite, "again", 1)    // want ttlwrite/read-modify-write
	_, err := r.tbl.ApplyReadModifyWrite(ctx, "i#"+mail, m)
	return err
}

func (r *Repo) Get(ctx context.Context, u ids.UserID) (Entry, error) {
	row, err := r.tbl.ReadRow(ctx, string(u), bigtable.RowFilter(store.In(schema.FamEntry, store.Latest()))) // ok ttlread/missing-filter ttlread/version-limit
	if err != nil {
		return Entry{}, err
	}
	for _, it := range row[schema.FamEntry] {
		var e Entry
		if err := json.Unmarshal(it.Value, &e); err != nil {
			return e, err
		}
		e.Revision = store.SeqOf(it)
		e.Modified = it.Timestamp.Time() // want ttlage/not-write-time
		return e, nil
	}
	return Entry{}, store.ErrNotFound
}

func (r *Repo) GetAny(ctx context.Context, u ids.UserID) ([]byte, error) {
	row, err := r.tbl.ReadRow(ctx, string(u)) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	for _, it := range row[schema.FamEntry] {
		return it.Value, nil
	}
	return nil, store.ErrNotFound
}

func (r *Repo) Mail(ctx context.Context, u ids.UserID) (string, time.Time, error) {
	row, err := r.tbl.ReadRow(ctx, string(u)) // ok ttlread/missing-filter
	if err != nil {
		return "", time.Time{}, err
	}
	for _, it := range row[schema.FamProfile] {
		updated := it.Timestamp.Time() // ok ttlage/not-write-time
		return string(it.Value), updated, nil
	}
	return "", time.Time{}, store.ErrNotFound
}

func (r *Repo) Everything(ctx context.Context, emit func(bigtable.Row)) error {
	return r.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/missing-filter
		emit(row)
		return true
	})
}

func (r *Repo) EverythingLive(ctx context.Context, emit func(bigtable.Row)) error {
	f := bigtable.InterleaveFilters(
		store.In(schema.FamEntry, bigtable.LatestNFilter(schema.EntryVersions)), // ok ttlread/unfiltered-branch
		store.In(schema.FamInvite, store.Live(r.clk.Now())),                     // ok ttlread/unfiltered-branch
		bigtable.FamilyFilter(schema.FamProfile),                                // ok ttlread/unfiltered-branch
	)
	return r.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		emit(row)
		return true
	}, bigtable.RowFilter(f))
}

func (r *Repo) Invites(ctx context.Context) ([]Invite, error) {
	var out []Invite
	err := r.tbl.ReadRows(ctx, bigtable.PrefixRange("i#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[schema.FamInvite] {
			out = append(out, Invite{
				Mail:      string(it.Value),
				ExpiresAt: it.Timestamp.Time(), // ok ttlage/not-write-time
				CreatedAt: it.Timestamp.Time(), // want ttlage/not-write-time
			})
		}
		return true
	}, bigtable.RowFilter(store.In(schema.FamInvite, store.Live(r.clk.Now()))))
	return out, err
}

func (r *Repo) Accept(ctx context.Context, mail string) (bool, error) {
	row, err := r.tbl.ReadRow(ctx, "i#"+mail, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamInvite), bigtable.LatestNFilter(1)))) // want ttlread/missing-filter
	if err != nil {
		return false, fmt.Errorf("directory: %w", err)
	}
	return len(row[schema.FamInvite]) > 0, nil
}
