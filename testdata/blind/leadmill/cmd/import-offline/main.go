// Command import-offline imports offline conversions and old exports: CSV with a date in whatever unit the partner likes.
package main

import (
	"context"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/leadmill/core"
)

// importer of one file.
type importer struct {
	vis, caps, bud *bigtable.Table
	unit           string // s, ms, us, ns, rfc
	fallback       bool
	lines          int
	bad            int
	batch          []*bigtable.Mutation
	keys           []string
}

func main() {
	project := flag.String("project", os.Getenv("GOOGLE_CLOUD_PROJECT"), "")
	instance := flag.String("instance", "leadmill-prod", "")
	unit := flag.String("unit", "s", "s, ms, us, ns or rfc")
	kind := flag.String("kind", "ids", "ids, segments, ledger")
	fallback := flag.Bool("fallback", false, "take the time of import if the date is bad")
	flag.Parse()
	ctx := context.Background()
	if err := core.Init(ctx, *project, *instance, ""); err != nil {
		log.Fatal(err)
	}
	defer core.Shutdown()
	im := &importer{vis: core.VisTbl, caps: core.CapTbl, bud: core.BudTbl, unit: *unit, fallback: *fallback}
	var err error
	for _, f := range flag.Args() {
		if err = im.file(ctx, f, *kind); err != nil {
			break
		}
	}
	log.Printf("import-offline: %d lines, %d bad", im.lines, im.bad)
	if err != nil {
		log.Fatal(err)
	}
}

// date reads a date.
func (im *importer) date(s string) (time.Time, error) {
	if im.unit == "rfc" {
		return time.Parse(time.RFC3339, s)
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return time.Time{}, err
	}
	switch im.unit {
	case "s":
		return time.Unix(n, 0), nil
	case "ms":
		return time.UnixMilli(n), nil
	case "us":
		return time.UnixMicro(n), nil
	}
	return time.Unix(0, n), nil
}

func (im *importer) file(ctx context.Context, name, kind string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.FieldsPerRecord = 4
	for {
		rec, err := r.Read()
		if errors.Is(err, io.EOF) {
			return im.flush(ctx, kind)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		im.lines++
		t, err := im.date(rec[3])
		if err != nil {
			if !im.fallback {
				im.bad++
				continue
			}
			t = time.Now()
		}
		key, col, val := rec[0], rec[1], []byte(rec[2])
		m := bigtable.NewMutation()
		switch kind {
		case "ids":
			m.Set("idmap", col, bigtable.Time(t), val)                           // ok ttlwrite/already-expired
			m.Set("idmap", col+"_d", bigtable.Timestamp(t.Unix()), val)          // want ttlunit/wrong-unit
			m.Set("attr", col+"_d", bigtable.Timestamp(t.UnixMilli()), val)      // want ttlunit/wrong-unit
			m.Set("attr", col+"_e", bigtable.Timestamp(t.UnixMilli()*1000), val) // ok ttlunit/wrong-unit
			m.Set("attr", col+"_f", bigtable.Timestamp(t.Unix()*1e6), val)       // ok ttlunit/wrong-unit
			m.Set("attr", col+"_g", bigtable.Timestamp(t.UnixNano()), val)       // want ttlunit/wrong-unit
			m.Set("attr", col+"_h", bigtable.Timestamp(t.Unix()*1000), val)      // want ttlunit/wrong-unit
			m.Set("attr", col+"_i", bigtable.Time(time.Unix(t.Unix(), 0)), val)  // ok ttlunit/wrong-unit
		case "segments":
			exp := t.Add(core.SegTTL)
			m.Set("seg", col, bigtable.Time(exp), val)                                           // ok ttlwrite/write-time
			m.Set("seg", col+"_l", bigtable.Time(exp)+bigtable.Timestamp(core.SegTTL), val)      // want ttlunit/wrong-unit
			m.Set("seg", col+"_m", bigtable.Time(exp)+bigtable.Timestamp(core.SegTTL/1000), val) // ok ttlunit/wrong-unit
			m.Set("seg", "imported", bigtable.Timestamp(time.Now().Unix()*1e6), val)             // want ttlwrite/write-time
		case "ledger":
			m.Set("led", col, bigtable.Timestamp(im.lines)*1000, val)             // ok ttlwrite/unscaled-sequence
			m.Set("led", "line", bigtable.Timestamp(im.lines), val)               // want ttlwrite/unscaled-sequence
			m.Set("led", "date", bigtable.Timestamp(time.Now().UnixMicro()), val) // want ttlwrite/clock-in-sequence
			m.Set("audit", "date", bigtable.Timestamp(t.UnixMicro()), val)        // ok ttlwrite/clock-in-sequence
		default:
			return fmt.Errorf("kind %q", kind)
		}
		im.keys, im.batch = append(im.keys, key), append(im.batch, m)
		if len(im.keys) >= 1000 {
			if err := im.flush(ctx, kind); err != nil {
				return err
			}
		}
	}
}

func (im *importer) flush(ctx context.Context, kind string) error {
	if len(im.keys) == 0 {
		return nil
	}
	tbl := im.vis
	if kind == "ledger" {
		tbl = im.bud
	}
	errs, err := tbl.ApplyBulk(ctx, im.keys, im.batch)
	im.keys, im.batch = nil, nil
	im.bad += len(errs)
	return err
}
