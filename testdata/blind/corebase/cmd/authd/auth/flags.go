package auth

import (
	"context"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/corebase/pkg/btstore"
)

// Flags are kept at timestamp zero, so that a write replaces what was there.
type Flags struct {
	tbl *btstore.Table
}

// NewFlags makes the flags of a service.
func NewFlags(s *Service) *Flags { return &Flags{tbl: s.flags} }

// Set sets a flag.
func (f *Flags) Set(ctx context.Context, user, name string, on bool) error {
	m := bigtable.NewMutation()
	Flag.Set(m, name, strconv.AppendBool(nil, on)) // ok ttlwrite/clock-in-zero
	return f.tbl.Apply(ctx, user, m)
}

// SetMany sets several.
func (f *Flags) SetMany(ctx context.Context, user string, flags map[string]bool) error {
	m := bigtable.NewMutation()
	for name, on := range flags {
		m.Set(FamFlag, name, 0, strconv.AppendBool(nil, on)) // ok ttlwrite/clock-in-zero
	}
	return f.tbl.Apply(ctx, user, m)
}

// SetNow sets a flag with the time in it.
func (f *Flags) SetNow(ctx context.Context, user, name string) error {
	m := bigtable.NewMutation()
	m.Set(FamFlag, name, bigtable.Now(), []byte("true")) // want ttlwrite/clock-in-zero
	return f.tbl.Apply(ctx, user, m)
}

// SetCell sets a flag by way of a cell. The zero does not survive Write.
func (f *Flags) SetCell(ctx context.Context, user, name string) error {
	return f.tbl.Write(ctx, user, btstore.Cell{Family: FamFlag, Column: name, TS: 0, Value: []byte("true")}) // want ttlwrite/clock-in-zero
}

// SetOp sets a flag by way of an op.
func (f *Flags) SetOp(ctx context.Context, user, name string) error {
	return f.tbl.Mutate(ctx, user, btstore.PutAt(FamFlag, name, 0, []byte("true"))) // ok ttlwrite/clock-in-zero
}

// SetServer sets a flag by way of another op.
func (f *Flags) SetServer(ctx context.Context, user, name string) error {
	return f.tbl.Mutate(ctx, user, btstore.PutServer(FamFlag, name, []byte("true"))) // want ttlwrite/clock-in-zero
}

// Toggle appends, which was thought to be clever.
func (f *Flags) Toggle(ctx context.Context, user, name string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(FamFlag, name, []byte{'!'}) // want ttlwrite/read-modify-write
	_, err := f.tbl.Modify(ctx, user, rmw)
	return err
}

// Get reads a flag.
func (f *Flags) Get(ctx context.Context, user, name string) (bool, error) {
	row, err := f.tbl.Get(ctx, user) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return string(btstore.Value(row, FamFlag, name)) == "true", nil
}

// Changed tells when a flag was set, which nobody knows.
func (f *Flags) Changed(ctx context.Context, user, name string) (time.Duration, error) {
	row, err := f.tbl.Get(ctx, user, btstore.Columns(FamFlag, name))
	if err != nil {
		return 0, err
	}
	for _, it := range row[FamFlag] {
		return time.Now().Sub(it.Timestamp.Time()), nil // want ttlage/not-write-time
	}
	return 0, nil
}

// Swap sets a flag if it has a value.
func (f *Flags) Swap(ctx context.Context, user, name, from, to string) (bool, error) {
	m := bigtable.NewMutation()
	m.Set(FamFlag, name, 0, []byte(to)) // ok ttlwrite/clock-in-zero
	cond := bigtable.ChainFilters(bigtable.FamilyFilter(FamFlag), bigtable.ColumnFilter(name), bigtable.ValueFilter(from))
	return f.tbl.If(ctx, user, cond, m, nil) // ok ttlread/conditional-mutation
}
