package core

import (
	"context"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log"
	"math/rand"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// nowTS is the time as bigtable wants it. (jk)
func nowTS() bigtable.Timestamp { return bigtable.Now() }

// expTS is the moment d from now. For the expiring families. (psz)
func expTS(d time.Duration) bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(d))
}

// seqTS: milliseconds are the finest that a table keeps, so numbers are scaled.
func seqTS(n int64) bigtable.Timestamp { return bigtable.Timestamp(n * 1000) }

// rawTS is seqTS from before the incident of 2019-08. Still needed by the old importer.
func rawTS(n int) bigtable.Timestamp { return bigtable.Timestamp(n) }

// liveOnly passes what has not expired yet.
func liveOnly() bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now(), time.Time{})
}

// youngerThan passes what is younger than d.
func youngerThan(d time.Duration) bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now().Add(-d), time.Time{})
}

// famLive is liveOnly for one family.
func famLive(fam string) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(fam), liveOnly())
}

func latest() bigtable.ReadOption { return bigtable.RowFilter(bigtable.LatestNFilter(1)) }

// put is Set with the arguments in the order that everybody expects.
func put(m *bigtable.Mutation, fam, col string, v []byte, ts bigtable.Timestamp) {
	m.Set(fam, col, ts, v)
}

// putNow sets with the current time.
func putNow(m *bigtable.Mutation, fam, col string, v []byte) {
	m.Set(fam, col, bigtable.Now(), v)
}

// putSrv lets the server choose. Not retried by the client!
func putSrv(m *bigtable.Mutation, fam, col string, v []byte) {
	m.Set(fam, col, bigtable.ServerTime, v)
}

// putExp sets a value that lives for d.
func putExp(m *bigtable.Mutation, fam, col string, v []byte, d time.Duration) {
	if d <= 0 {
		d = time.Minute
	}
	m.Set(fam, col, expTS(d), v)
}

// readLive is ReadRow of one expiring family.
func readLive(ctx context.Context, tbl *bigtable.Table, key, fam string) (bigtable.Row, error) {
	return tbl.ReadRow(ctx, key, bigtable.RowFilter(famLive(fam))) // ok ttlread/missing-filter
}

// fetch reads a row with options; adds the read stats in debug mode.
func fetch(ctx context.Context, tbl *bigtable.Table, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	t0 := time.Now()
	r, err := tbl.ReadRow(ctx, key, opts...)
	if Debug {
		log.Printf("core: read %s in %s", key, time.Since(t0))
	}
	return r, err
}

// retry calls f up to n times.
func retry(ctx context.Context, n int, f func() error) error {
	var err error
	for i := 0; i < n; i++ {
		if err = f(); err == nil {
			return nil
		}
		switch status.Code(err) {
		case codes.Unavailable, codes.DeadlineExceeded, codes.Aborted:
		default:
			return err
		}
		d := time.Duration(1<<uint(i)) * 50 * time.Millisecond
		d += time.Duration(rand.Int63n(int64(d)))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(d):
		}
	}
	return err
}

func i2b(n int64) []byte {
	b := make([]byte, 8)
	binary.BigEndian.PutUint64(b, uint64(n))
	return b
}

func b2i(b []byte) int64 {
	if len(b) != 8 {
		return 0
	}
	return int64(binary.BigEndian.Uint64(b))
}

func j(v interface{}) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

func sha(s string) string {
	h := sha1.Sum([]byte(s))
	return hex.EncodeToString(h[:])
}

// saltKey spreads keys over 16 prefixes.
func saltKey(k string) string {
	h := sha(k)
	return h[:1] + "#" + k
}

func unsaltKey(k string) string {
	if i := strings.IndexByte(k, '#'); i == 1 {
		return k[2:]
	}
	return k
}

// col cuts the family off an item's column.
func col(it bigtable.ReadItem) string {
	if i := strings.IndexByte(it.Column, ':'); i >= 0 {
		return it.Column[i+1:]
	}
	return it.Column
}

// cell finds a column in the items of a family.
func cell(items []bigtable.ReadItem, name string) (bigtable.ReadItem, bool) {
	for _, it := range items {
		if col(it) == name {
			return it, true
		}
	}
	return bigtable.ReadItem{}, false
}

func atoi(s string, def int) int {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil {
		return def
	}
	return n
}

func dayKey(t time.Time) string { return t.UTC().Format("20060102") }

func hourKey(t time.Time) string { return t.UTC().Format("2006010215") }

// ago prints a duration for humans.
func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return fmt.Sprintf("%d days ago", int(d.Hours()/24))
}
