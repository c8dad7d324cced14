// dump writes tables as JSON lines. What it writes, restore reads.
//
//	dump [-live] [-prefix P] TABLE
package main

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"acme.test/opskit/kit"
)

var (
	prefix string
	out    string
	zip    bool
	live   bool
	asOf   string
	last   int
)

type record struct {
	Key     string    `json:"key"`
	Family  string    `json:"family"`
	Column  string    `json:"column"`
	TS      int64     `json:"ts"`
	At      time.Time `json:"at"`
	Value   []byte    `json:"value"`
	Written time.Time `json:"written,omitzero"`
}

func main() {
	kit.Main("dump", run, func(fs *flag.FlagSet) {
		fs.StringVar(&prefix, "prefix", "", "row key prefix")
		fs.StringVar(&out, "o", "-", "file")
		fs.BoolVar(&zip, "gz", false, "compress")
		fs.BoolVar(&live, "live", true, "only what has not expired")
		fs.StringVar(&asOf, "as-of", "", "RFC 3339, only cells from then on")
		fs.IntVar(&last, "last", 5, "versions of the ledger")
	})
}

type sink struct {
	w   *bufio.Writer
	enc *json.Encoder
	n   int
}

func (s *sink) row(r bigtable.Row) bool {
	for fam, items := range r {
		for _, it := range items {
			err := s.enc.Encode(record{Key: r.Key(), Family: fam, Column: strings.TrimPrefix(it.Column, fam+":"), TS: int64(it.Timestamp), At: it.Timestamp.Time(), Value: it.Value})
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				return false
			}
			s.n++
		}
	}
	return true
}

func run(ctx context.Context, e *kit.Env, args []string) error {
	if len(args) != 1 {
		return kit.Usage("dump TABLE")
	}
	var w io.Writer = os.Stdout
	if out != "-" {
		f, err := os.Create(filepath.Clean(out))
		if err != nil {
			return err
		}
		defer f.Close()
		w = f
	}
	if zip {
		z := gzip.NewWriter(w)
		defer z.Close()
		w = z
	}
	bw := bufio.NewWriterSize(w, 1<<16)
	defer bw.Flush()
	s := &sink{w: bw, enc: json.NewEncoder(bw)}
	err := dump(ctx, e, args[0], s)
	e.Log.Info("dumped", "table", args[0], "cells", s.n)
	return err
}

func dump(ctx context.Context, e *kit.Env, table string, s *sink) error {
	rows := bigtable.PrefixRange(prefix)
	now := time.Now()
	switch table {
	case kit.TablePayments:
		if live {
			return e.Payments.ReadRows(ctx, rows, s.row, bigtable.RowFilter(kit.PaymentRow())) // ok ttlread/missing-filter
		}
		return e.Payments.ReadRows(ctx, rows, s.row) // want ttlread/missing-filter
	case kit.TableSessions:
		return e.Sessions.ReadRows(ctx, rows, s.row, bigtable.RowFilter(kit.Live())) // want ttlread/hides-other-families
	case "profiles":
		return e.Sessions.ReadRows(ctx, rows, s.row, bigtable.RowFilter(bigtable.FamilyFilter(kit.FamProfile))) // ok ttlread/missing-filter
	case "tokens":
		f := bigtable.ChainFilters(bigtable.FamilyFilter(kit.FamToken), bigtable.TimestampRangeFilter(now, now.Add(kit.TokenTTL)))
		return e.Sessions.ReadRows(ctx, rows, s.row, bigtable.RowFilter(f)) // ok ttlread/upper-bound
	case "tokens-now":
		f := bigtable.ChainFilters(bigtable.FamilyFilter(kit.FamToken), bigtable.TimestampRangeFilter(now, now.Add(10*time.Minute))) // want ttlread/upper-bound[tn]
		return e.Sessions.ReadRows(ctx, rows, s.row, bigtable.RowFilter(f))                                                          // want ttlread/upper-bound[tn]
	case kit.TableCards:
		f := bigtable.InterleaveFilters(
			bigtable.FamilyFilter(kit.FamVault),
			bigtable.ChainFilters(bigtable.FamilyFilter(kit.FamAudit), bigtable.LatestNFilter(10)),
			bigtable.ChainFilters(bigtable.FamilyFilter(kit.FamOTP), kit.Live()),
		)
		return e.Cards.ReadRows(ctx, rows, s.row, bigtable.RowFilter(f)) // ok ttlread/unfiltered-branch
	case "vault":
		return e.Cards.ReadRows(ctx, rows, s.row, bigtable.RowFilter(bigtable.ColumnRangeFilter(kit.FamVault, "a", "z"))) // ok ttlread/missing-filter
	case "otp":
		return e.Cards.ReadRows(ctx, rows, s.row, bigtable.RowFilter(bigtable.ColumnRangeFilter(kit.FamOTP, "a", "z"))) // want ttlread/missing-filter
	case kit.TableRates:
		f := bigtable.InterleaveFilters(
			kit.Since(kit.FamQuote, kit.QuoteTTL),
			kit.Newest(kit.FamCurve, 3),
		)
		return e.Rates.ReadRows(ctx, rows, s.row, bigtable.RowFilter(f)) // ok ttlread/wrong-bound
	case "quotes":
		opts := []bigtable.ReadOption{bigtable.LimitRows(10_000)}
		if live {
			opts = append(opts, bigtable.RowFilter(kit.Since(kit.FamQuote, 12*time.Hour))) // want ttlread/wrong-bound[quotes]
		} else {
			opts = append(opts, bigtable.RowFilter(kit.Since(kit.FamQuote, kit.QuoteTTL)))
		}
		return e.Rates.ReadRows(ctx, rows, s.row, opts...) // want ttlread/wrong-bound[quotes]
	case "curves":
		return e.Rates.ReadRows(ctx, rows, s.row, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(kit.FamCurve), bigtable.CellsPerRowLimitFilter(100)))) // want ttlread/version-limit
	case kit.TableWebhooks:
		f := bigtable.InterleaveFilters( // want ttlread/unfiltered-branch|ttlread/version-limit[hooks]
			bigtable.ChainFilters(bigtable.FamilyFilter(kit.FamDelivery), bigtable.TimestampRangeFilter(now.Add(-kit.DeliverBy), time.Time{})),
			bigtable.FamilyFilter("attempt|target"), // want ttlread/unfiltered-branch|ttlread/version-limit[hooks]
		)
		return e.Webhooks.ReadRows(ctx, rows, s.row, bigtable.RowFilter(f)) // want ttlread/unfiltered-branch|ttlread/version-limit[hooks]
	case "deliveries":
		return deliveries(ctx, e, rows, s)
	case "ledger":
		f := bigtable.LatestNFilter(5)
		return e.Ledger.ReadRows(ctx, rows, s.row, bigtable.RowFilter(f)) // ok ttlread/version-limit
	case "ledger-n":
		return e.Ledger.ReadRows(ctx, rows, s.row, bigtable.RowFilter(bigtable.LatestNFilter(last))) // ok ttlread/version-limit
	case "ledger-all":
		return e.Ledger.ReadRows(ctx, rows, s.row) // want ttlread/missing-filter
	case "ledger-since":
		from, err := time.Parse(time.RFC3339, asOf)
		if err != nil {
			return err
		}
		f := bigtable.ChainFilters(bigtable.FamilyFilter(kit.FamEntry), bigtable.TimestampRangeFilter(from, time.Time{})) // maybe ttlread/wrong-bound ttlread/version-limit
		return e.Ledger.ReadRows(ctx, rows, s.row, bigtable.RowFilter(f))                                                 // maybe ttlread/wrong-bound ttlread/version-limit
	case kit.TableDisputes:
		from, err := time.Parse(time.RFC3339, asOf)
		if err != nil {
			return err
		}
		f := bigtable.TimestampRangeFilter(from, now)
		return e.Disputes.ReadRows(ctx, rows, s.row, bigtable.RowFilter(f)) // ok ttlread/wrong-bound
	case kit.TableVelocity:
		return e.Velocity.ReadRows(ctx, rows, s.row, bigtable.RowFilter(bigtable.PassAllFilter())) // want ttlread/missing-filter
	case "caps":
		return e.Velocity.ReadRows(ctx, rows, s.row, bigtable.RowFilter(bigtable.FamilyFilter(kit.FamCap))) // ok ttlread/missing-filter
	case kit.TableArchive:
		return e.Archive.ReadRows(ctx, rows, s.row) // ok ttlread/missing-filter
	default:
		return e.Client.Open(table).ReadRows(ctx, rows, s.row) // ok ttlread/missing-filter
	}
}

// deliveries goes through the table in slices, the whole of it is too much for one stream.
func deliveries(ctx context.Context, e *kit.Env, rows bigtable.RowRange, s *sink) error {
	var last string
	for {
		n := 0
		rr := rows
		if last != "" {
			rr = bigtable.NewRange(last+"\x00", "")
		}
		err := e.Webhooks.ReadRows(ctx, rr, func(r bigtable.Row) bool { // want ttlread/missing-filter[del]
			n++
			last = r.Key()
			for _, it := range r[kit.FamDelivery] {
				err := s.enc.Encode(record{Key: r.Key(), Family: kit.FamDelivery, Column: it.Column, TS: int64(it.Timestamp), Written: it.Timestamp.Time(), Value: it.Value}) // want ttlage/not-write-time
				if err != nil {
					return false
				}
			}
			for _, it := range r[kit.FamTarget] {
				err := s.enc.Encode(record{Key: r.Key(), Family: kit.FamTarget, Column: it.Column, TS: int64(it.Timestamp), Written: it.Timestamp.Time(), Value: it.Value}) // ok ttlage/not-write-time
				if err != nil {
					return false
				}
			}
			return true
		}, bigtable.LimitRows(500), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter[del]
		if err != nil {
			return errors.Join(err, s.w.Flush())
		}
		if n < 500 {
			return nil
		}
	}
}
