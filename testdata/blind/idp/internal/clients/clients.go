// Package clients keeps the OAuth2 clients: whether they are enabled, and their numbered secrets.
package clients

import (
	"context"
	"crypto/subtle"
	"errors"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/idp/internal/clock"
	"example.com/idp/internal/ids"
	"example.com/idp/internal/schema"
	"example.com/idp/internal/store"
)

const (
	colEnabled = "enabled"
	colSecret  = "secret"
	colUpdated = "updated"
)

// Errors of this package.
var (
	ErrDisabled  = errors.New("clients: disabled")
	ErrBadSecret = errors.New("clients: bad secret")
)

// Client is an OAuth2 client.
type Client struct {
	ID         ids.ClientID
	Enabled    bool
	ModifiedAt time.Time
}

// Repo stores clients.
type Repo struct {
	tbl *store.Table
	clk clock.Clock
}

// NewRepo returns a repo.
func NewRepo(c *bigtable.Client, clk clock.Clock) *Repo {
	return &Repo{tbl: store.Open(c, schema.TableClients), clk: clk}
}

func (r *Repo) Enable(ctx context.Context, id ids.ClientID) error {
	return r.tbl.Put(ctx, string(id), schema.FamState, colEnabled, 0, []byte("1")) // ok ttlwrite/clock-in-zero ttlwrite/already-expired
}

func (r *Repo) Disable(ctx context.Context, id ids.ClientID) error {
	return r.tbl.PutNow(ctx, string(id), schema.FamState, colEnabled, []byte("0")) // want ttlwrite/clock-in-zero
}

func (r *Repo) Suspend(ctx context.Context, id ids.ClientID, d time.Duration) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamState, "suspended", bigtable.Time(r.clk.Now().Add(d)), []byte("1")) // want ttlwrite/clock-in-zero[cli1]
	mut.Set(schema.FamState, colUpdated, 0, []byte(r.clk.Now().Format(time.RFC3339)))     // ok ttlwrite/clock-in-zero
	return r.tbl.Apply(ctx, string(id), mut)                                              // want ttlwrite/clock-in-zero[cli1]
}

func (r *Repo) SetSecret(ctx context.Context, id ids.ClientID, n int64, hash []byte) error {
	return r.tbl.Put(ctx, string(id), schema.FamSecret, colSecret, store.Seq(n), hash) // ok ttlwrite/unscaled-sequence ttlwrite/clock-in-sequence
}

func (r *Repo) ResetSecret(ctx context.Context, id ids.ClientID, hash []byte) error {
	return r.tbl.Put(ctx, string(id), schema.FamSecret, colSecret, bigtable.ServerTime, hash) // want ttlwrite/clock-in-sequence
}

func (r *Repo) AddSecret(ctx context.Context, id ids.ClientID, hash []byte) error {
	all, err := r.secrets(ctx, id)
	if err != nil {
		return err
	}
	return r.tbl.Put(ctx, string(id), schema.FamSecret, colSecret, bigtable.Timestamp(len(all)+1), hash) // want ttlwrite/unscaled-sequence
}

func (r *Repo) Get(ctx context.Context, id ids.ClientID) (Client, error) {
	row, err := r.tbl.ReadRow(ctx, string(id)) // ok ttlread/missing-filter
	if err != nil {
		return Client{}, err
	}
	out := Client{ID: id}
	for _, it := range row[schema.FamState] {
		if it.Column == schema.FamState+":"+colEnabled {
			out.Enabled = string(it.Value) == "1"
			out.ModifiedAt = it.Timestamp.Time() // want ttlage/not-write-time
		}
	}
	if !out.Enabled {
		return out, ErrDisabled
	}
	return out, nil
}

func (r *Repo) secrets(ctx context.Context, id ids.ClientID) ([][]byte, error) {
	row, err := r.tbl.ReadRow(ctx, string(id), bigtable.RowFilter(bigtable.LatestNFilter(schema.SecretVersions))) // ok ttlread/missing-filter ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out [][]byte
	for _, it := range row[schema.FamSecret] {
		out = append(out, it.Value)
	}
	return out, nil
}

func (r *Repo) Check(ctx context.Context, id ids.ClientID, hash []byte) error {
	all, err := r.secrets(ctx, id)
	if err != nil {
		return err
	}
	for _, s := range all {
		if subtle.ConstantTimeCompare(s, hash) == 1 {
			return nil
		}
	}
	return ErrBadSecret
}

func (r *Repo) CheckGrace(ctx context.Context, id ids.ClientID, hash []byte) error {
	it, err := r.tbl.Get(ctx, string(id), schema.FamSecret, colSecret, bigtable.LatestNFilter(3), bigtable.ValueFilter(string(hash))) // want ttlread/version-limit
	if err != nil || len(it.Value) == 0 {
		return ErrBadSecret
	}
	return nil
}

func (r *Repo) Newest(ctx context.Context, id ids.ClientID, hash []byte) bool {
	it, err := r.tbl.Get(ctx, string(id), schema.FamSecret, colSecret, store.Latest()) // ok ttlread/version-limit
	return err == nil && subtle.ConstantTimeCompare(it.Value, hash) == 1
}

func (r *Repo) Export(ctx context.Context, emit func(bigtable.Row)) error {
	return r.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/missing-filter
		emit(row)
		return true
	})
}

func (r *Repo) ExportLatest(ctx context.Context, emit func(bigtable.Row)) error {
	return r.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter ttlread/version-limit
		emit(row)
		return true
	}, bigtable.RowFilter(store.Latest()))
}
