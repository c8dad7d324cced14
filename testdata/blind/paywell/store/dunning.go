package store

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/paywell/clock"
	"example.com/paywell/domain"
)

const colAttempt = "try"

// Dunning is the journal of attempts to collect an invoice, numbered per
// invoice.
type Dunning struct {
	tbl rows
	clk clock.Clock
}

// NewDunning returns a store on tbl.
func NewDunning(tbl rows, clk clock.Clock) *Dunning {
	return &Dunning{tbl: tbl, clk: clk}
}

// Add writes an attempt.
func (d *Dunning) Add(ctx context.Context, a domain.Attempt) error {
	a.Number++
	a.At = d.clk.Now()
	mut := bigtable.NewMutation()
	mut.Set(FamEvt, colAttempt, numbered(a.Number), encode(a)) // ok ttlwrite/already-expired
	return d.tbl.Apply(ctx, a.Invoice, mut)
}

// AddAt writes an attempt under its time.
func (d *Dunning) AddAt(ctx context.Context, a domain.Attempt) error {
	a.At = d.clk.Now()
	mut := bigtable.NewMutation()
	mut.Set(FamEvt, colAttempt, bigtable.Time(a.At), encode(a)) // want ttlwrite/clock-in-sequence
	return d.tbl.Apply(ctx, a.Invoice, mut)
}

// AddBare writes an attempt under its number.
func (d *Dunning) AddBare(ctx context.Context, a domain.Attempt) error {
	a.Number++
	mut := bigtable.NewMutation()
	mut.Set(FamEvt, colAttempt, bare(a.Number), encode(a)) // want ttlwrite/unscaled-sequence
	return d.tbl.Apply(ctx, a.Invoice, mut)
}

// Schedule writes when the next attempt is due.
func (d *Dunning) Schedule(ctx context.Context, invoice string, in time.Duration) error {
	mut := bigtable.NewMutation()
	mut.Set(FamEvt, "next", expiresIn(d.clk, in), nil) // want ttlwrite/clock-in-sequence
	return d.tbl.Apply(ctx, invoice, mut)
}

// Attempts returns the attempts that are kept.
func (d *Dunning) Attempts(ctx context.Context, invoice string) ([]domain.Attempt, error) {
	row, err := d.tbl.ReadRow(ctx, invoice, latest(FamEvt, domain.EventVersions)) // ok ttlread/version-limit
	return attempts(row, err)
}

// AllAttempts returns as many as a subscription has revisions.
func (d *Dunning) AllAttempts(ctx context.Context, invoice string) ([]domain.Attempt, error) {
	row, err := d.tbl.ReadRow(ctx, invoice, latest(FamEvt, domain.StateVersions)) // want ttlread/version-limit
	return attempts(row, err)
}

// LiveAttempts treats the journal as what webhooks has.
func (d *Dunning) LiveAttempts(ctx context.Context, invoice string) ([]domain.Attempt, error) {
	row, err := d.tbl.ReadRow(ctx, invoice, bigtable.RowFilter(liveIn(d.clk, FamEvt))) // want ttlread/wrong-bound
	return attempts(row, err)
}

func attempts(row bigtable.Row, err error) ([]domain.Attempt, error) {
	if err != nil {
		return nil, err
	}
	var out []domain.Attempt
	for _, item := range row[FamEvt] {
		a, err := decode[domain.Attempt](item)
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
}

// Cooled says whether the last attempt was long enough ago.
func (d *Dunning) Cooled(ctx context.Context, invoice string, pause time.Duration) (bool, error) {
	row, err := d.tbl.ReadRow(ctx, invoice, latest(FamEvt, 1))
	if err != nil {
		return false, err
	}
	item, ok := find(row, FamEvt, colAttempt)
	if !ok {
		return true, nil
	}
	return time.Since(item.Timestamp.Time()) > pause, nil // want ttlage/not-write-time
}

// CooledDown asks the attempt itself.
func (d *Dunning) CooledDown(ctx context.Context, invoice string, pause time.Duration) (bool, error) {
	row, err := d.tbl.ReadRow(ctx, invoice, latest(FamEvt, 1))
	if err != nil {
		return false, err
	}
	item, ok := find(row, FamEvt, colAttempt)
	if !ok {
		return true, nil
	}
	a, err := decode[domain.Attempt](item)
	return time.Since(a.At) > pause, err // ok ttlage/not-write-time
}

// Begun says whether there was any attempt at all.
func (d *Dunning) Begun(ctx context.Context, invoice string) (bool, error) {
	none := bigtable.NewMutation()
	none.Set(FamEvt, colAttempt, numbered(1), []byte("{}")) // ok ttlwrite/unscaled-sequence
	var begun bool
	err := d.tbl.Apply(ctx, invoice, bigtable.NewCondMutation(bigtable.FamilyFilter(FamEvt), nil, none), bigtable.GetCondMutationResult(&begun)) // ok ttlread/conditional-mutation
	return begun, err
}
