// Package command holds the commands of the operators' console, one type each, as the pattern has it.
package command

import (
	"context"
	"sync"
	"time"

	cbt "cloud.google.com/go/bigtable"

	"example.com/meridian/orderhub/internal/constants"
	"example.com/meridian/orderhub/internal/platform/clock"
)

// Command is something that can be run.
type Command interface {
	Execute(ctx context.Context) error
}

// Lifetime was an enum with a method.
type Lifetime int

// The lifetimes.
const (
	LifetimeShort Lifetime = iota
	LifetimeSession
	LifetimeServer
)

// Stamp returns the timestamp of a cell that lives so long.
func (l Lifetime) Stamp(c clock.Clock) cbt.Timestamp {
	switch l {
	case LifetimeShort:
		return cbt.Time(c.Now().Add(constants.NonceTTL))
	case LifetimeSession:
		return cbt.Time(c.Now().Add(constants.TokenTTL))
	}
	return cbt.ServerTime
}

// sessionTable embeds the table of the client.
type sessionTable struct {
	*cbt.Table
}

// Context is what commands share.
type Context struct {
	sessions sessionTable
	orders   *cbt.Table
	clock    clock.Clock
}

// NewContext returns a Context.
func NewContext(client *cbt.Client, c clock.Clock) *Context {
	return &Context{
		sessions: sessionTable{client.Open(constants.TableSessions)},
		orders:   client.Open(constants.TableOrders),
		clock:    c,
	}
}

var (
	instance *Context
	once     sync.Once
)

// GetInstance is the singleton.
func GetInstance(client *cbt.Client) *Context {
	once.Do(func() { instance = NewContext(client, clock.NewSystemClock()) })
	return instance
}

// mutate applies what a callback makes.
func (c *Context) mutate(ctx context.Context, t *cbt.Table, row string, f func(m *cbt.Mutation)) error {
	m := cbt.NewMutation()
	f(m)
	return t.Apply(ctx, row, m)
}

// readWith reads and decodes.
func readWith[T any](ctx context.Context, t *cbt.Table, row string, decode func(cbt.Row) T, opts ...cbt.ReadOption) (T, error) {
	r, err := t.ReadRow(ctx, row, opts...)
	if err != nil {
		var zero T
		return zero, err
	}
	return decode(r), nil
}

// GrantToken stores a token.
type GrantToken struct {
	Ctx   *Context
	ID    string
	Token []byte
}

// Execute implements Command.
func (g *GrantToken) Execute(ctx context.Context) error {
	m := cbt.NewMutation()
	m.Set(constants.KindToken.Family(), constants.Session.JWT, LifetimeSession.Stamp(g.Ctx.clock), g.Token) // ok ttlwrite/server-timestamp
	m.Set(constants.KindToken.Family(), constants.Session.Csrf, LifetimeServer.Stamp(g.Ctx.clock), nil)     // want ttlwrite/server-timestamp
	m.Set(constants.FamilyProfile, "granted", LifetimeServer.Stamp(g.Ctx.clock), nil)                       // ok ttlwrite/server-timestamp
	return g.Ctx.sessions.Apply(ctx, g.ID, m)
}

// GrantHold stores a hold.
type GrantHold struct {
	Ctx   *Context
	Order string
	Sku   string
}

// Execute implements Command.
func (g *GrantHold) Execute(ctx context.Context) error {
	return g.Ctx.mutate(ctx, g.Ctx.orders, g.Order, func(m *cbt.Mutation) {
		m.Set(constants.FamilyOf[constants.KindHold], g.Sku, cbt.Now(), nil)                                        // want ttlwrite/write-time
		m.Set(constants.FamilyOf[constants.KindHold], g.Sku+".until", LifetimeSession.Stamp(g.Ctx.clock), nil)      // ok ttlwrite/write-time
		m.Set(constants.FamilyOf[constants.KindHeader], "granted", cbt.Now(), nil)                                  // ok ttlwrite/write-time
		m.Set(constants.FamilyOf[constants.KindRevision], constants.ColPayload, cbt.Time(g.Ctx.clock.Now()), nil)   // want ttlwrite/clock-in-sequence
		m.Set(constants.FamilyOf[constants.KindRevision], constants.ColAuthor, cbt.Timestamp(7*1000), []byte("op")) // ok ttlwrite/clock-in-sequence
	})
}

// BumpHold counts.
type BumpHold struct {
	Ctx   *Context
	Order string
	Kind  constants.Kind
}

// Execute implements Command.
func (b *BumpHold) Execute(ctx context.Context) error {
	rmw := cbt.NewReadModifyWrite()
	rmw.Increment(b.Kind.Family(), "bumps", 1) // maybe ttlwrite/read-modify-write
	if _, err := b.Ctx.orders.ApplyReadModifyWrite(ctx, b.Order, rmw); err != nil {
		return err
	}
	second := cbt.NewReadModifyWrite()
	second.Increment(constants.KindHold.Family(), "bumps", 1) // want ttlwrite/read-modify-write
	_, err := b.Ctx.orders.ApplyReadModifyWrite(ctx, b.Order, second)
	return err
}

// ShowToken reads a token.
type ShowToken struct {
	Ctx  *Context
	ID   string
	Show func(string)
}

// Execute implements Command.
func (s *ShowToken) Execute(ctx context.Context) error {
	text := func(r cbt.Row) string {
		for _, item := range r[constants.FamilyToken] {
			return string(item.Value)
		}
		return ""
	}
	v, err := readWith(ctx, s.Ctx.sessions.Table, s.ID, text, cbt.RowFilter(cbt.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	live := cbt.TimestampRangeFilter(s.Ctx.clock.Now(), time.Time{})
	w, err := readWith(ctx, s.Ctx.sessions.Table, s.ID, text, cbt.RowFilter(cbt.ChainFilters(cbt.FamilyFilter(constants.FamilyToken), live))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	s.Show(v + " " + w)
	return nil
}

// ShowName reads a name.
type ShowName struct {
	Ctx  *Context
	ID   string
	Show func(string, time.Time)
}

// Execute implements Command.
func (s *ShowName) Execute(ctx context.Context) error {
	row, err := s.Ctx.sessions.ReadRow(ctx, s.ID) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, item := range row[constants.FamilyProfile] {
		s.Show(string(item.Value), item.Timestamp.Time()) // ok ttlage/not-write-time
	}
	return nil
}

// ListTokens scans.
type ListTokens struct {
	Ctx    *Context
	Prefix string
	Each   func(id string, value []byte)
}

// Execute implements Command.
func (l *ListTokens) Execute(ctx context.Context) error {
	err := l.Ctx.sessions.ReadRows(ctx, cbt.PrefixRange(l.Prefix), func(r cbt.Row) bool { // want ttlread/missing-filter
		for _, item := range r[constants.FamilyToken] {
			l.Each(r.Key(), item.Value)
		}
		return true
	})
	if err != nil {
		return err
	}
	return l.Ctx.sessions.ReadRows(ctx, cbt.PrefixRange(l.Prefix), func(r cbt.Row) bool { // ok ttlread/missing-filter
		for _, item := range r[constants.FamilyProfile] {
			l.Each(r.Key(), item.Value)
		}
		return true
	}, cbt.RowFilter(cbt.LatestNFilter(1)))
}

// CountSessions counts keys.
type CountSessions struct {
	Ctx  *Context
	Done func(int)
}

// Execute implements Command.
func (c *CountSessions) Execute(ctx context.Context) error {
	n := 0
	err := c.Ctx.sessions.ReadRows(ctx, cbt.InfiniteRange(""), func(cbt.Row) bool { n++; return true }, cbt.RowFilter(cbt.StripValueFilter())) // ok ttlread/missing-filter
	c.Done(n)
	return err
}

// DropExpired deletes sessions without a token; the check is the server's.
type DropExpired struct {
	Ctx *Context
	ID  string
}

// Execute implements Command.
func (d *DropExpired) Execute(ctx context.Context) error {
	drop := cbt.NewMutation()
	drop.DeleteRow()
	live := cbt.ChainFilters(cbt.FamilyFilter(constants.FamilyToken), cbt.TimestampRangeFilter(d.Ctx.clock.Now(), time.Time{}))
	return d.Ctx.sessions.Apply(ctx, d.ID, cbt.NewCondMutation(live, nil, drop)) // ok ttlread/conditional-mutation
}

// MarkActive marks sessions that have a token, dead or alive.
type MarkActive struct {
	Ctx *Context
	ID  string
}

// Execute implements Command.
func (a *MarkActive) Execute(ctx context.Context) error {
	mark := cbt.NewMutation()
	mark.Set(constants.FamilyProfile, "active", cbt.Now(), []byte("1"))                                                     // ok ttlwrite/write-time
	cond := cbt.NewCondMutation(cbt.ChainFilters(cbt.FamilyFilter(constants.FamilyToken), cbt.LatestNFilter(1)), mark, nil) // want ttlread/conditional-mutation
	return a.Ctx.sessions.Apply(ctx, a.ID, cond)
}

// CorrectClock rewrites a hold with what the warehouse's clock says.
type CorrectClock struct {
	Ctx     *Context
	Order   string
	Sku     string
	Minutes int
}

// Execute implements Command.
func (c *CorrectClock) Execute(ctx context.Context) error {
	d := time.Duration(c.Minutes) * time.Minute
	m := cbt.NewMutation()
	m.DeleteCellsInColumn(constants.FamilyHold, c.Sku)
	m.Set(constants.FamilyHold, c.Sku, cbt.Now()+cbt.Timestamp(d), nil) // want ttlunit/wrong-unit
	m.DeleteCellsInColumn(constants.FamilyHold, c.Sku+".utc")
	m.Set(constants.FamilyHold, c.Sku+".utc", cbt.Now()+cbt.Timestamp(d.Microseconds()), nil) // ok ttlunit/wrong-unit
	m.Set(constants.FamilyHeader, "corrected", cbt.Timestamp(c.Ctx.clock.Now().Unix()), nil)  // want ttlunit/wrong-unit
	return c.Ctx.orders.Apply(ctx, c.Order, m)
}

// EmptyRange reads nothing, since its bounds are the wrong way round.
type EmptyRange struct {
	Ctx *Context
	ID  string
}

var (
	y2024 = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	y2025 = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
)

// Execute implements Command.
func (e *EmptyRange) Execute(ctx context.Context) error {
	wrong := cbt.ChainFilters(cbt.FamilyFilter(constants.FamilyHeader), cbt.TimestampRangeFilter(y2025, y2024)) // want ttlunit/empty-range[er]
	if _, err := e.Ctx.orders.ReadRow(ctx, e.ID, cbt.RowFilter(wrong)); err != nil {                            // want ttlunit/empty-range[er]
		return err
	}
	right := cbt.ChainFilters(cbt.FamilyFilter(constants.FamilyHeader), cbt.TimestampRangeFilter(y2024, y2025)) // ok ttlunit/empty-range
	_, err := e.Ctx.orders.ReadRow(ctx, e.ID, cbt.RowFilter(right))                                             // ok ttlunit/empty-range
	return err
}

// ZeroLimit asks for no versions at all.
type ZeroLimit struct {
	Ctx *Context
	ID  string
}

// Execute implements Command.
func (z *ZeroLimit) Execute(ctx context.Context) error {
	_, err := z.Ctx.orders.ReadRow(ctx, z.ID, cbt.RowFilter(cbt.ChainFilters(cbt.FamilyFilter(constants.FamilyHeader), cbt.LatestNFilter(0)))) // want ttlunit/invalid-filter
	return err
}

// Macro runs commands one after another.
type Macro []Command

// Execute implements Command.
func (m Macro) Execute(ctx context.Context) error {
	for _, c := range m {
		if err := c.Execute(ctx); err != nil {
			return err
		}
	}
	return nil
}
