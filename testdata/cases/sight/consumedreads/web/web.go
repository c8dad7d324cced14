// Package web reads by small interfaces of its own. What is behind them its constructors
// are given.
package web

import (
	"context"
	"log"
	"time"

	"cloud.google.com/go/bigtable"
)

type getter interface {
	Get(ctx context.Context, key string, opts ...bigtable.ReadOption) (bigtable.Row, error)
}

// Debug reads what has expired, too.
type Debug struct{ cells getter }

// NewDebug makes one.
func NewDebug(g getter) *Debug { return &Debug{g} }

// Tokens counts tokens.
func (d *Debug) Tokens(ctx context.Context, id string) (int, error) {
	row, err := d.cells.Get(ctx, id, bigtable.RowFilter(bigtable.LatestNFilter(1)))
	return len(row["token"]), err
}

// All reads all.
type All struct{ cells getter }

// NewAll makes one.
func NewAll(g getter) *All { return &All{g} }

// Tokens counts tokens.
func (a *All) Tokens(ctx context.Context, id string) (int, error) {
	row, err := a.cells.Get(ctx, id)
	return len(row["token"]), err
}

// Profiles uses another family.
type Profiles struct{ cells getter }

// NewProfiles makes one.
func NewProfiles(g getter) *Profiles { return &Profiles{g} }

// Count counts profiles.
func (p *Profiles) Count(ctx context.Context, id string) (int, error) {
	row, err := p.cells.Get(ctx, id, bigtable.RowFilter(bigtable.LatestNFilter(1)))
	return len(row["profile"]), err
}

// Bounded reads what lives.
type Bounded struct{ cells getter }

// NewBounded makes one.
func NewBounded(g getter) *Bounded { return &Bounded{g} }

// Tokens counts tokens.
func (b *Bounded) Tokens(ctx context.Context, id string) (int, error) {
	row, err := b.cells.Get(ctx, id, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
	return len(row["token"]), err
}

// Checked checks by hand.
type Checked struct{ cells getter }

// NewChecked makes one.
func NewChecked(g getter) *Checked { return &Checked{g} }

// Tokens counts tokens.
func (c *Checked) Tokens(ctx context.Context, id string) (n int, err error) {
	row, err := c.cells.Get(ctx, id, bigtable.RowFilter(bigtable.LatestNFilter(1)))
	for _, it := range row["token"] {
		if it.Timestamp > bigtable.Now() {
			n++
		}
	}
	return n, err
}

// Returning returns what it reads.
type Returning struct{ cells getter }

// NewReturning makes one.
func NewReturning(g getter) *Returning { return &Returning{g} }

// Row returns a row.
func (r *Returning) Row(ctx context.Context, id string) (bigtable.Row, error) {
	return r.cells.Get(ctx, id, bigtable.RowFilter(bigtable.LatestNFilter(1)))
}

type finder interface {
	Find(ctx context.Context, key string, f bigtable.Filter) (bigtable.Row, error)
}

// Finds finds.
type Finds struct{ cells finder }

// NewFinds makes one.
func NewFinds(f finder) *Finds { return &Finds{f} }

// Tokens counts tokens.
func (f *Finds) Tokens(ctx context.Context, id string) (int, error) {
	row, err := f.cells.Find(ctx, id, bigtable.LatestNFilter(1))
	return len(row["token"]), err
}

type tokens interface {
	Token(ctx context.Context, key string, f bigtable.Filter) (string, error)
}

// Token reads one.
type Token struct{ tokens tokens }

// NewToken makes one.
func NewToken(t tokens) *Token { return &Token{t} }

// Get gets it.
func (t *Token) Get(ctx context.Context, id string) (string, error) {
	return t.tokens.Token(ctx, id, bigtable.LatestNFilter(1))
}

type eacher interface {
	Each(ctx context.Context, f bigtable.Filter, do func(bigtable.Row) bool) error
}

// Rows goes through rows.
type Rows struct{ cells eacher }

// NewRows makes one.
func NewRows(e eacher) *Rows { return &Rows{e} }

// Profiles counts profiles.
func (r *Rows) Profiles(ctx context.Context) (n int, err error) {
	err = r.cells.Each(ctx, bigtable.LatestNFilter(1), func(row bigtable.Row) bool {
		n += len(row["profile"])
		return true
	})
	return n, err
}

// Count is given what it reads by.
func Count(ctx context.Context, g getter, id string) (int, error) {
	row, err := g.Get(ctx, id, bigtable.RowFilter(bigtable.LatestNFilter(1)))
	return len(row["token"]), err
}

// Load is, too, and returns it.
func Load(ctx context.Context, g getter, id string) (bigtable.Row, error) {
	return g.Get(ctx, id, bigtable.RowFilter(bigtable.LatestNFilter(1)))
}

// Helped reads in a helper.
type Helped struct{ cells getter }

// NewHelped makes one.
func NewHelped(g getter) *Helped { return &Helped{g} }

func (h *Helped) row(ctx context.Context, id string) (bigtable.Row, error) {
	return h.cells.Get(ctx, id, bigtable.RowFilter(bigtable.LatestNFilter(1)))
}

// Profiles counts profiles.
func (h *Helped) Profiles(ctx context.Context, id string) (int, error) {
	row, err := h.row(ctx, id)
	return len(row["profile"]), err
}

// HelpedToken reads in a helper, too.
type HelpedToken struct{ cells getter }

// NewHelpedToken makes one.
func NewHelpedToken(g getter) *HelpedToken { return &HelpedToken{g} }

func (h *HelpedToken) row(ctx context.Context, id string) (bigtable.Row, error) {
	return h.cells.Get(ctx, id, bigtable.RowFilter(bigtable.LatestNFilter(1)))
}

// Tokens counts tokens.
func (h *HelpedToken) Tokens(ctx context.Context, id string) (int, error) {
	row, err := h.row(ctx, id)
	return len(row["token"]), err
}

// Family uses the family that it is made for.
type Family struct {
	cells  getter
	family string
}

// NewFamily makes one.
func NewFamily(g getter, family string) *Family { return &Family{g, family} }

// Count counts the family's cells.
func (f *Family) Count(ctx context.Context, id string) (int, error) {
	row, err := f.cells.Get(ctx, id, bigtable.RowFilter(bigtable.LatestNFilter(1)))
	return len(row[f.family]), err
}

// Logged passes on what it is asked.
type Logged struct{ Next getter }

// Get reads a row.
func (l Logged) Get(ctx context.Context, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	log.Print(key)
	return l.Next.Get(ctx, key, opts...)
}

// Living bounds what it is asked.
type Living struct{ Next getter }

// Get reads what lives of a row.
func (l Living) Get(ctx context.Context, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	return l.Next.Get(ctx, key, append(opts, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{})))...)
}

// Called has a function.
type Called struct {
	get func(ctx context.Context, key string, opts ...bigtable.ReadOption) (bigtable.Row, error)
}

// NewCalled makes one.
func NewCalled(get func(ctx context.Context, key string, opts ...bigtable.ReadOption) (bigtable.Row, error)) *Called {
	return &Called{get}
}

// Tokens counts tokens.
func (c *Called) Tokens(ctx context.Context, id string) (int, error) {
	row, err := c.get(ctx, id, bigtable.RowFilter(bigtable.LatestNFilter(1)))
	return len(row["token"]), err
}
