// Package stamp makes timestamps and filters behind interfaces; its
// constructors return objects that hold nothing, or a clock alone.
package stamp

import (
	"time"

	"cloud.google.com/go/bigtable"
)

type Clock interface{ Now() time.Time }

type System struct{}

func (System) Now() time.Time { return time.Now() }

// A Policy says at which timestamp a cell is written.
type Policy interface{ Next() bigtable.Timestamp }

type Server struct{}

func (*Server) Next() bigtable.Timestamp { return bigtable.ServerTime }

type Wall struct{ c Clock }

func (w *Wall) Next() bigtable.Timestamp { return bigtable.Time(w.c.Now()) }

type Expiry struct {
	c   Clock
	ttl time.Duration
}

func (e *Expiry) Next() bigtable.Timestamp { return bigtable.Time(e.c.Now().Add(e.ttl)) }

func NewServer() *Server                                { return &Server{} }
func NewWall(c Clock) *Wall                             { return &Wall{c} }
func NewServerPolicy() Policy                           { return &Server{} }
func NewWallPolicy(c Clock) Policy                      { return &Wall{c} }
func NewExpiryPolicy(c Clock, ttl time.Duration) Policy { return &Expiry{c, ttl} }

// PolicyFor chooses a policy.
func PolicyFor(kind string) Policy {
	switch kind {
	case "server":
		return &Server{}
	case "wall":
		return &Wall{System{}}
	}
	return &Expiry{System{}, time.Hour}
}

// A Factory makes filters.
type Factory interface {
	Live() bigtable.Filter
	Newest() bigtable.Filter
}

type plain struct{}

func (plain) Live() bigtable.Filter   { return bigtable.LatestNFilter(1) }
func (plain) Newest() bigtable.Filter { return bigtable.LatestNFilter(1) }

type live struct{ c Clock }

func (f live) Live() bigtable.Filter   { return bigtable.TimestampRangeFilter(f.c.Now(), time.Time{}) }
func (f live) Newest() bigtable.Filter { return bigtable.LatestNFilter(1) }

func NewPlain() Factory       { return plain{} }
func NewLive(c Clock) Factory { return live{c} }

// A Builder puts filters together.
type Builder struct{ parts []bigtable.Filter }

func NewBuilder() *Builder { return &Builder{} }

func (b *Builder) Family(f string) *Builder {
	b.parts = append(b.parts, bigtable.FamilyFilter(f))
	return b
}

func (b *Builder) Latest(n int) *Builder {
	b.parts = append(b.parts, bigtable.LatestNFilter(n))
	return b
}

func (b *Builder) Live(now time.Time) *Builder {
	b.parts = append(b.parts, bigtable.TimestampRangeFilter(now, time.Time{}))
	return b
}

func (b *Builder) Build() bigtable.Filter { return bigtable.ChainFilters(b.parts...) }
