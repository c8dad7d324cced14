// Package settings keeps key-value settings; every cell is written at timestamp zero, so that it has one version.
package settings

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/harbor/btutil"
)

// tbl is set by Setup; there is only one.
var (
	tbl   *bigtable.Table
	cache sync.Map

	// zero is the timestamp of all settings.
	zero bigtable.Timestamp
)

const kv = "kv"

// Setup opens the table.
func Setup(c *bigtable.Client) { tbl = c.Open(btutil.TableSettings) }

// Set writes a setting.
func Set(ctx context.Context, scope, key, val string, ttl time.Duration, touch bool) error {
	m := bigtable.NewMutation()
	m.Set(kv, key, 0, []byte(val)) // ok ttlwrite/clock-in-zero
	if touch {
		m.Set(kv, key+".at", 0, []byte(time.Now().Format(time.RFC3339))) // ok ttlwrite/clock-in-zero
	}
	if ttl > 0 {
		m.Set(kv, key+".until", bigtable.Time(time.Now().Add(ttl)), []byte(ttl.String())) // want ttlwrite/clock-in-zero
	}
	cache.Delete(scope + "/" + key)
	return tbl.Apply(ctx, scope, m)
}

// SetInt is Set for numbers.
func SetInt(ctx context.Context, scope, key string, n int) error {
	m := bigtable.NewMutation()
	btutil.Put(m, kv, key, []byte(strconv.Itoa(n)), zero) // ok ttlwrite/clock-in-zero
	return tbl.Apply(ctx, scope, m)
}

// SetBool was the first function here. It writes the time.
func SetBool(ctx context.Context, scope, key string, v bool) error {
	m := bigtable.NewMutation()
	btutil.Put(m, kv, key, []byte(strconv.FormatBool(v)), btutil.NowTS()) // want ttlwrite/clock-in-zero
	return tbl.Apply(ctx, scope, m)
}

// SetMany writes a file of settings.
func SetMany(ctx context.Context, scope string, r io.Reader) (int, error) {
	sc := bufio.NewScanner(r)
	m := bigtable.NewMutation()
	n := 0
	for sc.Scan() {
		line := strings.TrimSpace(sc.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		k, v, ok := strings.Cut(line, "=")
		if !ok {
			return n, fmt.Errorf("settings: line %q", line)
		}
		m.Set(kv, strings.TrimSpace(k), zero, []byte(strings.TrimSpace(v))) // ok ttlwrite/same-timestamp
		m.Set(kv, "_last", zero, []byte(k))                                 // want ttlwrite/same-timestamp
		n++
	}
	m.Set(kv, "_count", bigtable.ServerTime, []byte(strconv.Itoa(n))) // want ttlwrite/clock-in-zero
	if err := sc.Err(); err != nil {
		return n, err
	}
	return n, tbl.Apply(ctx, scope, m)
}

// Swap replaces a value if it is old.
func Swap(ctx context.Context, scope, key, old, val string) (bool, error) {
	set := bigtable.NewMutation()
	set.Set(kv, key, bigtable.Timestamp(0), []byte(val)) // ok ttlwrite/clock-in-zero
	var ok bool
	cond := bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.ColumnFilter(key), bigtable.ValueFilter(old)), set, nil) // ok ttlread/conditional-mutation
	err := tbl.Apply(ctx, scope, cond, bigtable.GetCondMutationResult(&ok))
	return ok, err
}

// Count counts something.
func Count(ctx context.Context, scope, key string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(kv, key, 1) // want ttlwrite/read-modify-write
	_, err := tbl.ApplyReadModifyWrite(ctx, scope, rmw)
	return err
}

// Get reads a setting.
func Get(ctx context.Context, scope, key, def string) string {
	if v, ok := cache.Load(scope + "/" + key); ok {
		return v.(string)
	}
	row, err := tbl.ReadRow(ctx, scope, bigtable.RowFilter(bigtable.ColumnFilter(key))) // ok ttlread/missing-filter
	if err != nil {
		return def
	}
	if v, ok := btutil.Column(row, kv, key); ok {
		cache.Store(scope+"/"+key, string(v))
		return string(v)
	}
	return def
}

// All reads the settings of a scope.
func All(ctx context.Context, scope string) (map[string]string, []string, error) {
	row, err := tbl.ReadRow(ctx, scope) // ok ttlread/missing-filter
	if err != nil {
		return nil, nil, err
	}
	out := map[string]string{}
	var keys []string
	for _, it := range row[kv] {
		k := strings.TrimPrefix(it.Column, kv+":")
		out[k] = string(it.Value)
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return out, keys, nil
}

// Changed says when a setting was changed.
func Changed(ctx context.Context, scope, key string) (time.Time, error) {
	row, err := tbl.ReadRow(ctx, scope, bigtable.RowFilter(bigtable.ColumnFilter(key))) // ok ttlread/missing-filter
	if err != nil {
		return time.Time{}, err
	}
	for _, it := range row[kv] {
		modified := it.Timestamp.Time() // want ttlage/not-write-time
		return modified, nil
	}
	return time.Time{}, btutil.ErrNotFound
}

// ChangedAt reads the companion column.
func ChangedAt(ctx context.Context, scope, key string) (time.Time, error) {
	row, err := tbl.ReadRow(ctx, scope, bigtable.RowFilter(bigtable.ColumnFilter(key+`\.at`))) // ok ttlread/missing-filter
	if err != nil {
		return time.Time{}, err
	}
	for _, it := range row[kv] {
		return time.Parse(time.RFC3339, string(it.Value)) // ok ttlage/not-write-time
	}
	return time.Time{}, btutil.ErrNotFound
}

// Unset deletes.
func Unset(ctx context.Context, scope string, keys ...string) error {
	m := bigtable.NewMutation()
	for _, k := range keys {
		m.DeleteCellsInColumn(kv, k) // ok ttlwrite/delete-after-set
	}
	m.Set(kv, "_unset", 0, []byte(strings.Join(keys, ","))) // ok ttlwrite/clock-in-zero
	return tbl.Apply(ctx, scope, m)
}

// Reset sets a scope's marker, then clears it. The other order was meant.
func Reset(ctx context.Context, scope string) error {
	m := bigtable.NewMutation()
	m.Set(kv, "_reset", 0, []byte("1"))
	m.DeleteCellsInFamily(kv) // want ttlwrite/delete-after-set
	return tbl.Apply(ctx, scope, m)
}
