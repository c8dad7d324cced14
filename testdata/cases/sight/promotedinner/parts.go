package promotedinner

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// A strategy says which timestamp a cell gets.
type strategy interface {
	at(now time.Time) bigtable.Timestamp
}

type wall struct{}

func (wall) at(now time.Time) bigtable.Timestamp { return bigtable.Time(now) }

type expiring struct{ d time.Duration }

func (e expiring) at(now time.Time) bigtable.Timestamp { return bigtable.Time(now.Add(e.d)) }

type writer struct {
	table    *bigtable.Table
	family   string
	strategy strategy
}

// Save is what nobody in view calls.
func (w *writer) Save(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set(w.family, "c", w.strategy.at(time.Now()), nil) // want `write-time: .*"hot" of table "mixed"`
	return w.table.Apply(ctx, key, m)
}

// Sessions fills the struct that it embeds in a literal.
type Sessions struct{ writer }

// NewSessions has the time of expiry.
func NewSessions(c *bigtable.Client) *Sessions {
	return &Sessions{writer{c.Open("sessions"), "token", expiring{time.Hour}}}
}

// Hot fills it field by field.
type Hot struct{ writer }

// NewHot has the time of writing.
func NewHot(c *bigtable.Client) *Hot {
	h := new(Hot)
	h.table = c.Open("mixed")
	h.family, h.strategy = "hot", wall{}
	return h
}

// Logs fills it by its name.
type Logs struct {
	writer
	name string
}

// NewLogs has the time of writing, with which this family counts.
func NewLogs(c *bigtable.Client) Logs {
	var l Logs
	l.name = "logs"
	l.writer.table, l.writer.family = c.Open("clicks"), "event"
	l.writer.strategy = wall{}
	return l
}
