// Package manifest keeps what is on a ship. One table, four families, four meanings:
// rev (numbered revisions), head (single version), draft (expires), log (ordinary).
package manifest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/harbor/btutil"
)

type famIndex int

const (
	revIdx famIndex = iota
	headIdx
	draftIdx
	logIdx
)

var famNames = [...]string{"rev", "head", "draft", "log"}

const revisionsKept = 5

// Manifest is the list.
type Manifest struct {
	Ship    string            `json:"ship"`
	Rev     int64             `json:"rev"`
	Items   map[string]int    `json:"items"`
	Notes   map[string]string `json:"notes"`
	Changed time.Time         `json:"changed"`
}

// DB wraps the table. It embeds, so that callers can do everything.
type DB struct {
	*bigtable.Table
	draftTTL time.Duration
	author   string
}

// NewDB opens the table.
func NewDB(c *bigtable.Client, author string) *DB {
	return &DB{Table: c.Open(btutil.TableManifests), draftTTL: 8 * time.Hour, author: author}
}

// Save writes a revision. publish: move the head. draft: keep the draft. audit: write the log line.
func (db *DB) Save(ctx context.Context, m *Manifest, publish, draft, audit bool) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(b)
	rev, head, drafts, logs := famNames[revIdx], famNames[headIdx], famNames[draftIdx], famNames[logIdx]
	mut := bigtable.NewMutation()
	mut.Set(rev, "json", bigtable.Timestamp(m.Rev*1000), b)                                 // ok ttlwrite/unscaled-sequence
	mut.Set(rev, "sum", bigtable.Timestamp(m.Rev*1000), []byte(hex.EncodeToString(sum[:]))) // ok ttlwrite/same-timestamp
	if publish {
		mut.Set(head, "rev", 0, btutil.PutInt64(m.Rev))        // ok ttlwrite/clock-in-zero
		mut.Set(head, "by", bigtable.Now(), []byte(db.author)) // want ttlwrite/clock-in-zero
	}
	if draft {
		mut.Set(drafts, "json", btutil.ExpiresIn(db.draftTTL), b) // ok ttlwrite/write-time
		mut.Set(drafts, "by", btutil.NowTS(), []byte(db.author))  // want ttlwrite/write-time
	} else {
		mut.DeleteCellsInFamily(drafts) // ok ttlwrite/delete-after-set
	}
	if audit {
		mut.Set(logs, "saved", bigtable.ServerTime, []byte(db.author)) // ok ttlwrite/server-timestamp
	}
	return db.Apply(ctx, m.Ship, mut)
}

// SaveRaw is Save before revisions had numbers.
func (db *DB) SaveRaw(ctx context.Context, ship string, b []byte, author string) error {
	mut := bigtable.NewMutation()
	mut.Set(famNames[revIdx], "json", bigtable.Now(), b)                  // want ttlwrite/clock-in-sequence
	mut.Set(famNames[headIdx], "by", bigtable.ServerTime, []byte(author)) // want ttlwrite/clock-in-zero
	mut.Set(famNames[draftIdx], "json", bigtable.ServerTime, b)           // want ttlwrite/server-timestamp
	mut.Set(famNames[logIdx], "raw", bigtable.Now(), []byte(author))      // ok ttlwrite/clock-in-sequence
	return db.Apply(ctx, ship, mut)
}

type cellSpec struct {
	fam, col string
	ts       bigtable.Timestamp
}

var initCells = []cellSpec{
	{"rev", "json", 1000},
	{"head", "rev", 0},
	{"log", "init", bigtable.ServerTime},
}

// Init writes an empty manifest.
func (db *DB) Init(ctx context.Context, ship string) error {
	mut := bigtable.NewMutation()
	for _, c := range initCells {
		mut.Set(c.fam, c.col, c.ts, nil) // ok ttlwrite/clock-in-sequence
	}
	return db.Apply(ctx, ship, mut)
}

// Bump counts.
func (db *DB) Bump(ctx context.Context, ship string, views, saves, drafts bool) error {
	rmw := bigtable.NewReadModifyWrite()
	if views {
		rmw.Increment("log", "views", 1) // ok ttlwrite/read-modify-write
	}
	if saves {
		rmw.Increment("head", "saves", 1) // want ttlwrite/read-modify-write
	}
	if drafts {
		rmw.Increment(famNames[draftIdx], "n", 1) // want ttlwrite/read-modify-write
	}
	_, err := db.ApplyReadModifyWrite(ctx, ship, rmw)
	return err
}

// Head reads the head.
func (db *DB) Head(ctx context.Context, ship string) (int64, error) {
	row, err := db.ReadRow(ctx, ship, bigtable.RowFilter(bigtable.FamilyFilter("head"))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	v, ok := btutil.Column(row, "head", "rev")
	if !ok {
		return 0, btutil.ErrNotFound
	}
	return btutil.Int64(v), nil
}

// Load loads the newest revision, the draft if there is one, and the notes of the log.
func (db *DB) Load(ctx context.Context, ship string, withDraft bool) (*Manifest, error) {
	now := time.Now()
	f := bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter("rev"), bigtable.LatestNFilter(1)),
		bigtable.ChainFilters(bigtable.FamilyFilter("draft"), bigtable.TimestampRangeFilter(now, time.Time{})),
		bigtable.FamilyFilter("head|log"),
	)
	row, err := db.ReadRow(ctx, ship, bigtable.RowFilter(f)) // ok ttlread/unfiltered-branch
	if err != nil {
		return nil, err
	}
	return build(row, withDraft)
}

// LoadOld was Load.
func (db *DB) LoadOld(ctx context.Context, ship string, withDraft bool) (*Manifest, error) {
	f := bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter("rev"), bigtable.LatestNFilter(1)),
		bigtable.FamilyFilter("draft|log"), // want ttlread/unfiltered-branch[loadold]
	)
	row, err := db.ReadRow(ctx, ship, bigtable.RowFilter(f)) // want ttlread/unfiltered-branch[loadold]
	if err != nil {
		return nil, err
	}
	return build(row, withDraft)
}

func build(row bigtable.Row, withDraft bool) (*Manifest, error) {
	m := &Manifest{Notes: map[string]string{}}
	src := row["rev"]
	if withDraft && len(row["draft"]) > 0 {
		src = row["draft"]
	}
	for _, it := range src {
		if strings.HasSuffix(it.Column, ":json") {
			if err := json.Unmarshal(it.Value, m); err != nil {
				return nil, err
			}
			break
		}
	}
	for _, it := range row["log"] {
		m.Notes[it.Column] = string(it.Value)
		if t := it.Timestamp.Time(); t.After(m.Changed) {
			m.Changed = t // ok ttlage/not-write-time
		}
	}
	if m.Ship == "" {
		return nil, btutil.ErrNotFound
	}
	return m, nil
}

// Revisions reads revisions.
func (db *DB) Revisions(ctx context.Context, ship string, n int) ([]int64, error) {
	if n <= 0 || n > revisionsKept {
		n = revisionsKept
	}
	row, err := db.ReadRow(ctx, ship, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("rev"), bigtable.LatestNFilter(n)))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []int64
	for _, it := range row["rev"] {
		out = append(out, int64(it.Timestamp)/1000)
	}
	return out, nil
}

// RevisionsAll reads more revisions than are kept.
func (db *DB) RevisionsAll(ctx context.Context, ship string) ([]int64, error) {
	row, err := db.ReadRow(ctx, ship, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("rev"), bigtable.LatestNFilter(revisionsKept*2)))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []int64
	for _, it := range row["rev"] {
		out = append(out, int64(it.Timestamp)/1000)
	}
	return out, nil
}

// Draft reads a draft.
func (db *DB) Draft(ctx context.Context, ship string) ([]byte, error) {
	row, err := db.ReadRow(ctx, ship, btutil.ReadOpts(true, 1, bigtable.FamilyFilter("draft"))...) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	v, ok := btutil.Column(row, "draft", "json")
	if !ok {
		return nil, btutil.ErrNotFound
	}
	return v, nil
}

// DraftAny does not care for the expiry, by mistake.
func (db *DB) DraftAny(ctx context.Context, ship string) ([]byte, error) {
	row, err := db.ReadRow(ctx, ship, btutil.ReadOpts(false, 1, bigtable.FamilyFilter("draft"))...) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	v, ok := btutil.Column(row, "draft", "json")
	if !ok {
		return nil, btutil.ErrNotFound
	}
	return v, nil
}

// Current reads rev with the live filter of drafts.
func (db *DB) Current(ctx context.Context, ship string) ([]byte, error) {
	row, err := db.ReadRow(ctx, ship, btutil.ReadOpts(true, 1, bigtable.FamilyFilter("rev"))...) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	v, ok := btutil.Column(row, "rev", "json")
	if !ok {
		return nil, btutil.ErrNotFound
	}
	return v, nil
}

// CurrentN is Current with the right flags.
func (db *DB) CurrentN(ctx context.Context, ship string) ([]byte, error) {
	row, err := db.ReadRow(ctx, ship, btutil.ReadOpts(false, 1, bigtable.FamilyFilter("rev"))...) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	v, ok := btutil.Column(row, "rev", "json")
	if !ok {
		return nil, btutil.ErrNotFound
	}
	return v, nil
}

// CurrentAll reads all versions of rev.
func (db *DB) CurrentAll(ctx context.Context, ship string) ([]bigtable.ReadItem, error) {
	row, err := db.ReadRow(ctx, ship, btutil.ReadOpts(false, 0, bigtable.FamilyFilter("rev"))...) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return row["rev"], nil
}

// Log returns the log lines, whole table scan for the auditors.
func (db *DB) Log(ctx context.Context, f func(ship, col, val string, written time.Time)) error {
	return db.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r["log"] {
			f(r.Key(), it.Column, string(it.Value), it.Timestamp.Time()) // ok ttlage/not-write-time
		}
		return true
	})
}

// Export writes every family of a ship. Since 2018.
func (db *DB) Export(ctx context.Context, ship string) (map[string]string, error) {
	row, err := db.ReadRow(ctx, ship, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for fam, items := range row {
		for _, it := range items {
			out[fam+"/"+it.Column] = string(it.Value)
		}
	}
	return out, nil
}

// ClearDraft deletes a draft if it is by author.
func (db *DB) ClearDraft(ctx context.Context, ship, author string) error {
	del := bigtable.NewMutation()
	del.DeleteCellsInFamily("draft")
	pred := bigtable.ChainFilters(bigtable.FamilyFilter("draft"), bigtable.ColumnFilter("by"), bigtable.ValueFilter(author))
	return db.Apply(ctx, ship, bigtable.NewCondMutation(pred, del, nil)) // ok ttlread/conditional-mutation
}

// Promote makes a revision of a draft, in one request.
func (db *DB) Promote(ctx context.Context, ship string, rev int64, b []byte) error {
	if rev <= 0 {
		return errors.New("manifest: bad revision")
	}
	set := bigtable.NewMutation()
	set.Set("rev", "json", btutil.SeqTS(rev), b)                            // ok ttlwrite/unscaled-sequence
	set.Set("head", "rev", btutil.TS(0, false, true), btutil.PutInt64(rev)) // ok ttlwrite/clock-in-zero
	set.DeleteCellsInFamily("draft")
	cond := bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.FamilyFilter("draft"), bigtable.ColumnFilter("json")), set, nil) // want ttlread/conditional-mutation
	var ok bool
	if err := db.Apply(ctx, ship, cond, bigtable.GetCondMutationResult(&ok)); err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("manifest: no draft of %s", ship)
	}
	log.Printf("promoted %s to %d", ship, rev)
	return nil
}

// Lock marks the head while somebody edits.
func (db *DB) Lock(ctx context.Context, ship, who string) (bool, error) {
	set := bigtable.NewMutation()
	set.Set("head", "lock", 0, []byte(who)) // ok ttlwrite/clock-in-zero
	var locked bool
	cond := bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.FamilyFilter("head"), bigtable.ColumnFilter("lock")), nil, set) // ok ttlread/conditional-mutation
	err := db.Apply(ctx, ship, cond, bigtable.GetCondMutationResult(&locked))
	return !locked, err
}
