// Package btutil is what every harbor service shares for Bigtable.
// It started as two functions in 2017; please do not add a sixth parameter to Put.
package btutil

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log"
	"math/rand"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
)

// Names of the tables. The ledger tables are made per terminal, see ledger.Open.
const (
	TableSessions  = "sessions"
	TableLocks     = "locks"
	TableQuotes    = "quotes"
	TableAlerts    = "alerts"
	TableManifests = "manifests"
	TableSettings  = "settings"
	TableVessels   = "vessels"
	TableGates     = "gates"
)

// Families.
const (
	FamToken   = "token"
	FamNonce   = "nonce"
	FamProfile = "profile"
	FamLease   = "lease"
	FamQuote   = "quote"
	FamSrc     = "src"
	FamAlert   = "alert"
	FamEntry   = "entry"
	FamMemo    = "memo"
	FamRev     = "rev"
	FamHead    = "head"
	FamDraft   = "draft"
	FamLog     = "log"
	FamKV      = "kv"
	FamState   = "state"
	FamETA     = "eta"
)

// Lifetimes that several packages agree on.
const (
	TokenTTL = 30 * time.Minute
	NonceTTL = 5 * time.Minute
	QuoteTTL = 72 * time.Hour
	AlertTTL = 7 * 24 * time.Hour
	EtaTTL   = 24 * time.Hour
)

// Clock is replaced in tests.
var Clock = time.Now

// Debug turns on chatty logs.
var Debug = os.Getenv("HARBOR_DEBUG") != ""

// ErrNotFound is returned for rows without live cells.
var ErrNotFound = errors.New("btutil: not found")

// NowTS is the write time.
func NowTS() bigtable.Timestamp { return bigtable.Time(Clock()) }

// ExpiresIn is the timestamp of a cell that has d to live.
func ExpiresIn(d time.Duration) bigtable.Timestamp { return bigtable.Time(Clock().Add(d)) }

// ExpiresAt is for callers that already have the deadline.
func ExpiresAt(t time.Time) bigtable.Timestamp { return bigtable.Time(t) }

// SeqTS scales a sequence number to Bigtable's granularity.
func SeqTS(n int64) bigtable.Timestamp { return bigtable.Timestamp(n * 1000) }

// RawTS was SeqTS before we learned about milliseconds. Kept for the importer.
func RawTS(n int64) bigtable.Timestamp { return bigtable.Timestamp(n) }

// TS is the one everybody ends up using. server: let Bigtable choose. zero: single version cells.
func TS(ttl time.Duration, server, zero bool) bigtable.Timestamp {
	if server {
		return bigtable.ServerTime
	}
	if zero {
		return 0
	}
	return bigtable.Time(Clock().Add(ttl))
}

// ShiftedTS is for families with a default lifetime: it moves the write time so that the cell lives for ttl.
func ShiftedTS(ttl, def time.Duration) bigtable.Timestamp {
	return bigtable.Time(Clock().Add(ttl - def))
}

// Jitter spreads d by up to ten percent.
func Jitter(d time.Duration) time.Duration {
	if d <= 0 {
		return d
	}
	return d + time.Duration(rand.Int63n(int64(d)/10+1))
}

// Put sets one cell.
func Put(m *bigtable.Mutation, fam, col string, val []byte, ts bigtable.Timestamp) {
	if Debug {
		log.Printf("put %s:%s %d bytes @%d", fam, col, len(val), ts)
	}
	m.Set(fam, col, ts, val)
}

// PutTTL sets one cell that lives for ttl.
func PutTTL(m *bigtable.Mutation, fam, col string, val []byte, ttl time.Duration) {
	Put(m, fam, col, val, ExpiresIn(ttl))
}

// PutString is Put for strings. now says whether the write time is wanted (profile columns).
func PutString(m *bigtable.Mutation, fam, col, val string, now bool, ttl time.Duration) {
	ts := bigtable.Now()
	if !now {
		ts = bigtable.Time(Clock().Add(ttl))
	}
	m.Set(fam, col, ts, []byte(val))
}

// Replace deletes the column before it sets it, so that a shorter life wins.
func Replace(m *bigtable.Mutation, fam, col string, val []byte, ttl time.Duration) {
	m.DeleteCellsInColumn(fam, col)
	m.Set(fam, col, ExpiresIn(ttl), val)
}

// Live lets cells pass that have not expired, for the one-second families.
func Live() bigtable.Filter { return bigtable.TimestampRangeFilter(Clock(), time.Time{}) }

// LiveIn is Live for one family.
func LiveIn(fam string) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(fam), bigtable.TimestampRangeFilter(Clock(), time.Time{}))
}

// Since lets cells pass that are younger than d.
func Since(d time.Duration) bigtable.Filter {
	return bigtable.TimestampRangeFilter(Clock().Add(-d), time.Time{})
}

// SinceIn is Since for one family.
func SinceIn(fam string, d time.Duration) bigtable.Filter {
	return bigtable.ChainFilters(
		bigtable.FamilyFilter(fam),
		Since(d),
	)
}

// ReadOpts puts the usual filters together. live adds the expiry bound, n the version limit (0: all).
func ReadOpts(live bool, n int, extra ...bigtable.Filter) []bigtable.ReadOption {
	var fs []bigtable.Filter
	fs = append(fs, extra...)
	if live {
		fs = append(fs, bigtable.TimestampRangeFilter(Clock(), time.Time{}))
	}
	if n > 0 {
		fs = append(fs, bigtable.LatestNFilter(n))
	}
	switch len(fs) {
	case 0:
		return nil
	case 1:
		return []bigtable.ReadOption{bigtable.RowFilter(fs[0])}
	}
	return []bigtable.ReadOption{bigtable.RowFilter(bigtable.ChainFilters(fs...))}
}

// Column returns the newest cell of a column.
func Column(row bigtable.Row, fam, col string) ([]byte, bool) {
	for _, it := range row[fam] {
		if it.Column == fam+":"+col {
			return it.Value, true
		}
	}
	return nil, false
}

// Int64 decodes what RMW encodes.
func Int64(b []byte) int64 {
	if len(b) != 8 {
		return 0
	}
	return int64(binary.BigEndian.Uint64(b))
}

// PutInt64 encodes a counter.
func PutInt64(n int64) []byte {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(n))
	return b[:]
}

// Key joins the parts of a row key.
func Key(parts ...string) string { return strings.Join(parts, "#") }

// SplitKey is the reverse of Key.
func SplitKey(key string) []string { return strings.Split(key, "#") }

// InvKey makes newest-first keys.
func InvKey(prefix string, t time.Time) string {
	return prefix + "#" + strconv.FormatInt(1<<62-t.UnixNano(), 36)
}

// Applier is what Batch needs of a table.
type Applier interface {
	ApplyBulk(ctx context.Context, rowKeys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) ([]error, error)
}

// Batch collects mutations and writes them in bulk.
type Batch struct {
	mu    sync.Mutex
	keys  []string
	muts  []*bigtable.Mutation
	limit int
	tbl   Applier
	fails int
}

// NewBatch returns a batch for tbl.
func NewBatch(tbl Applier, limit int) *Batch {
	if limit <= 0 {
		limit = 500
	}
	return &Batch{tbl: tbl, limit: limit}
}

// Add queues a mutation and flushes when the batch is full.
func (b *Batch) Add(ctx context.Context, key string, m *bigtable.Mutation) error {
	b.mu.Lock()
	b.keys = append(b.keys, key)
	b.muts = append(b.muts, m)
	full := len(b.keys) >= b.limit
	b.mu.Unlock()
	if full {
		return b.Flush(ctx)
	}
	return nil
}

// Flush writes what is queued.
func (b *Batch) Flush(ctx context.Context) error {
	b.mu.Lock()
	keys, muts := b.keys, b.muts
	b.keys, b.muts = nil, nil
	b.mu.Unlock()
	if len(keys) == 0 {
		return nil
	}
	errs, err := b.tbl.ApplyBulk(ctx, keys, muts)
	if err != nil {
		return fmt.Errorf("bulk of %d: %w", len(keys), err)
	}
	for i, e := range errs {
		if e != nil {
			b.fails++
			log.Printf("row %q: %v", keys[i], e)
		}
	}
	return nil
}

// Fails counts rows that could not be written.
func (b *Batch) Fails() int { return b.fails }

// Retry calls f up to n times.
func Retry(ctx context.Context, n int, f func() error) error {
	var err error
	for i := 0; i < n; i++ {
		if err = f(); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(i+1) * 50 * time.Millisecond):
		}
	}
	return err
}
