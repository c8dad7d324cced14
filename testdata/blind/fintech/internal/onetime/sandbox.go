package onetime

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/payments/internal/schema"
)

// Sandbox is the developers' playground: the same families, no expiry.
type Sandbox struct{ tbl *bigtable.Table }

// NewSandbox opens the playground.
func NewSandbox(client *bigtable.Client) *Sandbox {
	return &Sandbox{tbl: client.Open(string(schema.TableSandbox))}
}

// Put stores a fixed code.
func (s *Sandbox) Put(ctx context.Context, subject, code string) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "hash", bigtable.Now(), []byte(hash(code)))      // ok ttlwrite/write-time
	mut.Set("token", "channel", bigtable.ServerTime, []byte("email")) // ok ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, rowKey(subject), mut)
}

// Get reads it back.
func (s *Sandbox) Get(ctx context.Context, subject string) (string, time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, rowKey(subject)) // ok ttlread/missing-filter
	if err != nil {
		return "", 0, err
	}
	for _, it := range row["token"] {
		return string(it.Value), time.Since(it.Timestamp.Time()), nil // ok ttlage/not-write-time
	}
	return "", 0, ErrUnknown
}

// Fail counts a failure.
func (s *Sandbox) Fail(ctx context.Context, subject string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment("attempts", "total", 1) // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, rowKey(subject), rmw)
	return err
}
