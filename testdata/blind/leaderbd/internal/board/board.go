// Package board keeps leaderboards. Scores are numbered: the n-th score of a
// player on a board has n as its version, so that late writes cannot win.
package board

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"studio.example/leaderbd/internal/kit"
	"studio.example/leaderbd/internal/schema"
)

// Entry is one score.
type Entry struct {
	Board  string `json:"board"`
	Player string `json:"player"`
	Score  int64  `json:"score"`
	Turn   int64  `json:"turn"`
}

// Standing is one line of a leaderboard.
type Standing struct {
	Rank      int
	Player    string
	Score     int64
	Turn      int64
	UpdatedAt time.Time
}

// Season is what all boards share for a few weeks.
type Season struct {
	Name   string    `json:"name"`
	Starts time.Time `json:"starts"`
	Ends   time.Time `json:"ends"`
}

// Service keeps boards.
type Service struct {
	scores  *bigtable.Table
	archive *bigtable.Table
	abouts  *kit.Repo[string]
	current *kit.Repo[Season]
	history *kit.Repo[[]Entry]
	log     *slog.Logger
	now     func() time.Time

	seq   atomic.Int64
	step  int64
	mu    sync.Mutex
	turns map[string]int64
}

// New is a service on c.
func New(c *bigtable.Client, log *slog.Logger) *Service {
	s := &Service{
		scores:  c.Open(schema.Scores),
		archive: c.Open(schema.ScoreArchive),
		log:     log.With("service", "board"),
		now:     time.Now,
		turns:   map[string]int64{},
	}
	zero := func() bigtable.Timestamp { return 0 }
	latest := func() bigtable.Filter { return kit.Latest(1) }
	s.abouts = kit.NewRepo(s.scores, schema.FamAbout, "text", kit.Text{}, kit.ReadThrough[string](latest))                                                  // ok ttlwrite/write-time
	s.current = kit.NewRepo(s.scores, schema.FamSeason, "current", kit.JSON[Season]{}, kit.StampedBy[Season](zero))                                         // ok ttlwrite/clock-in-zero
	s.history = kit.NewRepo(s.scores, schema.FamBoard, "history", kit.JSON[[]Entry]{}, kit.StampedBy[[]Entry](kit.Stamp), kit.ReadThrough[[]Entry](latest)) // want ttlwrite/clock-in-sequence
	return s
}

func key(board, player string) string { return board + "/" + player }

// Submit stores a score under the turn that the game server gave it.
func (s *Service) Submit(ctx context.Context, e Entry) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamBoard, "score", kit.Seq(e.Turn), kit.Must(e)) // ok ttlwrite/unscaled-sequence
	m.Set(schema.FamBoard, "best", bigtable.Now(), kit.Must(e))   // want ttlwrite/clock-in-sequence
	m.Set(schema.FamAbout, "submitted", bigtable.Now(), nil)      // ok ttlwrite/clock-in-sequence
	return s.scores.Apply(ctx, key(e.Board, e.Player), m)
}

// SubmitLocal stores a score of a single-player board; this process numbers them.
func (s *Service) SubmitLocal(ctx context.Context, e Entry) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamBoard, "score", bigtable.Timestamp(s.seq.Add(1)), kit.Must(e))      // want ttlwrite/unscaled-sequence
	m.Set(schema.FamBoard, "local", bigtable.Timestamp(s.seq.Add(1)*1000), kit.Must(e)) // ok ttlwrite/unscaled-sequence
	m.Set(schema.FamBoard, "device", kit.Seq(s.seq.Load()), nil)                        // ok ttlwrite/unscaled-sequence
	return s.scores.Apply(ctx, key(e.Board, e.Player), m)
}

// SubmitTurn numbers scores per player.
func (s *Service) SubmitTurn(ctx context.Context, e Entry) error {
	k := key(e.Board, e.Player)
	s.mu.Lock()
	s.turns[k]++
	s.step += 1000
	m := bigtable.NewMutation()
	m.Set(schema.FamBoard, "score", bigtable.Timestamp(s.turns[k]), kit.Must(e)) // want ttlwrite/unscaled-sequence
	m.Set(schema.FamBoard, "step", bigtable.Timestamp(s.step), kit.Must(e))      // ok ttlwrite/unscaled-sequence
	s.mu.Unlock()
	return s.scores.Apply(ctx, k, m)
}

// SubmitAll stores the scores of one match, in the order in which they were made.
func (s *Service) SubmitAll(ctx context.Context, board string, es []Entry) error {
	b := kit.NewBatch(s.scores)
	for i, e := range es {
		b.Add(key(board, e.Player),
			kit.PutAny(schema.FamBoard, "score", bigtable.Timestamp(i), e),             // want ttlwrite/unscaled-sequence
			kit.PutAny(schema.FamBoard, "match", bigtable.Timestamp(int64(i)*1000), e), // ok ttlwrite/unscaled-sequence
			kit.PutAny(schema.FamBoard, "order", kit.Seq(i+1), i),                      // ok ttlwrite/unscaled-sequence
		)
	}
	return b.Flush(ctx)
}

// Reset puts a player back to nothing.
func (s *Service) Reset(ctx context.Context, board, player string) error {
	none := kit.Must(Entry{Board: board, Player: player})
	return kit.Change(ctx, s.scores, key(board, player),
		func(m *bigtable.Mutation) { m.DeleteCellsInFamily(schema.FamBoard) },     // ok ttlwrite/delete-after-set
		kit.Put(schema.FamBoard, "score", 1, none),                                // want ttlwrite/unscaled-sequence
		kit.Put(schema.FamBoard, "best", 1000, none),                              // ok ttlwrite/unscaled-sequence
		kit.Put(schema.FamBoard, "reset", bigtable.ServerTime, []byte("by hand")), // want ttlwrite/clock-in-sequence
		kit.Put(schema.FamAbout, "reset", bigtable.ServerTime, []byte("by hand")), // ok ttlwrite/clock-in-sequence
	)
}

// Merge moves the scores of one account to another.
func (s *Service) Merge(ctx context.Context, board, from, to string) error {
	row, err := kit.Get(ctx, s.scores, key(board, from), kit.Where(kit.In(schema.FamBoard, kit.Latest(schema.BoardVersions)))) // ok ttlread/version-limit
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	cells := row[schema.FamBoard]
	for i, it := range cells {
		m.Set(schema.FamBoard, bare(it.Column), it.Timestamp, it.Value)                                 // ok ttlwrite/clock-in-sequence
		m.Set(schema.FamBoard, "merged", bigtable.Timestamp(len(cells)-i), []byte(from))                // want ttlwrite/unscaled-sequence
		m.Set(schema.FamBoard, "merged_"+strconv.Itoa(i), bigtable.Timestamp(1000*(len(cells)-i)), nil) // ok ttlwrite/unscaled-sequence
	}
	m.Set(schema.FamBoard, "merged_at", bigtable.Time(s.now()), []byte(from)) // want ttlwrite/clock-in-sequence
	m.Set(schema.FamAbout, "merged_at", bigtable.Time(s.now()), []byte(from)) // ok ttlwrite/clock-in-sequence
	return s.scores.Apply(ctx, key(board, to), m)
}

func bare(column string) string {
	_, c, _ := strings.Cut(column, ":")
	return c
}

// Correct overwrites a score after an appeal.
func (s *Service) Correct(ctx context.Context, e Entry, decided time.Time) error {
	return kit.Change(ctx, s.scores, key(e.Board, e.Player),
		kit.PutAny(schema.FamBoard, "score", bigtable.Time(decided), e),                 // want ttlwrite/clock-in-sequence
		kit.PutAny(schema.FamBoard, "appeal", bigtable.Time(time.UnixMilli(e.Turn)), e), // ok ttlwrite/clock-in-sequence
		kit.PutAny(schema.FamAbout, "decided", bigtable.Time(decided), e.Score),         // ok ttlwrite/clock-in-sequence
	)
}

// Archive copies a board's entries to the archive, where they have real dates.
func (s *Service) Archive(ctx context.Context, board string, es []Entry) error {
	b := kit.NewBatch(s.archive)
	for _, e := range es {
		m := bigtable.NewMutation()
		m.Set(schema.FamBoard, "score", bigtable.Now(), kit.Must(e))                    // ok ttlwrite/clock-in-sequence
		m.Set(schema.FamBoard, "by", bigtable.ServerTime, []byte("archiver"))           // ok ttlwrite/clock-in-sequence
		m.Set(schema.FamBoard, "turn", bigtable.Timestamp(s.now().Unix()), nil)         // want ttlunit/wrong-unit
		m.Set(schema.FamBoard, "turn_us", bigtable.Timestamp(s.now().UnixMicro()), nil) // ok ttlunit/wrong-unit
		b.AddMutation(key(board, e.Player), m)
	}
	return b.Flush(ctx)
}

// Snapshot is a mutation with a board's total; callers decide where it goes.
func Snapshot(total int64) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set(schema.FamBoard, "total", bigtable.Now(), []byte(strconv.FormatInt(total, 10)))
	return m
}

// Numbered is Snapshot with a number instead of a date.
func Numbered(n, total int64) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set(schema.FamBoard, "total", kit.Seq(n), []byte(strconv.FormatInt(total, 10)))
	return m
}

// Totals stores a board's total in both tables.
func (s *Service) Totals(ctx context.Context, board string, n, total int64) error {
	if err := s.archive.Apply(ctx, board, Snapshot(total)); err != nil { // ok ttlwrite/clock-in-sequence
		return err
	}
	return s.scores.Apply(ctx, board, Numbered(n, total)) // ok ttlwrite/clock-in-sequence
}

// Top reads the best of a board.
func (s *Service) Top(ctx context.Context, board string, n int) ([]Standing, error) {
	f := kit.In(schema.FamBoard, bigtable.ColumnFilter("score"), kit.Latest(1))
	return s.rank(kit.Rows(ctx, s.scores, bigtable.PrefixRange(board+"/"), kit.Where(f)), n) // ok ttlread/version-limit // want ttlage/not-write-time[rk]
}

// TopHistory reads the best of a board, all versions.
func (s *Service) TopHistory(ctx context.Context, board string, n int) ([]Standing, error) {
	f := kit.In(schema.FamBoard, bigtable.ColumnFilter("score"), kit.Latest(10))             // want ttlread/version-limit[th]
	return s.rank(kit.Rows(ctx, s.scores, bigtable.PrefixRange(board+"/"), kit.Where(f)), n) // want ttlread/version-limit[th] ttlage/not-write-time[rk]
}

// TopSince reads the best of a board of the last d.
func (s *Service) TopSince(ctx context.Context, board string, d time.Duration, n int) ([]Standing, error) {
	f := kit.In(schema.FamBoard, bigtable.ColumnFilter("score"), bigtable.TimestampRangeFilter(s.now().Add(-d), time.Time{})) // want ttlread/wrong-bound[ts]
	return s.rank(kit.Rows(ctx, s.scores, bigtable.PrefixRange(board+"/"), kit.Where(f)), n)                                  // want ttlread/wrong-bound[ts] ttlage/not-write-time[rk]
}

// TopOf reads the scores that mention a mode.
func (s *Service) TopOf(ctx context.Context, board, mode string, n int) ([]Standing, error) {
	opts := []kit.QueryOpt{kit.Where(bigtable.FamilyFilter(schema.FamBoard))}
	opts = append(opts, kit.Where(bigtable.ValueFilter(".*"+mode+".*")))
	opts = append(opts, kit.Where(kit.Latest(1)))                             // want ttlread/version-limit[to]
	rows := kit.Rows(ctx, s.scores, bigtable.PrefixRange(board+"/"), opts...) // want ttlread/version-limit[to]
	return s.rank(rows, n)                                                    // want ttlage/not-write-time[rk]
}

// TopExact is TopOf with the limit where it belongs.
func (s *Service) TopExact(ctx context.Context, board, mode string, n int) ([]Standing, error) {
	opts := []kit.QueryOpt{kit.Where(bigtable.FamilyFilter(schema.FamBoard), kit.Latest(1))}
	if mode != "" {
		opts = append(opts, kit.Where(bigtable.ValueFilter(".*"+mode+".*")))
	}
	rows := kit.Rows(ctx, s.scores, bigtable.PrefixRange(board+"/"), opts...) // ok ttlread/version-limit
	return s.rank(rows, n)                                                    // want ttlage/not-write-time[rk]
}

func (s *Service) rank(rows iter.Seq2[bigtable.Row, error], n int) ([]Standing, error) {
	var out []Standing
	for row, err := range rows {
		if err != nil {
			return nil, err
		}
		for _, it := range row[schema.FamBoard] {
			e, err := kit.JSON[Entry]{}.Decode(it.Value)
			if err != nil {
				s.log.Warn("bad entry", "key", row.Key(), "err", err)
				continue
			}
			out = append(out, Standing{
				Player:    e.Player,
				Score:     e.Score,
				Turn:      int64(it.Timestamp) / 1000, // ok ttlage/not-write-time
				UpdatedAt: it.Timestamp.Time(),        // want ttlage/not-write-time[rk]
			})
		}
	}
	slices.SortFunc(out, func(a, b Standing) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.Player, b.Player))
	})
	if len(out) > n {
		out = out[:n]
	}
	for i := range out {
		out[i].Rank = i + 1
	}
	return out, nil
}

// Player reads all that is known of a player on a board.
func (s *Service) Player(ctx context.Context, board, player string) (map[string]json.RawMessage, error) {
	row, err := s.scores.ReadRow(ctx, key(board, player)) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]json.RawMessage{}
	for col, it := range kit.Cells(row, schema.FamBoard) {
		out[col] = it.Value
	}
	return out, nil
}

// PlayerLatest is Player with one version each.
func (s *Service) PlayerLatest(ctx context.Context, board, player string) (map[string]json.RawMessage, error) {
	row, err := s.scores.ReadRow(ctx, key(board, player), bigtable.RowFilter(kit.Latest(1))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return maps.Collect(func(yield func(string, json.RawMessage) bool) {
		for col, it := range kit.Cells(row, schema.FamBoard) {
			if !yield(col, it.Value) {
				return
			}
		}
	}), nil
}

// PlayerFamily reads the board family only.
func (s *Service) PlayerFamily(ctx context.Context, board, player string) ([]string, error) {
	row, err := s.scores.ReadRow(ctx, key(board, player), bigtable.RowFilter(bigtable.FamilyFilter(schema.FamBoard))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[schema.FamBoard] {
		out = append(out, string(it.Value))
	}
	return out, nil
}

// Turn looks one numbered score up.
func (s *Service) Turn(ctx context.Context, board, player string, n int64) (kit.Option[Entry], error) {
	one := bigtable.TimestampRangeFilterMicros(kit.Seq(n), kit.Seq(n+1))
	row, err := s.scores.ReadRow(ctx, key(board, player), bigtable.RowFilter(kit.In(schema.FamBoard, one, kit.Latest(1)))) // ok ttlread/wrong-bound
	if err != nil {
		return kit.None[Entry](), err
	}
	it, ok := kit.Cell(row, schema.FamBoard, "score").Get()
	if !ok {
		return kit.None[Entry](), nil
	}
	e, err := kit.JSON[Entry]{}.Decode(it.Value)
	return kit.Some(e), err
}

// Archived reads the archive of the last d.
func (s *Service) Archived(ctx context.Context, board string, d time.Duration) (map[string]string, error) {
	out := map[string]string{}
	f := kit.In(schema.FamBoard, bigtable.TimestampRangeFilter(s.now().Add(-d), s.now()))
	for row, err := range kit.Rows(ctx, s.archive, bigtable.PrefixRange(board), kit.Where(f)) { // ok ttlread/wrong-bound // ok ttlread/version-limit
		if err != nil {
			return nil, err
		}
		for _, it := range row[schema.FamBoard] {
			out[row.Key()] = fmt.Sprintf("%s archived %s ago", it.Value, time.Since(it.Timestamp.Time())) // ok ttlage/not-write-time
		}
	}
	return out, nil
}

// Freshness says how old a player's score is.
func (s *Service) Freshness(ctx context.Context, board, player string) (time.Duration, error) {
	row, err := s.scores.ReadRow(ctx, key(board, player), bigtable.RowFilter(kit.Latest(1))) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	it := kit.Cell(row, schema.FamBoard, "score").Or(bigtable.ReadItem{})
	return time.Since(it.Timestamp.Time()), nil // want ttlage/not-write-time
}

// Described says how old a board's description is.
func (s *Service) Described(ctx context.Context, board string) (time.Duration, error) {
	row, err := s.scores.ReadRow(ctx, board, bigtable.RowFilter(kit.In(schema.FamAbout, kit.Latest(1)))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	it := kit.Cell(row, schema.FamAbout, "text").Or(bigtable.ReadItem{})
	return time.Since(it.Timestamp.Time()), nil // ok ttlage/not-write-time
}

// Describe gives a board a text.
func (s *Service) Describe(ctx context.Context, board, text string) error {
	return s.abouts.Put(ctx, board, text)
}

// Description is a board's text.
func (s *Service) Description(ctx context.Context, board string) (string, error) {
	o, err := s.abouts.Get(ctx, board)
	return o.Or(""), err
}

// SetSeason starts a season.
func (s *Service) SetSeason(ctx context.Context, x Season) error {
	if err := s.current.Put(ctx, "season", x); err != nil { // ok ttlwrite/clock-in-zero
		return err
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamSeason, "name", 0, []byte(x.Name))                              // ok ttlwrite/clock-in-zero
	m.Set(schema.FamSeason, "ends", bigtable.Time(s.now()), kit.Must(x.Ends))       // want ttlwrite/clock-in-zero
	m.Set(schema.FamAbout, "starts", bigtable.Time(x.Starts), kit.Must(x.Starts))   // ok ttlwrite/clock-in-zero
	m.Set(schema.FamAbout, "epoch", bigtable.Time(time.Time{}), kit.Must(x.Starts)) // want ttlunit/out-of-range
	return s.scores.Apply(ctx, "season", m)
}

// Season reads the current season; timestamp zero has one version, so there is nothing to limit.
func (s *Service) Season(ctx context.Context) (Season, error) {
	o, err := s.current.Get(ctx, "season") // ok ttlread/missing-filter
	return o.Or(Season{}), err
}

// History keeps the last entries of a player in one cell.
func (s *Service) History(ctx context.Context, player string, e Entry) error {
	h, err := s.history.Get(ctx, player) // ok ttlread/version-limit
	if err != nil {
		return err
	}
	list := append(h.Or(nil), e)
	return s.history.Put(ctx, player, list)
}

// CountGames counts the games of a player.
func (s *Service) CountGames(ctx context.Context, board, player string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamBoard, "games", 1)  // want ttlwrite/read-modify-write
	rmw.Increment(schema.FamAbout, "games", 1)  // ok ttlwrite/read-modify-write
	rmw.Increment(schema.FamSeason, "games", 1) // want ttlwrite/read-modify-write
	if _, err := s.scores.ApplyReadModifyWrite(ctx, key(board, player), rmw); err != nil {
		return err
	}
	return kit.Bump(ctx, s.archive, board, schema.FamBoard, "games", 1) // ok ttlwrite/read-modify-write
}

// FirstScore stores a score if the player has none at all.
func (s *Service) FirstScore(ctx context.Context, e Entry) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamBoard, "score", kit.Seq(1), kit.Must(e)) // ok ttlwrite/unscaled-sequence
	any := kit.In(schema.FamBoard, bigtable.ColumnFilter("score"))
	return s.scores.Apply(ctx, key(e.Board, e.Player), bigtable.NewCondMutation(any, nil, m)) // ok ttlread/conditional-mutation
}

// Double sets a score twice, for the two clients that read different columns.
func (s *Service) Double(ctx context.Context, e Entry) error {
	ts := kit.Seq(e.Turn)
	m := bigtable.NewMutation()
	m.Set(schema.FamBoard, "score", ts, kit.Must(e))                            // ok ttlwrite/same-timestamp
	m.Set(schema.FamBoard, "score_v2", ts, kit.Must(e))                         // ok ttlwrite/same-timestamp
	m.Set(schema.FamBoard, "score", ts, []byte(strconv.FormatInt(e.Score, 10))) // want ttlwrite/same-timestamp
	return s.scores.Apply(ctx, key(e.Board, e.Player), m)
}

// Replay stores a whole match into one row.
func (s *Service) Replay(ctx context.Context, board string, es []Entry) error {
	m := bigtable.NewMutation()
	for _, e := range es {
		m.Set(schema.FamBoard, "replay", 5000, kit.Must(e))             // want ttlwrite/same-timestamp
		m.Set(schema.FamBoard, "by_turn", kit.Seq(e.Turn), kit.Must(e)) // ok ttlwrite/same-timestamp
	}
	return s.scores.Apply(ctx, board+"/replay", m)
}
