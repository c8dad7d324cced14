// Package match is matchmaking: tickets that lapse, a state machine per ticket
// whose versions are numbered, and the matches that come of it.
package match

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sort"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/arena/internal/cache"
	"example.com/arena/internal/mailbox"
	"example.com/arena/internal/schema"
	"example.com/arena/internal/stamp"
	"example.com/arena/internal/telemetry"
)

// ErrNoTicket is what a player without a ticket gets.
var ErrNoTicket = errors.New("match: no ticket")

const (
	colSkill = "skill"
	colParty = "party"
	colMode  = "mode"
	colPhase = "phase"
	colTeams = "teams"
	colScore = "score"
)

// Phase is where a ticket stands.
type Phase string

// The phases.
const (
	Queued   Phase = "queued"
	Proposed Phase = "proposed"
	Accepted Phase = "accepted"
	Dropped  Phase = "dropped"
)

// Ticket is a player's wish to play.
type Ticket struct {
	Player string `json:"player"`
	Mode   string `json:"mode"`
	Skill  int    `json:"skill"`
	Until  time.Time
	seq    int64
}

type verb int

const (
	enqueue verb = iota
	cancel
	extend
	advance
)

// request is what the matchmaker's mailbox takes.
type request struct {
	verb   verb
	ticket Ticket
	phase  Phase
	seq    int64
}

// Maker is the matchmaker.
type Maker struct {
	tickets *bigtable.Table
	matches *bigtable.Table
	box     *mailbox.Box[request]
	verbs   map[verb]func(context.Context, request) error
	results *cache.WriteBehind
	seq     atomic.Int64
	phases  map[string]int64
	mu      sync.Mutex
	log     *slog.Logger
	made    *telemetry.Counter
}

// New starts a matchmaker.
func New(c *bigtable.Client, reg *telemetry.Registry, log *slog.Logger) *Maker {
	m := &Maker{
		tickets: c.Open(schema.TableTickets),
		matches: c.Open(schema.TableMatches),
		phases:  map[string]int64{},
		log:     log,
		made:    reg.Counter("match.made"),
	}
	m.results = cache.New(m.matches, cache.Options{Workers: 2}, reg, log)
	m.verbs = map[verb]func(context.Context, request) error{
		enqueue: m.enqueue,
		cancel:  m.cancel,
		extend:  m.extend,
		advance: func(ctx context.Context, r request) error { return m.advance(ctx, r.ticket.Player, r.phase, r.seq) },
	}
	m.box = mailbox.Start("match", 4096, log, func(ctx context.Context, r request) error {
		if h := m.verbs[r.verb]; h != nil {
			return h(ctx, r)
		}
		return fmt.Errorf("match: verb %d", r.verb)
	})
	return m
}

// Close stops the actor and flushes the results.
func (m *Maker) Close(ctx context.Context) error {
	return errors.Join(m.box.Stop(ctx), m.results.Stop(ctx))
}

// Enqueue puts a player into the queue.
func (m *Maker) Enqueue(ctx context.Context, t Ticket) error {
	return m.box.Ask(ctx, request{verb: enqueue, ticket: t})
}

// Cancel takes a player out of it.
func (m *Maker) Cancel(ctx context.Context, player string) error {
	return m.box.Ask(ctx, request{verb: cancel, ticket: Ticket{Player: player}})
}

// Extend gives a ticket another round.
func (m *Maker) Extend(ctx context.Context, player string) error {
	return m.box.Ask(ctx, request{verb: extend, ticket: Ticket{Player: player}})
}

// Accept moves a ticket on.
func (m *Maker) Accept(ctx context.Context, player string) error {
	return m.box.Ask(ctx, request{verb: advance, ticket: Ticket{Player: player}, phase: Accepted, seq: m.next(player)})
}

func (m *Maker) next(player string) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.phases[player]++
	return m.phases[player]
}

func (m *Maker) enqueue(ctx context.Context, r request) error {
	t := r.ticket
	until := stamp.In(schema.TicketTTL)
	mut := bigtable.NewMutation()
	mut.Set(schema.FamTicket, colSkill, until, []byte(strconv.Itoa(t.Skill)))       // ok ttlwrite/write-time
	mut.Set(schema.FamTicket, colMode, until, []byte(t.Mode))                       // ok ttlwrite/write-time ttlwrite/same-timestamp
	mut.Set(schema.FamTicket, colParty, bigtable.Now(), []byte(t.Player))           // want ttlwrite/write-time
	mut.Set(schema.FamState, colPhase, stamp.Seq(m.next(t.Player)), []byte(Queued)) // ok ttlwrite/unscaled-sequence ttlwrite/clock-in-sequence
	return m.tickets.Apply(ctx, t.Player, mut)
}

func (m *Maker) cancel(ctx context.Context, r request) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(schema.FamTicket)
	mut.Set(schema.FamState, colPhase, bigtable.Now(), []byte(Dropped)) // want ttlwrite/clock-in-sequence
	return m.tickets.Apply(ctx, r.ticket.Player, mut)
}

func (m *Maker) extend(ctx context.Context, r request) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(schema.FamTicket, colMode)                                    // ok ttlwrite/delete-after-set
	mut.Set(schema.FamTicket, colMode, stamp.In(schema.TicketTTL), []byte(r.ticket.Mode)) // ok ttlwrite/write-time
	mut.Set(schema.FamState, colPhase, bigtable.Timestamp(m.seq.Add(1)), []byte(Queued))  // want ttlwrite/unscaled-sequence
	return m.tickets.Apply(ctx, r.ticket.Player, mut)
}

func (m *Maker) advance(ctx context.Context, player string, p Phase, seq int64) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamState, colPhase, bigtable.Timestamp(seq*1000), []byte(p)) // ok ttlwrite/unscaled-sequence
	return m.tickets.Apply(ctx, player, mut)
}

// Propose is what the pairing loop says to both sides.
func (m *Maker) Propose(ctx context.Context, a, b Ticket) error {
	at := stamp.NowIn(ctx)
	for i, t := range []Ticket{a, b} {
		mut := bigtable.NewMutation()
		mut.Set(schema.FamState, colPhase, bigtable.Time(at), []byte(Proposed))             // want ttlwrite/clock-in-sequence
		mut.Set(schema.FamState, "side", bigtable.Timestamp(i+1), []byte{byte(i)})          // want ttlwrite/unscaled-sequence
		mut.Set(schema.FamState, "other", bigtable.Timestamp((i+1)*1000), []byte(b.Player)) // ok ttlwrite/unscaled-sequence
		mut.Set(schema.FamTicket, "proposal", stamp.Until(at.Add(20*time.Second)), nil)     // ok ttlwrite/write-time
		if err := m.tickets.Apply(ctx, t.Player, mut); err != nil {
			return err
		}
	}
	return nil
}

// Reset starts a ticket's numbers again.
func (m *Maker) Reset(ctx context.Context, player string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(schema.FamState, colPhase)
	mut.Set(schema.FamState, colPhase, bigtable.Timestamp(1000), []byte(Queued)) // ok ttlwrite/unscaled-sequence
	mut.Set(schema.FamState, "epoch", bigtable.Timestamp(1), []byte("0"))        // want ttlwrite/unscaled-sequence
	mut.Set(schema.FamState, "reset", bigtable.ServerTime, []byte("1"))          // want ttlwrite/clock-in-sequence
	return m.tickets.Apply(ctx, player, mut)
}

// Phase is where a ticket stands.
func (m *Maker) Phase(ctx context.Context, player string) (Phase, int64, error) {
	row, err := m.tickets.ReadRow(ctx, player, stamp.Newest(schema.FamState, 1)) // ok ttlread/version-limit
	if err != nil {
		return "", 0, err
	}
	for _, it := range row[schema.FamState] {
		if it.Column == schema.FamState+":"+colPhase {
			return Phase(it.Value), stamp.Number(it), nil
		}
	}
	return "", 0, ErrNoTicket
}

// History is how a ticket came to where it stands.
func (m *Maker) History(ctx context.Context, player string) ([]Phase, error) {
	row, err := m.tickets.ReadRow(ctx, player, stamp.Newest(schema.FamState, 10)) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []Phase
	for _, it := range row[schema.FamState] {
		out = append(out, Phase(it.Value))
	}
	return out, nil
}

// Last2 is History as far as it is kept.
func (m *Maker) Last2(ctx context.Context, player string) ([]Phase, error) {
	row, err := m.tickets.ReadRow(ctx, player, stamp.Newest(schema.FamState, 2)) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []Phase
	for _, it := range row[schema.FamState] {
		out = append(out, Phase(it.Value))
	}
	return out, nil
}

// Queue lists the live tickets of a mode, oldest first.
func (m *Maker) Queue(ctx context.Context, mode string) ([]Ticket, error) {
	var out []Ticket
	err := m.tickets.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/missing-filter[queue]
		t := Ticket{Player: row.Key()}
		for _, it := range row[schema.FamTicket] {
			switch it.Column {
			case schema.FamTicket + ":" + colMode:
				t.Mode = string(it.Value)
			case schema.FamTicket + ":" + colSkill:
				t.Skill, _ = strconv.Atoi(string(it.Value))
			}
		}
		if t.Mode == mode {
			out = append(out, t)
		}
		return true
	}, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter[queue]
	sort.Slice(out, func(i, j int) bool { return out[i].Skill < out[j].Skill })
	return out, err
}

// LiveQueue is Queue without the ghosts.
func (m *Maker) LiveQueue(ctx context.Context, mode string) ([]Ticket, error) {
	now := time.Now()
	opts := []bigtable.ReadOption{bigtable.LimitRows(500)}
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamTicket), stamp.LiveAt(now))
	if mode != "" {
		f = bigtable.ChainFilters(f, bigtable.LatestNFilter(1))
	}
	opts = append(opts, bigtable.RowFilter(f))
	var out []Ticket
	err := m.tickets.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		t := Ticket{Player: row.Key()}
		for _, it := range row[schema.FamTicket] {
			if it.Column == schema.FamTicket+":"+colMode {
				t.Mode, t.Until = string(it.Value), it.Timestamp.Time() // ok ttlage/not-write-time
			}
		}
		out = append(out, t)
		return true
	}, opts...)
	return out, err
}

// Waiting is how long the tickets of a mode wait on average.
func (m *Maker) Waiting(ctx context.Context) (time.Duration, error) {
	var sum time.Duration
	var n int
	now := time.Now()
	err := m.tickets.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[schema.FamTicket] {
			sum += now.Sub(it.Timestamp.Time()) // want ttlage/not-write-time
			n++
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamTicket), bigtable.ColumnFilter(colMode), stamp.LiveAt(now))))
	if n == 0 {
		return 0, err
	}
	return sum / time.Duration(n), err
}

// One is the whole ticket.
func (m *Maker) One(ctx context.Context, player string) (bigtable.Row, error) {
	f := bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamTicket), stamp.Live()),
		bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamState), bigtable.LatestNFilter(2)), // ok ttlread/version-limit
	)
	return m.tickets.ReadRow(ctx, player, bigtable.RowFilter(f)) // ok ttlread/missing-filter
}

// Sample takes a few tickets for the dashboards.
func (m *Maker) Sample(ctx context.Context) (out []string, err error) {
	f := bigtable.ChainFilters( // want ttlread/limit-before-filter[sample]
		bigtable.FamilyFilter(schema.FamTicket),
		bigtable.CellsPerRowLimitFilter(1), // want ttlread/limit-before-filter[sample]
		stamp.Live(),
	)
	err = m.tickets.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/limit-before-filter[sample]
		out = append(out, string(row[schema.FamTicket][0].Value))
		return rand.IntN(10) > 0
	}, bigtable.RowFilter(f)) // want ttlread/limit-before-filter[sample]
	return out, err
}

// SampleLive is Sample in the right order.
func (m *Maker) SampleLive(ctx context.Context) (out []string, err error) {
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.FamTicket),
		stamp.Live(),
		bigtable.CellsPerRowLimitFilter(1), // ok ttlread/limit-before-filter
	)
	err = m.tickets.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		out = append(out, string(row[schema.FamTicket][0].Value))
		return true
	}, bigtable.RowFilter(f))
	return out, err
}

// Narrow reads a ticket's columns for the matcher's explain page.
func (m *Maker) Narrow(ctx context.Context, player, column string) (string, error) {
	row, err := m.tickets.ReadRow(ctx, player, bigtable.RowFilter(bigtable.ColumnFilter(column)), bigtable.RowFilter(stamp.Live())) // want ttlread/overridden-filter
	if err != nil {
		return "", err
	}
	for _, it := range row[schema.FamTicket] {
		return string(it.Value), nil
	}
	return "", ErrNoTicket
}

// Match is a pairing.
type Match struct {
	ID    string   `json:"id"`
	Teams []string `json:"teams"`
	Moved time.Time
}

// Start writes a match. Its state is kept by real time.
func (m *Maker) Start(ctx context.Context, match Match) error {
	teams, err := json.Marshal(match.Teams)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set(schema.FamState, colPhase, bigtable.ServerTime, []byte("running")) // ok ttlwrite/clock-in-sequence
	mut.Set(schema.FamState, colTeams, bigtable.Now(), teams)                  // ok ttlwrite/clock-in-sequence
	m.made.Inc()
	return m.matches.Apply(ctx, match.ID, mut)
}

// Finish writes a result, a little later.
func (m *Maker) Finish(ctx context.Context, id string, score []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamState, colPhase, bigtable.Now(), []byte("done")) // ok ttlwrite/clock-in-sequence
	mut.Set(schema.FamResult, colScore, bigtable.ServerTime, score)    // ok ttlwrite/server-timestamp
	return m.results.Put(ctx, cache.Entry{Key: id, Mut: mut})
}

// FinishRanked writes a result that is kept for a year.
func (m *Maker) FinishRanked(ctx context.Context, id string, score []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamResult, colScore, stamp.Shifted(365*24*time.Hour, schema.ResultTTL), score) // ok ttlwrite/wrong-base
	return m.results.Put(ctx, cache.Entry{Key: id, Mut: mut})
}

// Ticks writes the result of every round of a match, by the match's clock,
// which the game servers send in seconds.
func (m *Maker) Ticks(ctx context.Context, id string, at time.Time, rounds [][]byte) error {
	for i, r := range rounds {
		mut := bigtable.NewMutation()
		end := at.Add(time.Duration(i) * 90 * time.Second)
		mut.Set(schema.FamResult, "round#"+strconv.Itoa(i), bigtable.Timestamp(end.Unix()), r) // want ttlunit/wrong-unit
		mut.Set(schema.FamState, "round", bigtable.Timestamp(end.UnixMicro()), r)              // ok ttlunit/wrong-unit
		if err := m.results.Put(ctx, cache.Entry{Key: id, Mut: mut}); err != nil {
			return err
		}
	}
	return nil
}

// Match reads a match's state.
func (m *Maker) Match(ctx context.Context, id string) (*Match, error) {
	row, err := m.matches.ReadRow(ctx, id, bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := &Match{ID: id}
	for _, it := range row[schema.FamState] {
		if it.Column == schema.FamState+":"+colTeams {
			out.Moved = it.Timestamp.Time() // ok ttlage/not-write-time
			if err := json.Unmarshal(it.Value, &out.Teams); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// Result reads a result.
func (m *Maker) Result(ctx context.Context, id string) ([]byte, error) {
	row, err := m.matches.ReadRow(ctx, id) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	for _, it := range row[schema.FamResult] {
		return it.Value, nil
	}
	return nil, ErrNoTicket
}

// ResultLive reads a result, if it is to be seen still.
func (m *Maker) ResultLive(ctx context.Context, id string) ([]byte, error) {
	row, err := m.matches.ReadRow(ctx, id, bigtable.RowFilter(stamp.Within(schema.ResultTTL))) // ok ttlread/hides-other-families ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	for _, it := range row[schema.FamResult] {
		return it.Value, nil
	}
	return nil, ErrNoTicket
}

// Recent lists the results of the last week.
func (m *Maker) Recent(ctx context.Context) (out [][]byte, err error) {
	week := stamp.Family(schema.FamResult, bigtable.TimestampRangeFilter(time.Now().AddDate(0, 0, -7), time.Time{})) // want ttlread/wrong-bound[week]
	err = m.matches.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {                          // want ttlread/wrong-bound[week]
		for _, it := range row[schema.FamResult] {
			out = append(out, it.Value)
		}
		return true
	}, bigtable.RowFilter(week))
	return out, err
}

// RecentStates is Recent over the states, which have real times.
func (m *Maker) RecentStates(ctx context.Context) (out [][]byte, err error) {
	week := stamp.Family(schema.FamState, bigtable.TimestampRangeFilter(time.Now().AddDate(0, 0, -7), time.Time{})) // ok ttlread/wrong-bound
	err = m.matches.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {                         // ok ttlread/wrong-bound
		for _, it := range row[schema.FamState] {
			out = append(out, it.Value)
		}
		return true
	}, bigtable.RowFilter(week))
	return out, err
}

// RecentPhases was copied from RecentStates.
func (m *Maker) RecentPhases(ctx context.Context) (out [][]byte, err error) {
	week := stamp.Family(schema.FamState, bigtable.TimestampRangeFilter(time.Now().AddDate(0, 0, -7), time.Time{})) // want ttlread/wrong-bound[phases]
	err = m.tickets.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {                         // want ttlread/wrong-bound[phases]
		for _, it := range row[schema.FamState] {
			out = append(out, it.Value)
		}
		return true
	}, bigtable.RowFilter(week))
	return out, err
}

// Purge removes a match and what it left.
func (m *Maker) Purge(ctx context.Context, id string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamState, colPhase, bigtable.Now(), []byte("purged")) // ok ttlwrite/clock-in-sequence
	mut.DeleteCellsInFamily(schema.FamResult)                            // ok ttlwrite/delete-after-set
	if err := m.matches.Apply(ctx, id, mut); err != nil {
		return err
	}
	gone := bigtable.NewMutation()
	gone.Set(schema.FamState, "gone", bigtable.Now(), []byte{1}) // ok ttlwrite/write-time
	gone.DeleteRow()                                             // want ttlwrite/delete-after-set
	return m.matches.Apply(ctx, id, gone)
}

// phaseMutation is used for tickets and for matches alike.
func phaseMutation(p Phase, ts bigtable.Timestamp) *bigtable.Mutation {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamState, colPhase, ts, []byte(p)) // want ttlwrite/clock-in-sequence[drop]
	return mut
}

// Drop marks a ticket and its match.
func (m *Maker) Drop(ctx context.Context, player, id string) error {
	mark := phaseMutation(Dropped, bigtable.Now())             // want ttlwrite/clock-in-sequence[drop]
	if err := m.tickets.Apply(ctx, player, mark); err != nil { // want ttlwrite/clock-in-sequence[drop]
		return err
	}
	return m.matches.Apply(ctx, id, phaseMutation(Dropped, bigtable.Now())) // ok ttlwrite/clock-in-sequence
}

// DropNumbered is Drop by the ticket's own numbers.
func (m *Maker) DropNumbered(ctx context.Context, player, id string) error {
	if err := m.tickets.Apply(ctx, player, phaseMutation(Dropped, stamp.Seq(m.next(player)))); err != nil { // ok ttlwrite/clock-in-sequence
		return err
	}
	return m.matches.Apply(ctx, id, phaseMutation(Dropped, bigtable.ServerTime)) // ok ttlwrite/clock-in-sequence
}
