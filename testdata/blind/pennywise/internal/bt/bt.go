// Package bt has the Bigtable client, the tables and the names of everything.
// It is not a layer: handlers call the client themselves.
package bt

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"pennywise.example/shop/internal/clock"
)

// Tables.
const (
	TableLogin    = "login"
	TableCarts    = "carts"
	TablePrices   = "prices"
	TableSettings = "settings"
	TableDevices  = "devices"
	TableNotify   = "notify"
	TableSearch   = "search"
	TableTmp      = "tmp"
)

// Families of login.
const (
	FamSess = "sess" // timestamp = expiry
	FamOtp  = "otp"  // timestamp = expiry
	FamWho  = "who"
)

// Families of carts.
const (
	FamItem = "item" // two weeks, shifted for guests
	FamHold = "hold" // timestamp = expiry
	FamMeta = "meta"
)

// Families of prices.
const (
	FamTick = "tick" // timestamp = feed sequence * 1000
	FamLast = "last" // timestamp 0
	FamSrc  = "src"
)

// Families of settings.
const (
	FamFlag  = "flag"
	FamDraft = "draft"
	FamHist  = "hist"
)

// Families of devices.
const (
	FamBeat = "beat"
	FamCmd  = "cmd"
	FamRaw  = "raw"
)

// Families of notify.
const (
	FamPend = "pend"
	FamSeen = "seen"
	FamSeq  = "seq"
)

// Lifetimes that more than one package needs.
const (
	CartTTL  = 14 * 24 * time.Hour
	DraftTTL = 7 * 24 * time.Hour
	BeatTTL  = 72 * time.Hour
	SeenTTL  = 30 * 24 * time.Hour
)

// The client and the tables. Init fills them in, nobody else does.
var (
	Client *bigtable.Client

	Login    *bigtable.Table
	Carts    *bigtable.Table
	Prices   *bigtable.Table
	Settings *bigtable.Table
	Devices  *bigtable.Table
	Notify   *bigtable.Table
	Search   *bigtable.Table
)

// Init connects.
func Init(ctx context.Context) error {
	project, instance := os.Getenv("BT_PROJECT"), os.Getenv("BT_INSTANCE")
	if project == "" || instance == "" {
		return errors.New("BT_PROJECT and BT_INSTANCE must be set")
	}
	c, err := bigtable.NewClient(ctx, project, instance)
	if err != nil {
		return fmt.Errorf("bigtable: %w", err)
	}
	Use(c)
	return nil
}

// Use takes a client that exists already. Tests come in here.
func Use(c *bigtable.Client) {
	Client = c
	Login = c.Open(TableLogin)
	Carts = c.Open(TableCarts)
	Prices = c.Open(TablePrices)
	Settings = c.Open(TableSettings)
	Devices = c.Open(TableDevices)
	Notify = c.Open(TableNotify)
	Search = c.Open(TableSearch)
}

// Close closes the client.
func Close() {
	if Client == nil {
		return
	}
	if err := Client.Close(); err != nil {
		log.Printf("bigtable: close: %v", err)
	}
}

// Live is what has not expired, in a family whose timestamps are expiries.
func Live() bigtable.Filter {
	return bigtable.TimestampRangeFilter(clock.Now(), time.Time{}) // ok ttlread/expired-only
}

// LiveIn is Live, in one family, newest only.
func LiveIn(fam string) bigtable.Filter {
	return bigtable.ChainFilters(
		bigtable.FamilyFilter(fam),
		bigtable.TimestampRangeFilter(clock.Now(), time.Time{}), // ok ttlread/expired-only
		bigtable.LatestNFilter(1),
	)
}

// Within is what has a timestamp of the last d.
func Within(fam string, d time.Duration) bigtable.Filter {
	return bigtable.ChainFilters(
		bigtable.FamilyFilter(fam),
		bigtable.TimestampRangeFilter(clock.Now().Add(-d), time.Time{}),
		bigtable.LatestNFilter(1),
	)
}

// Latest is the newest n of every column of a family.
func Latest(fam string, n int) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(fam), bigtable.LatestNFilter(n))
}

// Get reads a row and tries again once when the server is busy.
func Get(ctx context.Context, tbl *bigtable.Table, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	row, err := tbl.ReadRow(ctx, key, opts...)
	if status.Code(err) == codes.Unavailable {
		time.Sleep(50 * time.Millisecond)
		row, err = tbl.ReadRow(ctx, key, opts...)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", key, err)
	}
	return row, nil
}

// Put writes one cell.
func Put(ctx context.Context, tbl *bigtable.Table, key, fam, col string, ts bigtable.Timestamp, val []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(fam, col, ts, val)
	if err := tbl.Apply(ctx, key, mut); err != nil {
		return fmt.Errorf("write %s: %w", key, err)
	}
	return nil
}

// PutAll writes strings into one family, all with the same timestamp.
func PutAll(mut *bigtable.Mutation, fam string, ts bigtable.Timestamp, vals map[string]string) {
	for col, v := range vals {
		mut.Set(fam, col, ts, []byte(v))
	}
}

// Cell is the first cell of a column, or nil.
func Cell(row bigtable.Row, fam, col string) *bigtable.ReadItem {
	for i := range row[fam] {
		if row[fam][i].Column == fam+":"+col {
			return &row[fam][i]
		}
	}
	return nil
}

// Str is the first cell's value of a column, or "".
func Str(row bigtable.Row, fam, col string) string {
	if c := Cell(row, fam, col); c != nil {
		return string(c.Value)
	}
	return ""
}

// Int is the first cell's value as a big endian number, as Increment writes it.
func Int(row bigtable.Row, fam, col string) int64 {
	if c := Cell(row, fam, col); c != nil && len(c.Value) == 8 {
		return int64(binary.BigEndian.Uint64(c.Value))
	}
	return 0
}

// PackInt is the inverse of Int.
func PackInt(n int64) []byte {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(n))
	return b[:]
}
