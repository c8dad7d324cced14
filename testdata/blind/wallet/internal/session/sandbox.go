package session

import (
	"context"

	"cloud.google.com/go/bigtable"

	"wallet.example/platform/internal/btx"
	"wallet.example/platform/internal/clock"
	"wallet.example/platform/internal/schema"
)

// Sandbox keeps the logins of the merchants' playground. Its table has
// families of the same names, but no expiry: it is dropped every night.
type Sandbox struct {
	tbl   bigtable.TableAPI
	clock clock.Clock
}

// SandboxParams is what NewSandbox needs.
type SandboxParams struct {
	Conn  *btx.Conn
	Clock clock.Clock
}

// NewSandbox provides the playground's store.
func NewSandbox(p SandboxParams) (*Sandbox, error) {
	return &Sandbox{tbl: p.Conn.Client().OpenTable(schema.TableSandbox.String()), clock: p.Clock}, nil
}

// Put writes a token.
func (s *Sandbox) Put(ctx context.Context, merchant string, jwt []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilyToken.String(), schema.ColJWT.String(), bigtable.ServerTime, jwt) // ok ttlwrite/server-timestamp
	mut.Set(schema.FamilyToken.String(), schema.ColSeen.String(), btx.Stamp(s.clock), nil) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, merchant, mut)
}

// Get reads a token.
func (s *Sandbox) Get(ctx context.Context, merchant string) ([]byte, error) {
	row, err := s.tbl.ReadRow(ctx, merchant, bigtable.RowFilter(btx.Cell(schema.FamilyToken, schema.ColJWT))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	v, ok := btx.Value(row, schema.FamilyToken, schema.ColJWT)
	if !ok {
		return nil, ErrNotFound
	}
	return v, nil
}

// Hits counts calls.
func (s *Sandbox) Hits(ctx context.Context, merchant string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamilyToken.String(), "hits", 1) // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, merchant, rmw)
	return err
}
