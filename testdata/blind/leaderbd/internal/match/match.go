// Package match is matchmaking: tickets wait in lobbies, rooms are what becomes of them.
package match

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"studio.example/leaderbd/internal/kit"
	"studio.example/leaderbd/internal/schema"
)

// Ticket is one player's wish to play.
type Ticket struct {
	Player string `json:"player"`
	Mode   string `json:"mode"`
	Rating int    `json:"rating"`
	Region string `json:"region"`
}

// Room is a match that is about to begin.
type Room struct {
	ID      string   `json:"id"`
	Mode    string   `json:"mode"`
	Players []string `json:"players"`
	Server  string   `json:"server"`
}

// RoomInfo is a room as the operators see it.
type RoomInfo struct {
	Room
	CreatedAt time.Time
	ClosesAt  time.Time
	Age       time.Duration
}

// family names by what is kept there.
var families = []string{schema.FamTicket, schema.FamRoom, schema.FamMeta}

const (
	famTicket = iota
	famRoom
	famMeta
)

// liveTickets is the filter of the hot path.
var liveTickets = bigtable.ChainFilters( // want ttlread/stale-bound[lt]
	bigtable.FamilyFilter(schema.FamTicket),
	bigtable.TimestampRangeFilter(time.Now(), time.Time{}), // want ttlread/stale-bound[lt]
)

var roomWindow = sync.OnceValue(func() bigtable.Filter { // want ttlread/stale-bound[rw]
	return kit.In(schema.FamRoom, kit.Within(schema.RoomTTL)) // want ttlread/stale-bound[rw]
})

// started is when this process began; the warm-up tickets carry it.
var started = time.Now() // want ttlwrite/stale-clock[st]

// Service matches players.
type Service struct {
	tbl   kit.Table
	now   func() time.Time
	log   *slog.Logger
	mu    sync.Mutex
	modes map[string]Mode
}

// Mode is a way to play.
type Mode struct {
	Name   string
	Size   int
	Spread int
}

// Opt configures a Service.
type Opt func(*Service)

// WithModes replaces the modes.
func WithModes(ms ...Mode) Opt {
	return func(s *Service) {
		for _, m := range ms {
			s.modes[m.Name] = m
		}
	}
}

// New is a service on c.
func New(c *bigtable.Client, log *slog.Logger, opts ...Opt) *Service {
	s := &Service{
		tbl:   c.Open(schema.Lobbies),
		now:   time.Now,
		log:   log.With("service", "match"),
		modes: map[string]Mode{"duel": {"duel", 2, 100}, "squad": {"squad", 4, 250}},
	}
	for _, o := range opts {
		o(s)
	}
	return s
}

func ticketKey(t Ticket) string { return t.Region + "#" + t.Mode + "#" + t.Player }

// Enqueue files a ticket.
func (s *Service) Enqueue(ctx context.Context, t Ticket) error {
	fam := families[famTicket]
	m := bigtable.NewMutation()
	m.Set(fam, "t", bigtable.Time(s.now().Add(schema.TicketTTL)), kit.Must(t)) // ok ttlwrite/write-time
	m.Set(fam, "rating", bigtable.Now(), kit.Must(t.Rating))                   // want ttlwrite/write-time
	m.Set(families[famMeta], "queued", bigtable.Now(), nil)                    // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, ticketKey(t), m)
}

// Requeue files the tickets of a match that fell through; they wait in front.
func (s *Service) Requeue(ctx context.Context, ts ...Ticket) error {
	b := kit.NewBatch(s.tbl)
	for _, t := range ts {
		b.Add(ticketKey(t),
			kit.PutAny(schema.FamTicket, "t", kit.ExpireIn(schema.TicketTTL), t),             // ok ttlwrite/write-time
			kit.Put(schema.FamTicket, "again", bigtable.ServerTime, []byte("1")),             // want ttlwrite/server-timestamp
			kit.Put(schema.FamMeta, "again", bigtable.ServerTime, []byte("1")),               // ok ttlwrite/server-timestamp
			kit.PutAny(schema.FamTicket, "penalty", kit.ExpireIn(0), -10),                    // want ttlwrite/write-time
			kit.Put(schema.FamTicket, "boost", kit.ExpireIn(schema.TicketTTL/3), []byte{50}), // ok ttlwrite/write-time
		)
	}
	return b.Flush(ctx)
}

// WarmUp fills a lobby with bots, so that nobody waits alone after a deployment.
func (s *Service) WarmUp(ctx context.Context, region string, n int) error {
	for i := range n {
		t := Ticket{Player: fmt.Sprintf("bot-%03d", i), Mode: "duel", Region: region, Rating: 1000 + 10*i}
		m := bigtable.NewMutation()
		m.Set(schema.FamTicket, "t", bigtable.Time(started.Add(schema.TicketTTL)), kit.Must(t)) // want ttlwrite/stale-clock[st]
		m.Set(schema.FamMeta, "bot", bigtable.Time(started), []byte{1})                         // ok ttlwrite/stale-clock
		if err := s.tbl.Apply(ctx, ticketKey(t), m); err != nil {
			return err
		}
	}
	return nil
}

// Cancel takes a ticket back.
func (s *Service) Cancel(ctx context.Context, t Ticket) error {
	return kit.Change(ctx, s.tbl, ticketKey(t),
		kit.Drop(schema.FamTicket, "t"),
		kit.Put(schema.FamTicket, "cancelled", kit.ExpireIn(-time.Second), nil),   // want ttlwrite/already-expired
		kit.Put(schema.FamTicket, "cancelled_by", kit.ExpireIn(time.Minute), nil), // ok ttlwrite/already-expired
	)
}

// Waiting iterates over the tickets of a lobby.
func (s *Service) Waiting(ctx context.Context, region, mode string) iter.Seq2[Ticket, error] {
	rows := kit.Rows(ctx, s.tbl, bigtable.PrefixRange(region+"#"+mode+"#"), kit.Where(kit.In(schema.FamTicket, bigtable.ColumnFilter("t"), kit.Live(), kit.Latest(1)))) // ok ttlread/missing-filter
	return kit.MapSeq(rows, decodeTicket)
}

// WaitingFast is Waiting through the filter that is made only once.
func (s *Service) WaitingFast(ctx context.Context, region string) iter.Seq2[Ticket, error] {
	rows := kit.Rows(ctx, s.tbl, bigtable.PrefixRange(region+"#"), kit.Where(liveTickets)) // want ttlread/stale-bound[lt]
	return kit.MapSeq(rows, decodeTicket)
}

// WaitingAll is every ticket of every region, for the dashboard.
func (s *Service) WaitingAll(ctx context.Context, limit int64) iter.Seq2[Ticket, error] {
	rows := kit.Rows(ctx, s.tbl, bigtable.InfiniteRange(""), kit.Where(bigtable.FamilyFilter(schema.FamTicket), kit.Latest(1)), kit.Limit(limit)) // want ttlread/missing-filter
	return kit.MapSeq(rows, decodeTicket)
}

// WaitingLong iterates over tickets that may be older than they should be.
func (s *Service) WaitingLong(ctx context.Context, region string) iter.Seq2[Ticket, error] {
	rows := kit.Rows(ctx, s.tbl, bigtable.PrefixRange(region), kit.Where(kit.In(schema.FamTicket, kit.Within(schema.TicketTTL)))) // want ttlread/wrong-bound
	return kit.MapSeq(rows, decodeTicket)
}

func decodeTicket(row bigtable.Row) (Ticket, error) {
	it, ok := kit.Cell(row, schema.FamTicket, "t").Get()
	if !ok {
		return Ticket{}, kit.ErrNotFound
	}
	return kit.JSON[Ticket]{}.Decode(it.Value)
}

// Queued says whether a player waits already.
func (s *Service) Queued(ctx context.Context, t Ticket) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, ticketKey(t), bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter()))) // want ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return row != nil, nil
}

// Depth counts the rows of a lobby, dead ones too; the autoscaler only wants a rough idea.
func (s *Service) Depth(ctx context.Context, region string) (int, error) {
	n := 0
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(region+"#"), func(bigtable.Row) bool { // ok ttlread/missing-filter
		n++
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())))
	return n, err
}

// Expired lists tickets that ran out without a match.
func (s *Service) Expired(ctx context.Context, region string) ([]Ticket, error) {
	f := bigtable.ChainFilters( // want ttlread/expired-only[ex]
		bigtable.FamilyFilter(schema.FamTicket),
		bigtable.TimestampRangeFilter(time.Time{}, s.now()), // want ttlread/expired-only[ex]
	)
	return kit.Collect(kit.MapSeq(kit.Rows(ctx, s.tbl, bigtable.PrefixRange(region), kit.Where(f)), decodeTicket)) // want ttlread/expired-only[ex]
}

// First picks the ticket that runs out first.
func (s *Service) First(ctx context.Context, region string) (kit.Option[Ticket], error) {
	f := kit.In(schema.FamTicket, bigtable.CellsPerRowLimitFilter(1), kit.Live())                          // want ttlread/limit-before-filter[fi]
	for row, err := range kit.Rows(ctx, s.tbl, bigtable.PrefixRange(region), kit.Where(f), kit.Limit(1)) { // want ttlread/limit-before-filter[fi]
		if err != nil {
			return kit.None[Ticket](), err
		}
		t, err := decodeTicket(row)
		return kit.Some(t), err
	}
	return kit.None[Ticket](), nil
}

// FirstOf is First for one mode.
func (s *Service) FirstOf(ctx context.Context, region, mode string) (kit.Option[Ticket], error) {
	f := kit.In(schema.FamTicket, kit.Live(), bigtable.CellsPerRowLimitFilter(1))
	for row, err := range kit.Rows(ctx, s.tbl, bigtable.PrefixRange(region+"#"+mode), kit.Where(f), kit.Limit(1)) { // ok ttlread/limit-before-filter
		if err != nil {
			return kit.None[Ticket](), err
		}
		t, err := decodeTicket(row)
		return kit.Some(t), err
	}
	return kit.None[Ticket](), nil
}

// Closing lists tickets that end in the next half minute.
func (s *Service) Closing(ctx context.Context, region string) iter.Seq2[Ticket, error] {
	now := s.now()
	win := bigtable.TimestampRangeFilter(now, now.Add(30*time.Second))                                                            // want ttlread/upper-bound[cl]
	return kit.MapSeq(kit.Rows(ctx, s.tbl, bigtable.PrefixRange(region), kit.Where(kit.In(schema.FamTicket, win))), decodeTicket) // want ttlread/upper-bound[cl]
}

// Sane lists tickets that do not pretend to live longer than tickets do.
func (s *Service) Sane(ctx context.Context, region string) iter.Seq2[Ticket, error] {
	now := s.now()
	win := bigtable.TimestampRangeFilter(now, now.Add(schema.TicketTTL))
	return kit.MapSeq(kit.Rows(ctx, s.tbl, bigtable.PrefixRange(region), kit.Where(kit.In(schema.FamTicket, win))), decodeTicket) // ok ttlread/upper-bound
}

// Pair finds players for a match.
func (s *Service) Pair(ctx context.Context, region string, mode Mode) ([][]Ticket, error) {
	ts, err := kit.Collect(s.Waiting(ctx, region, mode.Name))
	if err != nil && !errors.Is(err, kit.ErrNotFound) {
		return nil, err
	}
	slices.SortFunc(ts, func(a, b Ticket) int { return cmp.Compare(a.Rating, b.Rating) })
	var out [][]Ticket
	for group := range slices.Chunk(ts, mode.Size) {
		if len(group) == mode.Size && group[len(group)-1].Rating-group[0].Rating <= mode.Spread {
			out = append(out, group)
		}
	}
	return out, nil
}

// OpenRoom turns tickets into a room.
func (s *Service) OpenRoom(ctx context.Context, server string, mode Mode, ts []Ticket) (Room, error) {
	r := Room{ID: fmt.Sprintf("%s-%x", mode.Name, s.now().UnixNano()), Mode: mode.Name, Server: server}
	for _, t := range ts {
		r.Players = append(r.Players, t.Player)
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamRoom, "r", bigtable.ServerTime, kit.Must(r))                                               // ok ttlwrite/server-timestamp
	m.Set(schema.FamRoom, "join", kit.Shifted(schema.RoomTTL, 2*time.Minute), []byte(server))                  // ok ttlwrite/already-expired
	m.Set(schema.FamRoom, "spectate", kit.Shifted(schema.RoomTTL, time.Hour), []byte(server))                  // ok ttlwrite/already-expired
	m.Set(schema.FamRoom, "ready", bigtable.Time(s.now().Add(-45*time.Minute)), []byte(server))                // want ttlwrite/already-expired
	m.Set(schema.FamMeta, "opened", bigtable.Now(), []byte(mode.Name))                                         // ok ttlwrite/write-time
	m.Set(schema.FamMeta, "opened_ms", bigtable.Timestamp(s.now().UnixMilli()), []byte(mode.Name))             // want ttlunit/wrong-unit
	m.Set(schema.FamRoom, "grace", bigtable.Now()+bigtable.Timestamp(10*time.Minute), []byte(mode.Name))       // want ttlunit/wrong-unit
	m.Set(schema.FamRoom, "grace_us", bigtable.Now()+bigtable.Timestamp(10*time.Minute/time.Microsecond), nil) // ok ttlunit/wrong-unit
	if err := s.tbl.Apply(ctx, "room#"+r.ID, m); err != nil {
		return Room{}, err
	}
	b := kit.NewBatch(s.tbl)
	for _, t := range ts {
		b.Add(ticketKey(t), kit.Drop(schema.FamTicket, "t"))
	}
	return r, b.Flush(ctx)
}

// Room reads a room.
func (s *Service) Room(ctx context.Context, id string) (kit.Option[Room], error) {
	row, err := kit.Get(ctx, s.tbl, "room#"+id, kit.Where(kit.In(schema.FamRoom, kit.Within(schema.RoomTTL)))) // ok ttlread/wrong-bound
	if err != nil {
		return kit.None[Room](), err
	}
	return decodeRoom(row)
}

// RoomOf reads a room for the join button.
func (s *Service) RoomOf(ctx context.Context, id string) (kit.Option[Room], error) {
	row, err := kit.Get(ctx, s.tbl, "room#"+id, kit.Where(kit.In(schema.FamRoom, kit.Live()))) // want ttlread/wrong-bound
	if err != nil {
		return kit.None[Room](), err
	}
	return decodeRoom(row)
}

// RoomSince reads a room that somebody has a day-old link to.
func (s *Service) RoomSince(ctx context.Context, id string) (kit.Option[Room], error) {
	row, err := kit.Get(ctx, s.tbl, "room#"+id, kit.Where(kit.In(schema.FamRoom, kit.Within(24*time.Hour)))) // want ttlread/wrong-bound
	if err != nil {
		return kit.None[Room](), err
	}
	return decodeRoom(row)
}

// RoomCached reads a room through the filter that is made only once.
func (s *Service) RoomCached(ctx context.Context, id string) (kit.Option[Room], error) {
	row, err := kit.Get(ctx, s.tbl, "room#"+id, kit.Where(roomWindow())) // want ttlread/stale-bound[rw]
	if err != nil {
		return kit.None[Room](), err
	}
	return decodeRoom(row)
}

func decodeRoom(row bigtable.Row) (kit.Option[Room], error) {
	it, ok := kit.Cell(row, schema.FamRoom, "r").Get()
	if !ok {
		return kit.None[Room](), nil
	}
	r, err := kit.JSON[Room]{}.Decode(it.Value)
	return kit.Some(r), err
}

// Rooms lists rooms for the operators.
func (s *Service) Rooms(ctx context.Context) ([]RoomInfo, error) {
	var out []RoomInfo
	now := s.now()
	for row, err := range kit.Rows(ctx, s.tbl, bigtable.PrefixRange("room#"), kit.Where(kit.In(schema.FamRoom, kit.Within(schema.RoomTTL)))) { // ok ttlread/missing-filter
		if err != nil {
			return nil, err
		}
		it, ok := kit.Cell(row, schema.FamRoom, "r").Get()
		if !ok {
			continue
		}
		r, err := kit.JSON[Room]{}.Decode(it.Value)
		if err != nil {
			return nil, err
		}
		out = append(out, RoomInfo{
			Room:      r,
			CreatedAt: it.Timestamp.Time(),                     // want ttlage/not-write-time
			ClosesAt:  it.Timestamp.Time().Add(schema.RoomTTL), // ok ttlage/not-write-time
			Age:       now.Sub(it.Timestamp.Time()),            // want ttlage/not-write-time
		})
	}
	return out, nil
}

// Opened lists rooms with the time at which they were opened, from the ordinary family.
func (s *Service) Opened(ctx context.Context) (map[string]time.Duration, error) {
	out := map[string]time.Duration{}
	for row, err := range kit.Rows(ctx, s.tbl, bigtable.PrefixRange("room#"), kit.Where(kit.In(schema.FamMeta, kit.Latest(1)))) { // ok ttlread/missing-filter
		if err != nil {
			return nil, err
		}
		if it, ok := kit.Cell(row, schema.FamMeta, "opened").Get(); ok {
			out[row.Key()] = time.Since(it.Timestamp.Time()) // ok ttlage/not-write-time
		}
	}
	return out, nil
}

// Overview is a room with its tickets and notes.
func (s *Service) Overview(ctx context.Context, key string) (map[string]string, error) {
	now := s.now()
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.InterleaveFilters( // ok ttlread/unfiltered-branch
		bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamTicket), bigtable.TimestampRangeFilter(now, time.Time{})),
		bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamRoom), bigtable.TimestampRangeFilter(now.Add(-schema.RoomTTL), time.Time{})),
		bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamMeta), bigtable.LatestNFilter(1)),
	)))
	if err != nil {
		return nil, err
	}
	return flatten(row), nil
}

// Debug is Overview with everything in it that was ever there, or so support thinks.
func (s *Service) Debug(ctx context.Context, key string) (map[string]string, error) {
	tickets := kit.In(schema.FamTicket, kit.Live())
	rooms := kit.In(schema.FamRoom, kit.Latest(1)) // want ttlread/unfiltered-branch[db]
	meta := kit.In(schema.FamMeta)
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.InterleaveFilters(tickets, rooms, meta))) // want ttlread/unfiltered-branch[db]
	if err != nil {
		return nil, err
	}
	return flatten(row), nil
}

// Marked reads rooms, with the join link only where it still works.
func (s *Service) Marked(ctx context.Context, key string) (map[string]string, error) {
	join := kit.In(schema.FamRoom, bigtable.ColumnFilter("join"), kit.Within(schema.RoomTTL))
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ConditionFilter(join, bigtable.FamilyFilter(schema.FamRoom), nil))) // want ttlread/unfiltered-branch
	if err != nil {
		return nil, err
	}
	return flatten(row), nil
}

// MarkedMeta is the same for the notes.
func (s *Service) MarkedMeta(ctx context.Context, key string) (map[string]string, error) {
	join := kit.In(schema.FamRoom, bigtable.ColumnFilter("join"), kit.Within(schema.RoomTTL))
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ConditionFilter(join, bigtable.FamilyFilter(schema.FamMeta), nil))) // ok ttlread/unfiltered-branch
	if err != nil {
		return nil, err
	}
	return flatten(row), nil
}

func flatten(row bigtable.Row) map[string]string {
	out := map[string]string{}
	for _, fam := range families {
		for col, it := range kit.Cells(row, fam) {
			out[fam+"/"+col] = string(it.Value)
		}
	}
	return out
}

// Players counts joins in a room; rooms have real counters since the rewrite.
func (s *Service) Players(ctx context.Context, id string, delta int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamRoom, "players", delta)           // ok ttlwrite/read-modify-write
	rmw.AppendValue(schema.FamMeta, "log", []byte("joined;")) // ok ttlwrite/read-modify-write
	rmw.AppendValue(schema.FamTicket, "log", []byte("in;"))   // want ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, "room#"+id, rmw)
	return err
}

// Claim gives a room to a server unless another has it.
func (s *Service) Claim(ctx context.Context, id, server string) (bool, error) {
	taken := kit.In(schema.FamRoom, bigtable.ColumnFilter("server")) // want ttlread/conditional-mutation[ta]
	mine := bigtable.NewMutation()
	mine.Set(schema.FamRoom, "server", bigtable.ServerTime, []byte(server)) // ok ttlwrite/server-timestamp
	var had bool
	err := s.tbl.Apply(ctx, "room#"+id, bigtable.NewCondMutation(taken, nil, mine), bigtable.GetCondMutationResult(&had)) // want ttlread/conditional-mutation[ta]
	return !had, err
}

// ClaimLive is Claim as it should be.
func (s *Service) ClaimLive(ctx context.Context, id, server string) (bool, error) {
	taken := kit.In(schema.FamRoom, bigtable.ColumnFilter("server"), kit.Within(schema.RoomTTL))
	mine := bigtable.NewMutation()
	mine.Set(schema.FamRoom, "server", bigtable.Now(), []byte(server)) // ok ttlwrite/write-time
	var had bool
	err := s.tbl.Apply(ctx, "room#"+id, bigtable.NewCondMutation(taken, nil, mine), bigtable.GetCondMutationResult(&had)) // ok ttlread/conditional-mutation
	return !had, err
}

// Sweep deletes the lobby of a region.
func (s *Service) Sweep(ctx context.Context, region string) (int, error) {
	b := kit.NewBatch(s.tbl)
	del := func(m *bigtable.Mutation) { m.DeleteRow() }
	for row, err := range kit.Rows(ctx, s.tbl, bigtable.PrefixRange(region+"#")) { // ok ttlread/missing-filter
		if err != nil {
			return 0, err
		}
		b.Add(row.Key(), del)
	}
	n := b.Len()
	return n, b.Flush(ctx)
}
