// Package foreign is given interfaces that other packages declare, and has an
// implementation of its own of each, which is meant for something else.
package foreign

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/foreign/filter"
	"example.com/cases/sight/foreign/stamp"
)

// server is for profiles.
type server struct{}

func (server) Next() bigtable.Timestamp { return bigtable.ServerTime }

// A Writer is given its policy by other packages.
type Writer struct{ p stamp.Policy }

// NewWriter returns a writer.
func NewWriter(p stamp.Policy) *Writer { return &Writer{p} }

// Put writes a token: what p is, is not known.
func (w *Writer) Put(m *bigtable.Mutation) { m.Set("token", "jwt", w.p.Next(), nil) }

// Given is given the policy itself.
func Given(m *bigtable.Mutation, p stamp.Policy) { m.Set("token", "jwt", p.Next(), nil) }

// Generic is given it as a type.
func Generic[P stamp.Policy](m *bigtable.Mutation, p P) { m.Set("token", "jwt", p.Next(), nil) }

// Shared is under a name of this package's own.
type Shared = stamp.Policy

// Aliased is given it by that name.
func Aliased(m *bigtable.Mutation, p Shared) { m.Set("token", "jwt", p.Next(), nil) }

// Profile writes at the server's time, which is right there.
func Profile(m *bigtable.Mutation) { m.Set("profile", "seen", server{}.Next(), nil) }

// supplied is given what this package gives it.
func supplied(m *bigtable.Mutation, p stamp.Policy) {
	m.Set("token", "jwt", p.Next(), nil)
}

// Supply gives it.
func Supply(m *bigtable.Mutation) {
	supplied(m, server{}) // want `server-timestamp: .*"token"`
	supplied(m, stamp.Expiry{TTL: 1e9})
}

// fixed is a writer that only this package makes.
type fixed struct{ p stamp.Policy }

func (f fixed) put(m *bigtable.Mutation) {
	m.Set("token", "jwt", f.p.Next(), nil)
}

// Fixed makes it.
func Fixed(m *bigtable.Mutation) { fixed{server{}}.put(m) } // want `server-timestamp: .*"token"`

// tokens and names are Namers.
type tokens struct{}

func (tokens) Family() string { return "token" }

// Named writes to a family that its callers name.
func Named(m *bigtable.Mutation, n stamp.Namer) { m.Set(n.Family(), "a", bigtable.Now(), nil) }

// embeds has the policy's method and none of its own.
type embeds struct{ stamp.Sole }

// Embedded returns one.
func Embedded(s stamp.Sole) stamp.Sole { return embeds{s} }

// NamedHere is the same for a name of this package's.
func NamedHere(m *bigtable.Mutation) { Named(m, tokens{}) } // want `write-time: .*"token"`

// Sole has no implementation here: the declaring package has the only one.
func Sole(m *bigtable.Mutation, s stamp.Sole) {
	m.Set("token", "a", s.At(), nil) // want `write-time: .*"token"`
}

// own is an interface of this package, with one implementation.
type own interface{ when() bigtable.Timestamp }

func (server) when() bigtable.Timestamp { return bigtable.ServerTime }

// Own is given it.
func Own(m *bigtable.Mutation, o own) {
	m.Set("token", "a", o.when(), nil) // want `server-timestamp: .*"token"`
}

// A Watcher reads with filters that other packages give it.
type Watcher struct {
	t *bigtable.Table
	f filter.Factory
}

// NewWatcher returns a watcher.
func NewWatcher(t *bigtable.Table, f filter.Factory) *Watcher { return &Watcher{t, f} }

// Token reads a token.
func (w *Watcher) Token(ctx context.Context) []byte {
	row, err := w.t.ReadRow(ctx, "r", bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), w.f.Live())))
	if err != nil {
		return nil
	}
	return row["token"][0].Value
}

// Forensic is given to nobody.
type Forensic struct{}

// Live lets all cells pass.
func (Forensic) Live() bigtable.Filter { return bigtable.PassAllFilter() }
