// Package feed builds the activity feed: a pipeline of goroutines that read
// the other packages' tables, merge what they find, and write notices.
package feed

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/arena/internal/fetch"
	"example.com/arena/internal/schema"
	"example.com/arena/internal/stamp"
)

// Notice is one line of the feed.
type Notice struct {
	Player   string    `json:"player"`
	Kind     string    `json:"kind"`
	Text     string    `json:"text"`
	Modified time.Time `json:"modified,omitzero"`
	Expires  time.Time `json:"expires,omitzero"`
}

// write is a mutation on its way to the writer goroutine.
type write struct {
	table string
	key   string
	mut   *bigtable.Mutation
}

// Feed is the pipeline.
type Feed struct {
	sessions *bigtable.Table
	presence *bigtable.Table
	tickets  *bigtable.Table
	players  *bigtable.Table
	daily    *bigtable.Table
	out      chan write
	tables   map[string]*bigtable.Table
	wg       sync.WaitGroup
	n        atomic.Int64
	serial   uint64
	log      *slog.Logger
	sources  []source
}

// source is a stage that finds notices.
type source struct {
	name string
	run  func(ctx context.Context, player string, out chan<- Notice) error
}

// New starts a feed with n writers.
func New(c *bigtable.Client, n int, log *slog.Logger) *Feed {
	f := &Feed{
		sessions: c.Open(schema.TableSessions),
		presence: c.Open(schema.TablePresence),
		tickets:  c.Open(schema.TableTickets),
		players:  c.Open(schema.TablePlayers),
		daily:    c.Open(schema.BoardDaily),
		out:      make(chan write, 256),
		log:      log,
	}
	f.tables = map[string]*bigtable.Table{
		schema.TableSessions: f.sessions,
		schema.TablePresence: f.presence,
		schema.TableTickets:  f.tickets,
		schema.TablePlayers:  f.players,
		schema.BoardDaily:    f.daily,
	}
	f.sources = []source{
		{"sessions", f.fromSessions},
		{"presence", f.fromPresence},
		{"tickets", f.fromTickets},
		{"scores", f.fromScores},
		{"buffs", func(ctx context.Context, player string, out chan<- Notice) error {
			row, err := f.players.ReadRow(ctx, player, bigtable.RowFilter(stamp.Family(schema.FamBuff, stamp.Within(schema.BuffTTL)))) // ok ttlread/missing-filter
			if err != nil {
				return err
			}
			for _, it := range row[schema.FamBuff] {
				out <- Notice{Player: player, Kind: "buff", Text: it.Column}
			}
			return nil
		}},
		{"debuffs", func(ctx context.Context, player string, out chan<- Notice) error {
			row, err := f.players.ReadRow(ctx, player, bigtable.RowFilter(bigtable.ColumnFilter("curse.*"))) // want ttlread/missing-filter
			if err != nil {
				return err
			}
			for _, it := range row[schema.FamBuff] {
				out <- Notice{Player: player, Kind: "curse", Text: string(it.Value)}
			}
			return nil
		}},
	}
	for range n {
		f.wg.Add(1)
		go f.writer()
	}
	return f
}

func (f *Feed) writer() {
	defer f.wg.Done()
	for w := range f.out {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		if err := f.tables[w.table].Apply(ctx, w.key, w.mut); err != nil { // want ttlwrite/unscaled-sequence[invite]
			f.log.ErrorContext(ctx, "feed write", "table", w.table, "key", w.key, "err", err)
		}
		cancel()
	}
}

// Close waits for the writers.
func (f *Feed) Close() {
	close(f.out)
	f.wg.Wait()
}

// Build runs all sources for a player and merges what they find.
func (f *Feed) Build(ctx context.Context, player string) ([]Notice, error) {
	ch := make(chan Notice, 32)
	errs := make(chan error, len(f.sources))
	var wg sync.WaitGroup
	for _, s := range f.sources {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := s.run(ctx, player, ch); err != nil {
				errs <- fmt.Errorf("%s: %w", s.name, err)
			}
		}()
	}
	go func() { wg.Wait(); close(ch); close(errs) }()
	var out []Notice
	for n := range ch {
		out = append(out, n)
	}
	var all []error
	for err := range errs {
		all = append(all, err)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Kind < out[j].Kind })
	return out, errors.Join(all...)
}

func (f *Feed) fromSessions(ctx context.Context, player string, out chan<- Notice) error {
	n, err := fetch.One(ctx, f.sessions, "p#"+player, func(row bigtable.Row) (Notice, error) { // want ttlread/missing-filter
		for _, it := range row[schema.FamToken] {
			return Notice{Player: player, Kind: "session", Text: it.Column}, nil
		}
		return Notice{}, fetch.ErrNotFound
	})
	if errors.Is(err, fetch.ErrNotFound) {
		return nil
	}
	out <- n
	return err
}

func (f *Feed) fromPresence(ctx context.Context, player string, out chan<- Notice) error {
	n, err := fetch.One(ctx, f.presence, player, func(row bigtable.Row) (Notice, error) { // ok ttlread/missing-filter
		n := Notice{Player: player, Kind: "presence"}
		for _, it := range row[schema.FamBeat] {
			n.Text = string(it.Value)
			n.Modified = it.Timestamp.Time() // want ttlage/not-write-time
			n.Expires = it.Timestamp.Time()  // ok ttlage/not-write-time
		}
		return n, nil
	}, bigtable.RowFilter(stamp.Family(schema.FamBeat, stamp.Live())))
	if errors.Is(err, fetch.ErrNotFound) {
		return nil
	}
	out <- n
	return err
}

func (f *Feed) fromTickets(ctx context.Context, player string, out chan<- Notice) error {
	lapsed := bigtable.RowFilter(stamp.Family(schema.FamTicket, stamp.Within(schema.TicketTTL))) // want ttlread/wrong-bound[fromtickets]
	n, err := fetch.One(ctx, f.tickets, player, func(row bigtable.Row) (Notice, error) {         // want ttlread/wrong-bound[fromtickets]
		n := Notice{Player: player, Kind: "ticket"}
		for _, it := range row[schema.FamTicket] {
			n.Text += string(it.Value) + " "
		}
		return n, nil
	}, lapsed) // want ttlread/wrong-bound[fromtickets]
	if err != nil {
		return err
	}
	out <- n
	return nil
}

func (f *Feed) fromScores(ctx context.Context, player string, out chan<- Notice) error {
	scores, err := fetch.Many(ctx, f.daily, bigtable.SingleRow(player), func(row bigtable.Row) (string, error) { // ok ttlread/version-limit
		var parts []string
		for _, it := range row[schema.FamScore] {
			parts = append(parts, it.Column)
		}
		return strings.Join(parts, ","), nil
	}, stamp.Newest(schema.FamScore, 1))
	if err != nil {
		return err
	}
	for _, s := range scores {
		out <- Notice{Player: player, Kind: "score", Text: s}
	}
	return nil
}

// Rivals lists the scores around a player.
func (f *Feed) Rivals(ctx context.Context, prefix string) ([]string, error) {
	return fetch.Many(ctx, f.daily, bigtable.PrefixRange(prefix), func(row bigtable.Row) (string, error) { // want ttlread/version-limit[rivals]
		var parts []string
		for _, it := range row[schema.FamScore] {
			parts = append(parts, it.Column+"="+string(it.Value))
		}
		return strings.Join(parts, ","), nil
	}, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamScore))) // want ttlread/version-limit[rivals]
}

// Names lists the names of players, which are ordinary data.
func (f *Feed) Names(ctx context.Context, prefix string) ([]string, error) {
	return fetch.Many(ctx, f.sessions, bigtable.PrefixRange("p#"+prefix), func(row bigtable.Row) (string, error) { // ok ttlread/missing-filter
		for _, it := range row[schema.FamProfile] {
			if strings.HasSuffix(it.Column, ":name") {
				return string(it.Value), nil
			}
		}
		return "", fetch.ErrNotFound
	})
}

// Watch streams the rows of all who are there.
func (f *Feed) Watch(ctx context.Context) error {
	rows, errs := fetch.Stream(ctx, f.presence, bigtable.InfiniteRange("")) // want ttlread/missing-filter
	for row := range rows {
		for _, it := range row[schema.FamBeat] {
			f.log.InfoContext(ctx, "beat", "player", row.Key(), "node", string(it.Value))
		}
	}
	return <-errs
}

// WatchLive is Watch without those who are gone.
func (f *Feed) WatchLive(ctx context.Context) error {
	rows, errs := fetch.Stream(ctx, f.presence, bigtable.InfiniteRange(""), bigtable.RowFilter(stamp.Family(schema.FamBeat, stamp.Live()))) // ok ttlread/missing-filter
	for row := range rows {
		for _, it := range row[schema.FamBeat] {
			f.log.InfoContext(ctx, "beat", "player", row.Key(), "node", string(it.Value))
		}
	}
	return <-errs
}

// Prefetch reads many players at once.
func (f *Feed) Prefetch(ctx context.Context, players []string) (map[string]string, error) {
	return fetch.Fan(ctx, 8, players, func(ctx context.Context, p string) (string, error) {
		row, err := f.presence.ReadRow(ctx, p, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamSeen), bigtable.LatestNFilter(1)))) // want ttlread/missing-filter
		if err != nil || len(row[schema.FamSeen]) == 0 {
			return "", err
		}
		return string(row[schema.FamSeen][0].Value), nil
	})
}

// PrefetchLive is Prefetch within the day.
func (f *Feed) PrefetchLive(ctx context.Context, players []string) (map[string]string, error) {
	return fetch.Fan(ctx, 8, players, func(ctx context.Context, p string) (string, error) {
		row, err := f.presence.ReadRow(ctx, p, bigtable.RowFilter(stamp.Family(schema.FamSeen, stamp.Within(schema.SeenTTL)))) // ok ttlread/missing-filter
		if err != nil || len(row[schema.FamSeen]) == 0 {
			return "", err
		}
		return string(row[schema.FamSeen][0].Value), nil
	})
}

// Nudge writes what reminds a player to come back.
func (f *Feed) Nudge(ctx context.Context, player, text string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamToken, "nudge", bigtable.ServerTime, []byte(text))    // want ttlwrite/server-timestamp
	mut.Set(schema.FamProfile, "nudged", bigtable.ServerTime, []byte(text)) // ok ttlwrite/server-timestamp
	return f.enqueue(ctx, write{schema.TableSessions, "p#" + player, mut})
}

// Invite writes an invitation, which lapses like a ticket.
func (f *Feed) Invite(ctx context.Context, player, party string) error {
	mut := bigtable.NewMutation()
	now := time.Now()
	mut.Set(schema.FamTicket, "invite", bigtable.Time(now), []byte(party))                      // want ttlwrite/write-time
	mut.Set(schema.FamTicket, "reply", bigtable.Time(now.Add(schema.TicketTTL)), []byte(party)) // ok ttlwrite/write-time
	mut.Set(schema.FamState, "invites", bigtable.Timestamp(f.n.Add(1)), []byte(party))          // want ttlwrite/unscaled-sequence[invite]
	mut.Set(schema.FamState, "replies", bigtable.Timestamp(f.n.Load()*1000), []byte(party))     // ok ttlwrite/unscaled-sequence
	return f.enqueue(ctx, write{table: schema.TableTickets, key: player, mut: mut})
}

// Cheer writes to both ends of a friendship.
func (f *Feed) Cheer(ctx context.Context, from, to string) error {
	serial := atomic.AddUint64(&f.serial, 1)
	muts := map[string]*bigtable.Mutation{from: bigtable.NewMutation(), to: bigtable.NewMutation()}
	for player, mut := range muts {
		mut.Set(schema.FamXP, "cheers", bigtable.Timestamp(serial), []byte(to))       // want ttlwrite/unscaled-sequence
		mut.Set(schema.FamXP, "cheered", bigtable.Timestamp(int64(serial)*1000), nil) // ok ttlwrite/unscaled-sequence
		mut.Set(schema.FamStats, "cheered", bigtable.Now(), []byte(from))             // ok ttlwrite/clock-in-sequence
		if err := f.enqueue(ctx, write{table: schema.TablePlayers, key: player, mut: mut}); err != nil {
			return err
		}
	}
	return nil
}

// Snooze hides the feed for an hour.
func (f *Feed) Snooze(ctx context.Context, player string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamBeat, "snooze", stamp.Now(), nil)          // want ttlwrite/write-time
	mut.Set(schema.FamBeat, "snoozed", stamp.In(time.Hour), nil) // ok ttlwrite/write-time
	return f.enqueue(ctx, write{table: schema.TablePresence, key: player, mut: mut})
}

// Trophy writes a mark on the daily board.
func (f *Feed) Trophy(ctx context.Context, player string, won time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamScore, "trophy", bigtable.Time(won), []byte{1}) // want ttlwrite/clock-in-sequence
	mut.Set(schema.FamMeta, "trophy", bigtable.Time(won), []byte{1})  // ok ttlwrite/clock-in-sequence
	mut.Set(schema.FamScore, "cup", bigtable.ServerTime, []byte{1})   // want ttlwrite/clock-in-sequence
	mut.Set(schema.FamMeta, "cup", bigtable.ServerTime, []byte{1})    // ok ttlwrite/clock-in-sequence
	return f.enqueue(ctx, write{table: schema.BoardDaily, key: player, mut: mut})
}

func (f *Feed) enqueue(ctx context.Context, w write) error {
	select {
	case f.out <- w:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Counters counts reads of the feed.
func (f *Feed) Counters(ctx context.Context, player string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamState, "reads", 1) // want ttlwrite/read-modify-write
	if _, err := f.tickets.ApplyReadModifyWrite(ctx, player, rmw); err != nil {
		return err
	}
	own := bigtable.NewReadModifyWrite()
	own.Increment(schema.FamStats, "reads", 1) // ok ttlwrite/read-modify-write
	_, err := f.players.ApplyReadModifyWrite(ctx, player, own)
	return err
}
