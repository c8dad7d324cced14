package capturedpointers

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/capturedpointers/lib"
)

// Whoever has a pointer that a literal captures may set what is there.

func (s *state) later() { s.at = bigtable.Time(time.Now().Add(time.Hour)) }

func fill(s *state) { s.at = bigtable.Time(time.Now().Add(time.Hour)) }

func write(ctx context.Context, tbl *bigtable.Table, column string, ts bigtable.Timestamp) error {
	mut := bigtable.NewMutation()
	mut.Set("token", column, ts, nil)
	return tbl.Apply(ctx, "r", mut)
}

func okMethod(tbl *bigtable.Table) func(context.Context) error {
	st := &state{}
	return func(ctx context.Context) error {
		st.later()
		return write(ctx, tbl, "a", st.at)
	}
}

func okFunction(tbl *bigtable.Table) func(context.Context) error {
	st := &state{}
	return func(ctx context.Context) error {
		fill(st)
		return write(ctx, tbl, "b", st.at)
	}
}

func okValue(tbl *bigtable.Table) func(context.Context) error {
	var st state
	return func(ctx context.Context) error {
		st.later()
		return write(ctx, tbl, "c", st.at)
	}
}

func okMethodAbroad(tbl *bigtable.Table) func(context.Context) error {
	st := &lib.State{}
	return func(ctx context.Context) error {
		st.Later(bigtable.Time(time.Now().Add(time.Hour)))
		return write(ctx, tbl, "d", st.At)
	}
}

func okFunctionAbroad(tbl *bigtable.Table) func(context.Context) error {
	st := &lib.State{}
	set := func() { lib.Fill(st, bigtable.Time(time.Now().Add(time.Hour))) }
	return func(ctx context.Context) error {
		set()
		return write(ctx, tbl, "e", st.At)
	}
}

func okAfter(tbl *bigtable.Table) func(context.Context) error {
	st := &lib.State{}
	f := func(ctx context.Context) error { return write(ctx, tbl, "f", st.At) }
	st.Later(bigtable.Time(time.Now().Add(time.Hour)))
	return f
}

// The variable is in memory, since a literal has it.
func okBeside(ctx context.Context, tbl *bigtable.Table) error {
	st := &lib.State{}
	defer func() { println(st.At) }()
	st.Later(bigtable.Time(time.Now().Add(time.Hour)))
	return write(ctx, tbl, "g", st.At)
}

func okMethodValue(tbl *bigtable.Table) (func(), func(context.Context) error) {
	st := &state{}
	return st.later, func(ctx context.Context) error { return write(ctx, tbl, "h", st.at) }
}

func okReturned(tbl *bigtable.Table) (*state, func(context.Context) error) {
	st := &state{}
	return st, func(ctx context.Context) error { return write(ctx, tbl, "i", st.at) }
}

func okReturnedIsSet(ctx context.Context, tbl *bigtable.Table) error {
	st, f := okReturned(tbl)
	st.at = bigtable.Time(time.Now().Add(time.Hour))
	return f(ctx)
}

func neverAbroad(tbl *bigtable.Table) func(context.Context) error {
	st := &lib.State{}
	return func(ctx context.Context) error { return write(ctx, tbl, "j", st.At) } // want `already-expired: .*"token"`
}

type held struct {
	n     int64
	lease lib.Lease
}

// A part of a part is set.
func okDeeper(ctx context.Context, tbl *bigtable.Table) error {
	var h held
	h.lease.Expiry.Later(bigtable.Time(time.Now().Add(time.Hour)))
	return write(ctx, tbl, "k", h.lease.Expiry.At)
}

func deeperNever(ctx context.Context, tbl *bigtable.Table) error {
	var h held
	h.n++
	return write(ctx, tbl, "l", h.lease.Expiry.At) // want `already-expired: .*"token"`
}
