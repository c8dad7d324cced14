// Package buffered hands mutations to buffered writers of another package, each of
// which has a table of its own. Nothing here sends them.
package buffered

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/buffered/buf"
)

type loader struct{ latest, clicks, scratch *buf.Writer }

func newLoader(c *bigtable.Client) *loader {
	return &loader{
		latest:  buf.NewWriter(c.Open("catalog")),
		clicks:  buf.NewWriter(c.Open("clicks")),
		scratch: buf.NewWriter(c.Open("scratch-import")),
	}
}

func (l *loader) okScratch(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set("latest", "x", bigtable.ServerTime, nil)
	m.Set("event", "x", 0, nil)
	return l.scratch.Add(ctx, "r", m)
}

func (l *loader) declared(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set("event", "x", 0, nil) // want `already-expired: .*"event"`
	if err := l.clicks.Add(ctx, "r", m); err != nil {
		return err
	}
	m = bigtable.NewMutation()
	m.Set("latest", "x", bigtable.ServerTime, nil) // want `clock-in-zero: .*"latest"`
	return l.latest.Add(ctx, "r", m)
}

func (l *loader) made(ctx context.Context) error {
	if err := l.latest.Set(ctx, "r", "latest", "x", bigtable.ServerTime, nil); err != nil { // want `clock-in-zero: .*"latest"`
		return err
	}
	return l.scratch.Set(ctx, "r", "latest", "x", bigtable.ServerTime, nil)
}

func okLocal(ctx context.Context, c *bigtable.Client) error {
	w := buf.NewWriter(c.Open("scratch-import"))
	m := bigtable.NewMutation()
	m.Set("latest", "y", bigtable.ServerTime, nil)
	return w.Add(ctx, "r", m)
}

// A writer of which the table is not known may be any.
func given(ctx context.Context, w *buf.Writer) error {
	m := bigtable.NewMutation()
	m.Set("latest", "y", bigtable.ServerTime, nil) // want `clock-in-zero: .*"latest"`
	return w.Add(ctx, "r", m)
}

// Which of two it is, a parameter decides.
func (l *loader) okEither(ctx context.Context, b bool) error {
	w := l.scratch
	if b {
		w = l.latest
	}
	m := bigtable.NewMutation()
	m.Set("latest", "z", bigtable.ServerTime, nil)
	return w.Add(ctx, "r", m)
}
