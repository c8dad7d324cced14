// Package listingsvc has the listings, their promotions and the revisions of their texts, all in one table.
package listingsvc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"marketmap.example/market/internal/mapper"
	"marketmap.example/market/internal/model"
	"marketmap.example/market/internal/schema"
)

// ErrGone is returned for listings that are no more.
var ErrGone = errors.New("listingsvc: gone")

// promoWindow passes the promotions that count, built once.
var promoWindow = bigtable.TimestampRangeFilter(time.Now().Add(-schema.PromoTTL), time.Time{}) // want ttlread/stale-bound[promowindow]

// Page is what the shop shows.
type Page struct {
	Listing  model.Listing `json:"listing"`
	Slot     string        `json:"slot,omitempty"`
	Text     string        `json:"text"`
	Revision int           `json:"revision"`
	Modified string        `json:"modified"`
}

// Catalog has the listings.
type Catalog struct {
	tbl       *bigtable.Table
	listings  *mapper.Repo[*model.Listing]
	promos    *mapper.Repo[*model.Promo]
	flashes   *mapper.Repo[*model.Flash]
	retired   *mapper.Repo[*model.Retired]
	revisions *mapper.Repo[*model.Revision]
	log       *slog.Logger
	revs      map[string]int
}

// New makes the catalog.
func New(client *bigtable.Client, log *slog.Logger) *Catalog {
	tbl := client.Open(schema.TableListings)
	return &Catalog{
		tbl:       tbl,
		listings:  mapper.NewRepo[*model.Listing](tbl, mapper.WithLog(log)),
		promos:    mapper.NewRepo[*model.Promo](tbl, mapper.WithLog(log)), // want ttlread/missing-filter[getpromo]
		flashes:   mapper.NewRepo[*model.Flash](tbl),
		retired:   mapper.NewRepo[*model.Retired](tbl),
		revisions: mapper.NewRepo[*model.Revision](tbl), // want ttlread/wrong-bound[eachrev]
		log:       log,
		revs:      map[string]int{},
	}
}

// alive passes everything of a listing that counts.
func alive() bigtable.Filter {
	return bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamCore), bigtable.LatestNFilter(1)),
		bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamPromo), bigtable.TimestampRangeFilter(time.Now().Add(-schema.PromoTTL), time.Time{}), bigtable.LatestNFilter(1)),
		bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamRev), bigtable.LatestNFilter(1)),
	)
}

// promoFilter passes promotions; expired ones too for the accounts.
func promoFilter(all bool) bigtable.Filter {
	fam := bigtable.FamilyFilter(schema.FamPromo)
	if all {
		return fam
	}
	return bigtable.ChainFilters(fam, bigtable.TimestampRangeFilter(time.Now().Add(-schema.PromoTTL), time.Time{}))
}

// Save writes a listing.
func (c *Catalog) Save(ctx context.Context, l *model.Listing) error {
	if err := c.listings.Save(ctx, l); err != nil { // ok ttlwrite/clock-in-sequence
		return err
	}
	c.revs[l.ID]++
	return c.revisions.Save(ctx, &model.Revision{ID: l.ID, Text: l.Title, Number: c.revs[l.ID]}) // ok ttlwrite/unscaled-sequence
}

// Promote gives a listing a slot.
func (c *Catalog) Promote(ctx context.Context, id, slot string, life time.Duration) error {
	return c.promos.Replace(ctx, &model.Promo{ID: id, Slot: slot, Life: life}) // ok ttlwrite/server-timestamp
}

// Flash gives a listing a slot for an hour.
func (c *Catalog) Flash(ctx context.Context, id, slot string) error {
	f := &model.Flash{}
	f.ID, f.Slot = id, slot
	return c.flashes.Save(ctx, f) // ok ttlwrite/already-expired
}

// Retire cancels a promotion.
func (c *Catalog) Retire(ctx context.Context, id, slot string) error {
	r := &model.Retired{}
	r.ID, r.Slot = id, slot
	return c.retired.Save(ctx, r) // want ttlwrite/already-expired[retired]
}

// Edit changes the text without the mapper.
func (c *Catalog) Edit(ctx context.Context, id, text string, rev int64) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamCore, "text", bigtable.Now(), []byte(text))              // ok ttlwrite/clock-in-sequence
	mut.Set(schema.FamRev, "text", bigtable.Timestamp(rev*1000), []byte(text)) // ok ttlwrite/unscaled-sequence
	return c.tbl.Apply(ctx, id, mut)
}

// Autosave keeps what a seller types.
func (c *Catalog) Autosave(ctx context.Context, id, text string) error {
	now := bigtable.Time(time.Now())
	mut := bigtable.NewMutation()
	mut.Set(schema.FamCore, "draft", now, []byte(text)) // ok ttlwrite/clock-in-sequence
	mut.Set(schema.FamRev, "draft", now, []byte(text))  // want ttlwrite/clock-in-sequence
	return c.tbl.Apply(ctx, id, mut)
}

// Translate adds a translation as a revision.
func (c *Catalog) Translate(ctx context.Context, id, lang, text string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamRev, "text:"+lang, bigtable.ServerTime, []byte(text))    // want ttlwrite/clock-in-sequence
	mut.Set(schema.FamPromo, "slot:"+lang, bigtable.ServerTime, []byte("top")) // ok ttlwrite/server-timestamp
	return c.tbl.Apply(ctx, id, mut)
}

// Rewrite numbers the texts of a listing anew.
func (c *Catalog) Rewrite(ctx context.Context, id string, texts []string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(schema.FamRev) // ok ttlwrite/delete-after-set
	n := 0
	for _, t := range texts {
		if strings.TrimSpace(t) == "" {
			continue
		}
		n++
		mut.Set(schema.FamRev, "text", bigtable.Timestamp(n), []byte(t)) // want ttlwrite/unscaled-sequence
	}
	return c.tbl.Apply(ctx, id, mut)
}

// RewriteScaled numbers the texts of a listing anew.
func (c *Catalog) RewriteScaled(ctx context.Context, id string, texts []string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(schema.FamRev)
	n := int64(0)
	for _, t := range texts {
		n += 1000
		mut.Set(schema.FamRev, "text", bigtable.Timestamp(n), []byte(t)) // ok ttlwrite/unscaled-sequence
	}
	return c.tbl.Apply(ctx, id, mut)
}

// Next adds a revision by the catalog's own counter.
func (c *Catalog) Next(ctx context.Context, id, text string) error {
	c.revs[id]++
	mut := bigtable.NewMutation()
	mut.Set(schema.FamRev, "text", bigtable.Timestamp(c.revs[id]), []byte(text)) // want ttlwrite/unscaled-sequence
	return c.tbl.Apply(ctx, id, mut)
}

// Append adds to the text of the newest revision.
func (c *Catalog) Append(ctx context.Context, id, text string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(schema.FamRev, "text", []byte(text)) // want ttlwrite/read-modify-write
	_, err := c.tbl.ApplyReadModifyWrite(ctx, id, rmw)
	return err
}

// View counts a view.
func (c *Catalog) View(ctx context.Context, id string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamCore, "views", 1)  // ok ttlwrite/read-modify-write
	rmw.Increment(schema.FamPromo, "views", 1) // ok ttlwrite/read-modify-write
	_, err := c.tbl.ApplyReadModifyWrite(ctx, id, rmw)
	return err
}

// Listing is a listing.
func (c *Catalog) Listing(ctx context.Context, id string) (*model.Listing, error) {
	l := &model.Listing{ID: id}
	if err := c.listings.Get(ctx, id, l); err != nil { // ok ttlread/missing-filter
		return nil, err
	}
	return l, nil
}

// Promo is a listing's promotion.
func (c *Catalog) Promo(ctx context.Context, id string) (*model.Promo, error) {
	p := &model.Promo{ID: id}
	if err := c.promos.Get(ctx, id, p, bigtable.FamilyFilter(schema.FamPromo), bigtable.LatestNFilter(1)); err != nil { // want ttlread/missing-filter[getpromo]
		return nil, err
	}
	return p, nil
}

// PromoNow is a listing's promotion if it counts.
func (c *Catalog) PromoNow(ctx context.Context, id string) (*model.Promo, error) {
	p := &model.Promo{ID: id}
	if err := c.promos.Get(ctx, id, p, promoFilter(false)); err != nil { // ok ttlread/missing-filter
		return nil, err
	}
	return p, nil
}

// PromoBill is a listing's promotion for the accounts.
func (c *Catalog) PromoBill(ctx context.Context, id string) (string, error) {
	row, err := c.tbl.ReadRow(ctx, id, bigtable.RowFilter(promoFilter(true))) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	var p model.Promo
	p.Scan(row[schema.FamPromo]) // want ttlage/not-write-time[promoscan]
	return p.Slot, nil
}

// PromoOnce is a listing's promotion by the filter that is built once.
func (c *Catalog) PromoOnce(ctx context.Context, id string) (string, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamPromo), promoWindow) // want ttlread/stale-bound[promowindow]
	row, err := c.tbl.ReadRow(ctx, id, bigtable.RowFilter(f))                       // want ttlread/stale-bound[promowindow]
	if err != nil {
		return "", err
	}
	for _, it := range row[schema.FamPromo] {
		return string(it.Value), nil
	}
	return "", ErrGone
}

// Page is everything of a listing.
func (c *Catalog) Page(ctx context.Context, id string) (*Page, error) {
	row, err := c.tbl.ReadRow(ctx, id) // want ttlread/missing-filter
	if err != nil {
		return nil, fmt.Errorf("listing %s: %w", id, err)
	}
	if len(row) == 0 {
		return nil, ErrGone
	}
	return page(id, row), nil
}

// LivePage is everything of a listing that counts.
func (c *Catalog) LivePage(ctx context.Context, id string) (*Page, error) {
	row, err := c.tbl.ReadRow(ctx, id, bigtable.RowFilter(alive())) // ok ttlread/unfiltered-branch
	if err != nil {
		return nil, err
	}
	if len(row) == 0 {
		return nil, ErrGone
	}
	return page(id, row), nil
}

func page(id string, row bigtable.Row) *Page {
	p := &Page{Listing: model.Listing{ID: id}}
	for _, it := range row[schema.FamCore] {
		switch it.Column {
		case "core:title":
			p.Listing.Title = string(it.Value)
			p.Modified = it.Timestamp.Time().Format(time.RFC1123) // ok ttlage/not-write-time
		case "core:seller":
			p.Listing.Seller = string(it.Value)
		}
	}
	for _, it := range row[schema.FamPromo] {
		if it.Column == "promo:slot" {
			p.Slot = string(it.Value)
		}
	}
	for _, it := range row[schema.FamRev] {
		if it.Column == "rev:text" {
			p.Text, p.Revision = string(it.Value), int(it.Timestamp/1000) // ok ttlage/not-write-time
		}
	}
	return p
}

// Preview is a listing with its promotion as the seller sees it.
func (c *Catalog) Preview(ctx context.Context, id string) (*Page, error) {
	f := bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamCore), bigtable.LatestNFilter(1)),
		bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamPromo), bigtable.LatestNFilter(1)), // want ttlread/unfiltered-branch[preview]
		bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamRev), bigtable.LatestNFilter(5)),
	)
	row, err := c.tbl.ReadRow(ctx, id, bigtable.RowFilter(f)) // want ttlread/unfiltered-branch[preview]
	if err != nil {
		return nil, err
	}
	return page(id, row), nil
}

// Conditional shows the promotion of listings that have one, or else the core.
func (c *Catalog) Conditional(ctx context.Context, id string) (*Page, error) {
	live := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamPromo), bigtable.TimestampRangeFilter(time.Now().Add(-schema.PromoTTL), time.Time{}))
	f := bigtable.ConditionFilter(live, bigtable.FamilyFilter(schema.FamPromo), bigtable.FamilyFilter(schema.FamCore)) // want ttlread/unfiltered-branch[conditional]
	row, err := c.tbl.ReadRow(ctx, id, bigtable.RowFilter(f))                                                          // want ttlread/unfiltered-branch[conditional]
	if err != nil {
		return nil, err
	}
	return page(id, row), nil
}

// ConditionalLive is Conditional, with the filter in the branch.
func (c *Catalog) ConditionalLive(ctx context.Context, id string) (*Page, error) {
	live := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamPromo), bigtable.TimestampRangeFilter(time.Now().Add(-schema.PromoTTL), time.Time{}))
	f := bigtable.ConditionFilter(live, live, bigtable.FamilyFilter(schema.FamCore))
	row, err := c.tbl.ReadRow(ctx, id, bigtable.RowFilter(f)) // ok ttlread/unfiltered-branch
	if err != nil {
		return nil, err
	}
	return page(id, row), nil
}

// Titles are the titles of a seller's listings.
func (c *Catalog) Titles(ctx context.Context, seller string) (map[string]string, error) {
	out := map[string]string{}
	err := c.tbl.ReadRows(ctx, bigtable.PrefixRange(seller+"#"), func(row bigtable.Row) bool {
		for _, it := range row[schema.FamCore] {
			if it.Column == "core:title" {
				out[row.Key()] = string(it.Value)
			}
		}
		return true
	}) // ok ttlread/missing-filter
	return out, err
}

// Slots are the slots that are sold.
func (c *Catalog) Slots(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	err := c.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/missing-filter[r6]
		for _, it := range row[schema.FamPromo] {
			if it.Column == "promo:slot" {
				out[string(it.Value)] = row.Key()
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamPromo))) // want ttlread/missing-filter[r6]
	return out, err
}

// Sold are the slots that are sold and count.
func (c *Catalog) Sold(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	from := time.Now().Add(-7 * 24 * time.Hour)
	err := c.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		for _, it := range row[schema.FamPromo] {
			out[string(it.Value)] = row.Key()
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamPromo), bigtable.TimestampRangeFilter(from, time.Time{})))) // ok ttlread/wrong-bound
	return out, err
}

// SoldNow are the slots that are sold from now on.
func (c *Catalog) SoldNow(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	err := c.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/wrong-bound[r7]
		for _, it := range row[schema.FamPromo] {
			out[string(it.Value)] = row.Key()
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamPromo), bigtable.TimestampRangeFilter(time.Now(), time.Time{})))) // want ttlread/wrong-bound[r7]
	return out, err
}

// SoldMonth are the slots that were sold within a month.
func (c *Catalog) SoldMonth(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	f := bigtable.ChainFilters(
		bigtable.ColumnRangeFilter(schema.FamPromo, "slot", "slou"),
		bigtable.TimestampRangeFilter(time.Now().Add(-30*24*time.Hour), time.Time{}), // want ttlread/wrong-bound[soldmonth]
	)
	err := c.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/wrong-bound[soldmonth]
		for _, it := range row[schema.FamPromo] {
			out[string(it.Value)] = row.Key()
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/wrong-bound[soldmonth]
	return out, err
}

// Edited are the revisions of the last day.
func (c *Catalog) Edited(ctx context.Context) ([]*model.Revision, error) {
	var out []*model.Revision
	day := mapper.Where().Family(schema.FamRev).Since(time.Now().AddDate(0, 0, -1))                                             // want ttlread/wrong-bound[eachrev]
	err := c.revisions.Each(ctx, "", func() *model.Revision { return new(model.Revision) }, day, func(r *model.Revision) bool { // want ttlread/wrong-bound[eachrev]
		out = append(out, r)
		return true
	})
	return out, err
}

// Texts are the kept texts of listings.
func (c *Catalog) Texts(ctx context.Context, prefix string) ([]*model.Revision, error) {
	var out []*model.Revision
	q := mapper.Where().Family(schema.FamRev).Latest(schema.RevVersions).Limit(500)
	err := c.revisions.Each(ctx, prefix, func() *model.Revision { return new(model.Revision) }, q, func(r *model.Revision) bool { // ok ttlread/version-limit
		out = append(out, r)
		return true
	})
	return out, err
}

// Diff is the last and the one before.
func (c *Catalog) Diff(ctx context.Context, id string) (last, before string, err error) {
	row, err := c.tbl.ReadRow(ctx, id, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamRev), bigtable.ColumnFilter("text"), bigtable.LatestNFilter(2)))) // ok ttlread/version-limit
	if err != nil {
		return "", "", err
	}
	for i, it := range row[schema.FamRev] {
		if i == 0 {
			last = string(it.Value)
		} else {
			before = string(it.Value)
		}
	}
	return last, before, nil
}

// Log is when texts were changed.
func (c *Catalog) Log(ctx context.Context, id string) ([]string, error) {
	row, err := c.tbl.ReadRow(ctx, id, bigtable.RowFilter(bigtable.LatestNFilter(schema.RevVersions))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[schema.FamRev] {
		out = append(out, fmt.Sprintf("%s modified %s", it.Column, it.Timestamp.Time().Format(time.DateOnly))) // want ttlage/not-write-time
	}
	for _, it := range row[schema.FamCore] {
		out = append(out, fmt.Sprintf("%s modified %s", it.Column, it.Timestamp.Time().Format(time.DateOnly))) // ok ttlage/not-write-time
	}
	return out, nil
}

// Export writes a listing as JSON for the partners.
func (c *Catalog) Export(ctx context.Context, ids []string) ([]json.RawMessage, error) {
	var out []json.RawMessage
	err := c.tbl.ReadRows(ctx, bigtable.RowList(ids), func(row bigtable.Row) bool { // want ttlread/missing-filter[r8]
		b, err := json.Marshal(row)
		if err != nil {
			c.log.Warn("export", "key", row.Key(), "err", err)
			return true
		}
		out = append(out, b)
		return true
	}, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter[r8]
	return out, err
}

// ExportLive writes what counts of a listing as JSON for the partners.
func (c *Catalog) ExportLive(ctx context.Context, ids []string) ([]json.RawMessage, error) {
	var out []json.RawMessage
	err := c.tbl.ReadRows(ctx, bigtable.RowList(ids), func(row bigtable.Row) bool {
		if b, err := json.Marshal(row); err == nil {
			out = append(out, b)
		}
		return true
	}, bigtable.RowFilter(alive())) // ok ttlread/missing-filter
	return out, err
}

// Reprice changes a listing whose promotion is the given one.
func (c *Catalog) Reprice(ctx context.Context, id, slot string, price []byte) error {
	set := bigtable.NewMutation()
	set.Set(schema.FamCore, "cents", bigtable.Now(), price)                                         // ok ttlwrite/write-time
	in := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamPromo), bigtable.ValueFilter(slot)) // want ttlread/conditional-mutation[reprice]
	return c.tbl.Apply(ctx, id, bigtable.NewCondMutation(in, set, nil))                             // want ttlread/conditional-mutation[reprice]
}

// RepriceBySeller changes a listing if it is still the seller's.
func (c *Catalog) RepriceBySeller(ctx context.Context, id, seller string, price []byte) error {
	set := bigtable.NewMutation()
	set.Set(schema.FamCore, "cents", bigtable.Now(), price) // ok ttlwrite/write-time
	mine := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamCore), bigtable.ColumnFilter("seller"), bigtable.LatestNFilter(1), bigtable.ValueFilter(seller))
	return c.tbl.Apply(ctx, id, bigtable.NewCondMutation(mine, set, nil)) // ok ttlread/conditional-mutation
}
