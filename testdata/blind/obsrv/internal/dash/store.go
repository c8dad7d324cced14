// Package dash stores dashboards with their revisions, their settings, and
// monitors.
package dash

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/lumen/internal/bt"
	"example.com/lumen/internal/names"
)

// Columns.
const (
	colDoc    = "doc"
	colTitle  = "title"
	colDraft  = "draft"
	colLayout = "layout"
	colTheme  = "theme"
	colLocked = "locked"
	colViews  = "views"
	colWho    = "who"
)

// Doc is a dashboard.
type Doc struct {
	ID       string          `json:"id"`
	Title    string          `json:"title"`
	Revision int64           `json:"revision"`
	Author   string          `json:"author"`
	Panels   json.RawMessage `json:"panels"`
	Updated  time.Time       `json:"updated"`
}

// Store keeps dashboards and monitors.
type Store struct {
	boards   bt.Table
	monitors bt.Table
	trash    bt.Table

	drafts atomic.Int64
	seq    int64
	seen   map[string]int64
}

func Open(c *bigtable.Client) *Store {
	return &Store{
		boards:   c.Open(names.TableDashboards),
		monitors: c.Open(names.TableMonitors),
		trash:    c.Open(names.TableDashTrash),
		seen:     map[string]int64{},
	}
}

// ---- revisions ----

func (s *Store) Save(ctx context.Context, d Doc) (int64, error) {
	last, err := s.lastRevision(ctx, d.ID)
	if err != nil && !errors.Is(err, bt.ErrNoRow) {
		return 0, err
	}
	d.Revision = last + 1
	body, err := json.Marshal(d)
	if err != nil {
		return 0, err
	}
	mut := bigtable.NewMutation()
	mut.Set(names.FamRev, colDoc, bt.Seq(d.Revision), body)                               // ok ttlwrite/unscaled-sequence
	mut.Set(names.FamRev, colTitle, bigtable.Timestamp(d.Revision*1000), []byte(d.Title)) // ok ttlwrite/unscaled-sequence
	mut.Set(names.FamAudit, colWho, bigtable.Now(), []byte(d.Author))                     // ok ttlwrite/clock-in-sequence
	mut.Set(names.FamConfig, "rev", 0, strconv.AppendInt(nil, d.Revision, 10))            // ok ttlwrite/clock-in-zero
	return d.Revision, s.boards.Apply(ctx, d.ID, mut)
}

func (s *Store) lastRevision(ctx context.Context, id string) (int64, error) {
	row, err := bt.One(ctx, s.boards, id, bigtable.ChainFilters(bigtable.FamilyFilter(names.FamRev), bigtable.LatestNFilter(1), bigtable.ColumnFilter(colDoc), bigtable.StripValueFilter())) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	it, ok := bt.Cell(row, names.FamRev, colDoc)
	if !ok {
		return 0, bt.ErrNoRow
	}
	return bt.SeqOf(it.Timestamp), nil
}

func (s *Store) First(ctx context.Context, id string, body []byte) error {
	return bt.Put(ctx, s.boards, id, names.FamRev, colDoc, 1, body) // want ttlwrite/unscaled-sequence
}

func (s *Store) FirstOf(ctx context.Context, id string, body []byte) error {
	return bt.Put(ctx, s.boards, id, names.FamRev, colDoc, 1000, body) // ok ttlwrite/unscaled-sequence
}

func (s *Store) Import(ctx context.Context, id string, docs []Doc) error {
	mut := bigtable.NewMutation()
	for i, d := range docs {
		body, err := json.Marshal(d)
		if err != nil {
			return err
		}
		mut.Set(names.FamRev, colDoc, bigtable.Timestamp(i+1), body) // want ttlwrite/unscaled-sequence
	}
	return s.boards.Apply(ctx, id, mut)
}

func (s *Store) ImportBulk(ctx context.Context, all map[string][]Doc) error {
	b := bt.NewBatch(s.boards, 100)
	for id, docs := range all {
		mut := bigtable.NewMutation()
		for i := range docs {
			body, err := json.Marshal(docs[i])
			if err != nil {
				return err
			}
			mut.Set(names.FamRev, colDoc, bigtable.Timestamp(int64(i+1)*1000), body) // ok ttlwrite/unscaled-sequence
		}
		if err := b.Add(ctx, id, mut); err != nil {
			return err
		}
	}
	return b.Flush(ctx)
}

func (s *Store) Titles(ctx context.Context, id string, titles []string) error {
	mut := bigtable.NewMutation()
	ts := bigtable.Timestamp(0)
	for _, t := range titles {
		ts += 1000
		mut.Set(names.FamRev, colTitle, ts, []byte(t)) // ok ttlwrite/unscaled-sequence
	}
	return s.boards.Apply(ctx, id, mut)
}

func (s *Store) SaveDraft(ctx context.Context, id string, body []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamRev, colDraft, bigtable.Now(), body) // want ttlwrite/clock-in-sequence
	return s.boards.Apply(ctx, id, mut)
}

func (s *Store) SaveDraftN(ctx context.Context, id string, body []byte) error {
	n := s.drafts.Add(1)
	mut := bigtable.NewMutation()
	mut.Set(names.FamRev, colDraft, bigtable.Timestamp(n), body) // want ttlwrite/unscaled-sequence
	return s.boards.Apply(ctx, id, mut)
}

func (s *Store) SaveDraftK(ctx context.Context, id string, body []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamRev, colDraft, bigtable.Timestamp(s.drafts.Add(1)*1000), body) // ok ttlwrite/unscaled-sequence
	return s.boards.Apply(ctx, id, mut)
}

func (s *Store) Autosave(ctx context.Context, id string, body []byte, at time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamRev, colDraft, bigtable.Time(at), body)    // want ttlwrite/clock-in-sequence
	mut.Set(names.FamAudit, "autosave", bigtable.Time(at), nil) // ok ttlwrite/clock-in-sequence
	return s.boards.Apply(ctx, id, mut)
}

func (s *Store) Restore(ctx context.Context, id string, rev int64, body []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamRev, colDoc, bigtable.Time(time.UnixMilli(rev)), body) // ok ttlwrite/clock-in-sequence
	return s.boards.Apply(ctx, id, mut)
}

func (s *Store) Bump(ctx context.Context, id string, body []byte) error {
	s.seq++
	mut := bigtable.NewMutation()
	mut.Set(names.FamRev, colLayout, bigtable.Timestamp(s.seq), body) // want ttlwrite/unscaled-sequence
	return s.boards.Apply(ctx, id, mut)
}

func (s *Store) BumpOne(ctx context.Context, id string, body []byte) error {
	s.seen[id]++
	mut := bigtable.NewMutation()
	mut.Set(names.FamRev, colLayout, bigtable.Timestamp(s.seen[id]), body) // want ttlwrite/unscaled-sequence
	return s.boards.Apply(ctx, id, mut)
}

func (s *Store) Layouts(ctx context.Context, id string, newest [][]byte) error {
	mut := bigtable.NewMutation()
	for i, l := range newest {
		mut.Set(names.FamRev, colLayout, bigtable.Timestamp(len(newest)-i), l) // want ttlwrite/unscaled-sequence
	}
	return s.boards.Apply(ctx, id, mut)
}

func (s *Store) LayoutsOf(ctx context.Context, id string, newest [][]byte) error {
	mut := bigtable.NewMutation()
	for i, l := range newest {
		mut.Set(names.FamRev, colLayout, bt.Seq(int64(len(newest)-i)), l) // ok ttlwrite/unscaled-sequence
	}
	return s.boards.Apply(ctx, id, mut)
}

func (s *Store) Touch(ctx context.Context, id string) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamRev, "touch", bigtable.ServerTime, nil)   // want ttlwrite/clock-in-sequence
	mut.Set(names.FamAudit, "touch", bigtable.ServerTime, nil) // ok ttlwrite/clock-in-sequence
	return s.boards.Apply(ctx, id, mut)
}

func (s *Store) Panels(ctx context.Context, id string, rev int64, panels map[string][]byte) error {
	mut := bigtable.NewMutation()
	for name, p := range panels {
		mut.Set(names.FamRev, "panel:"+name, bt.Seq(rev), p) // ok ttlwrite/same-timestamp
	}
	return s.boards.Apply(ctx, id, mut)
}

func (s *Store) PanelList(ctx context.Context, id string, rev int64, panels [][]byte) error {
	mut := bigtable.NewMutation()
	for _, p := range panels {
		mut.Set(names.FamRev, "panel", bt.Seq(rev), p) // want ttlwrite/same-timestamp
	}
	return s.boards.Apply(ctx, id, mut)
}

func (s *Store) Both(ctx context.Context, id string, rev int64, v1, v2 []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamRev, colDoc, bt.Seq(rev), v1)
	mut.Set(names.FamRev, colDoc, bt.Seq(rev), v2) // want ttlwrite/same-timestamp
	return s.boards.Apply(ctx, id, mut)
}

func (s *Store) BothOf(ctx context.Context, id string, rev int64, v1, v2 []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamRev, colDoc, bt.Seq(rev), v1)
	mut.Set(names.FamRev, colDoc, bt.Seq(rev+1), v2) // ok ttlwrite/same-timestamp
	return s.boards.Apply(ctx, id, mut)
}

// ---- settings ----

func (s *Store) Theme(ctx context.Context, id, theme string) error {
	return bt.Put(ctx, s.boards, id, names.FamConfig, colTheme, 0, []byte(theme)) // ok ttlwrite/clock-in-zero
}

func (s *Store) ThemeFor(ctx context.Context, id, user, theme string) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamConfig, colTheme+":"+user, bigtable.ServerTime, []byte(theme)) // want ttlwrite/clock-in-zero
	return s.boards.Apply(ctx, id, mut)
}

func (s *Store) Lock(ctx context.Context, id, user string) error {
	mut := bigtable.NewMutation()
	ts := bigtable.Timestamp(0)
	mut.Set(names.FamConfig, colLocked, ts, []byte(user))        // ok ttlwrite/clock-in-zero
	mut.Set(names.FamAudit, colLocked, bt.Stamp(), []byte(user)) // ok ttlwrite/write-time
	free := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamConfig), bigtable.ColumnFilter(colLocked))
	return s.boards.Apply(ctx, id, bigtable.NewCondMutation(free, nil, mut)) // ok ttlread/conditional-mutation
}

func (s *Store) View(ctx context.Context, id string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(names.FamConfig, colViews, 1) // want ttlwrite/read-modify-write
	_, err := s.boards.ApplyReadModifyWrite(ctx, id, rmw)
	return err
}

func (s *Store) ViewAudit(ctx context.Context, id string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(names.FamAudit, colViews, 1) // ok ttlwrite/read-modify-write
	_, err := s.boards.ApplyReadModifyWrite(ctx, id, rmw)
	return err
}

func (s *Store) AppendPanel(ctx context.Context, id string, panel []byte) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(names.FamRev, colDoc, panel) // want ttlwrite/read-modify-write
	_, err := s.boards.ApplyReadModifyWrite(ctx, id, rmw)
	return err
}

// ---- monitors: here "rev" is an ordinary family ----

func (s *Store) SaveMonitor(ctx context.Context, id string, body []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamRev, colDoc, bigtable.Now(), body) // ok ttlwrite/clock-in-sequence
	return s.monitors.Apply(ctx, id, mut)
}

func (s *Store) CountMonitor(ctx context.Context, id string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(names.FamRev, "runs", 1) // ok ttlwrite/read-modify-write
	_, err := s.monitors.ApplyReadModifyWrite(ctx, id, rmw)
	return err
}

func (s *Store) Monitor(ctx context.Context, id string) ([]Doc, error) {
	row, err := bt.One(ctx, s.monitors, id, bt.InFamily(names.FamRev, bt.Younger(30*names.Day))) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	var out []Doc
	for _, it := range row[names.FamRev] {
		out = append(out, Doc{ID: id, Updated: it.Timestamp.Time(), Panels: it.Value}) // ok ttlage/not-write-time
	}
	return out, nil
}

func (s *Store) Trash(ctx context.Context, id string, body []byte) error {
	return bt.Put(ctx, s.trash, id, names.FamRev, colDoc, bigtable.Now(), body) // ok ttlwrite/clock-in-sequence
}

func (s *Store) Untrash(ctx context.Context, id string) ([]byte, error) {
	row, err := bt.One(ctx, s.trash, id) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	it, ok := bt.Cell(row, names.FamRev, colDoc)
	if !ok {
		return nil, fmt.Errorf("trash %q: %w", id, bt.ErrNoRow)
	}
	return it.Value, nil
}
