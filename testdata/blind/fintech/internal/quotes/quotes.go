// Package quotes keeps exchange rates and risk scores. Both families collect
// by a default lifetime: 15 minutes and 30 days from a cell's timestamp. A
// shorter or longer life is had by shifting the timestamp.
package quotes

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/payments/internal/clock"
	"example.com/payments/internal/schema"
	"example.com/payments/internal/store"
)

// Default lifetimes of the families.
const (
	RateTTL = 15 * time.Minute
	RiskTTL = 30 * 24 * time.Hour
)

// ErrNoQuote says that there is no valid quote.
var ErrNoQuote = errors.New("quotes: none")

// Quote is an exchange rate.
type Quote struct {
	Pair      string
	Rate      float64
	WrittenAt time.Time
	ValidTill time.Time
}

// Score is a risk score.
type Score struct {
	Subject   string
	Value     int
	UpdatedAt time.Time
	Until     time.Time
}

// Book holds quotes. It opens its table itself: the pricing engine runs
// without the container.
type Book struct {
	tbl  *bigtable.Table
	clk  clock.Clock
	hold time.Duration
}

// Option configures a Book.
type Option func(*Book)

// WithClock replaces the system's clock.
func WithClock(c clock.Clock) Option { return func(b *Book) { b.clk = c } }

// WithHold sets for how long customers may hold a rate.
func WithHold(d time.Duration) Option { return func(b *Book) { b.hold = d } }

// NewBook opens the quotes table.
func NewBook(client *bigtable.Client, opts ...Option) *Book {
	b := &Book{tbl: client.Open(string(schema.TableQuotes)), clk: clock.System{}, hold: RateTTL}
	for _, o := range opts {
		o(b)
	}
	return b
}

func pairKey(pair string) string    { return "fx#" + pair }
func subjectKey(subj string) string { return "risk#" + subj }

// Publish stores a rate for the usual 15 minutes.
func (b *Book) Publish(ctx context.Context, pair string, rate float64, source string) error {
	mut := bigtable.NewMutation()
	store.PutString(mut, schema.FXRate, bigtable.ServerTime, strconv.FormatFloat(rate, 'f', -1, 64)) // ok ttlwrite/server-timestamp
	mut.Set(string(schema.FamFX), "mid", bigtable.Now(), []byte("1"))                                // ok ttlwrite/write-time
	mut.Set(string(schema.FamSource), "name", bigtable.ServerTime, []byte(source))                   // ok ttlwrite/server-timestamp
	return b.tbl.Apply(ctx, pairKey(pair), mut)
}

// PublishShort stores a rate that is good for five minutes.
func (b *Book) PublishShort(ctx context.Context, pair string, rate []byte) error {
	mut := bigtable.NewMutation()
	mut.Set("fx", "rate", bigtable.Time(b.clk.Now().Add(-10*time.Minute)), rate) // ok ttlwrite/already-expired
	return b.tbl.Apply(ctx, pairKey(pair), mut)
}

// PublishLong stores a weekend rate that is good for two days.
func (b *Book) PublishLong(ctx context.Context, pair string, rate []byte) error {
	mut := bigtable.NewMutation()
	mut.Set("fx", "rate", bigtable.Time(b.clk.Now().Add(48*time.Hour-RateTTL)), rate) // ok ttlwrite/already-expired
	return b.tbl.Apply(ctx, pairKey(pair), mut)
}

// Withdraw publishes a rate nobody shall use; it goes with the next GC.
func (b *Book) Withdraw(ctx context.Context, pair string) error {
	mut := bigtable.NewMutation()
	mut.Set("fx", "rate", bigtable.Time(b.clk.Now().Add(-time.Hour)), []byte("0")) // want ttlwrite/already-expired
	return b.tbl.Apply(ctx, pairKey(pair), mut)
}

// Placeholder marks a pair as known.
func (b *Book) Placeholder(ctx context.Context, pair string) error {
	mut := bigtable.NewMutation()
	mut.Set("fx", "known", 0, nil)               // want ttlwrite/already-expired
	mut.Set("source", "known", 0, []byte("yes")) // ok ttlwrite/already-expired
	return b.tbl.Apply(ctx, pairKey(pair), mut)
}

// Hits counts how often a rate was shown.
func (b *Book) Hits(ctx context.Context, pair string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment("fx", "hits", 1) // ok ttlwrite/read-modify-write
	_, err := b.tbl.ApplyReadModifyWrite(ctx, pairKey(pair), rmw)
	return err
}

// Rate returns a pair's valid rate.
func (b *Book) Rate(ctx context.Context, pair string) (Quote, error) {
	now := b.clk.Now()
	f := bigtable.ChainFilters(bigtable.FamilyFilter("fx"), bigtable.TimestampRangeFilter(now.Add(-RateTTL), time.Time{}), bigtable.LatestNFilter(1))
	row, err := b.tbl.ReadRow(ctx, pairKey(pair), bigtable.RowFilter(f)) // ok ttlread/wrong-bound
	if err != nil {
		return Quote{}, err
	}
	it, ok := store.Newest(row, schema.FXRate)
	if !ok {
		return Quote{}, ErrNoQuote
	}
	rate, err := strconv.ParseFloat(string(it.Value), 64)
	if err != nil || math.IsNaN(rate) {
		return Quote{}, fmt.Errorf("rate of %s: %w", pair, err)
	}
	return Quote{
		Pair:      pair,
		Rate:      rate,
		WrittenAt: it.Timestamp.Time(),              // want ttlage/not-write-time
		ValidTill: it.Timestamp.Time().Add(RateTTL), // ok ttlage/not-write-time
	}, nil
}

// Held returns the rate that a checkout holds.
func (b *Book) Held(ctx context.Context, pair string) (bigtable.Row, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("fx"), store.LiveFilter(b.clk.Now())) // want ttlread/wrong-bound[held]
	return b.tbl.ReadRow(ctx, pairKey(pair), bigtable.RowFilter(f))                        // want ttlread/wrong-bound[held]
}

// Fresh returns rates of the last five minutes.
func (b *Book) Fresh(ctx context.Context, pair string) (bigtable.Row, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("fx"), bigtable.TimestampRangeFilter(b.clk.Now().Add(-5*time.Minute), time.Time{})) // want ttlread/wrong-bound[fresh]
	return b.tbl.ReadRow(ctx, pairKey(pair), bigtable.RowFilter(f))                                                                      // want ttlread/wrong-bound[fresh]
}

// Day returns a day's rates.
func (b *Book) Day(ctx context.Context, pair string) (bigtable.Row, error) {
	return b.tbl.ReadRow(ctx, pairKey(pair), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("fx"), store.Within(b.clk.Now(), 24*time.Hour)))) // want ttlread/wrong-bound
}

// Window returns rates that are valid and not from the future.
func (b *Book) Window(ctx context.Context, pair string) (bigtable.Row, error) {
	now := b.clk.Now()
	f := bigtable.ChainFilters(bigtable.FamilyFilter("fx"), bigtable.TimestampRangeFilter(now.Add(-RateTTL), now)) // want ttlread/upper-bound[fxwindow]
	return b.tbl.ReadRow(ctx, pairKey(pair), bigtable.RowFilter(f))                                                // want ttlread/upper-bound[fxwindow]
}

// Lapsed returns rates that are not valid any more.
func (b *Book) Lapsed(ctx context.Context, pair string) (bigtable.Row, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("fx"), bigtable.TimestampRangeFilter(time.Time{}, b.clk.Now().Add(-RateTTL))) // want ttlread/expired-only[lapsed]
	return b.tbl.ReadRow(ctx, pairKey(pair), bigtable.RowFilter(f))                                                                // want ttlread/expired-only[lapsed]
}

// Latest returns the newest rate.
func (b *Book) Latest(ctx context.Context, pair string) (string, error) {
	row, err := b.tbl.ReadRow(ctx, pairKey(pair), bigtable.RowFilter(store.LatestOf(schema.FamFX, 1))) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return store.Text(row, schema.FXRate), nil
}

// Source tells where a pair's rates come from.
func (b *Book) Source(ctx context.Context, pair string) (string, error) {
	row, err := b.tbl.ReadRow(ctx, pairKey(pair)) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range row[schema.FamSource.String()] {
		return string(it.Value), nil
	}
	return "", ErrNoQuote
}

// SetScore stores a score for 30 days, or for less.
func (b *Book) SetScore(ctx context.Context, s Score) error {
	now := b.clk.Now()
	ts := now
	if !s.Until.IsZero() {
		ts = s.Until.Add(-RiskTTL)
	}
	mut := bigtable.NewMutation()
	mut.Set("risk", "score", bigtable.Time(ts), []byte(strconv.Itoa(s.Value))) // ok ttlwrite/already-expired
	return b.tbl.Apply(ctx, subjectKey(s.Subject), mut)
}

// Score returns a subject's score.
func (b *Book) Score(ctx context.Context, subject string) (Score, error) {
	cut := b.clk.Now().Add(-RiskTTL)
	row, err := b.tbl.ReadRow(ctx, subjectKey(subject), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("risk"), bigtable.TimestampRangeFilter(cut, time.Time{})))) // ok ttlread/wrong-bound
	if err != nil {
		return Score{}, err
	}
	return scoreOf(subject, row)
}

func scoreOf(subject string, row bigtable.Row) (Score, error) {
	it, ok := store.Newest(row, schema.RiskScore)
	if !ok {
		return Score{}, ErrNoQuote
	}
	v, err := strconv.Atoi(string(it.Value))
	return Score{Subject: subject, Value: v, UpdatedAt: it.Timestamp.Time()}, err // want ttlage/not-write-time
}

// ScoreAt returns the score of a subject as of now, with the rates' cut.
func (b *Book) ScoreAt(ctx context.Context, subject string) (int, error) {
	cut := b.clk.Now().Add(-RateTTL)
	row, err := b.tbl.ReadRow(ctx, subjectKey(subject), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("risk"), bigtable.TimestampRangeFilter(cut, time.Time{})))) // want ttlread/wrong-bound
	if err != nil {
		return 0, err
	}
	it, ok := store.Newest(row, schema.RiskScore)
	if !ok {
		return 0, ErrNoQuote
	}
	return strconv.Atoi(string(it.Value))
}

// Scores walks over all scores.
func (b *Book) Scores(ctx context.Context, each func(subject, score string)) error {
	return b.tbl.ReadRows(ctx, bigtable.PrefixRange("risk#"), func(row bigtable.Row) bool { // want ttlread/missing-filter
		for _, it := range row["risk"] {
			each(row.Key(), string(it.Value))
		}
		return true
	})
}

// ValidScores walks over the scores that count.
func (b *Book) ValidScores(ctx context.Context, each func(subject, score string)) error {
	cut := b.clk.Now().Add(-RiskTTL)
	return b.tbl.ReadRows(ctx, bigtable.PrefixRange("risk#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row["risk"] {
			if it.Timestamp.Time().After(cut) {
				each(row.Key(), string(it.Value))
			}
		}
		return true
	})
}

// Reprice refuses scores that somebody computed too long ago.
func (b *Book) Reprice(ctx context.Context, subject string) (bool, error) {
	row, err := b.tbl.ReadRow(ctx, subjectKey(subject), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("risk"), store.Within(b.clk.Now(), RiskTTL)))) // ok ttlread/wrong-bound
	if err != nil {
		return false, err
	}
	it, ok := store.Newest(row, schema.RiskScore)
	if !ok {
		return false, nil
	}
	return clock.Since(b.clk, it.Timestamp.Time()) < time.Hour, nil // want ttlage/not-write-time
}

// Lock writes a rate unless a valid one is there.
func (b *Book) Lock(ctx context.Context, pair string, rate []byte) (bool, error) {
	now := b.clk.Now()
	set := bigtable.NewMutation()
	set.Set("fx", "locked", bigtable.Time(now), rate) // ok ttlwrite/write-time
	valid := bigtable.ChainFilters(bigtable.FamilyFilter("fx"), bigtable.ColumnFilter("locked"), bigtable.TimestampRangeFilter(now.Add(-RateTTL), time.Time{}))
	cond := bigtable.NewCondMutation(valid, nil, set) // ok ttlread/conditional-mutation
	var had bool
	err := b.tbl.Apply(ctx, pairKey(pair), cond, bigtable.GetCondMutationResult(&had))
	return !had, err
}

// LockAny is Lock for pairs without a spread.
func (b *Book) LockAny(ctx context.Context, pair string, rate []byte) error {
	set := bigtable.NewMutation()
	set.Set("fx", "locked", bigtable.Time(b.clk.Now()), rate)
	return b.tbl.Apply(ctx, pairKey(pair), bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.FamilyFilter("fx"), bigtable.ColumnFilter("locked")), nil, set)) // want ttlread/conditional-mutation
}

// Import takes rates from the provider's file; its times are in several units.
func (b *Book) Import(ctx context.Context, pair string, at time.Time, rate []byte) error {
	mut := bigtable.NewMutation()
	mut.Set("fx", "rate", bigtable.Timestamp(at.UnixNano()), rate)      // want ttlunit/wrong-unit
	mut.Set("fx", "bid", bigtable.Timestamp(at.UnixNano()/1000), rate)  // ok ttlunit/wrong-unit
	mut.Set("fx", "ask", bigtable.Timestamp(at.UnixMilli()*1000), rate) // ok ttlunit/wrong-unit
	mut.Set("source", "file", bigtable.Timestamp(at.UnixMilli()), nil)  // want ttlunit/wrong-unit
	mut.Set("source", "line", bigtable.Timestamp(at.Unix()*1000), nil)  // want ttlunit/wrong-unit
	mut.Set("source", "read", bigtable.Time(at), nil)                   // ok ttlunit/wrong-unit
	return b.tbl.Apply(ctx, pairKey(pair), mut)
}
