package ledger

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"wallet.example/platform/internal/btx"
	"wallet.example/platform/internal/clock"
	"wallet.example/platform/internal/schema"
)

// bulk is what the Importer needs of a table.
type bulk interface {
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
	ApplyBulk(ctx context.Context, rowKeys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) ([]error, error)
}

// Importer takes over books of the old system.
type Importer struct {
	tbl   bulk
	clock clock.Clock
}

// importOptions is what ImportOptions set.
type importOptions struct {
	size    int
	dryRun  bool
	stamper Stamper
}

// ImportOption adjusts an import.
type ImportOption interface {
	apply(*importOptions)
}

type sizeOption int

func (o sizeOption) apply(opts *importOptions) { opts.size = int(o) }

// WithSize sets how many rows go into one request.
func WithSize(n int) ImportOption { return sizeOption(n) }

type dryRunOption bool

func (o dryRunOption) apply(opts *importOptions) { opts.dryRun = bool(o) }

// WithDryRun only reads.
func WithDryRun(dry bool) ImportOption { return dryRunOption(dry) }

type stamperOption struct{ s Stamper }

func (o stamperOption) apply(opts *importOptions) { opts.stamper = o.s }

// WithStamper numbers entries with s.
func WithStamper(s Stamper) ImportOption { return stamperOption{s: s} }

// Stamper numbers the entries of a book.
type Stamper interface {
	Stamp(number int64) bigtable.Timestamp
}

// Numbered uses the numbers of the old system.
type Numbered struct{}

// Stamp implements Stamper.
func (Numbered) Stamp(number int64) bigtable.Timestamp { return btx.Sequence(number) } // ok ttlwrite/unscaled-sequence

// Record is a line of an export of the old system.
type Record struct {
	Book   string
	Number int64
	Amount int64
	Posted time.Time
}

// Parse reads an export.
func Parse(r io.Reader) ([]Record, error) {
	cr := csv.NewReader(r)
	cr.FieldsPerRecord = 4
	var out []Record
	for line := 1; ; line++ {
		rec, err := cr.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		number, err := strconv.ParseInt(rec[1], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("line %d: number: %w", line, err)
		}
		value, err := strconv.ParseInt(rec[2], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("line %d: amount: %w", line, err)
		}
		posted, err := time.Parse(time.RFC3339, rec[3])
		if err != nil {
			return nil, fmt.Errorf("line %d: posted: %w", line, err)
		}
		out = append(out, Record{Book: rec[0], Number: number, Amount: value, Posted: posted})
	}
}

// Import writes records.
func (im *Importer) Import(ctx context.Context, records []Record, opts ...ImportOption) (int, error) {
	o := importOptions{size: 1000, stamper: Numbered{}}
	for _, opt := range opts {
		opt.apply(&o)
	}
	if o.dryRun {
		return 0, nil
	}
	batch := btx.NewBatch(im.tbl, o.size)
	for _, rec := range records {
		mut := bigtable.NewMutation()
		mut.Set(schema.FamilyEntry.String(), KindCredit.column(), o.stamper.Stamp(rec.Number), amount(rec.Amount)) // ok ttlwrite/unscaled-sequence
		mut.Set(schema.FamilyNote.String(), "imported", btx.Stamp(im.clock), nil)                                  // ok ttlwrite/clock-in-sequence
		if err := batch.Add(ctx, rec.Book, mut); err != nil {
			return 0, err
		}
	}
	return len(records), batch.Flush(ctx)
}

// ImportByTime writes records of books that never had numbers.
func (im *Importer) ImportByTime(ctx context.Context, records []Record) error {
	var (
		keys []string
		muts []*bigtable.Mutation
	)
	for _, rec := range records {
		mut := bigtable.NewMutation()
		mut.Set(schema.FamilyEntry.String(), KindDebit.column(), bigtable.Time(rec.Posted), amount(rec.Amount)) // want ttlwrite/clock-in-sequence
		mut.Set(schema.FamilyNote.String(), "old", bigtable.Time(rec.Posted), nil)                              // ok ttlwrite/clock-in-sequence
		keys = append(keys, rec.Book)
		muts = append(muts, mut)
	}
	_, err := im.tbl.ApplyBulk(ctx, keys, muts)
	return err
}

// Renumber writes records anew, numbered from one.
func (im *Importer) Renumber(ctx context.Context, book string, records []Record) error {
	var n int64
	mut := bigtable.NewMutation()
	for _, rec := range records {
		n++
		mut.Set(schema.FamilyEntry.String(), KindCredit.column(), bigtable.Timestamp(n), amount(rec.Amount)) // want ttlwrite/unscaled-sequence
	}
	mut.Set(schema.FamilyEntry.String(), "count", bigtable.Timestamp(n*1000), nil) // ok ttlwrite/unscaled-sequence
	return im.tbl.Apply(ctx, book, mut)
}

// RenumberStep is Renumber with a step, so that entries can be put between.
func (im *Importer) RenumberStep(ctx context.Context, book string, records []Record) error {
	const step = 10_000
	var ts bigtable.Timestamp
	mut := bigtable.NewMutation()
	for _, rec := range records {
		ts += step
		mut.Set(schema.FamilyEntry.String(), KindCredit.column(), ts, amount(rec.Amount)) // ok ttlwrite/unscaled-sequence
	}
	return im.tbl.Apply(ctx, book, mut)
}

// Opening writes an opening balance for every book; there is only one, and it
// comes first.
func (im *Importer) Opening(ctx context.Context, balances map[string]int64) error {
	for book, balance := range balances {
		mut := bigtable.NewMutation()
		mut.Set(schema.FamilyEntry.String(), "opening", btx.Sequence(1), amount(balance)) // ok ttlwrite/unscaled-sequence
		mut.Set(schema.FamilyHold.String(), "opening", btx.Zero, nil)                     // want ttlwrite/already-expired
		if err := im.tbl.Apply(ctx, book, mut); err != nil {
			return err
		}
	}
	return nil
}

// Compress writes all amounts of a book into one cell after another.
func (im *Importer) Compress(ctx context.Context, book string, amounts []int64) error {
	ts := btx.Sequence(1)
	mut := bigtable.NewMutation()
	for _, a := range amounts {
		mut.Set(schema.FamilyEntry.String(), "packed", ts, amount(a)) // want ttlwrite/same-timestamp
	}
	return im.tbl.Apply(ctx, book, mut)
}
