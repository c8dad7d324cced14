// Package archive keeps what changed, and what is left of other products.
package archive

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/beacon/internal/layout"
)

// Journal is one tenant's journal of changes. Its entries have real timestamps,
// unlike those of the ledger.
type Journal struct {
	t bigtable.TableAPI
}

// NewJournal returns the journal of a tenant.
func NewJournal(t bigtable.TableAPI) *Journal { return &Journal{t: t} }

// Add writes what changed.
func (j *Journal) Add(ctx context.Context, key, what string) error {
	mut := bigtable.NewMutation()
	mut.Set(layout.JournalEntry, "what", bigtable.Now(), []byte(what))      // ok ttlwrite/clock-in-sequence
	mut.Set(layout.JournalEntry, "where", bigtable.ServerTime, []byte(key)) // ok ttlwrite/clock-in-sequence
	return j.t.Apply(ctx, key, mut)
}

// Bump counts changes.
func (j *Journal) Bump(ctx context.Context, key string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(layout.JournalEntry, "changes", 1) // ok ttlwrite/read-modify-write
	_, err := j.t.ApplyReadModifyWrite(ctx, key, rmw)
	return err
}

// Last says when something changed.
func (j *Journal) Last(ctx context.Context, key string) (time.Duration, error) {
	row, err := j.t.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ColumnFilter("what"))) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	for _, it := range row[layout.JournalEntry] {
		return time.Since(it.Timestamp.Time()), nil // ok ttlage/not-write-time
	}
	return 0, fmt.Errorf("no changes of %s", key)
}

// Day reads the changes of the last day.
func (j *Journal) Day(ctx context.Context, prefix string) (int, error) {
	n := 0
	err := j.t.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // ok ttlread/wrong-bound
		n += len(r[layout.JournalEntry])
		return true
	}, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now().Add(-24*time.Hour), time.Time{}))) // ok ttlread/wrong-bound
	return n, err
}

// Legacy is a table that came with a product that was bought. It uses names of
// families that mean something else elsewhere.
type Legacy struct {
	table *bigtable.Table
}

// OpenLegacy opens the table of the bought product.
func OpenLegacy(c *bigtable.Client) *Legacy {
	return &Legacy{table: c.Open("acquired_portal")}
}

// Put writes a token as the bought product does, with real timestamps.
func (l *Legacy) Put(ctx context.Context, user, token string) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "jwt", bigtable.Now(), []byte(token))       // ok ttlwrite/write-time
	mut.Set("event", "login", bigtable.ServerTime, []byte(user)) // ok ttlwrite/server-timestamp
	mut.Set("cursor", "n", bigtable.Now(), []byte(user))         // ok ttlwrite/clock-in-sequence
	mut.Set("pref", "lang", bigtable.ServerTime, []byte("en"))   // ok ttlwrite/clock-in-zero
	return l.table.Apply(ctx, user, mut)
}

// Get reads a token.
func (l *Legacy) Get(ctx context.Context, user string) (string, error) {
	row, err := l.table.ReadRow(ctx, user, bigtable.RowFilter(bigtable.FamilyFilter("token"))) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range row["token"] {
		if time.Since(it.Timestamp.Time()) < 30*time.Minute { // ok ttlage/not-write-time
			return string(it.Value), nil
		}
	}
	return "", nil
}

// Count counts logins.
func (l *Legacy) Count(ctx context.Context, user string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment("token", "logins", 1) // ok ttlwrite/read-modify-write
	_, err := l.table.ApplyReadModifyWrite(ctx, user, rmw)
	return err
}
