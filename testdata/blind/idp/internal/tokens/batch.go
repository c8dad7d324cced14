package tokens

import (
	"context"
	"encoding/json"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/idp/internal/ids"
	"example.com/idp/internal/schema"
)

// cell is one cell of a batch.
type cell struct {
	family string
	column string
	ts     bigtable.Timestamp
	value  []byte
}

func (c cell) add(m *bigtable.Mutation) { m.Set(c.family, c.column, c.ts, c.value) }

// Batch gathers mutations of many tokens.
type Batch struct {
	repo *Repo
	keys []string
	muts []*bigtable.Mutation
}

func (r *Repo) Batch() *Batch { return &Batch{repo: r} }

func (b *Batch) Add(id ids.TokenID, c Claims) error {
	blob, err := json.Marshal(c)
	if err != nil {
		return err
	}
	now := time.Now()
	m := bigtable.NewMutation()
	for _, x := range []cell{
		{schema.FamAccess, colClaims, bigtable.Time(now.Add(schema.AccessTTL)), blob}, // ok ttlwrite/write-time
		{schema.FamAccess, colAud, bigtable.Time(now), []byte(c.Client)},              // want ttlwrite/write-time[bat1]
		{schema.FamRefresh, colParent, bigtable.Time(now), []byte("exchange")},        // ok ttlwrite/write-time
		{schema.FamClient, colName, bigtable.ServerTime, []byte(c.Client)},            // ok ttlwrite/server-timestamp
	} {
		m.Set(x.family, x.column, x.ts, x.value) // want ttlwrite/write-time[bat1]
	}
	b.keys = append(b.keys, ids.TokenRow(id))
	b.muts = append(b.muts, m)
	return nil
}

func (b *Batch) AddScopes(id ids.TokenID, scopes []string) {
	m := bigtable.NewMutation()
	good := cell{family: schema.FamAccess, column: colScopes, ts: bigtable.Time(time.Now().Add(schema.AccessTTL))} // ok ttlwrite/write-time
	good.add(m)
	for _, s := range scopes {
		bad := cell{family: schema.FamAccess, column: "s_" + s, ts: bigtable.ServerTime} // want ttlwrite/server-timestamp[bat2]
		bad.add(m)                                                                       // want ttlwrite/server-timestamp[bat2]
	}
	b.keys = append(b.keys, ids.TokenRow(id))
	b.muts = append(b.muts, m)
}

func (b *Batch) AddAliases(id ids.TokenID, names []string) {
	m := bigtable.NewMutation()
	ts := bigtable.Now()
	for _, n := range names {
		m.Set(schema.FamRefresh, "alias", ts, []byte(n)) // want ttlwrite/same-timestamp
	}
	for _, n := range names {
		m.Set(schema.FamRefresh, "alias_"+n, ts, nil) // ok ttlwrite/same-timestamp
	}
	b.keys = append(b.keys, ids.TokenRow(id))
	b.muts = append(b.muts, m)
}

func (b *Batch) Flush(ctx context.Context) error {
	if len(b.keys) == 0 {
		return nil
	}
	_, err := b.repo.tbl.ApplyBulk(ctx, b.keys, b.muts)
	b.keys, b.muts = nil, nil
	return err
}
