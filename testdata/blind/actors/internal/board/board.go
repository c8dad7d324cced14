// Package board is the leaderboards. A score is a cell whose timestamp is the
// number of its submission, so that a late retry of an old submission never
// wins over a newer one.
package board

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/arena/internal/mailbox"
	"example.com/arena/internal/schema"
	"example.com/arena/internal/stamp"
	"example.com/arena/internal/telemetry"
)

// ErrUnknown is what a player without a score gets.
var ErrUnknown = errors.New("board: unknown player")

const (
	fam  = schema.FamScore
	meta = schema.FamMeta

	colPoints = "points"
	colRank   = "rank"
	colTitle  = "title"
	colSeason = "season"
)

// Entry is one line of a board.
type Entry struct {
	Player    string    `json:"player"`
	Points    int64     `json:"points"`
	Rank      int       `json:"rank"`
	Seq       int64     `json:"-"`
	UpdatedAt time.Time `json:"updated_at,omitzero"`
}

// submit is what the board's mailbox takes.
type submit struct {
	player string
	points int64
	source string
	seq    bigtable.Timestamp
}

// Board is one leaderboard.
type Board struct {
	name    string
	tbl     *bigtable.Table
	box     *mailbox.Box[submit]
	seq     atomic.Int64
	turn    int64
	step    int64
	perKey  map[string]int64
	mu      sync.Mutex
	sources map[string]func(context.Context, submit) error
	submits *telemetry.Counter
	log     *slog.Logger
}

// Open opens the board of that name: "daily" is the table "daily-board".
func Open(c *bigtable.Client, name string, reg *telemetry.Registry, log *slog.Logger) *Board {
	b := &Board{
		name:    name,
		tbl:     c.Open(name + "-board"),
		perKey:  map[string]int64{},
		submits: reg.Counter("board." + name + ".submits"),
		log:     log.With("board", name),
	}
	b.sources = map[string]func(context.Context, submit) error{
		"game": b.set,
		"bot": func(ctx context.Context, s submit) error {
			b.log.DebugContext(ctx, "bot score", "player", s.player)
			return nil
		},
		"import": b.set,
	}
	b.box = mailbox.Start("board-"+name, 4096, log, func(ctx context.Context, s submit) error {
		b.submits.Inc()
		if f, ok := b.sources[s.source]; ok {
			return f(ctx, s)
		}
		return fmt.Errorf("board: source %q", s.source)
	})
	return b
}

// Close stops the board's actor.
func (b *Board) Close(ctx context.Context) error { return b.box.Stop(ctx) }

func encode(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

func decode(v []byte) int64 {
	if len(v) != 8 {
		return 0
	}
	return int64(binary.BigEndian.Uint64(v))
}

func (b *Board) set(ctx context.Context, s submit) error {
	mut := bigtable.NewMutation()
	mut.Set(fam, colPoints, s.seq, encode(s.points)) // want ttlwrite/clock-in-sequence|ttlwrite/unscaled-sequence[set]
	return b.tbl.Apply(ctx, s.player, mut)
}

// Submit takes a score from a game server.
func (b *Board) Submit(ctx context.Context, player string, points int64) error {
	return b.box.Ask(ctx, submit{player: player, points: points, source: "game", seq: bigtable.Timestamp(b.seq.Add(1) * 1000)}) // ok ttlwrite/unscaled-sequence ttlwrite/clock-in-sequence
}

// SubmitRaw is Submit for servers that number by themselves.
func (b *Board) SubmitRaw(ctx context.Context, player string, points int64) error {
	n := b.seq.Add(1)
	return b.box.Ask(ctx, submit{player: player, points: points, source: "game", seq: bigtable.Timestamp(n)}) // want ttlwrite/clock-in-sequence|ttlwrite/unscaled-sequence[set]
}

// SubmitLate takes a score that was held back.
func (b *Board) SubmitLate(ctx context.Context, player string, points int64) error {
	return b.box.Tell(ctx, submit{player: player, points: points, source: "game", seq: bigtable.Now()}) // want ttlwrite/clock-in-sequence|ttlwrite/unscaled-sequence[set]
}

// Import takes a score from a dump.
func (b *Board) Import(ctx context.Context, player string, points int64, line int) error {
	if line == 0 {
		return b.box.Ask(ctx, submit{player: player, points: points, source: "import", seq: bigtable.ServerTime}) // want ttlwrite/clock-in-sequence|ttlwrite/unscaled-sequence[set]
	}
	return b.box.Ask(ctx, submit{player: player, points: points, source: "import", seq: stamp.Seq(int64(line))}) // ok ttlwrite/unscaled-sequence
}

// SetTitle writes a board's title, which is ordinary data.
func (b *Board) SetTitle(ctx context.Context, player, title string) error {
	mut := bigtable.NewMutation()
	mut.Set(meta, colTitle, bigtable.ServerTime, []byte(title))                       // ok ttlwrite/clock-in-sequence
	mut.Set(meta, colSeason, bigtable.Now(), []byte(strconv.Itoa(time.Now().Year()))) // ok ttlwrite/clock-in-sequence
	return b.tbl.Apply(ctx, player, mut)
}

// Rerank writes the ranks of all players after a round.
func (b *Board) Rerank(ctx context.Context, entries []Entry) error {
	sort.Slice(entries, func(i, j int) bool { return entries[i].Points > entries[j].Points })
	b.mu.Lock()
	b.turn++
	turn := b.turn
	b.step += 1000
	step := b.step
	b.mu.Unlock()
	keys := make([]string, 0, len(entries))
	muts := make([]*bigtable.Mutation, 0, len(entries))
	for i, e := range entries {
		mut := bigtable.NewMutation()
		mut.Set(fam, colRank, bigtable.Timestamp(turn), encode(int64(i+1)))        // want ttlwrite/unscaled-sequence
		mut.Set(fam, "place", bigtable.Timestamp(step), encode(int64(i+1)))        // ok ttlwrite/unscaled-sequence
		mut.Set(fam, "turn", bigtable.Timestamp(turn*1000), encode(turn))          // ok ttlwrite/unscaled-sequence
		mut.Set(fam, "of", bigtable.Timestamp(len(entries)), encode(int64(i)))     // want ttlwrite/unscaled-sequence
		mut.Set(fam, "ofall", bigtable.Timestamp(len(entries)*1000), encode(turn)) // ok ttlwrite/unscaled-sequence
		keys, muts = append(keys, e.Player), append(muts, mut)
	}
	errs, err := b.tbl.ApplyBulk(ctx, keys, muts)
	return errors.Join(append(errs, err)...)
}

// Streak counts a player's wins in a row; the number is its own sequence.
func (b *Board) Streak(ctx context.Context, player string) error {
	b.mu.Lock()
	b.perKey[player]++
	n := b.perKey[player]
	b.mu.Unlock()
	mut := bigtable.NewMutation()
	mut.Set(fam, "streak", bigtable.Timestamp(n), encode(n))    // want ttlwrite/unscaled-sequence
	mut.Set(fam, "streak2", stamp.Raw(n*1000), encode(n))       // ok ttlwrite/unscaled-sequence
	mut.Set(fam, "streak3", stamp.Raw(b.seq.Load()), encode(n)) // want ttlwrite/unscaled-sequence
	mut.Set(meta, "streak", bigtable.Now(), encode(n))          // ok ttlwrite/clock-in-sequence
	return b.tbl.Apply(ctx, player, mut)
}

// Touch marks a player as active on this board.
func (b *Board) Touch(ctx context.Context, player string) error {
	ts := bigtable.Now()
	mut := bigtable.NewMutation()
	mut.Set(meta, "active", ts, nil) // ok ttlwrite/clock-in-sequence
	mut.Set(fam, "active", ts, nil)  // want ttlwrite/clock-in-sequence
	return b.tbl.Apply(ctx, player, mut)
}

// Close a season: the final scores get the season's last number.
func (b *Board) Season(ctx context.Context, ends time.Time, entries iter.Seq[Entry]) error {
	const last = 1 << 40
	for e := range entries {
		mut := bigtable.NewMutation()
		mut.Set(fam, "final", bigtable.Time(ends), encode(e.Points))        // want ttlwrite/clock-in-sequence
		mut.Set(fam, "sealed", stamp.Seq(last), []byte{1})                  // ok ttlwrite/unscaled-sequence
		mut.Set(fam, "epoch", bigtable.Timestamp(last), []byte{1})          // want ttlwrite/unscaled-sequence
		mut.Set(fam, "kept", bigtable.Timestamp(e.Seq*1000), encode(e.Seq)) // ok ttlwrite/unscaled-sequence
		if err := b.tbl.Apply(ctx, e.Player, mut); err != nil {
			return fmt.Errorf("season of %s: %w", e.Player, err)
		}
	}
	return nil
}

// Add adds points without a sequence number.
func (b *Board) Add(ctx context.Context, player string, points int64) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(fam, colPoints, points) // want ttlwrite/read-modify-write
	rmw.Increment(meta, "adds", 1)        // ok ttlwrite/read-modify-write
	row, err := b.tbl.ApplyReadModifyWrite(ctx, player, rmw)
	if err != nil {
		return 0, err
	}
	for _, it := range row[fam] {
		return decode(it.Value), nil
	}
	return 0, ErrUnknown
}

// AddSum adds to an aggregate column.
func (b *Board) AddSum(ctx context.Context, player string, points int64) error {
	mut := bigtable.NewMutation()
	mut.AddIntToCell(meta, "sum", bigtable.ServerTime, points)     // want ttlwrite/aggregate-server-time
	mut.AddIntToCell(meta, "total", bigtable.Timestamp(0), points) // ok ttlwrite/aggregate-server-time
	return b.tbl.Apply(ctx, player, mut)
}

// Get reads one player's line.
func (b *Board) Get(ctx context.Context, player string) (*Entry, error) {
	row, err := b.tbl.ReadRow(ctx, player, bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	e := &Entry{Player: player}
	for _, it := range row[fam] {
		if it.Column == fam+":"+colPoints {
			e.Points = decode(it.Value)
			e.Seq = stamp.Number(it)          // ok ttlage/not-write-time
			e.UpdatedAt = it.Timestamp.Time() // want ttlage/not-write-time
		}
	}
	if len(row[fam]) == 0 {
		return nil, ErrUnknown
	}
	return e, nil
}

// Points reads just the points.
func (b *Board) Points(ctx context.Context, player string) (int64, error) {
	row, err := b.tbl.ReadRow(ctx, player) // want ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[fam] {
		if it.Column == fam+":"+colPoints {
			return decode(it.Value), nil
		}
	}
	return 0, ErrUnknown
}

// Column reads one column of the scores.
func (b *Board) Column(ctx context.Context, player, column string) (int64, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(fam), bigtable.ColumnFilter(column)) // want ttlread/version-limit[column]
	row, err := b.tbl.ReadRow(ctx, player, bigtable.RowFilter(f))                         // want ttlread/version-limit[column]
	if err != nil || len(row[fam]) == 0 {
		return 0, err
	}
	return decode(row[fam][len(row[fam])-1].Value), nil
}

// Title reads the ordinary part.
func (b *Board) Title(ctx context.Context, player string) (string, error) {
	row, err := b.tbl.ReadRow(ctx, player) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range row[meta] {
		if it.Column == meta+":"+colTitle {
			return string(it.Value), nil
		}
	}
	return "", ErrUnknown
}

// Top iterates over the best of the board.
func (b *Board) Top(ctx context.Context, limit int64) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		rank := 0
		err := b.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/version-limit
			e := Entry{Player: row.Key(), Rank: rank + 1}
			for _, it := range row[fam] {
				if strings.HasSuffix(it.Column, ":"+colPoints) {
					e.Points, e.Seq = decode(it.Value), stamp.Number(it) // ok ttlage/not-write-time
				}
			}
			rank++
			return yield(e, nil)
		}, bigtable.LimitRows(limit), stamp.Newest(fam, 1))
		if err != nil {
			yield(Entry{}, err)
		}
	}
}

// All iterates over all lines.
func (b *Board) All(ctx context.Context) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		err := b.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/missing-filter
			e := Entry{Player: row.Key()}
			for _, it := range row[fam] {
				e.Points = decode(it.Value)
			}
			return yield(e, nil)
		}, bigtable.LimitRows(100_000))
		if err != nil {
			yield(Entry{}, err)
		}
	}
}

// Today iterates over the scores of the day.
func (b *Board) Today(ctx context.Context) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		day := time.Now().Truncate(24 * time.Hour)
		f := bigtable.ChainFilters(bigtable.FamilyFilter(fam), bigtable.TimestampRangeFilter(day, time.Time{}), bigtable.LatestNFilter(1)) // want ttlread/wrong-bound[today]
		err := b.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {                                               // want ttlread/wrong-bound[today]
			for _, it := range row[fam] {
				if !yield(Entry{Player: row.Key(), Points: decode(it.Value)}, nil) {
					return false
				}
			}
			return true
		}, bigtable.RowFilter(f)) // want ttlread/wrong-bound[today]
		if err != nil {
			yield(Entry{}, err)
		}
	}
}

// Between iterates over the submissions with numbers from a to b.
func (b *Board) Between(ctx context.Context, from, to int64) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		f := bigtable.ChainFilters(
			bigtable.FamilyFilter(fam),
			bigtable.TimestampRangeFilterMicros(stamp.Seq(from), stamp.Seq(to)), // ok ttlread/wrong-bound
			bigtable.LatestNFilter(3),
		)
		err := b.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/wrong-bound
			for _, it := range row[fam] {
				if !yield(Entry{Player: it.Row, Points: decode(it.Value), Seq: stamp.Number(it)}) {
					return false
				}
			}
			return true
		}, bigtable.RowFilter(f))
		if err != nil {
			b.log.ErrorContext(ctx, "between", "err", err)
		}
	}
}

// Holders lists who has exactly so many points now.
func (b *Board) Holders(ctx context.Context, points string) (out []string, err error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(fam), bigtable.ColumnFilter(colPoints), bigtable.ValueFilter(points), bigtable.LatestNFilter(1)) // want ttlread/version-limit[holders]
	err = b.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {                                                               // want ttlread/version-limit[holders]
		for _, it := range row[fam] {
			out = append(out, it.Row+"="+string(it.Value))
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/version-limit[holders]
	return out, err
}

// HoldersNow is Holders in the right order.
func (b *Board) HoldersNow(ctx context.Context, points string) (out []string, err error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(fam), bigtable.ColumnFilter(colPoints), bigtable.LatestNFilter(1), bigtable.ValueFilter(points))
	err = b.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/version-limit
		for _, it := range row[fam] {
			out = append(out, it.Row+"="+string(it.Value))
		}
		return true
	}, bigtable.RowFilter(f))
	return out, err
}

// Players lists who is on the board at all.
func (b *Board) Players(ctx context.Context) (keys []string, err error) {
	err = b.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		keys = append(keys, row.Key())
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())))
	return keys, err
}

// Has says whether a player is on the board.
func (b *Board) Has(ctx context.Context, player string) (bool, error) {
	row, err := b.tbl.ReadRow(ctx, player, bigtable.RowFilter(stamp.Family(fam, bigtable.LatestNFilter(1)))) // ok ttlread/missing-filter
	return len(row) > 0, err
}

// Stale says how old a player's score is.
func (b *Board) Stale(ctx context.Context, player string) (time.Duration, error) {
	row, err := b.tbl.ReadRow(ctx, player, stamp.Newest(fam, 1)) // ok ttlread/version-limit
	if err != nil || len(row[fam]) == 0 {
		return 0, err
	}
	return stamp.Age(row[fam][0]), nil // want ttlage/not-write-time[agescore]
}

// Titled says when a player got their title.
func (b *Board) Titled(ctx context.Context, player string) (time.Duration, error) {
	row, err := b.tbl.ReadRow(ctx, player, bigtable.RowFilter(bigtable.FamilyFilter(meta))) // ok ttlread/missing-filter
	if err != nil || len(row[meta]) == 0 {
		return 0, err
	}
	return time.Since(row[meta][0].Timestamp.Time()), nil // ok ttlage/not-write-time
}

// Enter writes a first score, if there is none.
func (b *Board) Enter(ctx context.Context, player string) error {
	first := bigtable.NewMutation()
	first.Set(fam, colPoints, stamp.Seq(1), encode(0)) // ok ttlwrite/unscaled-sequence
	any := bigtable.ChainFilters(bigtable.FamilyFilter(fam), bigtable.ColumnFilter(colPoints))
	return b.tbl.Apply(ctx, player, bigtable.NewCondMutation(any, nil, first)) // ok ttlread/conditional-mutation
}

// Champion crowns whoever holds exactly so many points.
func (b *Board) Champion(ctx context.Context, player string, points []byte) error {
	crown := bigtable.NewMutation()
	crown.Set(meta, colTitle, bigtable.ServerTime, []byte("champion"))                                                                 // ok ttlwrite/server-timestamp
	has := bigtable.ChainFilters(bigtable.FamilyFilter(fam), bigtable.ColumnFilter(colPoints), bigtable.ValueRangeFilter(points, nil)) // want ttlread/conditional-mutation[champion]
	return b.tbl.Apply(ctx, player, bigtable.NewCondMutation(has, crown, nil))                                                         // want ttlread/conditional-mutation[champion]
}

// ChampionNow looks at the newest points only.
func (b *Board) ChampionNow(ctx context.Context, player string, points []byte) error {
	crown := bigtable.NewMutation()
	crown.Set(meta, colTitle, bigtable.ServerTime, []byte("champion")) // ok ttlwrite/server-timestamp
	has := bigtable.ChainFilters(bigtable.FamilyFilter(fam), bigtable.ColumnFilter(colPoints), bigtable.LatestNFilter(1), bigtable.ValueRangeFilter(points, nil))
	return b.tbl.Apply(ctx, player, bigtable.NewCondMutation(has, crown, nil)) // ok ttlread/conditional-mutation
}

// Split takes what the newest submission says, whoever sent it.
func (b *Board) Split(ctx context.Context, player string) (bigtable.Row, error) {
	f := bigtable.ConditionFilter( // want ttlread/unfiltered-branch[split]
		bigtable.ChainFilters(bigtable.ColumnFilter(colTitle), bigtable.ValueFilter("champion")),
		bigtable.PassAllFilter(),  // want ttlread/unfiltered-branch[split]
		bigtable.LatestNFilter(1), // ok ttlread/unfiltered-branch
	)
	return b.tbl.ReadRow(ctx, player, bigtable.RowFilter(f)) // want ttlread/unfiltered-branch[split]
}
