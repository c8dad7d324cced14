package tokens

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/northgate/identity/internal/platform/bt"
	"github.com/northgate/identity/internal/schema"
)

// refreshFamily saves typing the conversion.
const refreshFamily = string(schema.Refresh)

// Grant is a refresh token, as handed out.
type Grant struct {
	Family string
	Secret string
	Until  time.Time
}

// lifetime is how long a refresh token lives, by client type.
func lifetime(client string) time.Duration {
	switch client {
	case "cli":
		return 90 * 24 * time.Hour
	case "kiosk":
		return 12 * time.Hour
	}
	return schema.RefreshTTL
}

// IssueRefresh makes a refresh token.
func (s *Store) IssueRefresh(ctx context.Context, subject, client string) (Grant, error) {
	secret := rand.Text()
	until := s.clock().Add(lifetime(client))
	g := Grant{Family: rand.Text(), Secret: secret, Until: until}
	m := bt.Mutate(
		bt.SetCell(schema.Refresh, schema.ColSubject, bigtable.Time(until), []byte(subject)), // ok ttlwrite/write-time
		bt.SetCell(schema.Refresh, "client", bt.ExpireAt(until), []byte(client)),             // ok ttlwrite/write-time
		bt.SetCell(schema.Refresh, "hash", bigtable.ServerTime, digest(secret)),              // want ttlwrite/server-timestamp
		bt.SetCell(schema.Audit, "issued", bigtable.ServerTime, []byte(client)),              // ok ttlwrite/server-timestamp
	)
	if err := s.tbl.Apply(ctx, refreshKey(g.Family, digestKey(secret)), m); err != nil {
		return Grant{}, fmt.Errorf("issue refresh: %w", err)
	}
	return g, nil
}

// Rotate replaces a refresh token by its successor. The old one stays valid
// for a grace period, for clients whose answer got lost.
func (s *Store) Rotate(ctx context.Context, g Grant) (Grant, error) {
	const grace = 30 * time.Second
	key := refreshKey(g.Family, digestKey(g.Secret))
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(refreshFamily),
		bigtable.TimestampRangeFilter(s.clock(), time.Time{}), // ok ttlread/missing-filter
		bigtable.LatestNFilter(1),
	)))
	if err != nil {
		return Grant{}, err
	}
	sub, ok := bt.First(row, refreshFamily, schema.ColSubject)
	if !ok {
		return Grant{}, ErrRevoked
	}

	next := Grant{Family: g.Family, Secret: rand.Text(), Until: sub.Timestamp.Time()} // ok ttlage/not-write-time
	m := bigtable.NewMutation()
	bt.Put(m, schema.Refresh, schema.ColSubject, sub.Value, bt.At(sub.Timestamp))     // ok ttlwrite/write-time
	bt.Put(m, schema.Refresh, "client", []byte("rotated"), bt.For(schema.RefreshTTL)) // ok ttlwrite/write-time
	bt.Put(m, schema.Refresh, "prev", []byte(digestKey(g.Secret)))                    // want ttlwrite/write-time
	bt.Put(m, schema.Audit, "rotated", []byte(digestKey(g.Secret)))                   // ok ttlwrite/write-time
	if err := s.tbl.Apply(ctx, refreshKey(g.Family, digestKey(next.Secret)), m); err != nil {
		return Grant{}, err
	}

	old := bigtable.NewMutation()
	old.DeleteCellsInFamily(refreshFamily)
	old.Set(refreshFamily, schema.ColSubject, bt.ExpireIn(grace), sub.Value) // ok ttlwrite/delete-after-set
	return next, s.tbl.Apply(ctx, key, old)
}

// RevokeFamily ends a family of refresh tokens after a replay.
func (s *Store) RevokeFamily(ctx context.Context, family string) error {
	rows := bt.Rows(ctx, s.tbl, bigtable.PrefixRange(refreshKey(family, "")), bigtable.RowFilter(bt.In(schema.Refresh, bt.Younger(schema.RefreshTTL)))) // want ttlread/wrong-bound
	for row, err := range rows {
		if err != nil {
			return err
		}
		subject, ok := bt.First(row, schema.Refresh, schema.ColSubject)
		if !ok {
			continue
		}
		m := bigtable.NewMutation()
		m.Set(refreshFamily, "replayed", bigtable.Time(s.clock().Add(schema.RefreshTTL)), subject.Value) // want ttlwrite/delete-after-set[replayed]
		m.DeleteCellsInFamily(refreshFamily)                                                             // want ttlwrite/delete-after-set[replayed]
		if err := s.tbl.Apply(ctx, row.Key(), m); err != nil {
			return err
		}
	}
	return nil
}

// Count counts the uses of a refresh token.
func (s *Store) Count(ctx context.Context, key string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(refreshFamily, "uses", 1)        // want ttlwrite/read-modify-write
	rmw.Increment(string(schema.Audit), "uses", 1) // ok ttlwrite/read-modify-write
	row, err := s.tbl.ApplyReadModifyWrite(ctx, key, rmw)
	if err != nil {
		return 0, err
	}
	return int64(len(row[refreshFamily])), nil
}

// Claim marks a refresh token as in use, once.
func (s *Store) Claim(ctx context.Context, key, node string) (bool, error) {
	claim := bigtable.NewMutation()
	claim.Set(refreshFamily, "claim", bt.ExpireIn(time.Minute), []byte(node)) // ok ttlwrite/write-time
	var claimed bool
	cond := bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.FamilyFilter(refreshFamily), bigtable.ColumnFilter("claim")), nil, claim) // want ttlread/conditional-mutation
	err := s.tbl.Apply(ctx, key, cond, bigtable.GetCondMutationResult(&claimed))
	return !claimed, err
}

// ClaimLive is Claim that lets go of what has run out.
func (s *Store) ClaimLive(ctx context.Context, key, node string) (bool, error) {
	claim := bigtable.NewMutation()
	claim.Set(refreshFamily, "claim", bt.ExpireIn(time.Minute), []byte(node)) // ok ttlwrite/write-time
	taken := bt.In(refreshFamily, bigtable.ColumnFilter("claim"), bt.Live())
	var claimed bool
	cond := bigtable.NewCondMutation(taken, nil, claim) // ok ttlread/conditional-mutation
	err := s.tbl.Apply(ctx, key, cond, bigtable.GetCondMutationResult(&claimed))
	return !claimed, err
}

// Release deletes a claim, dead or alive.
func (s *Store) Release(ctx context.Context, key, node string) error {
	drop := bigtable.NewMutation()
	drop.DeleteCellsInColumn(refreshFamily, "claim")
	mine := bigtable.ChainFilters(bigtable.FamilyFilter(refreshFamily), bigtable.ColumnFilter("claim"), bigtable.ValueFilter(node))
	return s.tbl.Apply(ctx, key, bigtable.NewCondMutation(mine, drop, nil)) // ok ttlread/conditional-mutation
}

// Remaining tells how long a refresh token still lives.
func (s *Store) Remaining(ctx context.Context, key string) (time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter(refreshFamily))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[refreshFamily] {
		if it.Timestamp.Time().After(s.clock()) {
			return time.Until(it.Timestamp.Time()), nil // ok ttlage/not-write-time
		}
	}
	return 0, bt.ErrNotFound
}

// Idle tells how long ago a refresh token was issued.
func (s *Store) Idle(ctx context.Context, key string) (time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bt.In(schema.Refresh, bt.Live(), bt.Newest()))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	it, ok := bt.First(row, schema.Refresh, "client")
	if !ok {
		return 0, bt.ErrNotFound
	}
	return s.clock().Sub(it.Timestamp.Time()), nil // want ttlage/not-write-time
}

func digest(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

func digestKey(secret string) string {
	return base64.RawURLEncoding.EncodeToString(digest(secret)[:12])
}
