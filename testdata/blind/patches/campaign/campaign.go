// Package campaign stores campaigns and their revisions.
package campaign

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"brightpost.example/monolith/bt"
	"brightpost.example/monolith/btutil"
	"brightpost.example/monolith/conf"
	"brightpost.example/monolith/dbx"

	cbt "cloud.google.com/go/bigtable"
)

// Campaign as JSON of 2016. Do not rename fields.
type Campaign struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Budget    int64     `json:"budget"`
	Rev       int64     `json:"rev"`
	State     string    `json:"state"`
	Targets   []string  `json:"targets,omitempty"`
	UpdatedAt time.Time `json:"updated_at"`
}

type revision struct {
	Number    int64
	Body      []byte
	CreatedAt time.Time
}

var (
	ErrConflict = errors.New("campaign: conflict")
	revCounter  atomic.Int64
	editors     sync.Map
	tbl         *cbt.Table // set by Setup, package-global since 2016
)

// Setup must be called first.
func Setup(c *cbt.Client) { tbl = c.Open("campaigns") }

// Save does everything that saving a campaign means.
func Save(ctx context.Context, c *Campaign, user string, publish, minor bool, tags map[string]string) error {
	if c.ID == "" || strings.ContainsAny(c.ID, "# ") {
		return fmt.Errorf("campaign: bad id %q", c.ID)
	}
	body, err := json.Marshal(c)
	if err != nil {
		return err
	}
	key := "c#" + c.ID
	m := cbt.NewMutation()
	c.Rev++
	if minor {
		// minor edits do not get a revision number of their own
		m.Set(conf.FamRev, "minor", cbt.Now(), body) // want ttlwrite/clock-in-sequence
	} else {
		m.Set(conf.FamRev, "body", cbt.Timestamp(c.Rev*1000), body) // ok ttlwrite/unscaled-sequence
	}
	m.Set(conf.FamInfo, "name", cbt.Now(), []byte(c.Name)) // ok ttlwrite/clock-in-sequence
	m.Set(conf.FamInfo, "editor", cbt.Now(), []byte(user)) // ok ttlwrite/clock-in-sequence
	if publish {
		m.Set(conf.FamState, "live", 0, []byte("1"))        // ok ttlwrite/clock-in-zero
		m.Set(conf.FamState, "by", cbt.Now(), []byte(user)) // want ttlwrite/clock-in-zero
	} else {
		m.Set(conf.FamState, "live", 0, []byte("0")) // ok ttlwrite/clock-in-zero
	}
	i := int64(0)
	for k, v := range tags {
		i++
		m.Set(conf.FamRev, "tag#"+k, cbt.Timestamp(i), []byte(v)) // want ttlwrite/unscaled-sequence
		m.Set(conf.FamInfo, "tag#"+k, cbt.Now(), []byte(v))       // ok ttlwrite/clock-in-sequence
	}
	if conf.DryRun {
		log.Printf("campaign: dry run: %s rev %d", c.ID, c.Rev)
		return nil
	}
	editors.Store(user, time.Now())
	return bt.Retry(3, "save "+c.ID, func() error { return tbl.Apply(ctx, key, m) })
}

// Load reads a campaign. It was copied to billing and reports.
func Load(ctx context.Context, id string) (*Campaign, error) {
	row, err := tbl.ReadRow(ctx, "c#"+id) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	if len(row) == 0 {
		return nil, dbx.ErrNoRow
	}
	c := &Campaign{ID: id}
	for _, it := range row["rev"] {
		if it.Column == "rev:body" {
			if err := json.Unmarshal(it.Value, c); err != nil {
				return nil, err
			}
			c.UpdatedAt = it.Timestamp.Time()  // want ttlage/not-write-time
			c.Rev = int64(it.Timestamp) / 1000 // ok ttlage/not-write-time
			break
		}
	}
	for _, it := range row["state"] {
		if it.Column == "state:live" {
			c.State = string(it.Value)
		}
	}
	return c, nil
}

// Load2 is Load with a filter.
func Load2(ctx context.Context, id string) (*Campaign, error) {
	f := cbt.ChainFilters(cbt.FamilyFilter("rev|state|info"), cbt.LatestNFilter(1))
	row, err := tbl.ReadRow(ctx, "c#"+id, cbt.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	c := &Campaign{ID: id}
	for _, it := range row["rev"] {
		if it.Column == "rev:body" {
			if err := json.Unmarshal(it.Value, c); err != nil {
				return nil, err
			}
		}
	}
	for _, it := range row["info"] {
		if it.Column == "info:name" {
			c.UpdatedAt = it.Timestamp.Time() // ok ttlage/not-write-time
		}
	}
	for _, it := range row["state"] {
		if it.Column == "state:live" {
			log.Printf("campaign: %s is live since %s", id, time.Since(it.Timestamp.Time())) // want ttlage/not-write-time
		}
	}
	return c, nil
}

// Revisions lists the revisions, new ones first.
func Revisions(ctx context.Context, id string, limit int) ([]revision, error) {
	row, err := tbl.ReadRow(ctx, "c#"+id, cbt.RowFilter(cbt.ChainFilters(cbt.FamilyFilter("rev"), cbt.ColumnFilter("body")))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []revision
	for _, it := range row["rev"] {
		out = append(out, revision{
			Number:    int64(it.Timestamp) / 1000,
			Body:      it.Value,
			CreatedAt: it.Timestamp.Time(), // want ttlage/not-write-time
		})
		if limit > 0 && len(out) >= limit {
			break
		}
	}
	return out, nil
}

// Revisions3 lists the last three.
func Revisions3(ctx context.Context, id string) ([]revision, error) {
	row, err := tbl.ReadRow(ctx, "c#"+id, cbt.RowFilter(cbt.ChainFilters(cbt.FamilyFilter("rev"), cbt.ColumnFilter("body"), cbt.LatestNFilter(3)))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []revision
	for _, it := range row["rev"] {
		out = append(out, revision{Number: int64(it.Timestamp) / 1000, Body: it.Value}) // ok ttlage/not-write-time
	}
	return out, nil
}

// RevisionsSince is what the audit wanted: the revisions of a month.
func RevisionsSince(ctx context.Context, id string) ([]revision, error) {
	since := time.Now().AddDate(0, -1, 0)
	f := cbt.ChainFilters(cbt.FamilyFilter("rev"), cbt.TimestampRangeFilter(since, time.Time{}), cbt.LatestNFilter(3)) // want ttlread/wrong-bound[rs]
	row, err := tbl.ReadRow(ctx, "c#"+id, cbt.RowFilter(f))                                                            // want ttlread/wrong-bound[rs]
	if err != nil {
		return nil, err
	}
	var out []revision
	for _, it := range row["rev"] {
		out = append(out, revision{Number: int64(it.Timestamp) / 1000, Body: it.Value})
	}
	return out, nil
}

// InfoSince has ordinary cells.
func InfoSince(ctx context.Context, id string) (int, error) {
	since := time.Now().AddDate(0, -1, 0)
	f := cbt.ChainFilters(cbt.FamilyFilter("info"), cbt.TimestampRangeFilter(since, time.Time{}))
	row, err := tbl.ReadRow(ctx, "c#"+id, cbt.RowFilter(f)) // ok ttlread/wrong-bound
	if err != nil {
		return 0, err
	}
	return len(row["info"]), nil
}

// RevisionNo looks one up by number.
func RevisionNo(ctx context.Context, id string, n int64) ([]byte, error) {
	f := cbt.ChainFilters(cbt.FamilyFilter("rev"), cbt.TimestampRangeFilterMicros(cbt.Timestamp(n*1000), cbt.Timestamp((n+1)*1000)), cbt.LatestNFilter(1))
	row, err := tbl.ReadRow(ctx, "c#"+id, cbt.RowFilter(f)) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	for _, it := range row["rev"] {
		return it.Value, nil
	}
	return nil, dbx.ErrNoRow
}

// LastMatching searches the newest revision with a word in it.
func LastMatching(ctx context.Context, id, word string) ([]byte, error) {
	f := cbt.ChainFilters(cbt.FamilyFilter("rev"), cbt.ValueFilter(".*"+word+".*"), cbt.LatestNFilter(1)) // want ttlread/version-limit[lm]
	row, err := tbl.ReadRow(ctx, "c#"+id, cbt.RowFilter(f))                                               // want ttlread/version-limit[lm]
	if err != nil {
		return nil, err
	}
	for _, it := range row["rev"] {
		return it.Value, nil
	}
	return nil, dbx.ErrNoRow
}

// NewestMatching tells whether the newest revision has the word.
func NewestMatching(ctx context.Context, id, word string) (bool, error) {
	f := cbt.ChainFilters(cbt.FamilyFilter("rev"), cbt.LatestNFilter(1), cbt.ValueFilter(".*"+word+".*"))
	row, err := tbl.ReadRow(ctx, "c#"+id, cbt.RowFilter(f)) // ok ttlread/version-limit
	if err != nil {
		return false, err
	}
	return len(row["rev"]) > 0, nil
}

// Publish sets the state.
func Publish(ctx context.Context, id, by string) error {
	m := cbt.NewMutation()
	m.Set("state", "live", 0, []byte("1"))                  // ok ttlwrite/clock-in-zero
	m.Set("state", "published", cbt.ServerTime, []byte(by)) // want ttlwrite/clock-in-zero
	return tbl.Apply(ctx, "c#"+id, m)
}

// Unpublish is by another team.
func Unpublish(ctx context.Context, id, by string) error {
	if err := bt.Put(ctx, conf.TblCampaigns, "c#"+id, conf.FamState, "live", []byte("0")); err != nil { // want ttlwrite/clock-in-zero
		return err
	}
	if err := bt.PutAt(ctx, conf.TblCampaigns, "c#"+id, conf.FamState, "live", 0, []byte("0")); err != nil { // ok ttlwrite/clock-in-zero
		return err
	}
	return bt.Put(ctx, conf.TblCampaigns, "c#"+id, conf.FamInfo, "unpublished", []byte(by)) // ok ttlwrite/clock-in-zero
}

// CountPublish counts how often a campaign was published.
func CountPublish(ctx context.Context, id string) error {
	rmw := cbt.NewReadModifyWrite()
	rmw.Increment("state", "n", 1) // want ttlwrite/read-modify-write
	rmw.Increment("info", "n", 1)  // ok ttlwrite/read-modify-write
	_, err := tbl.ApplyReadModifyWrite(ctx, "c#"+id, rmw)
	return err
}

// Note appends to the notes.
func Note(ctx context.Context, id, text string) error {
	rmw := cbt.NewReadModifyWrite()
	rmw.AppendValue("rev", "notes", []byte(text+"\n"))  // want ttlwrite/read-modify-write
	rmw.AppendValue("info", "notes", []byte(text+"\n")) // ok ttlwrite/read-modify-write
	_, err := tbl.ApplyReadModifyWrite(ctx, "c#"+id, rmw)
	return err
}

// Import writes many revisions of one campaign from a file.
func Import(ctx context.Context, id string, bodies [][]byte, mode string) error {
	key := "c#" + id
	switch mode {
	case "v1":
		m := cbt.NewMutation()
		for i, b := range bodies {
			m.Set("rev", "body", cbt.Timestamp(i), b) // want ttlwrite/unscaled-sequence
		}
		return tbl.Apply(ctx, key, m)
	case "v2":
		m := cbt.NewMutation()
		for i, b := range bodies {
			m.Set("rev", "body", cbt.Timestamp((i+1)*1000), b) // ok ttlwrite/unscaled-sequence
		}
		return tbl.Apply(ctx, key, m)
	case "v3":
		m := cbt.NewMutation()
		m.Set("rev", "body", cbt.Timestamp(len(bodies)), bodies[len(bodies)-1]) // want ttlwrite/unscaled-sequence
		m.Set("info", "count", cbt.Now(), []byte(fmt.Sprint(len(bodies))))      // ok ttlwrite/unscaled-sequence
		return tbl.Apply(ctx, key, m)
	case "v4":
		m := cbt.NewMutation()
		ts := cbt.Timestamp(0)
		for _, b := range bodies {
			ts += 1000
			m.Set("rev", "body", ts, b) // ok ttlwrite/unscaled-sequence
		}
		return tbl.Apply(ctx, key, m)
	case "first":
		m := cbt.NewMutation()
		m.Set("rev", "body", 1, bodies[0])    // want ttlwrite/unscaled-sequence
		m.Set("rev", "head", 1000, bodies[0]) // ok ttlwrite/unscaled-sequence
		return tbl.Apply(ctx, key, m)
	}
	return fmt.Errorf("campaign: unknown mode %q", mode)
}

// Clone writes a clone with the next number of the process.
func Clone(ctx context.Context, from, to string, hot bool) error {
	c, err := Load2(ctx, from)
	if err != nil {
		return err
	}
	body, err := json.Marshal(c)
	if err != nil {
		return err
	}
	m := cbt.NewMutation()
	if hot {
		m.Set("rev", "clone", cbt.Timestamp(revCounter.Add(1)), body) // want ttlwrite/unscaled-sequence
	} else {
		m.Set("rev", "clone", dbx.Seq(revCounter.Add(1)), body) // ok ttlwrite/unscaled-sequence
	}
	m.Set("rev", "cloned", cbt.Time(time.Now()), []byte(from))  // want ttlwrite/clock-in-sequence
	m.Set("info", "cloned", cbt.Time(time.Now()), []byte(from)) // ok ttlwrite/clock-in-sequence
	return tbl.Apply(ctx, "c#"+to, m)
}

// Archive marks the last revision. See INC-1840 for why there are two columns.
func Archive(ctx context.Context, id string, at time.Time) error {
	m := cbt.NewMutation()
	m.Set("rev", "archived", cbt.Time(at), nil)  // want ttlwrite/clock-in-sequence
	m.Set("info", "archived", cbt.Time(at), nil) // ok ttlwrite/clock-in-sequence
	return tbl.Apply(ctx, "c#"+id, m)
}

// ArchiveNow is the button.
func ArchiveNow(ctx context.Context, id string) error {
	if err := Archive(ctx, id, time.Now()); err != nil {
		return err
	}
	return bt.Put(ctx, "campaigns", "c#"+id, "rev", "archived2", nil) // want ttlwrite/clock-in-sequence
}

// Lock takes the editor's lock.
func Lock(ctx context.Context, id, user string) (bool, error) {
	t := cbt.NewMutation()
	t.Set("state", "lock", 0, []byte(user))                                                                  // ok ttlwrite/clock-in-zero
	cm := cbt.NewCondMutation(cbt.ChainFilters(cbt.FamilyFilter("state"), cbt.ColumnFilter("lock")), nil, t) // ok ttlread/conditional-mutation
	var held bool
	if err := tbl.Apply(ctx, "c#"+id, cm, cbt.GetCondMutationResult(&held)); err != nil {
		return false, err
	}
	return !held, nil
}

// FirstRevision writes revision 1 unless there is one.
func FirstRevision(ctx context.Context, id string, body []byte) error {
	t := cbt.NewMutation()
	t.Set("rev", "body", 1000, body)                           // ok ttlwrite/unscaled-sequence
	cm := cbt.NewCondMutation(cbt.FamilyFilter("rev"), nil, t) // ok ttlread/conditional-mutation
	return tbl.Apply(ctx, "c#"+id, cm)
}

// SwitchIf writes the state if a revision has a value.
func SwitchIf(ctx context.Context, id, want string) error {
	t := cbt.NewMutation()
	t.Set("state", "switched", 0, []byte(want))                                                        // ok ttlwrite/clock-in-zero
	cond := cbt.ChainFilters(cbt.FamilyFilter("rev"), cbt.ColumnFilter("body"), cbt.ValueFilter(want)) // want ttlread/conditional-mutation[sw]
	return tbl.Apply(ctx, "c#"+id, cbt.NewCondMutation(cond, t, nil))                                  // want ttlread/conditional-mutation[sw]
}

// SwitchIfNewest is the repaired one.
func SwitchIfNewest(ctx context.Context, id, want string) error {
	t := cbt.NewMutation()
	t.Set("state", "switched", 0, []byte(want)) // ok ttlwrite/clock-in-zero
	cond := cbt.ChainFilters(cbt.FamilyFilter("rev"), cbt.ColumnFilter("body"), cbt.LatestNFilter(1), cbt.ValueFilter(want))
	return tbl.Apply(ctx, "c#"+id, cbt.NewCondMutation(cond, t, nil)) // ok ttlread/conditional-mutation
}

// Twice: the second value was meant for another column.
func Twice(ctx context.Context, id string, a, b []byte) error {
	m := cbt.NewMutation()
	m.Set("state", "draft", 0, a)
	m.Set("state", "draft", 0, b) // want ttlwrite/same-timestamp
	m.Set("rev", "draft", 1000, a)
	m.Set("rev", "draft", 2000, b) // ok ttlwrite/same-timestamp
	return tbl.Apply(ctx, "c#"+id, m)
}

// Slots writes the slots of a campaign; only the last one is left.
func Slots(ctx context.Context, id string, slots []string) error {
	m := cbt.NewMutation()
	for _, s := range slots {
		m.Set("state", "slot", 0, []byte(s))    // want ttlwrite/same-timestamp
		m.Set("state", "slot#"+s, 0, []byte(s)) // ok ttlwrite/same-timestamp
	}
	return tbl.Apply(ctx, "c#"+id, m)
}

// Wipe deletes in the wrong order.
func Wipe(ctx context.Context, id string) error {
	m := cbt.NewMutation()
	m.Set("info", "wiped", cbt.Now(), []byte("1"))
	m.DeleteRow() // want ttlwrite/delete-after-set
	return tbl.Apply(ctx, "c#"+id, m)
}

// Scan walks over all campaigns with one of several modes.
func Scan(ctx context.Context, mode string, f func(id string, r cbt.Row) bool) error {
	var opts []cbt.ReadOption
	switch mode {
	case "info":
		opts = append(opts, cbt.RowFilter(cbt.FamilyFilter("info")))
	case "rev":
		opts = append(opts, cbt.RowFilter(cbt.ChainFilters(cbt.FamilyFilter("rev"), cbt.LatestNFilter(1))))
	default:
		opts = append(opts, cbt.RowFilter(cbt.ChainFilters(cbt.PassAllFilter(), cbt.LatestNFilter(1))))
	}
	opts = append(opts, cbt.LimitRows(10000))
	return tbl.ReadRows(ctx, cbt.PrefixRange("c#"), func(r cbt.Row) bool { // ok ttlread/version-limit
		return f(strings.TrimPrefix(r.Key(), "c#"), r)
	}, opts...)
}

// ScanAll came before Scan.
func ScanAll(ctx context.Context, f func(id string, body []byte)) error {
	return tbl.ReadRows(ctx, cbt.PrefixRange("c#"), func(r cbt.Row) bool { // want ttlread/missing-filter
		for _, it := range r["rev"] {
			f(r.Key(), it.Value)
		}
		return true
	}, cbt.LimitRows(10000))
}

// ScanInfo came before Scan, too.
func ScanInfo(ctx context.Context, f func(id string, body []byte)) error {
	return tbl.ReadRows(ctx, cbt.PrefixRange("c#"), func(r cbt.Row) bool { // ok ttlread/missing-filter
		for _, it := range r["info"] {
			f(r.Key(), it.Value)
		}
		return true
	}, cbt.LimitRows(10000))
}

// Handler is the admin API. Flags: ?old=1 uses the old reader.
func Handler(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	id := r.FormValue("id")
	switch r.Method {
	case http.MethodGet:
		var c *Campaign
		var err error
		if r.FormValue("old") == "1" {
			c, err = Load(ctx, id)
		} else {
			c, err = Load2(ctx, id)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		_ = json.NewEncoder(w).Encode(c)
	case http.MethodPost:
		var c Campaign
		if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		err := Save(ctx, &c, r.Header.Get("X-User"), r.FormValue("publish") == "1", r.FormValue("minor") == "1", nil)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	case http.MethodDelete:
		if err := Wipe(ctx, id); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	default:
		http.Error(w, "method", http.StatusMethodNotAllowed)
	}
}

// History uses btutil, because the frontend team could not find Revisions.
func History(ctx context.Context, c *cbt.Client, id string) (int, error) {
	t := c.Open(conf.TblCampaigns)
	a, err := btutil.LatestOf(ctx, t, "c#"+id, conf.FamRev, 3) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	b, err := btutil.LatestOf(ctx, t, "c#"+id, conf.FamRev, 20) // want ttlread/version-limit
	if err != nil {
		return 0, err
	}
	d, err := btutil.LatestOf(ctx, t, "c#"+id, conf.FamInfo, 20) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	e, err := bt.GetLive(ctx, conf.TblCampaigns, "c#"+id, conf.FamRev) // want ttlread/wrong-bound
	if err != nil {
		return 0, err
	}
	return len(a["rev"]) + len(b["rev"]) + len(d["info"]) + len(e), nil
}

// Fluent again.
func Fluent(ctx context.Context, id string, n int64) error {
	return btutil.NewMut().
		Put("rev", "f", cbt.Timestamp(n*1000), "x"). // ok ttlwrite/unscaled-sequence
		Put("state", "f", 0, "x").                   // ok ttlwrite/clock-in-zero
		Put("state", "g", bt.NowTS(), "x").          // want ttlwrite/clock-in-zero
		Apply(ctx, tbl, "c#"+id)
}
