// Package tariff stores tariff revisions; a revision's number is its timestamp.
package tariff

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	bm "nordkraft.example/grid/internal/btmodel"
	"nordkraft.example/grid/internal/btrt"
)

// Tariff is one revision's body.
type Tariff struct {
	Name     string  `json:"name"`
	Currency string  `json:"currency"`
	Base     float64 `json:"base"`
	Peak     float64 `json:"peak"`
	Author   string  `json:"author"`
}

// Service publishes and reads tariffs.
type Service struct {
	t    *bm.Tariffs
	next atomic.Int64
	seen map[string]int64
	log  *slog.Logger
}

// New makes the service.
func New(t *bm.Tariffs, log *slog.Logger) *Service {
	return &Service{t: t, seen: map[string]int64{}, log: log}
}

func row(t Tariff) *bm.TariffsRev {
	b, _ := json.Marshal(t)
	return &bm.TariffsRev{Body: string(b), Currency: t.Currency, Author: t.Author}
}

// Publish writes a revision.
func (s *Service) Publish(ctx context.Context, id string, rev int64, t Tariff) error {
	if err := s.t.PutRev(ctx, id, row(t), rev); err != nil { // ok ttlwrite/unscaled-sequence
		return err
	}
	return s.t.PutMeta(ctx, id, &bm.TariffsMeta{Name: t.Name}) // ok ttlwrite/clock-in-sequence
}

// PublishNext writes the next revision of this instance.
func (s *Service) PublishNext(ctx context.Context, id string, t Tariff) error {
	n := s.next.Add(1)
	m := bigtable.NewMutation()
	row(t).Marshal(m, bigtable.Timestamp(n)) // want ttlwrite/unscaled-sequence
	return s.t.Apply(ctx, id, m)
}

// PublishScaled is PublishNext with the number scaled.
func (s *Service) PublishScaled(ctx context.Context, id string, t Tariff) error {
	n := s.next.Add(1)
	m := bigtable.NewMutation()
	row(t).Marshal(m, btrt.Seq(n)) // ok ttlwrite/unscaled-sequence
	return s.t.Apply(ctx, id, m)
}

// Hotfix replaces the body of whatever is current.
func (s *Service) Hotfix(ctx context.Context, id, body string) error {
	m := bigtable.NewMutation()
	m.Set(bm.TariffsFamilyRev, bm.TariffsColRevBody, bigtable.Now(), []byte(body)) // want ttlwrite/clock-in-sequence
	m.Set(bm.TariffsFamilyMeta, "hotfix", bigtable.Now(), []byte("1"))             // ok ttlwrite/clock-in-sequence
	return s.t.Apply(ctx, id, m)
}

// SetCurrency corrects the currency.
func (s *Service) SetCurrency(ctx context.Context, id, cur string) error {
	m := bigtable.NewMutation()
	m.Set(bm.TariffsFamilyRev, bm.TariffsColRevCurrency, bigtable.ServerTime, []byte(cur)) // want ttlwrite/clock-in-sequence
	return s.t.Apply(ctx, id, m)
}

// Effective writes a revision under the day it takes effect.
func (s *Service) Effective(ctx context.Context, id string, from time.Time, t Tariff) error {
	m := bigtable.NewMutation()
	row(t).Marshal(m, bigtable.Time(from)) // want ttlwrite/clock-in-sequence
	return s.t.Apply(ctx, id, m)
}

// Imported writes a revision whose number came as a Unix time.
func (s *Service) Imported(ctx context.Context, id string, sec int64, t Tariff) error {
	m := bigtable.NewMutation()
	row(t).Marshal(m, bigtable.Time(time.Unix(sec, 0))) // ok ttlwrite/clock-in-sequence
	return s.t.Apply(ctx, id, m)
}

// Daily numbers revisions by the second.
func (s *Service) Daily(ctx context.Context, id string, t Tariff) error {
	return s.t.PutRev(ctx, id, row(t), time.Now().Unix()) // want ttlwrite/clock-in-sequence
}

// Seed writes a tariff's history in order.
func (s *Service) Seed(ctx context.Context, id string, hist []Tariff) error {
	m := bigtable.NewMutation()
	for i, t := range hist {
		row(t).Marshal(m, bigtable.Timestamp(i)) // want ttlwrite/unscaled-sequence
	}
	return s.t.Apply(ctx, id, m)
}

// SeedScaled is Seed.
func (s *Service) SeedScaled(ctx context.Context, id string, hist []Tariff) error {
	m := bigtable.NewMutation()
	for i, t := range hist {
		row(t).Marshal(m, bigtable.Timestamp((i+1)*1000)) // ok ttlwrite/unscaled-sequence
	}
	return s.t.Apply(ctx, id, m)
}

// Append writes the revision after those it was given.
func (s *Service) Append(ctx context.Context, id string, hist []Tariff, t Tariff) error {
	m := bigtable.NewMutation()
	row(t).Marshal(m, btrt.Raw(int64(len(hist)))) // want ttlwrite/unscaled-sequence
	return s.t.Apply(ctx, id, m)
}

// Bump writes the next revision by the counter kept in memory.
func (s *Service) Bump(ctx context.Context, id string, t Tariff) error {
	s.seen[id]++
	m := bigtable.NewMutation()
	m.Set(bm.TariffsFamilyRev, bm.TariffsColRevBody, bigtable.Timestamp(s.seen[id]), []byte(t.Name)) // want ttlwrite/unscaled-sequence
	return s.t.Apply(ctx, id, m)
}

// BumpStep keeps its counter in steps of a thousand.
func (s *Service) BumpStep(ctx context.Context, id string, bodies []string) error {
	m := bigtable.NewMutation()
	ts := bigtable.Timestamp(0)
	for _, b := range bodies {
		ts += 1000
		m.Set(bm.TariffsFamilyRev, bm.TariffsColRevBody, ts, []byte(b)) // ok ttlwrite/unscaled-sequence
	}
	return s.t.Apply(ctx, id, m)
}

// Initial writes revision one.
func (s *Service) Initial(ctx context.Context, id string, t Tariff) error {
	m := bigtable.NewMutation()
	row(t).Marshal(m, 1) // want ttlwrite/unscaled-sequence
	return s.t.Apply(ctx, id, m)
}

// First writes revision one, scaled.
func (s *Service) First(ctx context.Context, id string, t Tariff) error {
	m := bigtable.NewMutation()
	row(t).Marshal(m, 1000) // ok ttlwrite/unscaled-sequence
	return s.t.Apply(ctx, id, m)
}

// Note appends to the revision's remarks.
func (s *Service) Note(ctx context.Context, id, text string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(bm.TariffsFamilyRev, "notes", []byte(text)) // want ttlwrite/read-modify-write
	_, err := s.t.Table().ApplyReadModifyWrite(ctx, id, rmw)
	return err
}

// Comment appends to the tariff's remarks.
func (s *Service) Comment(ctx context.Context, id, text string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(bm.TariffsFamilyMeta, "notes", []byte(text)) // ok ttlwrite/read-modify-write
	_, err := s.t.Table().ApplyReadModifyWrite(ctx, id, rmw)
	return err
}

// Current reads the newest revision.
func (s *Service) Current(ctx context.Context, id string) (*Tariff, error) {
	r, err := s.t.GetRev(ctx, id)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, btrt.ErrNotFound
	}
	t := new(Tariff)
	return t, json.Unmarshal([]byte(r.Body), t)
}

func (s *Service) read(ctx context.Context, id string, f bigtable.Filter) ([]bigtable.ReadItem, error) {
	r, err := s.t.Table().ReadRow(ctx, id, bigtable.RowFilter(btrt.Family(bm.TariffsFamilyRev, f))) // ok ttlread/version-limit
	return r[bm.TariffsFamilyRev], err
}

// History reads the revisions that are kept.
func (s *Service) History(ctx context.Context, id string) ([]bigtable.ReadItem, error) {
	return s.read(ctx, id, bigtable.LatestNFilter(5)) // ok ttlread/version-limit
}

// LongHistory reads more than that.
func (s *Service) LongHistory(ctx context.Context, id string) ([]bigtable.ReadItem, error) {
	return s.read(ctx, id, bigtable.LatestNFilter(20)) // want ttlread/version-limit
}

// Since reads the revisions of the last month.
func (s *Service) Since(ctx context.Context, id string) ([]bigtable.ReadItem, error) {
	return s.read(ctx, id, btrt.Within(30*24*time.Hour)) // want ttlread/wrong-bound
}

// Revision reads one revision by its number.
func (s *Service) Revision(ctx context.Context, id string, n int64) ([]bigtable.ReadItem, error) {
	return s.read(ctx, id, bigtable.TimestampRangeFilterMicros(btrt.Seq(n), btrt.Seq(n+1))) // ok ttlread/wrong-bound
}

// Everything reads a tariff for the archive.
func (s *Service) Everything(ctx context.Context, id string) (bigtable.Row, error) {
	return s.t.Table().ReadRow(ctx, id) // want ttlread/missing-filter
}

// Names lists all tariffs.
func (s *Service) Names(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	err := s.t.ScanMeta(ctx, bigtable.InfiniteRange(""), func(k string, r *bm.TariffsMeta) bool { // ok ttlread/missing-filter
		out[k] = r.Name
		return true
	})
	return out, err
}

// InCurrency reads tariffs that are in a currency.
func (s *Service) InCurrency(ctx context.Context, cur string) ([]string, error) {
	var ids []string
	f := bigtable.ChainFilters( // want ttlread/version-limit[cur]
		bigtable.FamilyFilter(bm.TariffsFamilyRev),
		bigtable.ColumnFilter(bm.TariffsColRevCurrency),
		bigtable.ValueFilter(cur),
		bigtable.LatestNFilter(1), // want ttlread/version-limit[cur]
	)
	err := s.t.Table().ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlread/version-limit[cur]
		for _, it := range r[bm.TariffsFamilyRev] {
			ids = append(ids, r.Key()+"="+string(it.Value))
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/version-limit[cur]
	return ids, err
}

// InCurrencyNow limits the versions first.
func (s *Service) InCurrencyNow(ctx context.Context, cur string) ([]string, error) {
	var ids []string
	f := bigtable.ChainFilters( // ok ttlread/version-limit
		bigtable.FamilyFilter(bm.TariffsFamilyRev),
		bigtable.ColumnFilter(bm.TariffsColRevCurrency),
		bigtable.LatestNFilter(1),
		bigtable.ValueFilter(cur),
	)
	err := s.t.Table().ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/version-limit
		for _, it := range r[bm.TariffsFamilyRev] {
			ids = append(ids, r.Key()+"="+string(it.Value))
		}
		return true
	}, bigtable.RowFilter(f))
	return ids, err
}

// Latest reads with the limit and the family, as two options.
func (s *Service) Latest(ctx context.Context, id string) (string, error) {
	r, err := s.t.Table().ReadRow(ctx, id, bigtable.RowFilter(bigtable.FamilyFilter(bm.TariffsFamilyRev)), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/overridden-filter
	if err != nil {
		return "", err
	}
	for _, it := range r[bm.TariffsFamilyRev] {
		return string(it.Value), nil
	}
	return "", btrt.ErrNotFound
}

// CreateIfNew publishes the first revision unless there is any.
func (s *Service) CreateIfNew(ctx context.Context, id string, t Tariff) error {
	m := bigtable.NewMutation()
	row(t).Marshal(m, btrt.Seq(1))                                                       // ok ttlwrite/unscaled-sequence
	cond := bigtable.NewCondMutation(bigtable.FamilyFilter(bm.TariffsFamilyRev), nil, m) // ok ttlread/conditional-mutation
	return s.t.Table().Apply(ctx, id, cond)
}

// Approve marks a tariff if its author is the one who asks.
func (s *Service) Approve(ctx context.Context, id, by string) error {
	m := bigtable.NewMutation()
	m.Set(bm.TariffsFamilyMeta, "approved", bigtable.Now(), []byte(by))                                                                                // ok ttlwrite/clock-in-sequence
	mine := bigtable.ChainFilters(bigtable.FamilyFilter(bm.TariffsFamilyRev), bigtable.ColumnFilter(bm.TariffsColRevAuthor), bigtable.ValueFilter(by)) // want ttlread/conditional-mutation[approve]
	return s.t.Table().Apply(ctx, id, bigtable.NewCondMutation(mine, m, nil))                                                                          // want ttlread/conditional-mutation[approve]
}

// ApproveCurrent asks the newest revision only.
func (s *Service) ApproveCurrent(ctx context.Context, id, by string) error {
	m := bigtable.NewMutation()
	m.Set(bm.TariffsFamilyMeta, "approved", bigtable.Now(), []byte(by))                                                                                                           // ok ttlwrite/clock-in-sequence
	mine := bigtable.ChainFilters(bigtable.FamilyFilter(bm.TariffsFamilyRev), bigtable.ColumnFilter(bm.TariffsColRevAuthor), bigtable.LatestNFilter(1), bigtable.ValueFilter(by)) // ok ttlread/conditional-mutation
	return s.t.Table().Apply(ctx, id, bigtable.NewCondMutation(mine, m, nil))                                                                                                     // ok ttlread/conditional-mutation
}

// Describe logs a tariff's revisions.
func (s *Service) Describe(ctx context.Context, id string) error {
	items, err := s.History(ctx, id)
	if err != nil {
		return err
	}
	for _, it := range items {
		s.log.Info("revision", "tariff", id, "updated", it.Timestamp.Time().Format(time.RFC3339)) // want ttlage/not-write-time
		s.log.Info("revision", "tariff", id, "number", int64(it.Timestamp)/1000)                  // ok ttlage/not-write-time
	}
	return nil
}

// Stale says whether the current revision is older than a year.
func (s *Service) Stale(ctx context.Context, id string) (bool, error) {
	items, err := s.read(ctx, id, bigtable.LatestNFilter(1)) // ok ttlread/version-limit
	if err != nil || len(items) == 0 {
		return false, err
	}
	return time.Since(items[0].Timestamp.Time()) > 365*24*time.Hour, nil // want ttlage/not-write-time
}

// Number gives the current revision's number.
func (s *Service) Number(ctx context.Context, id string) (int64, error) {
	items, err := s.read(ctx, id, bigtable.LatestNFilter(1)) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	if len(items) == 0 {
		return 0, fmt.Errorf("tariff %s: %w", id, btrt.ErrNotFound)
	}
	return int64(items[0].Timestamp) / 1000, nil // ok ttlage/not-write-time
}
