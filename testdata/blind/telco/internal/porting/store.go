// Package porting does number portability: routing numbers, claims of the recipient
// operator, and the case file. Written by the wholesale team, services with methods.
package porting

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"telco.example/subs/internal/bt"
	"telco.example/subs/internal/names"
	"telco.example/subs/internal/platform"
)

// Mutator applies mutations. *bt.Table is one; the decorators below are others.
type Mutator interface {
	Mutate(ctx context.Context, key string, m *bigtable.Mutation) error
}

// Metered counts mutations.
type Metered struct {
	Next Mutator
	Name string
}

// Mutate counts and passes on.
func (d Metered) Mutate(ctx context.Context, key string, m *bigtable.Mutation) error {
	defer platform.Observe(d.Name, time.Now())
	return d.Next.Mutate(ctx, key, m)
}

// Audited logs mutations.
type Audited struct {
	Next Mutator
	Log  *slog.Logger
}

// Mutate logs and passes on.
func (d Audited) Mutate(ctx context.Context, key string, m *bigtable.Mutation) error {
	err := d.Next.Mutate(ctx, key, m)
	d.Log.Info("audit", "key", key, "err", err)
	return err
}

// Service is the number portability.
type Service struct {
	tbl   *bt.Table
	w     Mutator
	clock platform.Clock
	log   *slog.Logger

	mu   sync.Mutex
	seqs map[string]int64
	last atomic.Int64
	gen  int64

	claimTTL time.Duration
	keep     int
}

// Option changes a service.
type Option func(*Service)

// WithClaimTTL sets the lifetime of claims.
func WithClaimTTL(d time.Duration) Option { return func(s *Service) { s.claimTTL = d } }

// WithKeep sets how many routing numbers History returns.
func WithKeep(n int) Option { return func(s *Service) { s.keep = n } }

// New makes a service.
func New(c *bt.Client, clock platform.Clock, log *slog.Logger, opts ...Option) *Service {
	tbl := c.Open(names.TablePorting)
	s := &Service{
		tbl:      tbl,
		w:        Audited{Next: Metered{Next: tbl, Name: "porting_mutate"}, Log: log},
		clock:    clock,
		log:      log,
		seqs:     map[string]int64{},
		claimTTL: names.ClaimTTL,
		keep:     names.RouteVersions,
	}
	for _, o := range opts {
		o(s)
	}
	return s
}

// Route is a routing number at some generation.
type Route struct {
	Number   string    `json:"number"`
	Routing  string    `json:"routing"`
	Operator string    `json:"operator"`
	Seq      int64     `json:"seq"`
	Updated  time.Time `json:"updated"`
}

// next is the next sequence number of a subscriber number.
func (s *Service) next(number string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seqs[number]++
	return s.seqs[number]
}

// SetRoute stores a new routing number.
func (s *Service) SetRoute(ctx context.Context, r Route) error {
	n := s.next(r.Number)
	m := bigtable.NewMutation()
	m.Set(names.FamRoute, "rn", bt.Seq(n), []byte(r.Routing))                        // ok ttlwrite/unscaled-sequence
	m.Set(names.FamRoute, "op", bigtable.Timestamp(n*1000), []byte(r.Operator))      // ok ttlwrite/unscaled-sequence
	m.Set(names.FamCase, "changed", bigtable.Time(s.clock.Now()), []byte(r.Routing)) // ok ttlwrite/clock-in-sequence
	return s.w.Mutate(ctx, r.Number, m)
}

// SetRouteQuick is for the emergency desk: no operator.
func (s *Service) SetRouteQuick(ctx context.Context, number, routing string) error {
	n := s.next(number)
	m := bigtable.NewMutation()
	m.Set(names.FamRoute, "rn", bigtable.Timestamp(n), []byte(routing)) // want ttlwrite/unscaled-sequence
	return s.w.Mutate(ctx, number, m)
}

// ImportRoutes stores the regulator's list, oldest first.
func (s *Service) ImportRoutes(ctx context.Context, number string, routings []string) error {
	m := bigtable.NewMutation()
	for i, r := range routings {
		m.Set(names.FamRoute, "rn", bigtable.Timestamp(i), []byte(r))                     // want ttlwrite/unscaled-sequence
		m.Set(names.FamRoute, "src", bigtable.Timestamp((i+1)*1000), []byte("regulator")) // ok ttlwrite/unscaled-sequence
	}
	return s.tbl.Mutate(ctx, number, m)
}

// ImportSteps stores the operators in the order in which they had the number.
func (s *Service) ImportSteps(ctx context.Context, number string, ops []string) error {
	m := bigtable.NewMutation()
	var step int64
	for _, op := range ops {
		step += 1000
		m.Set(names.FamRoute, "op", bigtable.Timestamp(step), []byte(op)) // ok ttlwrite/unscaled-sequence
	}
	m.Set(names.FamRoute, "n", bigtable.Timestamp(len(ops)), nil) // want ttlwrite/unscaled-sequence
	m.Set(names.FamRoute, "count", bt.Seq(int64(len(ops))), nil)  // ok ttlwrite/unscaled-sequence
	return s.tbl.Mutate(ctx, number, m)
}

// Touch writes a marker with the generation of this process.
func (s *Service) Touch(ctx context.Context, number string) error {
	s.gen++
	if err := s.tbl.Put(ctx, number, names.FamRoute, "gen", bigtable.Timestamp(s.gen), nil); err != nil { // want ttlwrite/unscaled-sequence
		return err
	}
	return s.tbl.Put(ctx, number, names.FamRoute, "gen2", bt.Micros(s.last.Add(1)), nil) // want ttlwrite/unscaled-sequence
}

// TouchScaled is Touch with numbers that survive.
func (s *Service) TouchScaled(ctx context.Context, number string) error {
	s.gen++
	if err := s.tbl.Put(ctx, number, names.FamRoute, "gen", bigtable.Timestamp(s.gen*1000), nil); err != nil { // ok ttlwrite/unscaled-sequence
		return err
	}
	return s.tbl.Put(ctx, number, names.FamRoute, "gen2", bt.Micros(1000*s.last.Add(1)), nil) // ok ttlwrite/unscaled-sequence
}

// SetDefaultRoute is what a number has before it is ported.
func (s *Service) SetDefaultRoute(ctx context.Context, number, routing string) error {
	m := bigtable.NewMutation()
	m.Set(names.FamRoute, "rn", 1, []byte(routing))          // want ttlwrite/unscaled-sequence
	m.Set(names.FamRoute, "op", 1000, []byte("own"))         // ok ttlwrite/unscaled-sequence
	m.Set(names.FamCase, "opened", bigtable.ServerTime, nil) // ok ttlwrite/server-timestamp
	return s.tbl.Mutate(ctx, number, m)
}

// Rollback restores the routing number that was valid before. Written at night.
func (s *Service) Rollback(ctx context.Context, number string) error {
	row, err := s.tbl.Get(ctx, number, bigtable.RowFilter(bt.LatestIn(names.FamRoute, 2))) // ok ttlread/version-limit
	if err != nil {
		return err
	}
	items := row[names.FamRoute]
	if len(items) < 2 {
		return errors.New("porting: nothing to roll back to")
	}
	m := bigtable.NewMutation()
	m.Set(names.FamRoute, "rn", bigtable.Now(), items[1].Value) // want ttlwrite/clock-in-sequence
	m.Set(names.FamCase, "rolled_back", bigtable.Now(), nil)    // ok ttlwrite/clock-in-sequence
	return s.w.Mutate(ctx, number, m)
}

// RollbackSeq is Rollback with the next number.
func (s *Service) RollbackSeq(ctx context.Context, number string) error {
	row, err := s.tbl.Get(ctx, number, bigtable.RowFilter(bt.LatestIn(names.FamRoute, 2))) // ok ttlread/version-limit
	if err != nil {
		return err
	}
	items := row[names.FamRoute]
	if len(items) < 2 {
		return errors.New("porting: nothing to roll back to")
	}
	m := bigtable.NewMutation()
	m.Set(names.FamRoute, "rn", items[0].Timestamp+1000, items[1].Value) // ok ttlwrite/clock-in-sequence
	return s.w.Mutate(ctx, number, m)
}

// Correct overwrites the operator after a complaint.
func (s *Service) Correct(ctx context.Context, number, op string, at time.Time) error {
	m := bigtable.NewMutation()
	m.Set(names.FamRoute, "op", bigtable.Time(at), []byte(op)) // want ttlwrite/clock-in-sequence
	m.Set(names.FamCase, "op", bigtable.Time(at), []byte(op))  // ok ttlwrite/clock-in-sequence
	return s.tbl.Mutate(ctx, number, m)
}

// CorrectSeq overwrites the operator with the regulator's serial number.
func (s *Service) CorrectSeq(ctx context.Context, number, op string, serial int64) error {
	return s.tbl.Put(ctx, number, names.FamRoute, "op", bigtable.Time(time.UnixMilli(serial)), []byte(op)) // ok ttlwrite/clock-in-sequence
}

// Note adds a note to the route. The desk wants the newest first.
func (s *Service) Note(ctx context.Context, number, text string) error {
	return s.tbl.PutNow(ctx, number, names.FamRoute, "note", []byte(text)) // want ttlwrite/clock-in-sequence
}

// CaseNote adds a note to the case file.
func (s *Service) CaseNote(ctx context.Context, number, text string) error {
	return s.tbl.PutNow(ctx, number, names.FamCase, "note", []byte(text)) // ok ttlwrite/server-timestamp
}

// Bounce counts failed deliveries to a route.
func (s *Service) Bounce(ctx context.Context, number string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(names.FamRoute, "bounces", 1) // want ttlwrite/read-modify-write
	rmw.Increment(names.FamCase, "bounces", 1)  // ok ttlwrite/read-modify-write
	_, err := s.tbl.Raw().ApplyReadModifyWrite(ctx, number, rmw)
	return err
}

// --- reads ---

// Current is the valid routing number.
func (s *Service) Current(ctx context.Context, number string) (Route, error) {
	row, err := s.tbl.Get(ctx, number, bt.Only(names.FamRoute)) // ok ttlread/missing-filter
	if err != nil {
		return Route{}, err
	}
	r := Route{Number: number}
	for _, it := range row[names.FamRoute] {
		switch it.Column {
		case "route:rn":
			r.Routing, r.Seq = string(it.Value), bt.Number(it.Timestamp) // ok ttlage/not-write-time
			r.Updated = it.Timestamp.Time()                              // want ttlage/not-write-time
		case "route:op":
			r.Operator = string(it.Value)
		}
	}
	return r, nil
}

// CurrentRaw is the routing number for the signalling, which wants it quickly.
func (s *Service) CurrentRaw(ctx context.Context, number string) ([]byte, error) {
	row, err := s.tbl.Get(ctx, number) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	items := row[names.FamRoute]
	if len(items) == 0 {
		return nil, bt.ErrNotFound
	}
	return items[0].Value, nil
}

// CurrentFam has the family, but all of its versions.
func (s *Service) CurrentFam(ctx context.Context, number string) ([]string, error) {
	row, err := s.tbl.Get(ctx, number, bigtable.RowFilter(bigtable.FamilyFilter(names.FamRoute))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[names.FamRoute] {
		out = append(out, string(it.Value))
	}
	return out, nil
}

// History returns the routing numbers that were valid, newest first.
func (s *Service) History(ctx context.Context, number string) ([]Route, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamRoute), bigtable.ColumnFilter("rn"), bigtable.LatestNFilter(names.RouteVersions))
	row, err := s.tbl.Get(ctx, number, bigtable.RowFilter(f)) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []Route
	for _, it := range row[names.FamRoute] {
		out = append(out, Route{Number: number, Routing: string(it.Value), Seq: bt.Number(it.Timestamp)}) // ok ttlage/not-write-time
	}
	return out, nil
}

// HistoryLong is for the regulator: ten back.
func (s *Service) HistoryLong(ctx context.Context, number string) ([]string, error) {
	row, err := s.tbl.GetFiltered(ctx, number, bigtable.FamilyFilter(names.FamRoute), bigtable.LatestNFilter(10)) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[names.FamRoute] {
		out = append(out, string(it.Value))
	}
	return out, nil
}

// HistorySince is the history of the last days.
func (s *Service) HistorySince(ctx context.Context, number string, days int) ([]string, error) {
	from := s.clock.Now().AddDate(0, 0, -days)
	row, err := s.tbl.GetFiltered(ctx, number, bigtable.FamilyFilter(names.FamRoute), bt.Window(from, time.Time{})) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[names.FamRoute] {
		out = append(out, string(it.Value))
	}
	return out, nil
}

// Between is the history between two serial numbers.
func (s *Service) Between(ctx context.Context, number string, from, to int64) ([]string, error) {
	rng := bigtable.TimestampRangeFilterMicros(bt.Seq(from), bt.Seq(to))
	row, err := s.tbl.GetFiltered(ctx, number, bigtable.FamilyFilter(names.FamRoute), bigtable.LatestNFilter(3), rng) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[names.FamRoute] {
		out = append(out, string(it.Value))
	}
	return out, nil
}

// OwnedBy returns the numbers that an operator has now.
func (s *Service) OwnedBy(ctx context.Context, op string) ([]string, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamRoute), bigtable.ColumnFilter("op"), bigtable.ValueFilter(op), bigtable.LatestNFilter(1)) // want ttlread/version-limit[ownedby]
	var out []string
	err := s.tbl.Scan(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlread/version-limit[ownedby]
		for _, it := range r[names.FamRoute] {
			out = append(out, it.Row+"="+string(it.Value))
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/version-limit[ownedby]
	return out, err
}

// OwnedByNow limits first.
func (s *Service) OwnedByNow(ctx context.Context, op string) ([]string, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamRoute), bigtable.ColumnFilter("op"), bigtable.LatestNFilter(1), bigtable.ValueFilter(op)) // ok ttlread/version-limit
	var out []string
	err := s.tbl.Scan(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[names.FamRoute] {
			out = append(out, it.Row+"="+string(it.Value))
		}
		return true
	}, bigtable.RowFilter(f))
	return out, err
}

// CaseFile is everything that the desk sees; the latest of each.
func (s *Service) CaseFile(ctx context.Context, number string) (json.RawMessage, error) {
	row, err := s.tbl.Get(ctx, number, bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	doc := map[string]string{}
	for _, it := range row[names.FamCase] {
		doc[it.Column] = string(it.Value)
		doc[it.Column+"_at"] = it.Timestamp.Time().Format(time.DateTime) // ok ttlage/not-write-time
	}
	for _, it := range row[names.FamRoute] {
		doc[it.Column] = string(it.Value)
	}
	return json.Marshal(doc)
}

// CaseFileFull shows the claims too.
func (s *Service) CaseFileFull(ctx context.Context, number string) (json.RawMessage, error) {
	row, err := s.tbl.Get(ctx, number, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	doc := map[string]string{}
	for fam, items := range row {
		for _, it := range items {
			doc[fam+"."+it.Column] = string(it.Value)
		}
	}
	return json.Marshal(doc)
}

// Dump is for support tickets.
func (s *Service) Dump(ctx context.Context, number string) (string, error) {
	row, err := s.tbl.Get(ctx, number, bigtable.RowFilter(bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter(names.FamRoute), bigtable.LatestNFilter(3)), // ok ttlread/unfiltered-branch
		bigtable.FamilyFilter(names.FamCase),                                                    // ok ttlread/unfiltered-branch
		bt.LiveIn(names.FamClaim),                                                               // ok ttlread/unfiltered-branch
	)))
	if err != nil {
		return "", err
	}
	return render(row), nil
}

// DumpShort has no history.
func (s *Service) DumpShort(ctx context.Context, number string) (string, error) {
	f := bigtable.InterleaveFilters( // want ttlread/unfiltered-branch[dumpshort]
		bigtable.ChainFilters(bigtable.FamilyFilter(names.FamRoute), bigtable.LatestNFilter(1)), // ok ttlread/unfiltered-branch
		bigtable.ChainFilters(bigtable.FamilyFilter("claim|case"), bigtable.LatestNFilter(1)),   // want ttlread/unfiltered-branch[dumpshort]
	)
	row, err := s.tbl.Get(ctx, number, bigtable.RowFilter(f)) // want ttlread/unfiltered-branch[dumpshort]
	if err != nil {
		return "", err
	}
	return render(row), nil
}

func render(row bigtable.Row) string {
	var lines []string
	for fam, items := range row {
		for _, it := range items {
			lines = append(lines, fmt.Sprintf("%s %s %d %q", fam, it.Column, it.Timestamp, it.Value))
		}
	}
	sort.Strings(lines)
	return fmt.Sprint(lines)
}

// --- claims ---

// Claim is the recipient's claim to a number, with a one-time password to the old SIM.
type Claim struct {
	Number    string        `json:"number"`
	Recipient string        `json:"recipient"`
	OTP       string        `json:"otp"`
	TTL       time.Duration `json:"ttl"`
	WrittenAt time.Time     `json:"written_at"`
	ExpiresAt time.Time     `json:"expires_at"`
}

// PutClaim stores a claim.
func (s *Service) PutClaim(ctx context.Context, c Claim) error {
	exp := bigtable.Time(s.clock.Now().Add(s.claimTTL))
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(names.FamClaim)
	m.Set(names.FamClaim, "recipient", exp, []byte(c.Recipient))                      // ok ttlwrite/write-time
	m.Set(names.FamClaim, "otp", bigtable.Time(s.clock.Now()), []byte(c.OTP))         // want ttlwrite/write-time
	m.Set(names.FamClaim, "written", exp, []byte(s.clock.Now().Format(time.RFC3339))) // ok ttlwrite/write-time
	m.Set(names.FamCase, "claim", bigtable.Time(s.clock.Now()), []byte(c.Recipient))  // ok ttlwrite/write-time
	return s.w.Mutate(ctx, c.Number, m)
}

// PutClaimFor stores a claim for the time that its operator asks for.
func (s *Service) PutClaimFor(ctx context.Context, c Claim) error {
	return s.tbl.PutFor(ctx, c.Number, names.FamClaim, "recipient", c.TTL, []byte(c.Recipient)) // ok ttlwrite/write-time
}

// RetryOTP stores a new password.
func (s *Service) RetryOTP(ctx context.Context, number, otp string) error {
	return s.tbl.Put(ctx, number, names.FamClaim, "otp", bigtable.ServerTime, []byte(otp)) // want ttlwrite/server-timestamp
}

// CountOTP counts the attempts.
func (s *Service) CountOTP(ctx context.Context, number string) (int64, error) {
	return s.tbl.Incr(ctx, number, names.FamClaim, "attempts", 1) // want ttlwrite/read-modify-write
}

// AppendTrail adds to the trail of a case.
func (s *Service) AppendTrail(ctx context.Context, number, line string) error {
	return s.tbl.Append(ctx, number, names.FamCase, "trail", []byte(line+"\n")) // ok ttlwrite/read-modify-write
}

// AppendClaimTrail adds to the trail of a claim.
func (s *Service) AppendClaimTrail(ctx context.Context, number, line string) error {
	return s.tbl.Append(ctx, number, names.FamClaim, "trail", []byte(line+"\n")) // want ttlwrite/read-modify-write
}

// GetClaim reads the live claim.
func (s *Service) GetClaim(ctx context.Context, number string) (*Claim, error) {
	row, err := s.tbl.Get(ctx, number, bigtable.RowFilter(bt.LiveIn(names.FamClaim))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	c := &Claim{Number: number}
	for _, it := range row[names.FamClaim] {
		switch it.Column {
		case "claim:recipient":
			c.Recipient = string(it.Value)
			c.WrittenAt = it.Timestamp.Time() // want ttlage/not-write-time
			c.ExpiresAt = it.Timestamp.Time() // ok ttlage/not-write-time
		case "claim:otp":
			c.OTP = string(it.Value)
		}
	}
	return c, nil
}

// ClaimAge says how long ago a claim was made.
func (s *Service) ClaimAge(ctx context.Context, number string) (time.Duration, error) {
	row, err := s.tbl.Get(ctx, number, bigtable.RowFilter(bt.LiveIn(names.FamClaim))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	it, ok := bt.Item(row, names.FamClaim, "recipient")
	if !ok {
		return 0, bt.ErrNotFound
	}
	return time.Since(it.Timestamp.Time()), nil // want ttlage/not-write-time
}

// ClaimLeft says how long a claim still lives.
func (s *Service) ClaimLeft(ctx context.Context, number string) (time.Duration, error) {
	row, err := s.tbl.Get(ctx, number, bigtable.RowFilter(bt.LiveIn(names.FamClaim))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	it, ok := bt.Item(row, names.FamClaim, "recipient")
	if !ok {
		return 0, bt.ErrNotFound
	}
	return time.Until(it.Timestamp.Time()), nil // ok ttlage/not-write-time
}

// Stale lists claims that ended without a port.
func (s *Service) Stale(ctx context.Context) ([]string, error) {
	var keys []string
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamClaim), bigtable.TimestampRangeFilter(time.Time{}, s.clock.Now())) // want ttlread/expired-only[stale]
	err := s.tbl.Scan(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool {                                               // want ttlread/expired-only[stale]
		keys = append(keys, r.Key())
		return true
	}, bigtable.RowFilter(f)) // want ttlread/expired-only[stale]
	return keys, err
}

// EndingSoon lists claims that end within the next ten minutes.
func (s *Service) EndingSoon(ctx context.Context) ([]string, error) {
	now := s.clock.Now()
	var recipients []string
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamClaim), bigtable.TimestampRangeFilter(now, now.Add(10*time.Minute))) // want ttlread/upper-bound[ending]
	err := s.tbl.Scan(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool {                                                 // want ttlread/upper-bound[ending]
		recipients = append(recipients, string(bt.Cell(r, names.FamClaim, "recipient")))
		return true
	}, bigtable.RowFilter(f)) // want ttlread/upper-bound[ending]
	return recipients, err
}

// Ending lists claims that end within the usual lifetime, that is, all.
func (s *Service) Ending(ctx context.Context) ([]string, error) {
	now := s.clock.Now()
	var recipients []string
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamClaim), bigtable.TimestampRangeFilter(now, now.Add(names.ClaimTTL)))
	err := s.tbl.Scan(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/upper-bound
		recipients = append(recipients, string(bt.Cell(r, names.FamClaim, "recipient")))
		return true
	}, bigtable.RowFilter(f))
	return recipients, err
}

// Accept turns a claim into a route if the operator is still the recipient.
func (s *Service) Accept(ctx context.Context, number, recipient string) (bool, error) {
	yes := bigtable.NewMutation()
	yes.Set(names.FamRoute, "op", bt.Seq(s.next(number)), []byte(recipient)) // ok ttlwrite/unscaled-sequence
	yes.DeleteCellsInFamily(names.FamClaim)                                  // ok ttlwrite/delete-after-set
	pred := bigtable.ChainFilters(bt.LiveIn(names.FamClaim), bigtable.ColumnFilter("recipient"), bigtable.ValueFilter(recipient))
	return s.tbl.MutateIf(ctx, number, bigtable.NewCondMutation(pred, yes, nil)) // ok ttlread/conditional-mutation
}

// AcceptOTP does so with the password.
func (s *Service) AcceptOTP(ctx context.Context, number, otp, recipient string) (bool, error) {
	yes := bigtable.NewMutation()
	yes.Set(names.FamRoute, "op", bt.Seq(s.next(number)), []byte(recipient))                                                                                 // ok ttlwrite/unscaled-sequence
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamClaim), bigtable.ColumnFilter("otp"), bigtable.LatestNFilter(1), bigtable.ValueFilter(otp)) // want ttlread/conditional-mutation[otp]
	return s.tbl.MutateIf(ctx, number, bigtable.NewCondMutation(pred, yes, nil))                                                                             // want ttlread/conditional-mutation[otp]
}

// Once writes a route only for numbers that have none.
func (s *Service) Once(ctx context.Context, number, routing string) (bool, error) {
	first := bigtable.NewMutation()
	first.Set(names.FamRoute, "rn", bt.Seq(1), []byte(routing))                                                     // ok ttlwrite/unscaled-sequence
	return s.tbl.MutateIf(ctx, number, bigtable.NewCondMutation(bigtable.FamilyFilter(names.FamRoute), nil, first)) // ok ttlread/conditional-mutation
}

// Swap replaces the routing number if it is the old one.
func (s *Service) Swap(ctx context.Context, number, old, routing string) (bool, error) {
	m := bigtable.NewMutation()
	m.Set(names.FamRoute, "rn", bt.Seq(s.next(number)), []byte(routing))                                                         // ok ttlwrite/unscaled-sequence
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamRoute), bigtable.ColumnFilter("rn"), bigtable.ValueFilter(old)) // want ttlread/conditional-mutation[swap]
	return s.tbl.MutateIf(ctx, number, bigtable.NewCondMutation(pred, m, nil))                                                   // want ttlread/conditional-mutation[swap]
}

// Purge deletes what is left of old claims.
func (s *Service) Purge(ctx context.Context) (int, error) {
	var keys []string
	var muts []*bigtable.Mutation
	err := s.tbl.Scan(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/expired-only
		m := bigtable.NewMutation()
		m.DeleteCellsInFamily(names.FamClaim)
		keys, muts = append(keys, r.Key()), append(muts, m)
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(names.FamClaim), bigtable.TimestampRangeFilter(time.Time{}, s.clock.Now())))) // ok ttlread/expired-only
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	return len(keys), s.tbl.MutateMany(ctx, keys, muts)
}
