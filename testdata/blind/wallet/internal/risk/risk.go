// Package risk scores wallets. Scores last for a week; velocity counters are
// cells that expire, one per event.
package risk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
	"golang.org/x/sync/errgroup"

	"wallet.example/platform/internal/btx"
	"wallet.example/platform/internal/clock"
	"wallet.example/platform/internal/config"
	"wallet.example/platform/internal/schema"
)

// family is a column family of the table.
type family int

const (
	familyScore family = iota
	familyVelocity
)

// String implements fmt.Stringer.
func (f family) String() string {
	switch f {
	case familyScore:
		return "score"
	case familyVelocity:
		return "velocity"
	default:
		return "family(" + strconv.Itoa(int(f)) + ")"
	}
}

// signal is a column of the table.
type signal int

const (
	signalLogin signal = iota
	signalTransfer
	signalCard
)

var _signalNames = [...]string{signalLogin: "login", signalTransfer: "transfer", signalCard: "card"}

// String implements fmt.Stringer.
func (s signal) String() string { return _signalNames[s] }

const (
	_scoreTTL    = 7 * 24 * time.Hour
	_velocityTTL = time.Hour
)

// Score is the risk of a wallet.
type Score struct {
	Points     int64     `json:"points"`
	Reason     string    `json:"reason"`
	ModifiedAt time.Time `json:"modified_at"`
	ValidUntil time.Time `json:"valid_until"`
}

type store interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
	ApplyReadModifyWrite(ctx context.Context, row string, m *bigtable.ReadModifyWrite) (bigtable.Row, error)
}

// Params is what New needs.
type Params struct {
	Conn   *btx.Conn
	Clock  clock.Clock
	Config config.Risk
}

// Result is what New provides.
type Result struct {
	Engine *Engine
}

// New provides the engine.
func New(p Params) (Result, error) {
	if p.Config.Window <= 0 {
		return Result{}, errors.New("risk: window must be positive")
	}
	return Result{Engine: &Engine{
		tbl:       p.Conn.Table(schema.TableRisk),
		clock:     p.Clock,
		window:    p.Config.Window,
		threshold: p.Config.Threshold,
	}}, nil
}

// Engine scores wallets.
type Engine struct {
	tbl       store
	clock     clock.Clock
	window    time.Duration
	threshold int64

	mu     sync.Mutex
	scores map[string]int64
}

// Observe notes an event.
func (e *Engine) Observe(ctx context.Context, wallet string, sig signal, id string) error {
	mut := bigtable.NewMutation()
	mut.Set(familyVelocity.String(), sig.String()+"_"+id, btx.ExpiresIn(e.clock, e.window), nil) // ok ttlwrite/write-time
	return e.tbl.Apply(ctx, wallet, mut)
}

// ObserveLogin notes a login.
func (e *Engine) ObserveLogin(ctx context.Context, wallet, id string) error {
	mut := bigtable.NewMutation()
	mut.Set(familyVelocity.String(), signalLogin.String()+"_"+id, bigtable.Now(), nil) // want ttlwrite/write-time
	return e.tbl.Apply(ctx, wallet, mut)
}

// ObserveTransfer notes a transfer.
func (e *Engine) ObserveTransfer(ctx context.Context, wallet, id string, amount int64) error {
	now := e.clock.Now()
	value := []byte(strconv.FormatInt(amount, 10))
	mut := bigtable.NewMutation()
	mut.Set(familyVelocity.String(), signalTransfer.String()+"_"+id, bigtable.Time(now.Add(_velocityTTL)), value) // ok ttlwrite/write-time
	mut.Set(familyVelocity.String(), "last_transfer", bigtable.Time(now), value)                                  // want ttlwrite/write-time
	mut.Set(familyScore.String(), "last_transfer", bigtable.Time(now), value)                                     // ok ttlwrite/write-time
	return e.tbl.Apply(ctx, wallet, mut)
}

// ObserveCard notes the use of a card.
func (e *Engine) ObserveCard(ctx context.Context, wallet, pan string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(familyVelocity.String(), signalCard.String()+"_"+pan, 1) // want ttlwrite/read-modify-write
	rmw.Increment(familyScore.String(), signalCard.String(), 1)            // ok ttlwrite/read-modify-write
	_, err := e.tbl.ApplyReadModifyWrite(ctx, wallet, rmw)
	return err
}

// Velocity counts the events within the window.
func (e *Engine) Velocity(ctx context.Context, wallet string) (int, error) {
	row, err := e.tbl.ReadRow(ctx, wallet, bigtable.RowFilter(bigtable.ChainFilters( // ok ttlread/missing-filter
		bigtable.FamilyFilter(familyVelocity.String()),
		btx.Live(e.clock.Now()),
		bigtable.StripValueFilter(),
	)))
	if err != nil {
		return 0, err
	}
	return len(row[familyVelocity.String()]), nil
}

// VelocityOf counts the events of a kind.
func (e *Engine) VelocityOf(ctx context.Context, wallet string, sig signal) (int, error) {
	row, err := e.tbl.ReadRow(ctx, wallet, bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/missing-filter
		bigtable.FamilyFilter(familyVelocity.String()),
		bigtable.ColumnFilter(sig.String()+"_.*"),
		bigtable.StripValueFilter(),
	)))
	if err != nil {
		return 0, err
	}
	return len(row[familyVelocity.String()]), nil
}

// VelocityHour counts the events of the last hour.
func (e *Engine) VelocityHour(ctx context.Context, wallet string) (int, error) {
	now := e.clock.Now()
	row, err := e.tbl.ReadRow(ctx, wallet, bigtable.RowFilter(btx.Only(familyNamed(familyVelocity), bigtable.TimestampRangeFilter(now.Add(-_velocityTTL), now)))) // want ttlread/expired-only|ttlread/wrong-bound
	if err != nil {
		return 0, err
	}
	return len(row[familyVelocity.String()]), nil
}

func familyNamed(f family) schema.Family { return schema.Family(f.String()) }

// Put stores a score.
func (e *Engine) Put(ctx context.Context, wallet string, s Score) error {
	doc, err := json.Marshal(s)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set(familyScore.String(), schema.ColDoc.String(), bigtable.ServerTime, doc) // ok ttlwrite/server-timestamp
	if s.Points > e.threshold {
		mut.Set(familyVelocity.String(), "blocked", bigtable.ServerTime, nil) // want ttlwrite/server-timestamp
	}
	return e.tbl.Apply(ctx, wallet, mut)
}

// PutFor stores a score that is good for d.
func (e *Engine) PutFor(ctx context.Context, wallet string, s Score, d time.Duration) error {
	doc, err := json.Marshal(s)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set(familyScore.String(), schema.ColDoc.String(), bigtable.Time(e.clock.Now().Add(d-_scoreTTL)), doc) // ok ttlwrite/already-expired
	return e.tbl.Apply(ctx, wallet, mut)
}

// Forget lets a score run out.
func (e *Engine) Forget(ctx context.Context, wallet string) error {
	mut := bigtable.NewMutation()
	mut.Set(familyScore.String(), schema.ColDoc.String(), bigtable.Time(e.clock.Now().AddDate(0, 0, -8)), nil) // want ttlwrite/already-expired
	return e.tbl.Apply(ctx, wallet, mut)
}

// Get returns a score.
func (e *Engine) Get(ctx context.Context, wallet string) (*Score, error) {
	row, err := e.tbl.ReadRow(ctx, wallet, e.fresh()) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decodeScore(row)
}

func (e *Engine) fresh() bigtable.ReadOption {
	return bigtable.RowFilter(btx.Only(familyNamed(familyScore), btx.Since(e.clock.Now(), _scoreTTL), bigtable.LatestNFilter(1)))
}

func decodeScore(row bigtable.Row) (*Score, error) {
	for _, item := range row[familyScore.String()] {
		var s Score
		if err := json.Unmarshal(item.Value, &s); err != nil {
			return nil, err
		}
		s.ValidUntil = item.Timestamp.Time().Add(_scoreTTL) // ok ttlage/not-write-time
		s.ModifiedAt = item.Timestamp.Time()                // want ttlage/not-write-time
		return &s, nil
	}
	return nil, nil
}

// GetRecent returns a score of today.
func (e *Engine) GetRecent(ctx context.Context, wallet string) (*Score, error) {
	row, err := e.tbl.ReadRow(ctx, wallet, bigtable.RowFilter(btx.Only(familyNamed(familyScore), btx.Since(e.clock.Now(), 24*time.Hour)))) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return decodeScore(row)
}

// GetLive returns a score the way that counters are read.
func (e *Engine) GetLive(ctx context.Context, wallet string) (*Score, error) {
	now := e.clock.Now()
	row, err := e.tbl.ReadRow(ctx, wallet, bigtable.RowFilter(btx.Only(familyNamed(familyScore), bigtable.TimestampRangeFilterMicros(bigtable.Time(now), 0)))) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return decodeScore(row)
}

// GetWeek returns a score, looking only at the week that is over.
func (e *Engine) GetWeek(ctx context.Context, wallet string) (*Score, error) {
	now := e.clock.Now()
	row, err := e.tbl.ReadRow(ctx, wallet, bigtable.RowFilter(btx.Only(familyNamed(familyScore), bigtable.TimestampRangeFilter(now.Add(-_scoreTTL), now)))) // want ttlread/upper-bound
	if err != nil {
		return nil, err
	}
	return decodeScore(row)
}

// GetMany returns the scores of several wallets.
func (e *Engine) GetMany(ctx context.Context, wallets []string) (map[string]*Score, error) {
	var (
		mu  sync.Mutex
		out = make(map[string]*Score, len(wallets))
	)
	g, ctx := errgroup.WithContext(ctx)
	for _, wallet := range wallets {
		g.Go(func() error {
			row, err := e.tbl.ReadRow(ctx, wallet, bigtable.RowFilter(btx.Latest(familyNamed(familyScore)))) // want ttlread/missing-filter
			if err != nil {
				return fmt.Errorf("score of %q: %w", wallet, err)
			}
			s, err := decodeScore(row)
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			out[wallet] = s
			return nil
		})
	}
	return out, g.Wait()
}

// Refresh loads the scores of all wallets with a prefix into memory.
func (e *Engine) Refresh(ctx context.Context, prefix string) error {
	scores := make(map[string]int64)
	err := e.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		if s, err := decodeScore(row); err == nil && s != nil {
			scores[row.Key()] = s.Points
		}
		return true
	}, e.fresh(), bigtable.LimitRows(10_000))
	if err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.scores = scores
	return nil
}

// Report reads scores and counters together.
func (e *Engine) Report(ctx context.Context, wallet string) (points int64, events int, err error) {
	now := e.clock.Now()
	row, err := e.tbl.ReadRow(ctx, wallet, bigtable.RowFilter(bigtable.InterleaveFilters( // ok ttlread/wrong-bound
		btx.Only(familyNamed(familyScore), btx.Since(now, _scoreTTL)),
		btx.Only(familyNamed(familyVelocity), btx.Live(now)),
	)))
	if err != nil {
		return 0, 0, err
	}
	s, err := decodeScore(row)
	if err != nil || s == nil {
		return 0, 0, err
	}
	return s.Points, len(row[familyVelocity.String()]), nil
}

// Stale says whether a score is older than a day.
func (e *Engine) Stale(ctx context.Context, wallet string) (bool, error) {
	row, err := e.tbl.ReadRow(ctx, wallet, e.fresh())
	if err != nil {
		return false, err
	}
	for _, item := range row[familyScore.String()] {
		age := e.clock.Now().Sub(item.Timestamp.Time()) // want ttlage/not-write-time
		return age > 24*time.Hour, nil
	}
	return true, nil
}

// Idle says for how long a counter will still be there.
func (e *Engine) Idle(ctx context.Context, wallet string) (time.Duration, error) {
	now := e.clock.Now()
	row, err := e.tbl.ReadRow(ctx, wallet, bigtable.RowFilter(btx.Only(familyNamed(familyVelocity), btx.Live(now))))
	if err != nil {
		return 0, err
	}
	var left time.Duration
	for _, item := range row[familyVelocity.String()] {
		left = max(left, item.Timestamp.Time().Sub(now)) // ok ttlage/not-write-time
	}
	return left, nil
}

// Block puts a mark on a wallet unless it has one.
func (e *Engine) Block(ctx context.Context, wallet, why string) error {
	set := bigtable.NewMutation()
	set.Set(familyVelocity.String(), "blocked", btx.ExpiresIn(e.clock, 10*time.Minute), []byte(why)) // ok ttlwrite/write-time
	pred := bigtable.ChainFilters(
		bigtable.FamilyFilter(familyVelocity.String()),
		bigtable.ColumnFilter("blocked"),
		bigtable.LatestNFilter(1),
	)
	return e.tbl.Apply(ctx, wallet, bigtable.NewCondMutation(pred, nil, set)) // want ttlread/conditional-mutation
}

// Unblock takes it away.
func (e *Engine) Unblock(ctx context.Context, wallet string) error {
	del := bigtable.NewMutation()
	del.DeleteCellsInColumn(familyVelocity.String(), "blocked")
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(familyVelocity.String()), bigtable.ColumnFilter("blocked"))
	return e.tbl.Apply(ctx, wallet, bigtable.NewCondMutation(pred, del, nil)) // ok ttlread/conditional-mutation
}
