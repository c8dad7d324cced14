package core

import (
	"encoding/binary"
	"encoding/json"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/assecura/internal/common"
)

// RowMutationBuilder builds mutations of one family.
type RowMutationBuilder struct {
	mutation  *bigtable.Mutation
	family    string
	timestamp bigtable.Timestamp
}

// NewRowMutationBuilder makes a builder; without a timestamp the server's is used.
func NewRowMutationBuilder() *RowMutationBuilder {
	return &RowMutationBuilder{mutation: bigtable.NewMutation(), timestamp: bigtable.ServerTime}
}

// WithFamily selects the family.
func (b *RowMutationBuilder) WithFamily(family string) *RowMutationBuilder {
	b.family = family
	return b
}

// WithTimestamp selects the timestamp.
func (b *RowMutationBuilder) WithTimestamp(ts bigtable.Timestamp) *RowMutationBuilder {
	b.timestamp = ts
	return b
}

// ExpiringAt selects a moment of expiry.
func (b *RowMutationBuilder) ExpiringAt(t time.Time) *RowMutationBuilder {
	b.timestamp = bigtable.Time(t)
	return b
}

// WithSequence selects a sequence number.
func (b *RowMutationBuilder) WithSequence(n int64) *RowMutationBuilder {
	b.timestamp = bigtable.Timestamp(n * 1000)
	return b
}

// Put writes a cell.
func (b *RowMutationBuilder) Put(qualifier string, value []byte) *RowMutationBuilder {
	b.mutation.Set(b.family, qualifier, b.timestamp, value) // ok ttlwrite/server-timestamp
	return b
}

// PutString writes a cell.
func (b *RowMutationBuilder) PutString(qualifier, value string) *RowMutationBuilder {
	return b.Put(qualifier, []byte(value))
}

// Clear deletes a column.
func (b *RowMutationBuilder) Clear(qualifier string) *RowMutationBuilder {
	b.mutation.DeleteCellsInColumn(b.family, qualifier)
	return b
}

// Build returns the mutation.
func (b *RowMutationBuilder) Build() *bigtable.Mutation { return b.mutation }

// CellWriter is a class of static methods.
type CellWriter struct{}

// PutInt64 writes a number.
func (CellWriter) PutInt64(m *bigtable.Mutation, family, qualifier string, ts bigtable.Timestamp, n int64) {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(n))
	m.Set(family, qualifier, ts, b[:])
}

// PutJSON writes v as JSON.
func (CellWriter) PutJSON(m *bigtable.Mutation, family, qualifier string, ts bigtable.Timestamp, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return common.NewTechnicalException("marshal", err)
	}
	m.Set(family, qualifier, ts, b)
	return nil
}

// PutNow writes a cell that is dated now.
func (CellWriter) PutNow(m *bigtable.Mutation, family, qualifier string, value []byte) {
	m.Set(family, qualifier, bigtable.Now(), value) // ok ttlwrite/write-time
}

// PutExpiring writes a cell that expires in ttl.
func (CellWriter) PutExpiring(m *bigtable.Mutation, family, qualifier string, ttl time.Duration, value []byte) {
	m.Set(family, qualifier, bigtable.Time(time.Now().Add(ttl)), value) // ok ttlwrite/write-time
}

// Counters makes read-modify-writes.
type Counters struct{}

// Increment adds n to a counter.
func (Counters) Increment(family, qualifier string, n int64) *bigtable.ReadModifyWrite {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(family, qualifier, n)
	return rmw
}

// CellReader is a class of static methods.
type CellReader struct{}

// GetString returns the newest value of a column.
func (CellReader) GetString(row bigtable.Row, family, qualifier string) string {
	for _, item := range row[family] {
		if item.Column == family+":"+qualifier {
			return string(item.Value)
		}
	}
	return ""
}

// GetInt64 returns the newest value of a column.
func (CellReader) GetInt64(row bigtable.Row, family, qualifier string) int64 {
	for _, item := range row[family] {
		if item.Column == family+":"+qualifier && len(item.Value) == 8 {
			return int64(binary.BigEndian.Uint64(item.Value))
		}
	}
	return 0
}
