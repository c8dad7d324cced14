// Package quote keeps freight quotes for three days and alerts for a week.
package quote

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math"
	"net/http"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/harbor/btutil"
)

const (
	quoteFam = "quote"
	srcFam   = "src"
	alertFam = "alert"

	day = 24 * time.Hour
)

var fams = []string{"quote", "src", "alert"}

// Quote is a price for a lane.
type Quote struct {
	ID        string    `json:"id"`
	Lane      string    `json:"lane"`
	Cents     int64     `json:"cents"`
	Currency  string    `json:"currency"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
	ValidTill time.Time `json:"valid_till"`
}

// Options is how Save grew.
type Options struct {
	TTL     time.Duration
	Source  string
	Urgent  bool
	Promo   bool
	Import  bool
	DryRun  bool
	Comment string
}

// Service reads and writes quotes.
type Service struct {
	quotes *bigtable.Table
	alerts *bigtable.Table
	now    func() time.Time
	rate   map[string]float64
}

// NewService opens both tables.
func NewService(c *bigtable.Client) *Service {
	return &Service{quotes: c.Open("quotes"), alerts: c.Open("alerts"), now: time.Now, rate: map[string]float64{"EUR": 1}}
}

// Save writes a quote.
func (s *Service) Save(ctx context.Context, q *Quote, o Options) error {
	if q.Lane == "" || q.Cents <= 0 {
		return fmt.Errorf("quote: bad quote %+v", q)
	}
	b, err := json.Marshal(q)
	if err != nil {
		return err
	}
	if r, ok := s.rate[q.Currency]; ok && r != 1 {
		q.Cents = int64(math.Round(float64(q.Cents) * r))
		q.Currency = "EUR"
	}
	now := s.now()
	fam := fams[0]
	mut := bigtable.NewMutation()
	switch {
	case o.Promo:
		// promotions live for six hours
		mut.Set(fam, "json", bigtable.Time(now.Add(6*time.Hour-btutil.QuoteTTL)), b) // ok ttlwrite/already-expired
	case o.Urgent:
		mut.Set(fam, "json", btutil.ShiftedTS(time.Hour, btutil.QuoteTTL), b) // ok ttlwrite/already-expired
	case o.Import:
		// imported quotes should vanish quickly, said the ticket
		mut.Set(fam, "json", bigtable.Time(now.Add(-4*day)), b) // want ttlwrite/already-expired
	default:
		mut.Set(fam, "json", bigtable.ServerTime, b) // ok ttlwrite/server-timestamp
	}
	mut.Set(fam, "cents", bigtable.Now(), btutil.PutInt64(q.Cents)) // ok ttlwrite/write-time
	if o.Source != "" {
		mut.Set(fams[1], "name", bigtable.Now(), []byte(o.Source)) // ok ttlwrite/write-time
	}
	if o.Comment != "" {
		mut.Set(fam, "comment", 0, []byte(o.Comment))     // want ttlwrite/already-expired
		mut.Set(fams[1], "comment", 0, []byte(o.Comment)) // ok ttlwrite/already-expired
	}
	if o.DryRun {
		log.Printf("dry run: %s", b)
		return nil
	}
	return s.quotes.Apply(ctx, q.Lane+"#"+q.ID, mut)
}

// SaveMany writes quotes in bulk.
func (s *Service) SaveMany(ctx context.Context, qs []*Quote, valid time.Duration) error {
	batch := btutil.NewBatch(s.quotes, 1000)
	for i, q := range qs {
		b, err := json.Marshal(q)
		if err != nil {
			return err
		}
		mut := bigtable.NewMutation()
		if valid > 0 {
			mut.Set(quoteFam, "json", bigtable.Time(s.now().Add(valid-3*day)), b) // ok ttlwrite/already-expired
		} else {
			mut.Set(quoteFam, "json", btutil.NowTS(), b) // ok ttlwrite/write-time
		}
		mut.Set(quoteFam, "pos", bigtable.ServerTime, btutil.PutInt64(int64(i))) // ok ttlwrite/server-timestamp
		if err := batch.Add(ctx, q.Lane+"#"+q.ID, mut); err != nil {
			return err
		}
	}
	return batch.Flush(ctx)
}

// Discount counts views; counters in a family with a default lifetime start anew with each write.
func (s *Service) Discount(ctx context.Context, key string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(quoteFam, "views", 1) // ok ttlwrite/read-modify-write
	_, err := s.quotes.ApplyReadModifyWrite(ctx, key, rmw)
	return err
}

// Get reads a quote.
func (s *Service) Get(ctx context.Context, key string) (*Quote, error) {
	row, err := s.quotes.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(quoteFam),
		bigtable.TimestampRangeFilter(s.now().Add(-72*time.Hour), time.Time{}), // ok ttlread/wrong-bound
		bigtable.LatestNFilter(1),
	)))
	if err != nil {
		return nil, err
	}
	return decode(row)
}

func decode(row bigtable.Row) (*Quote, error) {
	q := &Quote{}
	for _, it := range row[quoteFam] {
		if it.Column == "quote:json" {
			if err := json.Unmarshal(it.Value, q); err != nil {
				return nil, err
			}
			q.UpdatedAt = it.Timestamp.Time() // want ttlage/not-write-time
		}
	}
	if q.Lane == "" {
		return nil, btutil.ErrNotFound
	}
	return q, nil
}

// GetNow was copied from the session store.
func (s *Service) GetNow(ctx context.Context, key string) (*Quote, error) {
	row, err := s.quotes.ReadRow(ctx, key, bigtable.RowFilter(btutil.LiveIn(quoteFam))) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return decode(row)
}

// GetDay has the lifetime from before 2022.
func (s *Service) GetDay(ctx context.Context, key string) (*Quote, error) {
	row, err := s.quotes.ReadRow(ctx, key, bigtable.RowFilter(btutil.SinceIn(quoteFam, day))) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return decode(row)
}

// GetSince is right.
func (s *Service) GetSince(ctx context.Context, key string) (*Quote, error) {
	row, err := s.quotes.ReadRow(ctx, key, bigtable.RowFilter(btutil.SinceIn(quoteFam, 3*day))) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return decode(row)
}

// GetWindow ends now and so loses quotes with a longer life.
func (s *Service) GetWindow(ctx context.Context, key string) (*Quote, error) {
	now := s.now()
	f := bigtable.TimestampRangeFilter(now.Add(-btutil.QuoteTTL), now)                                                    // want ttlread/upper-bound[getwindow]
	row, err := s.quotes.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(quoteFam), f))) // want ttlread/upper-bound[getwindow]
	if err != nil {
		return nil, err
	}
	return decode(row)
}

// Stale lists quotes for the report of what ran out.
func (s *Service) Stale(ctx context.Context, w io.Writer, lane string) error {
	end := s.now().Add(-btutil.QuoteTTL)
	return s.quotes.ReadRows(ctx, bigtable.PrefixRange(lane), func(r bigtable.Row) bool {
		for _, it := range r[quoteFam] {
			fmt.Fprintf(w, "%s\t%s\n", r.Key(), it.Value)
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(quoteFam), bigtable.TimestampRangeFilter(time.Time{}, end)))) // want ttlread/expired-only
}

// Lane returns the quotes of a lane. n: at most so many.
func (s *Service) Lane(ctx context.Context, lane string, n int, raw, checked, sources bool) ([]*Quote, error) {
	var out []*Quote
	var bad int
	var opts []bigtable.ReadOption
	if n > 0 {
		opts = append(opts, bigtable.LimitRows(int64(n)))
	}
	if raw {
		err := s.quotes.ReadRows(ctx, bigtable.PrefixRange(lane), func(r bigtable.Row) bool { // want ttlread/missing-filter
			q, err := decode(r)
			if err != nil {
				bad++
				return true
			}
			out = append(out, q)
			return true
		}, opts...)
		return out, err
	}
	if checked {
		oldest := s.now().Add(-btutil.QuoteTTL)
		err := s.quotes.ReadRows(ctx, bigtable.PrefixRange(lane), func(r bigtable.Row) bool { // ok ttlread/missing-filter
			for _, it := range r[quoteFam] {
				if it.Timestamp.Time().Before(oldest) {
					continue
				}
				q := &Quote{}
				if json.Unmarshal(it.Value, q) == nil {
					out = append(out, q)
				}
			}
			return true
		}, opts...)
		return out, err
	}
	if sources {
		err := s.quotes.ReadRows(ctx, bigtable.PrefixRange(lane), func(r bigtable.Row) bool { // ok ttlread/missing-filter
			for _, it := range r[srcFam] {
				out = append(out, &Quote{ID: r.Key(), Lane: string(it.Value), CreatedAt: it.Timestamp.Time()}) // ok ttlage/not-write-time
			}
			return true
		}, opts...)
		return out, err
	}
	opts = append(opts, bigtable.RowFilter(btutil.Since(btutil.QuoteTTL)))
	err := s.quotes.ReadRows(ctx, bigtable.PrefixRange(lane), func(r bigtable.Row) bool { // ok ttlread/hides-other-families
		q, err := decode(r)
		if err != nil {
			bad++
			return true
		}
		out = append(out, q)
		return true
	}, opts...)
	if bad > 0 {
		log.Printf("quote: %d bad rows in %s", bad, lane)
	}
	return out, err
}

// Full returns quote and source, hiding old sources.
func (s *Service) Full(ctx context.Context, key string) (*Quote, string, error) {
	row, err := s.quotes.ReadRow(ctx, key, bigtable.RowFilter(btutil.Since(btutil.QuoteTTL))) // want ttlread/hides-other-families
	if err != nil {
		return nil, "", err
	}
	q, err := decode(row)
	if err != nil {
		return nil, "", err
	}
	src := ""
	if items := row[srcFam]; len(items) > 0 {
		src = string(items[0].Value)
	}
	return q, src, nil
}

// FullRight interleaves.
func (s *Service) FullRight(ctx context.Context, key string) (*Quote, string, error) {
	row, err := s.quotes.ReadRow(ctx, key, bigtable.RowFilter(bigtable.InterleaveFilters(btutil.SinceIn(quoteFam, btutil.QuoteTTL), bigtable.FamilyFilter(srcFam)))) // ok ttlread/hides-other-families
	if err != nil {
		return nil, "", err
	}
	q, err := decode(row)
	if err != nil {
		return nil, "", err
	}
	src := ""
	if items := row[srcFam]; len(items) > 0 {
		src = string(items[0].Value)
	}
	return q, src, nil
}

// Raise raises an alert. sev 0 is info, 3 wakes somebody up.
func (s *Service) Raise(ctx context.Context, id, text string, sev int, hold time.Duration) error {
	mut := bigtable.NewMutation()
	var ts bigtable.Timestamp
	switch sev {
	case 0:
		ts = bigtable.Time(s.now().Add(time.Hour - btutil.AlertTTL))
	case 1:
		ts = bigtable.Time(s.now())
	default:
		ts = bigtable.Time(s.now().Add(hold))
	}
	mut.Set(alertFam, "text", ts, []byte(text))     // ok ttlwrite/already-expired
	mut.Set(alertFam, "sev", ts, []byte{byte(sev)}) // ok ttlwrite/same-timestamp
	if sev > 2 {
		mut.Set(alertFam, "text", ts, []byte("URGENT "+text)) // want ttlwrite/same-timestamp
	}
	return s.alerts.Apply(ctx, id, mut)
}

// Clear marks an alert as cleared. The cell should be gone by the next compaction.
func (s *Service) Clear(ctx context.Context, id string, by string) error {
	mut := bigtable.NewMutation()
	mut.Set(alertFam, "text", bigtable.Time(s.now().Add(-30*day)), []byte("cleared by "+by)) // want ttlwrite/already-expired
	return s.alerts.Apply(ctx, id, mut)
}

// ClearSoon leaves an hour.
func (s *Service) ClearSoon(ctx context.Context, id string, by string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(alertFam)
	mut.Set(alertFam, "text", bigtable.Time(s.now().Add(-7*day+time.Hour)), []byte("cleared by "+by)) // ok ttlwrite/already-expired
	return s.alerts.Apply(ctx, id, mut)
}

// Alerts lists the alerts.
func (s *Service) Alerts(ctx context.Context, prefix string, minSev int) ([]string, error) {
	var out []string
	err := s.alerts.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // want ttlread/missing-filter
		sev, text := 0, ""
		for _, it := range r[alertFam] {
			if it.Column == "alert:sev" && len(it.Value) == 1 {
				sev = int(it.Value[0])
			} else {
				text = string(it.Value) + " (" + it.Timestamp.Time().Format(time.Kitchen) + ")" // maybe ttlage/not-write-time
			}
		}
		if sev >= minSev {
			out = append(out, text)
		}
		return true
	})
	return out, err
}

// AlertsLive is bounded; the constant is written in hours here.
func (s *Service) AlertsLive(ctx context.Context, prefix string) ([]string, error) {
	var out []string
	f := bigtable.TimestampRangeFilter(s.now().Add(-168*time.Hour), time.Time{})
	err := s.alerts.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // ok ttlread/wrong-bound
		for _, it := range r[alertFam] {
			out = append(out, string(it.Value))
		}
		return true
	}, bigtable.RowFilter(f))
	return out, err
}

// AlertsToday has another bound than the family's.
func (s *Service) AlertsToday(ctx context.Context, prefix string) ([]string, error) {
	var out []string
	y, m, d := s.now().Date()
	_ = time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	err := s.alerts.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool {
		for _, it := range r[alertFam] {
			out = append(out, string(it.Value))
		}
		return true
	}, bigtable.RowFilter(bigtable.TimestampRangeFilterMicros(bigtable.Time(s.now().Add(-day)), 0))) // want ttlread/wrong-bound
	return out, err
}

// Handler serves the quotes.
func (s *Service) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/quote/", func(w http.ResponseWriter, r *http.Request) {
		key := strings.TrimPrefix(r.URL.Path, "/quote/")
		row, err := s.quotes.ReadRow(r.Context(), key) // want ttlread/missing-filter
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		if len(row) == 0 {
			http.NotFound(w, r)
			return
		}
		type cell struct {
			Col     string    `json:"col"`
			Val     string    `json:"val"`
			Written time.Time `json:"written"`
		}
		var cells []cell
		for _, it := range row[quoteFam] {
			cells = append(cells, cell{Col: it.Column, Val: string(it.Value), Written: it.Timestamp.Time()}) // want ttlage/not-write-time
		}
		_ = json.NewEncoder(w).Encode(cells)
	})
	mux.HandleFunc("/source/", func(w http.ResponseWriter, r *http.Request) {
		key := strings.TrimPrefix(r.URL.Path, "/source/")
		row, err := s.quotes.ReadRow(r.Context(), key, bigtable.RowFilter(bigtable.FamilyFilter(srcFam))) // ok ttlread/missing-filter
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		for _, it := range row[srcFam] {
			fmt.Fprintf(w, "%s written %s\n", it.Value, it.Timestamp.Time().Format(time.RFC3339)) // ok ttlage/not-write-time
		}
	})
	return mux
}
