// Package hook has entities that set what they leave zero before they are
// written, by methods that whoever writes them looks for.
package hook

import (
	"context"
	"errors"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/hook/repo"
)

// A session sets its expiry, unless it has one.
type session struct{ ExpiresAt time.Time }

func (s *session) Stamp() bigtable.Timestamp { return bigtable.Time(s.ExpiresAt) }

func (s *session) BeforeSave() {
	if s.ExpiresAt.IsZero() {
		s.ExpiresAt = time.Now().Add(time.Hour)
	}
}

func (s *session) Prepare(_ context.Context, now time.Time) error {
	if s.ExpiresAt.IsZero() {
		s.ExpiresAt = now.Add(time.Hour)
	}
	return nil
}

func (s *session) Lengthen(d time.Duration) { s.ExpiresAt = s.ExpiresAt.Add(d) }

// A login sets the time of writing.
type login struct {
	user string
	at   time.Time
}

func (l *login) Stamp() bigtable.Timestamp { return bigtable.Time(l.at) }
func (l *login) BeforeSave()               { l.at = time.Now() }

// A visit is one, and its hook is that one's.
type visit struct {
	login
	page string
}

// A plain entity has no hook; an idle one's sets something else.
type plain struct{ ExpiresAt time.Time }

func (p *plain) Stamp() bigtable.Timestamp { return bigtable.Time(p.ExpiresAt) }

type idle struct {
	ExpiresAt time.Time
	n         int
}

func (i *idle) Stamp() bigtable.Timestamp { return bigtable.Time(i.ExpiresAt) }
func (i *idle) BeforeSave()               { i.n++ }

func (i *idle) Prepare(context.Context, time.Time) error {
	if i.n > 3 {
		return errors.New("too often")
	}
	return nil
}

// One whose hook is that of what it embeds.
type stamped struct{ ExpiresAt time.Time }

func (s *stamped) Stamp() bigtable.Timestamp { return bigtable.Time(s.ExpiresAt) }
func (s *stamped) BeforeSave()               { s.ExpiresAt = time.Now().Add(time.Hour) }

type order struct {
	stamped
	n int
}

// One whose hook does what is not known.
type odd struct{ ExpiresAt time.Time }

func (o *odd) Stamp() bigtable.Timestamp { return bigtable.Time(o.ExpiresAt) }

func (o *odd) BeforeSave() {
	for _, f := range hooks {
		f(o)
	}
}

var hooks []func(*odd)

func okSave(ctx context.Context, c *bigtable.Client) error {
	return repo.Save(ctx, c.Open("sessions"), &session{})
}

func okBoth(ctx context.Context, c *bigtable.Client) error {
	return repo.SaveBoth(ctx, c.Open("sessions"), &session{})
}

func okIface(ctx context.Context, c *bigtable.Client) error {
	return repo.SaveIface(ctx, c.Open("sessions"), &session{})
}

func okPrepared(ctx context.Context, c *bigtable.Client) error {
	return repo.SavePrepared(ctx, c.Open("sessions"), &session{})
}

func okRetried(ctx context.Context, c *bigtable.Client) error {
	return repo.SaveRetried(ctx, c.Open("sessions"), &session{})
}

func okAll(ctx context.Context, c *bigtable.Client) error {
	return repo.SaveAll(ctx, c.Open("sessions"), &session{}, &session{})
}

func okHelped(ctx context.Context, c *bigtable.Client) error {
	return repo.SaveHelped(ctx, c.Open("sessions"), &session{})
}

func okMaybe(ctx context.Context, c *bigtable.Client, hooks bool) error {
	return repo.SaveMaybe(ctx, c.Open("sessions"), &session{}, hooks)
}

func okEmbedded(ctx context.Context, c *bigtable.Client) error {
	return repo.Save(ctx, c.Open("sessions"), &order{n: 1})
}

func okOdd(ctx context.Context, c *bigtable.Client) error {
	return repo.Save(ctx, c.Open("sessions"), &odd{})
}

func okVariable(ctx context.Context, c *bigtable.Client) error {
	s := &session{}
	var e repo.Entity = s
	if b, ok := e.(repo.BeforeSaver); ok {
		b.BeforeSave()
	}
	return repo.SaveWithout(ctx, c.Open("sessions"), e)
}

func okVariableTold(ctx context.Context, c *bigtable.Client) error {
	var e repo.Entity = &session{time.Now()}
	if b, ok := e.(interface{ Lengthen(time.Duration) }); ok {
		b.Lengthen(time.Hour)
	}
	return repo.SaveWithout(ctx, c.Open("sessions"), e)
}

func late(ctx context.Context, c *bigtable.Client) error {
	return repo.SaveLate(ctx, c.Open("sessions"), &session{}) // want `already-expired: .*"token" of table "sessions"`
}

func without(ctx context.Context, c *bigtable.Client) error {
	return repo.SaveWithout(ctx, c.Open("sessions"), &session{}) // want `already-expired: .*"token" of table "sessions"`
}

// What a hook sets is what is written.
func setsNow(ctx context.Context, c *bigtable.Client) error {
	return repo.Save(ctx, c.Open("sessions"), &login{at: time.Now().Add(time.Hour)}) // want `write-time: .*"token" of table "sessions"`
}

func embeddedNow(ctx context.Context, c *bigtable.Client) error {
	return repo.Save(ctx, c.Open("sessions"), &visit{page: "a"}) // want `write-time: .*"token" of table "sessions"`
}

func bothNow(ctx context.Context, c *bigtable.Client) error {
	return repo.SaveBoth(ctx, c.Open("sessions"), &login{}) // want `write-time: .*"token" of table "sessions"`
}

func hasOne(ctx context.Context, c *bigtable.Client) error {
	return repo.Save(ctx, c.Open("sessions"), &session{ExpiresAt: time.Now()}) // want `write-time: .*"token" of table "sessions"`
}

func noHook(ctx context.Context, c *bigtable.Client) error {
	return repo.Save(ctx, c.Open("sessions"), &plain{}) // want `already-expired: .*"token" of table "sessions"`
}

func idleHook(ctx context.Context, c *bigtable.Client) error {
	return repo.Save(ctx, c.Open("sessions"), &idle{}) // want `already-expired: .*"token" of table "sessions"`
}

func idlePrepared(ctx context.Context, c *bigtable.Client) error {
	return repo.SavePrepared(ctx, c.Open("sessions"), &idle{}) // want `already-expired: .*"token" of table "sessions"`
}

func retriedNow(ctx context.Context, c *bigtable.Client) error {
	return repo.SaveRetried(ctx, c.Open("sessions"), &login{}) // want `write-time: .*"token" of table "sessions"`
}

func helpedNow(ctx context.Context, c *bigtable.Client) error {
	return repo.SaveHelped(ctx, c.Open("sessions"), &login{}) // want `write-time: .*"token" of table "sessions"`
}

func ifaceNow(ctx context.Context, c *bigtable.Client) error {
	return repo.SaveIface(ctx, c.Open("sessions"), &login{}) // want `write-time: .*"token" of table "sessions"`
}

func plainAll(ctx context.Context, c *bigtable.Client) error {
	return repo.SaveAll(ctx, c.Open("sessions"), &plain{}, &plain{}) // want `already-expired: .*"token" of table "sessions"`
}

// In one package.
func okHere(ctx context.Context, c *bigtable.Client) error {
	return here(ctx, c.Open("sessions"), &session{})
}

func nowHere(ctx context.Context, c *bigtable.Client) error {
	return here(ctx, c.Open("sessions"), &login{}) // want `write-time: .*"token" of table "sessions"`
}

func here[T repo.Entity](ctx context.Context, tbl *bigtable.Table, e T) error {
	if b, ok := any(e).(repo.BeforeSaver); ok {
		b.BeforeSave()
	}
	mut := bigtable.NewMutation()
	mut.Set("token", "v", e.Stamp(), nil)
	return tbl.Apply(ctx, "k", mut)
}

// OnSave adds to what the hook does.
func OnSave(f func(*odd)) { hooks = append(hooks, f) }
