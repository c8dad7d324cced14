package mailbox

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// A queue is a mailbox of this package, of which there are two.
type queue struct {
	ch     chan command
	handle func(command)
}

func newQueue(handle func(command)) *queue {
	q := &queue{ch: make(chan command), handle: handle}
	go q.loop()
	return q
}

func (q *queue) loop() {
	for c := range q.ch {
		q.handle(c)
	}
}

func (q *queue) send(c command) { q.ch <- c }

// now sends what is wrong for one of the handlers.
func (q *queue) now() { q.ch <- command{ts: bigtable.Now()} }

type desk struct {
	tbl              *bigtable.Table
	tokens, profiles *queue
}

func newDesk(c *bigtable.Client) *desk {
	d := &desk{tbl: c.Open("sessions")}
	d.tokens = newQueue(d.token)
	d.profiles = newQueue(d.profile)
	return d
}

func (d *desk) token(c command) {
	mut := bigtable.NewMutation()
	mut.Set("token", "c", c.ts, nil)
	_ = d.tbl.Apply(context.Background(), "k", mut)
}

func (d *desk) profile(c command) {
	mut := bigtable.NewMutation()
	mut.Set("profile", "c", c.ts, nil)
	_ = d.tbl.Apply(context.Background(), "k", mut)
}

func (d *desk) send() {
	d.tokens.send(command{ts: bigtable.Now()}) // want `write-time: .*"token"`
}

func (d *desk) okSend() {
	d.profiles.send(command{ts: bigtable.Now()})
	d.tokens.send(command{ts: bigtable.Time(time.Now().Add(time.Minute))})
	d.profiles.now()
}
