// Package configured reads families whose names a configuration says.
package configured

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Config names the families.
type Config struct{ Token, Profile string }

// Store reads sessions.
type Store struct {
	tbl bigtable.TableAPI
	cfg Config
}

// New returns a store of a table.
func New(tbl bigtable.TableAPI, cfg Config) *Store { return &Store{tbl: tbl, cfg: cfg} }

// Open returns the store of the sessions.
func Open(c *bigtable.Client, cfg Config) *Store { return New(c.OpenTable("sessions"), cfg) }

// Email uses the profile alone.
func (s *Store) Email(ctx context.Context, key string) string {
	row, err := s.tbl.ReadRow(ctx, key)
	if err != nil {
		return ""
	}
	for _, it := range row[s.cfg.Profile] {
		return string(it.Value)
	}
	return ""
}

// Token uses the token alone: the time range hides nothing that is wanted.
func (s *Store) Token(ctx context.Context, key string) string {
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
	if err != nil {
		return ""
	}
	for _, it := range row[s.cfg.Token] {
		return string(it.Value)
	}
	return ""
}

// Use reads a profile.
func Use(ctx context.Context, c *bigtable.Client) string {
	s := Open(c, Config{"token", "profile"})
	return s.Email(ctx, "k") + s.Token(ctx, "k")
}

// Raw reads tokens without a filter.
type Raw struct {
	tbl bigtable.TableAPI
	cfg Config
}

// NewRaw returns a store of a table.
func NewRaw(tbl bigtable.TableAPI, cfg Config) *Raw { return &Raw{tbl: tbl, cfg: cfg} }

// Token uses the token.
func (s *Raw) Token(ctx context.Context, key string) string {
	row, err := s.tbl.ReadRow(ctx, key) // want `missing-filter: .*"token"`
	if err != nil {
		return ""
	}
	for _, it := range row[s.cfg.Token] {
		return string(it.Value)
	}
	return ""
}

// UseRaw reads a token.
func UseRaw(ctx context.Context, c *bigtable.Client) string {
	return NewRaw(c.OpenTable("sessions"), Config{"token", "profile"}).Token(ctx, "k")
}

// Far is made by other packages only.
type Far struct {
	tbl bigtable.TableAPI
	cfg Config
}

// NewFar returns a store of the sessions.
func NewFar(c *bigtable.Client, cfg Config) *Far { return &Far{tbl: c.OpenTable("sessions"), cfg: cfg} }

// Value uses the family that is called the token's.
func (s *Far) Value(ctx context.Context, key string) string {
	row, err := s.tbl.ReadRow(ctx, key)
	if err != nil {
		return ""
	}
	for _, it := range row[s.cfg.Token] {
		return string(it.Value)
	}
	return ""
}
