package adserve

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"strconv"
	"time"

	"brightpost.example/monolith/bt"
	"brightpost.example/monolith/btutil"
	"brightpost.example/monolith/conf"
	"brightpost.example/monolith/dbx"

	"cloud.google.com/go/bigtable"
)

// Pacer is the budget code of the team that left in 2020. It uses the bt helpers throughout.
type Pacer struct {
	Burst   int
	stores  []*btutil.TTLStore
	zero    *btutil.TTLStore
	seen    *btutil.TTLStore
	plain   *btutil.Store
	seenNow *btutil.Store
}

func NewPacer(c *bigtable.Client) *Pacer {
	p := &Pacer{Burst: 3}
	p.zero = btutil.NewTTL(c, "impressions", "cap", 0)                           // want ttlwrite/write-time
	p.plain = btutil.New(c, "impressions", "cap")                                // want ttlwrite/write-time
	p.seenNow = btutil.New(c, "impressions", "seen")                             // ok ttlwrite/write-time
	p.stores = append(p.stores, btutil.NewTTL(c, "sends", "job", conf.JobLease)) // ok ttlwrite/write-time
	return p
}

// Tick is called once a second per campaign.
func (p *Pacer) Tick(ctx context.Context, campaign string, spent int64, force bool) error {
	key := "pace#" + campaign
	val := []byte(strconv.FormatInt(spent, 10))
	if err := bt.Put(ctx, conf.TblImpressions, key, conf.FamCap, "spent", val); err != nil { // want ttlwrite/write-time
		return err
	}
	if err := bt.Put(ctx, conf.TblImpressions, key, conf.FamMeta, "spent", val); err != nil { // ok ttlwrite/write-time
		return err
	}
	if err := bt.PutTTL(ctx, conf.TblImpressions, key, conf.FamCap, "tick", val, time.Minute); err != nil { // ok ttlwrite/write-time
		return err
	}
	if force {
		if err := bt.PutAt(ctx, conf.TblImpressions, key, conf.FamCap, "force", bt.NowTS(), val); err != nil { // want ttlwrite/write-time
			return err
		}
		if err := bt.PutAt(ctx, conf.TblImpressions, key, conf.FamSeen, "force", bt.NowTS(), val); err != nil { // ok ttlwrite/write-time
			return err
		}
	}
	if err := bt.Incr(ctx, conf.TblImpressions, key, conf.FamCap, "ticks", 1); err != nil { // want ttlwrite/read-modify-write
		return err
	}
	if err := bt.Incr(ctx, conf.TblImpressions, key, conf.FamMeta, "ticks", 1); err != nil { // ok ttlwrite/read-modify-write
		return err
	}
	if err := p.zero.Write(ctx, key, "burst", []byte(strconv.Itoa(p.Burst))); err != nil {
		return err
	}
	if err := p.plain.Write(ctx, key, "burst", val); err != nil {
		return err
	}
	if err := p.seenNow.Write(ctx, key, "burst", val); err != nil {
		return err
	}
	for _, s := range p.stores {
		if err := s.Write(ctx, key, "tick", val); err != nil {
			return err
		}
	}
	return nil
}

// State of a campaign's pacing.
func (p *Pacer) State(ctx context.Context, campaign string) (map[string]string, error) {
	key := "pace#" + campaign
	out := map[string]string{}
	a, err := bt.Get(ctx, conf.TblImpressions, key, conf.FamCap) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	b, err := bt.GetLive(ctx, conf.TblImpressions, key, conf.FamCap) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	c, err := bt.Get(ctx, conf.TblImpressions, key, conf.FamMeta) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	d, err := bt.GetLive(ctx, conf.TblImpressions, key, conf.FamSeen) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	e, err := bt.GetSince(ctx, conf.TblImpressions, key, conf.FamSeen, time.Now().Add(-conf.SeenTTL)) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	g, err := bt.GetSince(ctx, conf.TblImpressions, key, conf.FamSeen, time.Now().Add(-conf.CapTTL)) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	h, err := bt.Get(ctx, conf.TblImprArchive, key, conf.FamCap) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	for i, m := range []map[string][]byte{a, b, c, d, e, g, h} {
		for k, v := range m {
			out[strconv.Itoa(i)+k] = string(v)
		}
	}
	return out, nil
}

// Handler shows the state.
func (p *Pacer) Handler(w http.ResponseWriter, r *http.Request) {
	st, err := p.State(r.Context(), r.FormValue("campaign"))
	if err != nil {
		log.Printf("pacer: %v", err)
		http.Error(w, "storage", http.StatusBadGateway)
		return
	}
	_ = json.NewEncoder(w).Encode(st)
}

// SaveAll is the 2023 way.
func (p *Pacer) SaveAll(ctx context.Context, tbl *bigtable.Table, campaign string, spent int64) error {
	val := []byte(strconv.FormatInt(spent, 10))
	return dbx.Save(ctx, bt.T("impressions"), "pace#"+campaign,
		dbx.Cell{Fam: "cap", Col: "a", TS: bt.In(time.Hour), Val: val},                      // ok ttlwrite/write-time
		dbx.Cell{Fam: "meta", Col: "a", TS: bigtable.Now(), Val: val},                       // ok ttlwrite/write-time
		dbx.Cell{Fam: "seen", Col: "a", TS: dbx.ShiftTS(conf.SeenTTL, time.Hour), Val: val}, // ok ttlwrite/already-expired
	)
}

// SaveOne is the 2023 way, too.
func (p *Pacer) SaveOne(ctx context.Context, campaign string, val []byte) error {
	if err := dbx.Save(ctx, bt.T("impressions"), "pace#"+campaign, dbx.Cell{Fam: "cap", Col: "b", TS: bigtable.ServerTime, Val: val}); err != nil { // want ttlwrite/server-timestamp
		return err
	}
	return dbx.Save(ctx, bt.T("impressions"), "pace#"+campaign, dbx.Cell{Fam: "seen", Col: "b", TS: bigtable.ServerTime, Val: val}) // ok ttlwrite/server-timestamp
}

// Reset expires the pacing at once... by a value that is dead.
func (p *Pacer) Reset(ctx context.Context, campaign string) error {
	key := "pace#" + campaign
	if err := bt.PutTTL(ctx, "impressions", key, "cap", "tick", nil, -time.Minute); err != nil { // want ttlwrite/already-expired
		return err
	}
	if err := bt.PutAt(ctx, "impressions", key, "cap", "spent", 0, nil); err != nil { // want ttlwrite/already-expired
		return err
	}
	if err := bt.PutAt(ctx, "impressions", key, "meta", "spent", 0, nil); err != nil { // ok ttlwrite/already-expired
		return err
	}
	return bt.PutTTL(ctx, "impressions", key, "seen", "spent", nil, -8*24*time.Hour) // want ttlwrite/already-expired
}

// ResetSoft ends it within a day.
func (p *Pacer) ResetSoft(ctx context.Context, campaign string) error {
	return bt.PutTTL(ctx, "impressions", "pace#"+campaign, "seen", "spent", nil, -6*24*time.Hour) // ok ttlwrite/already-expired
}

// Fluent is by the intern (2021).
func (p *Pacer) Fluent(ctx context.Context, c *bigtable.Client, campaign string, n int) error {
	tbl := c.Open("impressions")
	return btutil.NewMut().
		Put("cap", "n", bigtable.Now(), strconv.Itoa(n)).          // want ttlwrite/write-time[fl1]
		Put("meta", "n", bigtable.Now(), strconv.Itoa(n)).         // ok ttlwrite/write-time
		Put("seen", "n", bigtable.Now(), strconv.Itoa(n)).         // ok ttlwrite/write-time
		Put("cap", "m", bt.In(time.Duration(n)*time.Minute), "m"). // ok ttlwrite/write-time
		Apply(ctx, tbl, "pace#"+campaign)
}

// Peek uses the second helper.
func (p *Pacer) Peek(ctx context.Context, c *bigtable.Client, campaign string) error {
	tbl := c.Open("impressions")
	now := time.Now()
	if row, err := btutil.Read(ctx, tbl, campaign, btutil.ReadOpts{Fam: "cap", Since: now}); err == nil { // ok ttlread/wrong-bound
		log.Print(campaign, row)
	}
	if row, err := btutil.Read(ctx, tbl, campaign, btutil.ReadOpts{Fam: "seen", Since: now.Add(-conf.SeenTTL)}); err == nil { // ok ttlread/wrong-bound
		log.Print(campaign, row)
	}
	if row, err := btutil.Read(ctx, tbl, campaign, btutil.ReadOpts{Fam: "seen", Since: now.Add(-time.Hour)}); err == nil { // want ttlread/wrong-bound
		log.Print(campaign, row)
	}
	if row, err := btutil.Read(ctx, tbl, campaign, btutil.ReadOpts{Fam: "cap"}); err == nil { // want ttlread/missing-filter
		log.Print(campaign, row)
	}
	if row, err := btutil.LatestOf(ctx, tbl, campaign, "cap", 1); err == nil { // want ttlread/missing-filter
		log.Print(campaign, row)
	}
	row, err := btutil.LatestOf(ctx, tbl, campaign, "meta", 1) // ok ttlread/missing-filter
	log.Print(campaign, row)
	return err
}
