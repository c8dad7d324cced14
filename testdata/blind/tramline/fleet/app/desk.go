package app

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"tramline.example/dal"
)

// Alert is a message to the drivers.
type Alert struct {
	Line string `json:"line"`
	Text string `json:"text"`
}

// Lock keeps two dispatchers from talking to one driver.
type Lock struct {
	Who string `json:"who"`
}

// Desk is the dispatchers' desk.
type Desk struct {
	locks   dal.Putter
	locks2  dal.Putter
	notes   dal.Putter
	numbers dal.Putter
	scaled  dal.Putter
	alerts  dal.Putter

	lock  *dal.Getter[Lock]
	lock2 *dal.Getter[Lock]
	note  *dal.Getter[string]
	alert *dal.Getter[Alert]
	entry *dal.Getter[Alert]
	last  *dal.Getter[Alert]
	clock dal.Clock
	n     int64
}

// NewDesk wires a desk.
func NewDesk(c *dal.Client, log dal.Logger) *Desk {
	d := &Desk{clock: c.Clock()}
	live := func() bigtable.Filter { return dal.Live(d.clock) }
	d.locks = dal.LoggedPutter{Putter: dal.Lives{W: c.Holds(), Family: dal.FamHold, Life: time.Minute, Clock: d.clock}, Log: log}  // ok ttlwrite/server-timestamp
	d.locks2 = dal.LoggedPutter{Putter: dal.Stays{W: c.Holds(), Family: dal.FamHold}, Log: log}                                    // want ttlwrite/server-timestamp
	d.notes = dal.Stays{W: c.Holds(), Family: dal.FamRider}                                                                        // ok ttlwrite/server-timestamp
	d.alerts = dal.Stays{W: c.Journal("north"), Family: dal.FamEntry}                                                              // want ttlwrite/clock-in-sequence[alerts]
	d.numbers = dal.Counts{W: c.Journal("north"), Family: dal.FamEntry, Next: d.next}                                              // want ttlwrite/unscaled-sequence
	d.scaled = dal.Counts{W: c.Journal("north"), Family: dal.FamEntry, Next: func() int64 { return 1000 * d.next() }}              // ok ttlwrite/unscaled-sequence
	d.lock = dal.NewGetter[Lock](c.Holds(), dal.FamHold, dal.Bounded(live), dal.Limited(1))                                        // ok ttlread/missing-filter
	d.lock2 = dal.NewGetter[Lock](c.Holds(), dal.FamHold, dal.Limited(1))                                                          // want ttlread/missing-filter[lock2]
	d.note = dal.NewGetter[string](c.Holds(), dal.FamRider)                                                                        // ok ttlread/missing-filter
	d.alert = dal.NewGetter[Alert](c.Positions(), dal.FamPos, dal.Bounded(live))                                                   // want ttlread/wrong-bound
	d.entry = dal.NewGetter[Alert](c.Journal("north"), dal.FamEntry, dal.Bounded(func() bigtable.Filter { return dal.Latest(1) })) // ok ttlread/version-limit
	d.last = dal.NewGetter[Alert](c.Journal("north"), dal.FamEntry, dal.Bounded(func() bigtable.Filter { return dal.Latest(9) }))  // want ttlread/version-limit
	return d
}

func (d *Desk) next() int64 {
	d.n++
	return d.n
}

// Take locks a driver.
func (d *Desk) Take(ctx context.Context, driver, who string) error {
	if l, err := d.lock.Get(ctx, driver, "lock"); err == nil && l.Who != who {
		return fmt.Errorf("%s talks to %s", l.Who, driver)
	}
	if l, err := d.lock2.Get(ctx, driver, "lock2"); err == nil && l.Who != who { // want ttlread/missing-filter[lock2]
		return fmt.Errorf("%s talked to %s", l.Who, driver)
	}
	if err := d.locks.Put(ctx, driver, "lock", Lock{who}); err != nil {
		return err
	}
	return d.locks2.Put(ctx, driver, "lock2", Lock{who})
}

// Tell sends an alert.
func (d *Desk) Tell(ctx context.Context, a Alert) error {
	for _, p := range []dal.Putter{d.alerts, d.numbers, d.scaled} {
		if err := p.Put(ctx, a.Line, "alert", a); err != nil { // want ttlwrite/clock-in-sequence[alerts]
			return err
		}
	}
	return d.notes.Put(ctx, a.Line, "alert", a.Text)
}

// Told reads what was told.
func (d *Desk) Told(ctx context.Context, line string) (out []Alert, err error) {
	for _, g := range []*dal.Getter[Alert]{d.alert, d.entry, d.last} {
		a, err := g.Get(ctx, line, "alert")
		if err != nil {
			return out, err
		}
		out = append(out, a)
	}
	text := dal.Must(d.note.Get(ctx, line, "alert"))("")
	return append(out, Alert{line, text}), nil
}
