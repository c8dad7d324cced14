// Package scanner has another package hand it cells, and keeps their timestamps:
// wrong is what keeps them, once, whoever asks for them.
package scanner

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/scanner/model"
	"example.com/cases/sight/scanner/repo"
)

type token struct{ CreatedAt time.Time }

func (*token) Family() string { return "token" }

func (t *token) Scan(items []bigtable.ReadItem) {
	for _, it := range items {
		t.CreatedAt = it.Timestamp.Time() // want `not-write-time: .*"token".*in a column [(]ttlage`
	}
}

type session struct{ CreatedAt time.Time }

func (s *session) Decode(row bigtable.Row) error {
	for _, it := range row["token"] {
		s.CreatedAt = it.Timestamp.Time() // want `not-write-time: .*"token"`
	}
	return nil
}

// One that keeps it for what it is.
type expiring struct{ ExpiresAt time.Time }

func (*expiring) Family() string { return "token" }

func (e *expiring) Scan(items []bigtable.ReadItem) {
	for _, it := range items {
		e.ExpiresAt = it.Timestamp.Time()
	}
}

type profile struct{ CreatedAt time.Time }

func (*profile) Family() string { return "profile" }

func (p *profile) Scan(items []bigtable.ReadItem) {
	for _, it := range items {
		p.CreatedAt = it.Timestamp.Time()
	}
}

func optional(ctx context.Context, c *bigtable.Client) error {
	return repo.Get(ctx, c.Open("sessions"), &token{})
}

func iface(ctx context.Context, c *bigtable.Client) error {
	return repo.Iface(ctx, c.Open("sessions"), &token{})
}

func okRow(ctx context.Context, c *bigtable.Client) error {
	return repo.Row(ctx, c.Open("sessions"), &session{})
}

func literal(ctx context.Context, c *bigtable.Client) (created time.Time, err error) {
	err = repo.Func(ctx, c.Open("sessions"), func(items []bigtable.ReadItem) {
		for _, it := range items {
			created = it.Timestamp.Time() // want `not-write-time: .*"token"`
		}
	})
	return created, err
}

func field(ctx context.Context, c *bigtable.Client) (t token, err error) {
	err = repo.Func(ctx, c.Open("sessions"), func(items []bigtable.ReadItem) {
		for _, it := range items {
			t.CreatedAt = it.Timestamp.Time() // want `not-write-time: .*"token"`
		}
	})
	return t, err
}

func each(ctx context.Context, c *bigtable.Client) (t token, err error) {
	err = repo.Each(ctx, c.Open("sessions"), func(it bigtable.ReadItem) {
		t.CreatedAt = it.Timestamp.Time() // want `not-write-time: .*"token"`
	})
	return t, err
}

func methodValue(ctx context.Context, c *bigtable.Client) (t token, err error) {
	err = repo.Func(ctx, c.Open("sessions"), t.Scan)
	return t, err
}

func okExpiring(ctx context.Context, c *bigtable.Client) error {
	if err := repo.Get(ctx, c.Open("sessions"), &expiring{}); err != nil {
		return err
	}
	return repo.Iface(ctx, c.Open("sessions"), &expiring{})
}

func okProfile(ctx context.Context, c *bigtable.Client) (p profile, err error) {
	if err := repo.Profile(ctx, c.Open("sessions"), &p); err != nil {
		return p, err
	}
	err = repo.ProfileFunc(ctx, c.Open("sessions"), p.Scan)
	return p, err
}

func okLiteral(ctx context.Context, c *bigtable.Client) (created, expires time.Time, err error) {
	err = repo.ProfileFunc(ctx, c.Open("sessions"), func(items []bigtable.ReadItem) { created = items[0].Timestamp.Time() })
	if err != nil {
		return created, expires, err
	}
	err = repo.Func(ctx, c.Open("sessions"), func(items []bigtable.ReadItem) { expires = items[0].Timestamp.Time() })
	return created, expires, err
}

// What is wrong in another package's method is no fault of each call that has it run;
// a call that hands it cells itself supplies them.
func okForeign(ctx context.Context, c *bigtable.Client) (t model.Token, err error) {
	if err := repo.Iface(ctx, c.Open("sessions"), &t); err != nil {
		return t, err
	}
	err = repo.Get(ctx, c.Open("sessions"), &t)
	return t, err
}

func foreign(ctx context.Context, c *bigtable.Client) (t model.Token, err error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
	t.Scan(row["token"]) // want `not-write-time: .*"token"`
	return t, err
}
