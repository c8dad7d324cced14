package store

import (
	"context"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/paywell/clock"
	"example.com/paywell/domain"
)

// sessionFamilies are the families of sessions, what expires first.
var sessionFamilies = []string{FamTok, FamProf}

// col is a column with a type.
type col[T any] struct{ family, name string }

func (c col[T]) set(m *bigtable.Mutation, ts bigtable.Timestamp, v T) {
	m.Set(c.family, c.name, ts, encode(v)) // ok ttlwrite/server-timestamp
}

func (c col[T]) get(row bigtable.Row) (T, error) {
	item, ok := find(row, c.family, c.name)
	if !ok {
		var none T
		return none, domain.ErrNotFound
	}
	return decode[T](item)
}

// Link logs a user in by mail.
type Link struct {
	User      string    `json:"user"`
	Nonce     string    `json:"nonce"`
	ExpiresAt time.Time `json:"expires_at"`
}

var (
	tokLink  = col[Link]{FamTok, "link"}
	tokNonce = col[string]{FamTok, "nonce"}
	profLink = col[Link]{FamProf, "link"}
)

// counted counts the calls to a table.
type counted struct {
	rows
	reads, writes atomic.Int64
}

func (c *counted) ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	c.reads.Add(1)
	return c.rows.ReadRow(ctx, row, opts...) // ok ttlread/missing-filter
}

func (c *counted) Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error {
	c.writes.Add(1)
	return c.rows.Apply(ctx, row, m, opts...)
}

// Magic keeps links that log users in.
type Magic struct {
	tbl *counted
	clk clock.Clock
	ttl time.Duration
}

// Magic returns the store of links. They are in the sessions' table.
func (s *Store) Magic() *Magic {
	return &Magic{tbl: &counted{rows: s.client.Open(TableSessions)}, clk: s.clk, ttl: 15 * time.Minute}
}

func (m *Magic) edit(ctx context.Context, user string, f func(*bigtable.Mutation)) error {
	mut := bigtable.NewMutation()
	f(mut)
	return m.tbl.Apply(ctx, "link#"+user, mut)
}

// Make stores a link.
func (m *Magic) Make(ctx context.Context, l Link) error {
	l.ExpiresAt = m.clk.Now().Add(m.ttl)
	return m.edit(ctx, l.User, func(mut *bigtable.Mutation) {
		tokLink.set(mut, bigtable.Time(l.ExpiresAt), l) // ok ttlwrite/write-time
		tokNonce.set(mut, bigtable.ServerTime, l.Nonce) // want ttlwrite/server-timestamp
		profLink.set(mut, bigtable.ServerTime, l)       // ok ttlwrite/server-timestamp
	})
}

// Remake stores a link again.
func (m *Magic) Remake(ctx context.Context, l Link) error {
	stamp := func() bigtable.Timestamp { return bigtable.Time(m.clk.Now()) }
	return m.edit(ctx, l.User, func(mut *bigtable.Mutation) {
		fam := sessionFamilies[0]
		mut.Set(fam, "again", stamp(), []byte(l.Nonce))                  // want ttlwrite/write-time
		mut.Set(sessionFamilies[1], "again", stamp(), []byte(l.Nonce))   // ok ttlwrite/write-time
		mut.Set(fam, "sent", -1, nil)                                    // want ttlwrite/server-timestamp
		mut.Set(fam, "tries", bigtable.Time(time.Now().Add(m.ttl)), nil) // ok ttlwrite/write-time
	})
}

// readFilter is what links are read with.
func (m *Magic) readFilter(expired bool) bigtable.Filter {
	if expired {
		return bigtable.FamilyFilter(FamTok)
	}
	return liveIn(m.clk, FamTok)
}

// Use finds a link and deletes it.
func (m *Magic) Use(ctx context.Context, user, nonce string) (Link, error) {
	row, err := m.tbl.ReadRow(ctx, "link#"+user, bigtable.RowFilter(m.readFilter(false))) // ok ttlread/missing-filter
	if err != nil {
		return Link{}, err
	}
	l, err := tokLink.get(row)
	if err != nil {
		return Link{}, err
	}
	if l.Nonce != nonce {
		return Link{}, domain.ErrBadInput
	}
	return l, m.edit(ctx, user, func(mut *bigtable.Mutation) { mut.DeleteCellsInFamily(FamTok) })
}

// Find finds a link, used by those who forgot to use it in time.
func (m *Magic) Find(ctx context.Context, user string) (Link, error) {
	row, err := m.tbl.ReadRow(ctx, "link#"+user, bigtable.RowFilter(m.readFilter(true))) // want ttlread/missing-filter
	if err != nil {
		return Link{}, err
	}
	return tokLink.get(row)
}

// batch collects changes of many rows.
type batch struct {
	keys []string
	muts []*bigtable.Mutation
}

func (b *batch) add(key string, mut *bigtable.Mutation) {
	b.keys, b.muts = append(b.keys, key), append(b.muts, mut)
}

func (b *batch) flush(ctx context.Context, tbl applier) error {
	if len(b.keys) == 0 {
		return nil
	}
	_, err := tbl.ApplyBulk(ctx, b.keys, b.muts)
	b.keys, b.muts = nil, nil
	return err
}

// Remind marks the links of users as sent again.
func (m *Magic) Remind(ctx context.Context, users ...string) error {
	var b batch
	until := bigtable.Time(m.clk.Now().Add(m.ttl))
	for _, u := range users {
		mut := bigtable.NewMutation()
		mut.Set(FamTok, "reminded", bigtable.ServerTime, nil)  // want ttlwrite/server-timestamp
		mut.Set(FamTok, "pending", until, nil)                 // ok ttlwrite/same-timestamp
		mut.Set(FamProf, "reminded", bigtable.ServerTime, nil) // ok ttlwrite/server-timestamp
		b.add("link#"+u, mut)
	}
	return b.flush(ctx, m.tbl)
}

// Since is how long ago a link was made; the family of the profile knows.
func (m *Magic) Since(ctx context.Context, user string) (made, sent time.Duration, err error) {
	f := bigtable.InterleaveFilters(
		liveIn(m.clk, FamTok),
		bigtable.ChainFilters(bigtable.FamilyFilter(FamProf), bigtable.LatestNFilter(1)), // ok ttlread/unfiltered-branch
	)
	row, err := m.tbl.ReadRow(ctx, "link#"+user, bigtable.RowFilter(f))
	if err != nil {
		return 0, 0, err
	}
	for _, fam := range sessionFamilies {
		for _, item := range row[fam] {
			switch item.Column {
			case "tok:link":
				sent = m.clk.Now().Sub(item.Timestamp.Time()) // want ttlage/not-write-time
			case "prof:link":
				made = m.clk.Now().Sub(item.Timestamp.Time()) // ok ttlage/not-write-time
			}
		}
	}
	return made, sent, nil
}

// Calls says how often the table was called.
func (m *Magic) Calls() (reads, writes int64) { return m.tbl.reads.Load(), m.tbl.writes.Load() }
