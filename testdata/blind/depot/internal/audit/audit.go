// Package audit keeps what the auditors of the yard want to see. Its table
// has families of the same names as the parcels', with the times at which
// things happened.
package audit

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/depot/internal/bt"
	"example.com/depot/internal/names"
	"example.com/depot/internal/seqx"
)

// Entry is an entry of the books.
type Entry struct {
	Subject string
	What    string
	At      time.Time
}

// Books are the books of a yard.
type Books struct {
	yard    *bigtable.Table
	parcels *bigtable.Table
	log     *slog.Logger
}

// Open opens the books.
func Open(c *bigtable.Client, log *slog.Logger) *Books {
	return &Books{yard: c.Open(names.YardAudit), parcels: c.Open(names.Parcels), log: log}
}

// note is an entry as a mutation; the table is the caller's business.
func note(f names.Family, e Entry) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set(string(f), e.What, bigtable.Time(e.At), []byte(e.Subject))
	return m
}

// Enter writes an entry into the books.
func (b *Books) Enter(ctx context.Context, key string, e Entry) error {
	return b.yard.Apply(ctx, key, note(names.Step, e)) // ok ttlwrite/clock-in-sequence
}

// EnterState writes an entry about a state.
func (b *Books) EnterState(ctx context.Context, key string, e Entry) error {
	return b.yard.Apply(ctx, key, note(names.State, e)) // ok ttlwrite/clock-in-zero
}

// EnterParcel writes an entry to the parcel itself.
func (b *Books) EnterParcel(ctx context.Context, key string, e Entry) error {
	return b.parcels.Apply(ctx, key, note(names.Step, e)) // want ttlwrite/clock-in-sequence
}

// EnterTrail writes an entry to the trail of the parcel.
func (b *Books) EnterTrail(ctx context.Context, key string, e Entry) error {
	return b.parcels.Apply(ctx, key, note(names.Trail, e)) // ok ttlwrite/clock-in-sequence
}

// Stamp notes when something was looked at, in both tables.
func (b *Books) Stamp(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set(string(names.State), "audited", bigtable.Now(), []byte(key)) // ok ttlwrite/clock-in-zero
	if err := b.yard.Apply(ctx, key, m); err != nil {
		return fmt.Errorf("stamp: %w", err)
	}
	p := bigtable.NewMutation()
	p.Set(string(names.State), "audited", bigtable.Now(), []byte(key)) // want ttlwrite/clock-in-zero
	return b.parcels.Apply(ctx, key, p)
}

// Tally counts the looks of the auditors.
func (b *Books) Tally(ctx context.Context, key string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(string(names.Step), "looks", 1) // ok ttlwrite/read-modify-write
	_, err := b.yard.ApplyReadModifyWrite(ctx, key, rmw)
	return err
}

// TallyParcel counts the looks at a parcel.
func (b *Books) TallyParcel(ctx context.Context, key string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(string(names.Step), "looks", 1) // want ttlwrite/read-modify-write
	_, err := b.parcels.ApplyReadModifyWrite(ctx, key, rmw)
	return err
}

// Entries yields the entries of the last d.
func (b *Books) Entries(ctx context.Context, key string, d time.Duration) iter.Seq2[Entry, error] {
	now := bt.Now(ctx)
	return func(yield func(Entry, error) bool) {
		row, err := b.yard.ReadRow(ctx, key, bt.With(bt.Only(names.Step), bt.Since(now, d))) // ok ttlread/wrong-bound
		if err != nil {
			yield(Entry{}, err)
			return
		}
		for it := range bt.Items(row, names.Step) {
			e := Entry{Subject: string(it.Value), What: bt.Qualifier(it), At: it.Timestamp.Time()} // ok ttlage/not-write-time
			if !yield(e, nil) {
				return
			}
		}
	}
}

// Steps yields the steps of a parcel as entries, as old as they are.
func (b *Books) Steps(ctx context.Context, key string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		row, err := b.parcels.ReadRow(ctx, key, bt.With(bt.Newest(names.Step))) // ok ttlread/version-limit
		if err != nil {
			yield(Entry{}, err)
			return
		}
		for it := range bt.Items(row, names.Step) {
			b.log.DebugContext(ctx, "step", "age", time.Since(it.Timestamp.Time())) // want ttlage/not-write-time
			if !yield(Entry{Subject: key, What: string(it.Value)}, nil) {
				return
			}
		}
	}
}

// Compare finds the parcels whose steps are not in the books.
func (b *Books) Compare(ctx context.Context, keys iter.Seq[string]) ([]string, error) {
	var missing []string
	err := seqx.Each(ctx, 1, keys, func(ctx context.Context, key string) error {
		here, err := b.yard.ReadRow(ctx, key, bt.With(bt.Only(names.Step))) // ok ttlread/version-limit
		if err != nil {
			return err
		}
		there, err := b.parcels.ReadRow(ctx, key, bt.With(bt.Only(names.Step))) // want ttlread/version-limit
		if err != nil {
			return err
		}
		if len(there[string(names.Step)]) > len(here[string(names.Step)]) {
			missing = append(missing, key)
		}
		return nil
	})
	slices.Sort(missing)
	return missing, err
}

// Latest is the newest entry about a state.
func (b *Books) Latest(ctx context.Context, key string) (time.Duration, error) {
	row, err := bt.One(ctx, b.yard, key, bt.With(bt.Newest(names.State)))
	if err != nil {
		return 0, err
	}
	for it := range bt.Items(row, names.State) {
		return time.Since(it.Timestamp.Time()), nil // ok ttlage/not-write-time
	}
	return 0, bt.ErrNoRow
}
