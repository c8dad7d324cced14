// Package promotedinner calls, by way of an interface, methods that a struct has
// from one that it embeds: their receiver is the embedded one.
package promotedinner

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/promotedinner/base"
)

type dao interface {
	Load(ctx context.Context, key string) (bigtable.Row, error)
}

type abstract struct {
	table  *bigtable.Table
	filter func(now time.Time) bigtable.Filter
}

func (d *abstract) Load(ctx context.Context, key string) (bigtable.Row, error) {
	var opts []bigtable.ReadOption
	if d.filter != nil {
		opts = append(opts, bigtable.RowFilter(d.filter(time.Now())))
	}
	return d.table.ReadRow(ctx, key, opts...)
}

// Its fields are set one by one.
type ticketDao struct{ abstract }

func newTicketDao(c *bigtable.Client) *ticketDao {
	d := &ticketDao{}
	d.table = c.Open("tickets")
	return d
}

// Its fields are set in a literal, two levels down; a field of its own has the
// name of one of them.
type cached struct {
	abstract
	hits int
}

type sessionDao struct {
	cached
	table string
}

func newSessionDao(c *bigtable.Client) *sessionDao {
	return &sessionDao{table: "tickets", cached: cached{abstract: abstract{table: c.Open("sessions"), filter: func(now time.Time) bigtable.Filter {
		return bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(now, time.Time{}))
	}}}}
}

func create(c *bigtable.Client, kind string) dao {
	if kind == "ticket" {
		return newTicketDao(c)
	}
	return newSessionDao(c)
}

type service struct{ tickets, sessions dao }

func newService(c *bigtable.Client) *service {
	return &service{tickets: create(c, "ticket"), sessions: create(c, "session")}
}

func (s *service) who(ctx context.Context, key string) (string, error) {
	row, err := s.sessions.Load(ctx, key) // the filter is there
	if err != nil {
		return "", err
	}
	for _, it := range row["token"] {
		return string(it.Value), nil
	}
	return "", nil
}

func (s *service) ticket(ctx context.Context, key string) (string, error) {
	row, err := s.tickets.Load(ctx, key) // want `missing-filter: .*"ticket" of table "tickets"`
	if err != nil {
		return "", err
	}
	for _, it := range row["ticket"] {
		return string(it.Value), nil
	}
	return "", nil
}

// The embedded struct is another package's.
type putter interface {
	Put(ctx context.Context, key string, ts bigtable.Timestamp) error
}

type codes struct{ base.Store }

func newCodes(c *bigtable.Client) *codes {
	s := &codes{}
	s.Table, s.Family = c.Open("otp"), "code"
	return s
}

type entries struct{ *base.Store }

func newEntries(c *bigtable.Client) *entries {
	return &entries{&base.Store{Table: c.Open("eu-ledger"), Family: "entry"}}
}

func puts(ctx context.Context, c *bigtable.Client) error {
	var p putter = newCodes(c)
	if err := p.Put(ctx, "k", bigtable.Now()); err != nil { // want `write-time: .*"code" of table "otp"`
		return err
	}
	if err := p.Put(ctx, "k", bigtable.Time(time.Now().Add(time.Minute))); err != nil {
		return err
	}
	p = newEntries(c)
	if err := p.Put(ctx, "k", 1); err != nil { // want `unscaled-sequence: .*"entry" of table "\*-ledger"`
		return err
	}
	return p.Put(ctx, "k", 1000)
}
