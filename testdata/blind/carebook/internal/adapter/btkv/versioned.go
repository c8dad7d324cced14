package btkv

import (
	"context"

	"cloud.google.com/go/bigtable"

	"github.com/carebook/appointments/internal/adapter/bt"
	"github.com/carebook/appointments/internal/names"
)

// versioned keeps numbered versions of a value of any type.
type versioned[T any] struct {
	rows   bt.Rows
	family string
	last   int64
	codec  bt.Codec[T]
}

func newVersioned[T any](rows bt.Rows, family string) *versioned[T] {
	return &versioned[T]{rows: rows, family: family, codec: bt.JSON[T]{}}
}

func (v *versioned[T]) save(ctx context.Context, key string, val T) error {
	b, err := v.codec.Encode(val)
	if err != nil {
		return err
	}
	v.last++
	mut := bigtable.NewMutation()
	mut.Set(v.family, names.ColBody, bt.Seq(v.last), b) // ok ttlwrite/unscaled-sequence
	return v.rows.Apply(ctx, key, mut)
}

func (v *versioned[T]) load(ctx context.Context, key string) (T, error) {
	var zero T
	row, err := v.rows.ReadRow(ctx, key, bt.With(bt.Latest(v.family, 1))) // ok ttlread/version-limit
	if err != nil {
		return zero, err
	}
	it, _ := bt.First(row, v.family, names.ColBody)
	return v.codec.Decode(it.Value)
}

// Plan is a care plan.
type Plan struct {
	Title string
	Steps []string
}

// Plans keeps care plans beside the consents.
type Plans struct {
	v    *versioned[Plan]
	rows bt.Rows
	n    int64
}

// NewPlans returns a store of plans.
func NewPlans(open *bt.Opener) *Plans {
	rows := open.Table(names.Patients)
	return &Plans{v: newVersioned[Plan](rows, names.FamConsent), rows: rows} // ok ttlwrite/unscaled-sequence
}

// Save stores a plan.
func (p *Plans) Save(ctx context.Context, id string, pl Plan) error { return p.v.save(ctx, id, pl) }

// Load returns a plan.
func (p *Plans) Load(ctx context.Context, id string) (Plan, error) { return p.v.load(ctx, id) }

// SaveDraft stores a plan that nobody has signed.
func (p *Plans) SaveDraft(ctx context.Context, id string, title string) error {
	p.n++
	return put(ctx, p.rows, id, names.FamConsent, "draft", bigtable.Timestamp(p.n), title) // want ttlwrite/unscaled-sequence
}

// SaveSigned stores a plan that somebody has signed.
func (p *Plans) SaveSigned(ctx context.Context, id string, title string) error {
	p.n++
	return put(ctx, p.rows, id, names.FamConsent, "signed", bigtable.Timestamp(p.n)*1000, title) // ok ttlwrite/unscaled-sequence
}

// SaveTitle stores the title beside the demographics.
func (p *Plans) SaveTitle(ctx context.Context, id string, title string) error {
	return put(ctx, p.rows, id, names.FamDemo, "plan", bigtable.ServerTime, title) // ok ttlwrite/clock-in-sequence
}

// SaveColor stores the colour of the folder.
func (p *Plans) SaveColor(ctx context.Context, id string, color string) error {
	return put(ctx, p.rows, id, names.FamPref, "color", bigtable.Now(), color) // want ttlwrite/clock-in-zero
}

func put[V ~string | ~[]byte](ctx context.Context, rows bt.Rows, key, family, column string, ts bigtable.Timestamp, v V) error {
	mut := bigtable.NewMutation()
	mut.Set(family, column, ts, []byte(v))
	return rows.Apply(ctx, key, mut)
}
