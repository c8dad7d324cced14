// Package guard is anti-cheat: flags on players, holds on accounts, evidence.
package guard

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"studio.example/leaderbd/internal/kit"
	"studio.example/leaderbd/internal/schema"
)

// Severity of a flag.
type Severity int

// Severities.
const (
	Info Severity = iota
	Warn
	Ban
)

// Flag is one suspicion.
type Flag struct {
	Player   string   `json:"player"`
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	Detail   string   `json:"detail"`
}

// Case is what reviewers see.
type Case struct {
	Player     string
	Flags      []Flag
	Held       bool
	HeldUntil  time.Time
	Created    time.Time
	LastReport time.Time
	ModifiedAt string
}

// Sample is a measurement.
type Sample struct {
	Rule  string
	Value float64
	At    time.Time
}

// lives is how long a flag stays, by severity.
var lives = map[Severity]time.Duration{
	Info: 24 * time.Hour,
	Warn: schema.FlagTTL,
	Ban:  90 * 24 * time.Hour,
}

// deployed marks all flags of this process.
var deployed = sync.OnceValue(func() bigtable.Timestamp { return bigtable.Time(time.Now().Add(schema.HoldTTL)) }) // want ttlwrite/stale-clock[dp]

// Engine flags and holds.
type Engine struct {
	tbl      kit.Table
	evidence *kit.Repo[[]Sample]
	holds    *kit.Repo[string]
	opts     options
	log      *slog.Logger
}

type options struct {
	clock   func() time.Time
	holdFor time.Duration
	filter  func() bigtable.Filter
	stamp   func(time.Duration) bigtable.Timestamp
	extra   []kit.QueryOpt
}

// Opt configures an Engine.
type Opt func(*options)

// HoldFor changes how long a hold lasts.
func HoldFor(d time.Duration) Opt { return func(o *options) { o.holdFor = d } }

// Through adds a filter to every read of flags.
func Through(fs ...bigtable.Filter) Opt {
	return func(o *options) { o.extra = append(o.extra, kit.Where(fs...)) }
}

// New is an engine on c.
func New(c *bigtable.Client, log *slog.Logger, opts ...Opt) *Engine {
	o := options{
		clock:   time.Now,
		holdFor: schema.HoldTTL,
		filter:  func() bigtable.Filter { return kit.In(schema.FamFlag, kit.Within(schema.FlagTTL)) },
		stamp:   kit.ExpireIn,
	}
	for _, f := range opts {
		f(&o)
	}
	tbl := c.Open(schema.Verdicts)
	return &Engine{
		tbl:      tbl,
		opts:     o,
		log:      log.With("engine", "guard"),
		evidence: kit.NewRepo(tbl, schema.FamEvidence, "samples", kit.JSON[[]Sample]{}),                                                                                                      // ok ttlwrite/write-time // ok ttlread/missing-filter
		holds:    kit.NewRepo(tbl, schema.FamHold, "reason", kit.Text{}, kit.StampedBy[string](func() bigtable.Timestamp { return bigtable.ServerTime }), kit.ReadThrough[string](kit.Live)), // want ttlwrite/server-timestamp
	}
}

// Flag files a suspicion.
func (e *Engine) Flag(ctx context.Context, f Flag) error {
	m := bigtable.NewMutation()
	switch f.Severity {
	case Info:
		m.Set(schema.FamFlag, f.Rule, kit.Shifted(schema.FlagTTL, 24*time.Hour), kit.Must(f)) // ok ttlwrite/already-expired
	case Warn:
		m.Set(schema.FamFlag, f.Rule, bigtable.Now(), kit.Must(f)) // ok ttlwrite/write-time
	default:
		m.Set(schema.FamFlag, f.Rule, kit.Shifted(schema.FlagTTL, 90*24*time.Hour), kit.Must(f)) // ok ttlwrite/write-time
		m.Set(schema.FamHold, "ban", bigtable.ServerTime, []byte(f.Rule))                        // want ttlwrite/server-timestamp
	}
	m.Set(schema.FamEvidence, "flagged", bigtable.ServerTime, []byte(f.Detail)) // ok ttlwrite/server-timestamp
	return e.tbl.Apply(ctx, f.Player, m)
}

// FlagAll files many.
func (e *Engine) FlagAll(ctx context.Context, fs iter.Seq2[Flag, error]) error {
	b := kit.NewBatch(e.tbl)
	for f, err := range fs {
		if err != nil {
			return err
		}
		life, ok := lives[f.Severity]
		if !ok {
			life = schema.FlagTTL
		}
		b.Add(f.Player,
			kit.PutAny(schema.FamFlag, f.Rule, kit.Shifted(schema.FlagTTL, life), f),                     // ok ttlwrite/already-expired
			kit.PutAny(schema.FamHold, "flagged", deployed(), f.Rule),                                    // want ttlwrite/stale-clock[dp]
			kit.PutAny(schema.FamFlag, "count", bigtable.Now(), 1),                                       // ok ttlwrite/write-time
			kit.PutAny(schema.FamFlag, "expunge", bigtable.Time(e.opts.clock().Add(-schema.FlagTTL)), 1), // want ttlwrite/already-expired
			kit.PutAny(schema.FamFlag, "probation", bigtable.Time(e.opts.clock().Add(-24*time.Hour)), 1), // ok ttlwrite/already-expired
		)
		if b.Len() == 200 {
			if err := b.Flush(ctx); err != nil {
				return err
			}
		}
	}
	return b.Flush(ctx)
}

// Hold keeps a player out for a while.
func (e *Engine) Hold(ctx context.Context, player, reason string) error {
	if err := e.holds.Put(ctx, player, reason); err != nil {
		return fmt.Errorf("hold: %w", err)
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamHold, "until", e.opts.stamp(e.opts.holdFor), []byte(reason))                     // ok ttlwrite/server-timestamp
	m.Set(schema.FamHold, "placed", bigtable.Time(e.opts.clock()), []byte(reason))                   // want ttlwrite/write-time
	m.Set(schema.FamEvidence, "placed", bigtable.Time(e.opts.clock()), []byte(reason))               // ok ttlwrite/write-time
	m.Set(schema.FamHold, "by", bigtable.Time(e.opts.clock().Add(schema.HoldTTL)), []byte("engine")) // ok ttlwrite/write-time
	return e.tbl.Apply(ctx, player, m)
}

// Escalate doubles a hold.
func (e *Engine) Escalate(ctx context.Context, player string) error {
	ts := bigtable.Now()
	edits := []kit.Edit{
		kit.Put(schema.FamEvidence, "escalated", ts, nil),                                                // ok ttlwrite/write-time
		kit.Put(schema.FamFlag, "escalated", ts, nil),                                                    // ok ttlwrite/write-time
		kit.Put(schema.FamHold, "escalated", ts, nil),                                                    // want ttlwrite/write-time
		kit.Put(schema.FamHold, "double", ts+bigtable.Timestamp((2*schema.HoldTTL).Microseconds()), nil), // ok ttlwrite/write-time
		kit.Put(schema.FamHold, "triple", ts+bigtable.Timestamp(3*schema.HoldTTL), nil),                  // want ttlunit/wrong-unit
	}
	return kit.Change(ctx, e.tbl, player, edits...)
}

// Held says why a player is held, if so.
func (e *Engine) Held(ctx context.Context, player string) (kit.Option[string], error) {
	return e.holds.Get(ctx, player) // ok ttlread/missing-filter
}

// IsHeld is asked at every login.
func (e *Engine) IsHeld(ctx context.Context, player string) (bool, error) {
	row, err := kit.Get(ctx, e.tbl, player, kit.Where(bigtable.FamilyFilter(schema.FamHold), bigtable.StripValueFilter())) // want ttlread/missing-filter
	return len(row) > 0, err
}

// IsHeldNow is asked at every match.
func (e *Engine) IsHeldNow(ctx context.Context, player string) (bool, error) {
	row, err := kit.Get(ctx, e.tbl, player, kit.Where(bigtable.FamilyFilter(schema.FamHold), kit.Live(), bigtable.StripValueFilter())) // ok ttlread/missing-filter
	return len(row) > 0, err
}

// Flags lists the flags of a player.
func (e *Engine) Flags(ctx context.Context, player string) ([]Flag, error) {
	row, err := kit.Get(ctx, e.tbl, player, append(e.opts.extra, kit.Where(e.opts.filter()))...) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decodeFlags(row), nil
}

// Recent lists the flags of the last day.
func (e *Engine) Recent(ctx context.Context, prefix string) ([]Flag, error) {
	var out []Flag
	for row, err := range kit.Rows(ctx, e.tbl, bigtable.PrefixRange(prefix), kit.Where(kit.In(schema.FamFlag, kit.Within(24*time.Hour)))) { // want ttlread/wrong-bound
		if err != nil {
			return nil, err
		}
		out = append(out, decodeFlags(row)...)
	}
	return out, nil
}

// Standing lists the flags that still count.
func (e *Engine) Standing(ctx context.Context, prefix string) ([]Flag, error) {
	var out []Flag
	err := e.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool {
		out = append(out, decodeFlags(row)...)
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamFlag), bigtable.TimestampRangeFilter(e.opts.clock().Add(-7*24*time.Hour), time.Time{})))) // ok ttlread/wrong-bound
	return out, err
}

// Reviewed lists the flags that still count, so its author thought, with two filters.
func (e *Engine) Reviewed(ctx context.Context, prefix string) ([]Flag, error) {
	var out []Flag
	live := bigtable.RowFilter(kit.Within(schema.FlagTTL))                                 // want ttlread/overridden-filter[rv]
	fam := bigtable.RowFilter(bigtable.FamilyFilter(schema.FamFlag))                       // want ttlread/overridden-filter[rv] // maybe ttlread/missing-filter
	err := e.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // want ttlread/overridden-filter[rv] // maybe ttlread/missing-filter
		out = append(out, decodeFlags(row)...)
		return true
	}, live, fam) // want ttlread/overridden-filter[rv]
	return out, err
}

// Samples lists measurements; one filter and one limit.
func (e *Engine) Samples(ctx context.Context, prefix string) (map[string]int, error) {
	out := map[string]int{}
	opts := []bigtable.ReadOption{bigtable.RowFilter(bigtable.FamilyFilter(schema.FamEvidence))}
	opts = append(opts, bigtable.LimitRows(1000))
	err := e.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // ok ttlread/overridden-filter
		out[row.Key()] = len(row[schema.FamEvidence])
		return true
	}, opts...)
	return out, err
}

// SamplesOf lists one player's, twice filtered.
func (e *Engine) SamplesOf(ctx context.Context, player string) (int, error) {
	opts := []bigtable.ReadOption{bigtable.RowFilter(bigtable.FamilyFilter(schema.FamEvidence))}
	opts = append(opts, bigtable.RowFilter(bigtable.LatestNFilter(5))) // want ttlread/overridden-filter[so]
	row, err := e.tbl.ReadRow(ctx, player, opts...)                    // want ttlread/overridden-filter[so]
	return len(row[schema.FamEvidence]), err
}

func decodeFlags(row bigtable.Row) []Flag {
	var out []Flag
	for _, it := range row[schema.FamFlag] {
		if f, err := (kit.JSON[Flag]{}).Decode(it.Value); err == nil {
			out = append(out, f)
		}
	}
	return out
}

// Case collects everything about a player.
func (e *Engine) Case(ctx context.Context, player string) (Case, error) {
	row, err := kit.Get(ctx, e.tbl, player, kit.Where(bigtable.InterleaveFilters( // ok ttlread/missing-filter
		kit.In(schema.FamFlag, kit.Within(schema.FlagTTL)),
		kit.In(schema.FamHold, kit.Live()),
		kit.In(schema.FamEvidence, kit.Within(schema.EvidenceTTL)),
	)))
	if err != nil {
		return Case{}, err
	}
	c := Case{Player: player, Flags: decodeFlags(row)}
	for _, it := range row[schema.FamFlag] {
		if at := it.Timestamp.Time(); c.Created.IsZero() || at.Before(c.Created) {
			c.Created = at // want ttlage/not-write-time
		}
	}
	for _, it := range row[schema.FamHold] {
		c.Held = true
		c.HeldUntil = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	for _, it := range row[schema.FamEvidence] {
		c.LastReport = it.Timestamp.Time()                     // ok ttlage/not-write-time
		c.ModifiedAt = it.Timestamp.Time().Format(time.RFC822) // ok ttlage/not-write-time
	}
	return c, nil
}

// CaseFast is Case with a range that suits one of the three.
func (e *Engine) CaseFast(ctx context.Context, player string) (Case, error) {
	row, err := kit.Get(ctx, e.tbl, player, kit.Where(kit.Within(schema.FlagTTL))) // want ttlread/wrong-bound|ttlread/hides-other-families
	if err != nil {
		return Case{}, err
	}
	c := Case{Player: player, Flags: decodeFlags(row)}
	for _, it := range row[schema.FamHold] {
		c.Held = true
		c.HeldUntil = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	return c, nil
}

// Report is a line per hold, for the chat channel.
func (e *Engine) Report(ctx context.Context) ([]string, error) {
	var out []string
	for row, err := range kit.Rows(ctx, e.tbl, bigtable.InfiniteRange(""), kit.Where(kit.In(schema.FamHold, kit.Live()))) { // ok ttlread/missing-filter
		if err != nil {
			return nil, err
		}
		for col, it := range kit.Cells(row, schema.FamHold) {
			switch {
			case it.Timestamp == bigtable.ServerTime: // want ttlage/server-sentinel
				out = append(out, row.Key()+" held for good")
			case col == "reason":
				out = append(out, fmt.Sprintf("%s held (%s), updated_at=%s", row.Key(), it.Value, it.Timestamp.Time().Format(time.Stamp))) // want ttlage/not-write-time
			default:
				out = append(out, fmt.Sprintf("%s held (%s) until %s", row.Key(), it.Value, it.Timestamp.Time().Format(time.Stamp))) // ok ttlage/not-write-time
			}
		}
	}
	return out, nil
}

// Sampled stores measurements.
func (e *Engine) Sampled(ctx context.Context, player string, xs []Sample) error {
	if len(xs) == 0 {
		return errors.New("no samples")
	}
	if err := e.evidence.Put(ctx, player, xs); err != nil { // ok ttlwrite/write-time
		return err
	}
	m := bigtable.NewMutation()
	for _, x := range xs {
		m.Set(schema.FamEvidence, x.Rule, bigtable.Time(x.At), kit.Must(x.Value))                             // ok ttlwrite/write-time
		m.Set(schema.FamEvidence, x.Rule+"_s", bigtable.Timestamp(x.At.Unix()), kit.Must(x.Value))            // want ttlunit/wrong-unit
		m.Set(schema.FamEvidence, x.Rule+"_us", bigtable.Timestamp(x.At.UnixMilli()*1000), kit.Must(x.Value)) // ok ttlunit/wrong-unit
	}
	return e.tbl.Apply(ctx, player, m)
}

// Evidence reads measurements.
func (e *Engine) Evidence(ctx context.Context, player string) ([]Sample, error) {
	xs, err := e.evidence.Get(ctx, player) // ok ttlread/missing-filter
	return xs.Or(nil), err
}

// Score adds to a player's suspicion.
func (e *Engine) Score(ctx context.Context, player, rule string, n int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamFlag, rule, n)             // ok ttlwrite/read-modify-write
	rmw.Increment(schema.FamEvidence, rule, n)         // ok ttlwrite/read-modify-write
	rmw.AppendValue(schema.FamHold, rule, []byte("+")) // want ttlwrite/read-modify-write
	_, err := e.tbl.ApplyReadModifyWrite(ctx, player, rmw)
	return err
}

// Tally counts into an aggregate column of the evidence.
func (e *Engine) Tally(ctx context.Context, player, rule string, n int64) error {
	day := e.opts.clock().Truncate(24 * time.Hour)
	m := bigtable.NewMutation()
	m.AddIntToCell(schema.FamEvidence, "sum_"+rule, bigtable.Time(day), n)    // ok ttlwrite/aggregate-server-time
	m.AddIntToCell(schema.FamEvidence, "total_"+rule, bigtable.ServerTime, n) // want ttlwrite/aggregate-server-time
	return e.tbl.Apply(ctx, player, m)
}

// Pardon clears a player, but keeps a note.
func (e *Engine) Pardon(ctx context.Context, player, by string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamFlag, "pardoned", bigtable.Now(), []byte(by)) // ok ttlwrite/write-time
	m.DeleteCellsInFamily(schema.FamFlag)                         // want ttlwrite/delete-after-set
	m.DeleteCellsInFamily(schema.FamHold)                         // ok ttlwrite/delete-after-set
	return e.tbl.Apply(ctx, player, m)
}

// Release ends a hold early if the player has one that counts.
func (e *Engine) Release(ctx context.Context, player, by string) (bool, error) {
	yes := bigtable.NewMutation()
	yes.DeleteCellsInFamily(schema.FamHold)                                  // ok ttlwrite/delete-after-set
	yes.Set(schema.FamEvidence, "released", bigtable.ServerTime, []byte(by)) // ok ttlwrite/server-timestamp
	var had bool
	err := e.tbl.Apply(ctx, player, bigtable.NewCondMutation(bigtable.FamilyFilter(schema.FamHold), yes, nil), bigtable.GetCondMutationResult(&had)) // want ttlread/conditional-mutation
	return had, err
}

// Rules lists the rules that a player has tripped.
func (e *Engine) Rules(ctx context.Context, player string) (string, error) {
	fs, err := e.Flags(ctx, player)
	if err != nil {
		return "", err
	}
	var names []string
	for _, f := range fs {
		names = append(names, f.Rule)
	}
	return strings.Join(names, ","), nil
}
