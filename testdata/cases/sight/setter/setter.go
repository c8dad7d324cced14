// Package setter hands the times of cells to what other packages keep them in.
package setter

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/setter/domain"
	"example.com/cases/sight/setter/store"
)

func live(family string) bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(family), bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
}

func setters(ctx context.Context, c *bigtable.Client) (*domain.Token, error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k", live("token"))
	t := &domain.Token{}
	for _, item := range row["token"] {
		t.SetCreatedAt(item.Timestamp.Time()) // want `not-write-time: .*"token"`
		t.SetExpiresAt(item.Timestamp.Time())
		t.Touch(item.Timestamp.Time())
		t.Refresh(item.Timestamp.Time()) // want `not-write-time: .*"token"`
	}
	return t, err
}

func builders(ctx context.Context, c *bigtable.Client) (out []domain.Token, err error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k", live("token"))
	for _, item := range row["token"] {
		out = append(out, domain.NewBuilder().WithExpiresAt(item.Timestamp.Time()).WithCreatedAt(item.Timestamp.Time()).Build()) // want `not-write-time: .*"token"`
		out = append(out, domain.NewBuilder().WithExpiresAt(item.Timestamp.Time()).Build())
		b := domain.NewBuilder()
		b.WithMicros(int64(item.Timestamp)) // want `not-write-time: .*"token"`
		b.Created(item.Timestamp.Time())    // want `not-write-time: .*"token"`
		b.WithLife(item.Timestamp.Time())
		out = append(out, b.Build())
	}
	return out, err
}

func copied(ctx context.Context, c *bigtable.Client) (out []domain.Value, err error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k", live("token"))
	for _, item := range row["token"] {
		out = append(out, domain.Value{}.CreatedAt(item.Timestamp.Time())) // want `not-write-time: .*"token"`
		out = append(out, domain.Value{}.ExpiresAt(item.Timestamp.Time()))
	}
	return out, err
}

func constructed(ctx context.Context, c *bigtable.Client) (out []*domain.Token, err error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k", live("token"))
	for _, item := range row["token"] {
		at := item.Timestamp.Time()
		out = append(out, domain.NewToken("a", at, at.Add(time.Hour))) // want `not-write-time: .*"token"`
		out = append(out, domain.NewToken("b", time.Now(), at))
	}
	return out, err
}

func changed(ctx context.Context, c *bigtable.Client) (m domain.Message, err error) {
	row, err := c.Open("asia-ledger").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.LatestNFilter(1)))
	for _, item := range row["entry"] {
		m.At(item.Timestamp.Time()) // want `not-write-time: .*"entry"`
		m.Numbered(int64(item.Timestamp) / 1000)
	}
	return m, err
}

func stored(ctx context.Context, c *bigtable.Client) (e store.Entry, err error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k", live("token"))
	for _, item := range row["token"] {
		e.SetModified(item.Timestamp) // want `not-write-time: .*"token"`
		e.SetUntil(item.Timestamp)
	}
	return e, err
}

// The cells of an ordinary family are as old as they say.
func okReal(ctx context.Context, c *bigtable.Client) (*domain.Token, error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("profile")))
	t := &domain.Token{}
	for _, item := range row["profile"] {
		t.SetCreatedAt(item.Timestamp.Time())
	}
	return t, err
}

// Expiry less lifetime is the time of writing.
func okShifted(ctx context.Context, c *bigtable.Client) (*domain.Token, error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k", live("token"))
	t := &domain.Token{}
	for _, item := range row["token"] {
		t.SetCreatedAt(item.Timestamp.Time().Add(-30 * time.Minute))
	}
	return t, err
}

type setter interface{ SetCreatedAt(time.Time) }

// Whatever is behind it is not known.
func okWhoever(ctx context.Context, c *bigtable.Client, s setter) error {
	row, err := c.Open("sessions").ReadRow(ctx, "k", live("token"))
	for _, item := range row["token"] {
		s.SetCreatedAt(item.Timestamp.Time())
	}
	return err
}
