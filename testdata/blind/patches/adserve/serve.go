// Package adserve answers ad requests: frequency caps, impressions, creatives.
package adserve

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"brightpost.example/monolith/bt"
	"brightpost.example/monolith/btutil"
	"brightpost.example/monolith/conf"
	"brightpost.example/monolith/dbx"

	"cloud.google.com/go/bigtable"
)

// Server has grown.
type Server struct {
	client  *bigtable.Client
	impr    *bigtable.Table
	camps   *bigtable.Table
	archive *bigtable.Table
	caps    *btutil.TTLStore
	metas   *btutil.Store

	mu       sync.Mutex
	hits     map[string]int64
	seq      int64
	LegacyUI bool
	maxAds   int
}

// startedAt is when the process started.
var startedAt = time.Now()

// bootTS was for the health check.
var bootTS = bigtable.Now() // want ttlwrite/stale-clock[boot]

// liveCaps saves an allocation per request (perf sprint 2022).
var liveCaps = bigtable.ChainFilters(bigtable.FamilyFilter("cap"), bigtable.TimestampRangeFilter(time.Now(), time.Time{})) // want ttlread/stale-bound[lc]

// newestMeta is fine to share, it has no clock.
var newestMeta = bigtable.ChainFilters(bigtable.FamilyFilter("meta"), bigtable.LatestNFilter(1))

func NewServer(c *bigtable.Client) *Server {
	return &Server{
		client:  c,
		impr:    c.Open(conf.TblImpressions),
		camps:   c.Open(conf.TblCampaigns),
		archive: c.Open(conf.TblImprArchive),
		caps:    btutil.NewTTL(c, conf.TblImpressions, conf.FamCap, conf.CapTTL), // ok ttlwrite/write-time
		metas:   btutil.New(c, conf.TblImpressions, conf.FamMeta),                // ok ttlwrite/write-time
		hits:    map[string]int64{},
		maxAds:  5,
	}
}

type adRequest struct {
	User    string   `json:"user"`
	Slots   []string `json:"slots"`
	Preview bool     `json:"preview"`
	Country string   `json:"country"`
}

type ad struct {
	Slot     string `json:"slot"`
	Campaign string `json:"campaign"`
	Price    int64  `json:"price"`
	Reason   string `json:"reason,omitempty"`
}

// ServeHTTP is the ad request. Split it up, please. (2018: no time. 2020: no time. 2024: we have a ticket.)
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	start := time.Now()
	var req adRequest
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	if req.User == "" || len(req.Slots) == 0 {
		http.Error(w, "user and slots", http.StatusBadRequest)
		return
	}
	if len(req.Slots) > s.maxAds {
		req.Slots = req.Slots[:s.maxAds]
	}
	key := "u#" + req.User

	// 1. caps
	capped := map[string]bool{}
	if conf.NewCaps {
		items, err := s.caps.Find(ctx, key)
		if err != nil {
			log.Printf("adserve: caps: %v", err)
		}
		for _, it := range items {
			capped[strings.TrimPrefix(it.Column, "cap:")] = true
		}
	} else {
		row, err := s.impr.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(conf.FamCap), bigtable.LatestNFilter(1)))) // want ttlread/missing-filter
		if err != nil {
			log.Printf("adserve: caps: %v", err)
		}
		for _, it := range row[conf.FamCap] {
			capped[strings.TrimPrefix(it.Column, "cap:")] = true
		}
	}

	// 2. what has been seen
	f := bigtable.ChainFilters(bigtable.FamilyFilter(conf.FamSeen), bigtable.TimestampRangeFilter(start.Add(-conf.SeenTTL), time.Time{}))
	seenRow, err := s.impr.ReadRow(ctx, key, bigtable.RowFilter(f)) // ok ttlread/wrong-bound
	if err != nil {
		http.Error(w, "storage", http.StatusBadGateway)
		return
	}
	seen := map[string]int{}
	for _, it := range seenRow[conf.FamSeen] {
		seen[it.Column]++
	}

	// 3. campaigns
	var out []ad
	for _, slot := range req.Slots {
		ck := "slot#" + slot + "#" + req.Country
		crow, err := s.camps.ReadRow(ctx, ck) // ok ttlread/missing-filter
		if err != nil {
			continue
		}
		best := ad{Slot: slot}
		for _, it := range crow[conf.FamInfo] {
			id := strings.TrimPrefix(it.Column, "info:")
			if capped[id] {
				continue
			}
			p, _ := strconv.ParseInt(string(it.Value), 10, 64)
			if seen["seen:"+id] > 3 && !req.Preview {
				p /= 2
			}
			if p > best.Price {
				best.Campaign, best.Price = id, p
			}
		}
		if best.Campaign == "" {
			continue
		}
		out = append(out, best)
	}

	// 4. remember
	if !req.Preview && !conf.DryRun {
		m := bigtable.NewMutation()
		ts := bigtable.Now()
		for _, a := range out {
			m.Set(conf.FamSeen, a.Campaign, ts, []byte(a.Slot)) // ok ttlwrite/write-time
			if conf.NewCaps {
				m.Set(conf.FamCap, a.Campaign, bigtable.Time(start.Add(conf.CapTTL)), []byte{1}) // ok ttlwrite/write-time
			} else {
				m.Set(conf.FamCap, a.Campaign, ts, []byte{1}) // want ttlwrite/write-time
			}
			m.Set(conf.FamMeta, "last#"+a.Slot, ts, []byte(a.Campaign)) // ok ttlwrite/write-time
		}
		if err := s.impr.Apply(ctx, key, m); err != nil {
			log.Printf("adserve: remember %s: %v", key, err)
		}
		// nightly job of the data team. TODO: remove when they have the stream
		am := bigtable.NewMutation()
		for _, a := range out {
			am.Set("cap", a.Campaign, bigtable.ServerTime, []byte(a.Slot)) // ok ttlwrite/server-timestamp
		}
		if len(out) > 0 {
			if err := s.archive.Apply(ctx, key, am); err != nil {
				log.Printf("adserve: archive: %v", err)
			}
		}
	}
	s.mu.Lock()
	s.hits[req.Country]++
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Took", time.Since(start).String())
	_ = json.NewEncoder(w).Encode(out)
}

// CapUser sets a cap by hand (support tool).
func (s *Server) CapUser(ctx context.Context, user, campaign string, hours int) error {
	if hours <= 0 {
		hours = 24
	}
	m := bigtable.NewMutation()
	exp := time.Now().Add(time.Duration(hours) * time.Hour)
	m.Set("cap", campaign, bigtable.Time(exp), []byte("support"))                   // ok ttlwrite/write-time
	m.Set("meta", "support#"+campaign, bigtable.Now(), []byte(strconv.Itoa(hours))) // ok ttlwrite/write-time
	return s.impr.Apply(ctx, "u#"+user, m)
}

// CapUserForever: the lawyers wanted it (2019). Nothing is forever, though.
func (s *Server) CapUserForever(ctx context.Context, user, campaign string) error {
	m := bigtable.NewMutation()
	m.Set("cap", campaign, bigtable.ServerTime, []byte("forever"))  // want ttlwrite/server-timestamp
	m.Set("meta", "forever", bigtable.ServerTime, []byte(campaign)) // ok ttlwrite/server-timestamp
	return s.impr.Apply(ctx, "u#"+user, m)
}

// Uncap removes a cap.
func (s *Server) Uncap(ctx context.Context, user, campaign string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn("cap", campaign)
	m.Set("meta", "uncapped", bigtable.Now(), []byte(campaign)) // ok ttlwrite/delete-after-set
	return s.impr.Apply(ctx, "u#"+user, m)
}

// Recap replaces all caps of a user by one.
func (s *Server) Recap(ctx context.Context, user, campaign string) error {
	m := bigtable.NewMutation()
	m.Set("cap", campaign, bt.In(conf.CapTTL), []byte{1})
	m.DeleteCellsInFamily("cap") // want ttlwrite/delete-after-set
	return s.impr.Apply(ctx, "u#"+user, m)
}

// RecapShort is Recap with an hour only.
func (s *Server) RecapShort(ctx context.Context, user, campaign string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily("cap") // ok ttlwrite/delete-after-set
	m.Set("cap", campaign, bt.In(time.Hour), []byte{1})
	return s.impr.Apply(ctx, "u#"+user, m)
}

// bump counts impressions of the day. There were three implementations, these are the two that are left.
func (s *Server) bump(ctx context.Context, user, campaign string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment("cap", "n#"+campaign, 1) // want ttlwrite/read-modify-write
	row, err := s.impr.ApplyReadModifyWrite(ctx, "u#"+user, rmw)
	if err != nil {
		return 0, err
	}
	for _, it := range row["cap"] {
		if it.Column == "cap:n#"+campaign {
			return int64(binary.BigEndian.Uint64(it.Value)), nil
		}
	}
	return 0, nil
}

func (s *Server) bumpMeta(ctx context.Context, user, campaign string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment("meta", "total#"+campaign, 1) // ok ttlwrite/read-modify-write
	rmw.Increment("seen", "n#"+campaign, 1)     // ok ttlwrite/read-modify-write
	_, err := s.impr.ApplyReadModifyWrite(ctx, "u#"+user, rmw)
	return err
}

func (s *Server) trail(ctx context.Context, user, campaign string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue("cap", "trail", []byte(campaign+";"))  // want ttlwrite/read-modify-write
	rmw.AppendValue("meta", "trail", []byte(campaign+";")) // ok ttlwrite/read-modify-write
	_, err := s.impr.ApplyReadModifyWrite(ctx, "u#"+user, rmw)
	return err
}

// Bump is both.
func (s *Server) Bump(ctx context.Context, user, campaign string) error {
	n, err := s.bump(ctx, user, campaign)
	if err != nil {
		return err
	}
	if n > 20 {
		log.Printf("adserve: %s sees a lot of %s", user, campaign)
	}
	if err := s.trail(ctx, user, campaign); err != nil {
		return err
	}
	return s.bumpMeta(ctx, user, campaign)
}

// Warm marks a user as warm until the cap would end.
func (s *Server) Warm(ctx context.Context, user string) error {
	m := bigtable.NewMutation()
	m.Set("cap", "warm", bootTS, []byte{1})  // want ttlwrite/stale-clock[boot]
	m.Set("meta", "warm", bootTS, []byte{1}) // ok ttlwrite/stale-clock
	return s.impr.Apply(ctx, "u#"+user, m)
}

// MarkBoot remembers when we were started.
func (s *Server) MarkBoot(ctx context.Context, host string) error {
	m := bigtable.NewMutation()
	m.Set("meta", "boot", bigtable.Time(startedAt), []byte(host)) // ok ttlwrite/stale-clock
	return s.impr.Apply(ctx, "host#"+host, m)
}

// Caps is for the debug page.
func (s *Server) Caps(ctx context.Context, user string) ([]string, error) {
	row, err := s.impr.ReadRow(ctx, "u#"+user, bigtable.RowFilter(liveCaps)) // want ttlread/stale-bound[lc]
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row["cap"] {
		out = append(out, it.Column)
	}
	return out, nil
}

// Metas as well.
func (s *Server) Metas(ctx context.Context, user string) ([]string, error) {
	row, err := s.impr.ReadRow(ctx, "u#"+user, bigtable.RowFilter(newestMeta)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row["meta"] {
		out = append(out, it.Column)
	}
	return out, nil
}

// Known says whether we have ever seen the user.
func (s *Server) Known(ctx context.Context, user string) (bool, error) {
	row, err := s.impr.ReadRow(ctx, "u#"+user) // want ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row) > 0, nil
}

// KnownMeta is the one that support uses.
func (s *Server) KnownMeta(ctx context.Context, user string) (bool, error) {
	row, err := s.impr.ReadRow(ctx, "u#"+user, bigtable.RowFilter(bigtable.FamilyFilter("meta"))) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row) > 0, nil
}

// HasCap: keys only, so that it is cheap.
func (s *Server) HasCap(ctx context.Context, user string) (bool, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("cap"), bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter()) // want ttlread/missing-filter[hc]
	row, err := s.impr.ReadRow(ctx, "u#"+user, bigtable.RowFilter(f))                                                         // want ttlread/missing-filter[hc]
	if err != nil {
		return false, err
	}
	return len(row["cap"]) > 0, nil
}

// HasCapLive is right, but nobody calls it.
func (s *Server) HasCapLive(ctx context.Context, user string) (bool, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("cap"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}), bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())
	row, err := s.impr.ReadRow(ctx, "u#"+user, bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row["cap"]) > 0, nil
}

// TopCaps reads ten caps for the dashboard.
func (s *Server) TopCaps(ctx context.Context, user string) (map[string]string, error) {
	out := map[string]string{}
	f := bigtable.ChainFilters(bigtable.FamilyFilter("cap"), bigtable.CellsPerRowLimitFilter(10), bigtable.TimestampRangeFilter(time.Now(), time.Time{})) // want ttlread/limit-before-filter[tc]
	row, err := s.impr.ReadRow(ctx, "u#"+user, bigtable.RowFilter(f))                                                                                     // want ttlread/limit-before-filter[tc]
	if err != nil {
		return nil, err
	}
	for _, it := range row["cap"] {
		out[it.Column] = string(it.Value)
	}
	return out, nil
}

// TopCapsV2 after the bug of May.
func (s *Server) TopCapsV2(ctx context.Context, user string) (map[string]string, error) {
	out := map[string]string{}
	f := bigtable.ChainFilters(bigtable.FamilyFilter("cap"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}), bigtable.CellsPerRowLimitFilter(10))
	row, err := s.impr.ReadRow(ctx, "u#"+user, bigtable.RowFilter(f)) // ok ttlread/limit-before-filter
	if err != nil {
		return nil, err
	}
	for _, it := range row["cap"] {
		out[it.Column] = string(it.Value)
	}
	return out, nil
}

// SeenSince lists campaigns for the "why this ad" page.
func (s *Server) SeenSince(ctx context.Context, user string, deep bool) ([]string, error) {
	var since time.Time
	if deep {
		since = time.Now().Add(-conf.SeenTTL)
	} else {
		since = time.Now().Add(-7 * 24 * time.Hour)
	}
	f := bigtable.ChainFilters(bigtable.FamilyFilter("seen"), bigtable.TimestampRangeFilter(since, time.Time{}))
	row, err := s.impr.ReadRow(ctx, "u#"+user, bigtable.RowFilter(f)) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row["seen"] {
		out = append(out, string(it.Value))
	}
	return out, nil
}

// SeenToday is copied from SeenSince.
func (s *Server) SeenToday(ctx context.Context, user string) ([]string, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("seen"), bigtable.TimestampRangeFilter(time.Now(), time.Time{})) // want ttlread/wrong-bound[st]
	row, err := s.impr.ReadRow(ctx, "u#"+user, bigtable.RowFilter(f))                                                 // want ttlread/wrong-bound[st]
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row["seen"] {
		out = append(out, string(it.Value))
	}
	return out, nil
}

// WhyThisAd reads both.
func (s *Server) WhyThisAd(ctx context.Context, user string) (string, error) {
	now := time.Now()
	f := bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter("cap"), bigtable.TimestampRangeFilter(now, time.Time{})),
		bigtable.ChainFilters(bigtable.FamilyFilter("seen"), bigtable.TimestampRangeFilter(now.Add(-conf.SeenTTL), time.Time{})),
		bigtable.ChainFilters(bigtable.FamilyFilter("meta"), bigtable.LatestNFilter(1)),
	)
	row, err := s.impr.ReadRow(ctx, "u#"+user, bigtable.RowFilter(f)) // ok ttlread/unfiltered-branch
	if err != nil {
		return "", err
	}
	return fmt.Sprint(row), nil
}

// WhyNot is the negative of it.
func (s *Server) WhyNot(ctx context.Context, user string) (string, error) {
	now := time.Now()
	f := bigtable.InterleaveFilters( // want ttlread/unfiltered-branch[wn]
		bigtable.ChainFilters(bigtable.FamilyFilter("cap"), bigtable.LatestNFilter(1)), // want ttlread/unfiltered-branch[wn]
		bigtable.ChainFilters(bigtable.FamilyFilter("seen"), bigtable.TimestampRangeFilter(now.Add(-conf.SeenTTL), time.Time{})),
		bigtable.FamilyFilter("meta"),
	)
	row, err := s.impr.ReadRow(ctx, "u#"+user, bigtable.RowFilter(f)) // want ttlread/unfiltered-branch[wn]
	if err != nil {
		return "", err
	}
	return fmt.Sprint(row), nil
}

// TryCap caps a user unless he is.
func (s *Server) TryCap(ctx context.Context, user, campaign string) (bool, error) {
	set := bigtable.NewMutation()
	set.Set("cap", campaign, bt.In(conf.CapTTL), []byte{1})
	cond := bigtable.ChainFilters(bigtable.FamilyFilter("cap"), bigtable.ColumnFilter(campaign)) // want ttlread/conditional-mutation[try]
	cm := bigtable.NewCondMutation(cond, nil, set)                                               // want ttlread/conditional-mutation[try]
	var already bool
	err := s.impr.Apply(ctx, "u#"+user, cm, bigtable.GetCondMutationResult(&already))
	return !already, err
}

// TryCapLive is TryCap as it should be.
func (s *Server) TryCapLive(ctx context.Context, user, campaign string) (bool, error) {
	set := bigtable.NewMutation()
	set.Set("cap", campaign, bt.In(conf.CapTTL), []byte{1})
	cond := bigtable.ChainFilters(bigtable.FamilyFilter("cap"), bigtable.ColumnFilter(campaign), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	cm := bigtable.NewCondMutation(cond, nil, set) // ok ttlread/conditional-mutation
	var already bool
	err := s.impr.Apply(ctx, "u#"+user, cm, bigtable.GetCondMutationResult(&already))
	return !already, err
}

// ForgetIfCapped only deletes.
func (s *Server) ForgetIfCapped(ctx context.Context, user string) error {
	del := bigtable.NewMutation()
	del.DeleteRow()
	cm := bigtable.NewCondMutation(bigtable.FamilyFilter("cap"), del, nil) // ok ttlread/conditional-mutation
	return s.impr.Apply(ctx, "u#"+user, cm)
}

// NextCreative numbers creatives of a slot.
func (s *Server) NextCreative(ctx context.Context, slot string, body []byte) error {
	s.mu.Lock()
	s.seq++
	n := s.seq
	s.mu.Unlock()
	m := bigtable.NewMutation()
	m.Set("rev", "creative", bigtable.Timestamp(n), body)   // want ttlwrite/unscaled-sequence
	m.Set("info", "creative", bigtable.Now(), []byte(slot)) // ok ttlwrite/clock-in-sequence
	return s.camps.Apply(ctx, "slot#"+slot, m)
}

// NextBanner numbers banners of a slot.
func (s *Server) NextBanner(ctx context.Context, slot string, body []byte) error {
	s.mu.Lock()
	s.seq++
	n := s.seq
	s.mu.Unlock()
	m := bigtable.NewMutation()
	m.Set("rev", "banner", bigtable.Timestamp(n*1000), body) // ok ttlwrite/unscaled-sequence
	return s.camps.Apply(ctx, "slot#"+slot, m)
}

// Creative reads the newest creative.
func (s *Server) Creative(ctx context.Context, slot string) ([]byte, error) {
	return dbx.Find(ctx, s.camps, "slot#"+slot, firstOf("rev", "creative"), dbx.Newest("rev", 1)) // ok ttlread/version-limit
}

// CreativeHistory reads "all".
func (s *Server) CreativeHistory(ctx context.Context, slot string) ([]byte, error) {
	return dbx.Find(ctx, s.camps, "slot#"+slot, firstOf("rev", "creative"), dbx.Newest("rev", 10)) // want ttlread/version-limit
}

// LastSlot is for the preview.
func (s *Server) LastSlot(ctx context.Context, user string) ([]byte, error) {
	return dbx.Find(ctx, s.impr, "u#"+user, firstOf("cap", "slot"), dbx.Live("cap")) // ok ttlread/missing-filter
}

// LastSlotAny is for the preview without login.
func (s *Server) LastSlotAny(ctx context.Context, user string) ([]byte, error) {
	return dbx.Find(ctx, s.impr, "u#"+user, firstOf("cap", "slot"), dbx.Newest("cap", 1)) // want ttlread/missing-filter
}

// LastSeen for the e-mail team.
func (s *Server) LastSeen(ctx context.Context, user string) ([]byte, error) {
	return dbx.Find(ctx, s.impr, "u#"+user, firstOf("seen", "slot"), dbx.Young("seen", 24*time.Hour)) // want ttlread/wrong-bound
}

// LastSeenWeek for the web team.
func (s *Server) LastSeenWeek(ctx context.Context, user string) ([]byte, error) {
	return dbx.Find(ctx, s.impr, "u#"+user, firstOf("seen", "slot"), dbx.Young("seen", conf.SeenTTL)) // ok ttlread/wrong-bound
}

// CapOfDay: copy of LastSeenWeek for caps.
func (s *Server) CapOfDay(ctx context.Context, user string) ([]byte, error) {
	return dbx.Find(ctx, s.impr, "u#"+user, firstOf("cap", "slot"), dbx.Young("cap", conf.CapTTL)) // want ttlread/wrong-bound
}

// MetaOfDay reads an ordinary family in a window.
func (s *Server) MetaOfDay(ctx context.Context, user string) ([]byte, error) {
	return dbx.Find(ctx, s.impr, "u#"+user, firstOf("meta", "slot"), dbx.Young("meta", 24*time.Hour)) // ok ttlread/wrong-bound
}

func firstOf(fam, col string) func(bigtable.Row) ([]byte, error) {
	return func(r bigtable.Row) ([]byte, error) {
		for _, it := range r[fam] {
			if it.Column == fam+":"+col {
				return it.Value, nil
			}
		}
		return nil, dbx.ErrNoRow
	}
}

// ExportUsers writes all user keys.
func (s *Server) ExportUsers(ctx context.Context, w http.ResponseWriter) error {
	n := 0
	err := s.impr.ReadRows(ctx, bigtable.PrefixRange("u#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		fmt.Fprintln(w, r.Key())
		n++
		return n < 1_000_000
	}, bigtable.RowFilter(bigtable.StripValueFilter()))
	return err
}

// ExportCaps writes all caps.
func (s *Server) ExportCaps(ctx context.Context, w http.ResponseWriter) error {
	return s.impr.ReadRows(ctx, bigtable.PrefixRange("u#"), func(r bigtable.Row) bool { // want ttlread/missing-filter
		for _, it := range r["cap"] {
			fmt.Fprintf(w, "%s,%s,%s\n", r.Key(), it.Column, it.Value)
		}
		return true
	})
}

// ExportCapsChecked is what finance gets.
func (s *Server) ExportCapsChecked(ctx context.Context, w http.ResponseWriter) error {
	now := time.Now()
	return s.impr.ReadRows(ctx, bigtable.PrefixRange("u#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r["cap"] {
			if it.Timestamp.Time().Before(now) {
				continue
			}
			fmt.Fprintf(w, "%s,%s,%s\n", r.Key(), it.Column, it.Value)
		}
		return true
	})
}

// ExportDead was meant to export what is valid "up to now".
func (s *Server) ExportDead(ctx context.Context, w http.ResponseWriter) error {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("cap"), bigtable.TimestampRangeFilter(time.Time{}, time.Now())) // want ttlread/expired-only[ed]
	opt := bigtable.RowFilter(f)
	return s.impr.ReadRows(ctx, bigtable.PrefixRange("u#"), func(r bigtable.Row) bool { // want ttlread/expired-only[ed]
		fmt.Fprintf(w, "%s,%d\n", r.Key(), len(r["cap"]))
		return true
	}, opt) // want ttlread/expired-only[ed]
}

// PurgeDead uses the same range on purpose.
func (s *Server) PurgeDead(ctx context.Context) error {
	var keys []string
	var muts []*bigtable.Mutation
	f := bigtable.ChainFilters(bigtable.FamilyFilter("cap"), bigtable.TimestampRangeFilter(time.Time{}, time.Now().Add(-time.Hour)))
	err := s.impr.ReadRows(ctx, bigtable.PrefixRange("u#"), func(r bigtable.Row) bool { // ok ttlread/expired-only
		m := bigtable.NewMutation()
		for _, it := range r["cap"] {
			m.DeleteCellsInColumn("cap", strings.TrimPrefix(it.Column, "cap:"))
		}
		keys, muts = append(keys, r.Key()), append(muts, m)
		return true
	}, bigtable.RowFilter(f))
	if err != nil || len(keys) == 0 {
		return err
	}
	_, err = s.impr.ApplyBulk(ctx, keys, muts)
	return err
}

// SoonCaps are the caps of the next hour.
func (s *Server) SoonCaps(ctx context.Context, user string) (int, error) {
	now := time.Now()
	row, err := s.impr.ReadRow(ctx, "u#"+user, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("cap"), bigtable.TimestampRangeFilter(now, now.Add(time.Hour))))) // want ttlread/upper-bound
	if err != nil {
		return 0, err
	}
	return len(row["cap"]), nil
}

// AllCaps has an end that is far enough.
func (s *Server) AllCaps(ctx context.Context, user string) (int, error) {
	now := time.Now()
	row, err := s.impr.ReadRow(ctx, "u#"+user, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("cap"), bigtable.TimestampRangeFilter(now, now.Add(48*time.Hour))))) // ok ttlread/upper-bound
	if err != nil {
		return 0, err
	}
	return len(row["cap"]), nil
}

// Slots: the filters add up, don't they?
func (s *Server) Slots(ctx context.Context, user string) (bigtable.Row, error) {
	return s.impr.ReadRow(ctx, "u#"+user, bigtable.RowFilter(bigtable.LatestNFilter(1)), bigtable.RowFilter(bigtable.FamilyFilter("meta"))) // want ttlread/overridden-filter
}

// OldSlots reads the archive, which has no rules.
func (s *Server) OldSlots(ctx context.Context, user string) (bigtable.Row, error) {
	return s.archive.ReadRow(ctx, "u#"+user, bigtable.RowFilter(bigtable.FamilyFilter("cap"))) // ok ttlread/missing-filter
}

// OldSlots2 reads it, too.
func (s *Server) OldSlots2(ctx context.Context, user string) (bigtable.Row, error) {
	opts := []bigtable.ReadOption{bigtable.RowFilter(bigtable.FamilyFilter("cap"))}
	opts = append(opts, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/overridden-filter[os2]
	return s.archive.ReadRow(ctx, "u#"+user, opts...)                  // want ttlread/overridden-filter[os2]
}
