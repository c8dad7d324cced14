// Package docs stores the tenants' documents: numbered revisions, drafts that fade, and metadata without history.
package docs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"tenants.example/platform/internal/btx"
	"tenants.example/platform/internal/registry"
	"tenants.example/platform/internal/schema"
)

const (
	colBody   = "body"
	colAuthor = "author"
	colTitle  = "title"
	colLabels = "labels"
	colOwner  = "owner"
	colState  = "state"
)

var (
	// ErrNotFound is returned for documents that nobody wrote.
	ErrNotFound = errors.New("document not found")
	// ErrConflict is returned where somebody was faster.
	ErrConflict = errors.New("document was changed by somebody else")
)

// Revision is one version of a document.
type Revision struct {
	Doc       string    `json:"doc"`
	Number    int64     `json:"number"`
	Author    string    `json:"author"`
	Body      []byte    `json:"body"`
	WrittenAt time.Time `json:"written_at"`
}

// Info is a document's metadata.
type Info struct {
	Doc      string    `json:"doc"`
	Title    string    `json:"title"`
	Owner    string    `json:"owner"`
	State    string    `json:"state"`
	Labels   []string  `json:"labels"`
	Modified time.Time `json:"modified"`
	Revision int64     `json:"revision"`
}

// Draft is unsaved work.
type Draft struct {
	User    string    `json:"user"`
	Body    []byte    `json:"body"`
	SavedAt time.Time `json:"saved_at"`
}

// Store is one tenant's documents.
type Store struct {
	tenant string
	tbl    btx.Table
	lay    schema.Layout
	log    *slog.Logger

	revs  atomic.Int64
	mu    sync.Mutex
	known map[string]int64
}

// New returns the documents of t.
func New(t *registry.Tenant) *Store {
	return &Store{tenant: t.ID, tbl: t.Docs, lay: schema.DefaultLayout(), log: slog.Default().With("tenant", t.ID), known: map[string]int64{}}
}

func docKey(doc string) string { return schema.Key("doc", doc) }

func (s *Store) latest() bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(s.lay.Rev), bigtable.LatestNFilter(1)))
}

func (s *Store) Save(ctx context.Context, rev Revision) (int64, error) {
	cur, err := s.Head(ctx, rev.Doc)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return 0, err
	}
	if rev.Number != 0 && rev.Number != cur.Number {
		return 0, ErrConflict
	}
	next := cur.Number + 1
	m := bigtable.NewMutation()
	m.Set(s.lay.Rev, colBody, btx.Sequence(next), rev.Body)                        // ok ttlwrite/unscaled-sequence
	m.Set(s.lay.Rev, colAuthor, bigtable.Timestamp(next*1000), []byte(rev.Author)) // ok ttlwrite/unscaled-sequence
	m.Set(s.lay.Meta, colState, 0, []byte("saved"))                                // ok ttlwrite/clock-in-zero
	m.DeleteCellsInColumn(s.lay.Draft, rev.Author)                                 // ok ttlwrite/delete-after-set
	if err := s.tbl.Apply(ctx, docKey(rev.Doc), m); err != nil {
		return 0, fmt.Errorf("save %s: %w", rev.Doc, err)
	}
	return next, nil
}

func (s *Store) SaveNow(ctx context.Context, doc, author string, body []byte) error {
	now := bigtable.Now()
	m := bigtable.NewMutation()
	m.Set(s.lay.Rev, colBody, now, body)             // want ttlwrite/clock-in-sequence
	m.Set(s.lay.Rev, colAuthor, now, []byte(author)) // want ttlwrite/clock-in-sequence
	m.Set(s.lay.Draft, author, now, body)            // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, docKey(doc), m)
}

func (s *Store) Create(ctx context.Context, doc, author, title string, body []byte) error {
	m := bigtable.NewMutation()
	m.Set(s.lay.Rev, colBody, bigtable.Timestamp(1), body)                // want ttlwrite/unscaled-sequence
	m.Set(s.lay.Rev, colAuthor, bigtable.Timestamp(1000), []byte(author)) // ok ttlwrite/unscaled-sequence
	m.Set(s.lay.Meta, colTitle, 0, []byte(title))                         // ok ttlwrite/clock-in-zero
	m.Set(s.lay.Meta, colOwner, bigtable.ServerTime, []byte(author))      // want ttlwrite/clock-in-zero
	m.Set(s.lay.Meta, colState, bigtable.Timestamp(0), []byte("new"))     // ok ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, docKey(doc), m)
}

func (s *Store) Rename(ctx context.Context, doc, title string) error {
	m := bigtable.NewMutation()
	m.Set(s.lay.Meta, colTitle, bigtable.Now(), []byte(title)) // want ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, docKey(doc), m)
}

func (s *Store) Label(ctx context.Context, doc string, labels []string) error {
	slices.Sort(labels)
	m := bigtable.NewMutation()
	btx.Put(m, s.lay.Meta, colLabels, 0, strings.Join(labels, ","))                                     // ok ttlwrite/clock-in-zero
	btx.Put(m, s.lay.Meta, "labels_rev", btx.Sequence(int64(len(labels)+1)), strings.Join(labels, ",")) // want ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, docKey(doc), m)
}

func (s *Store) Views(ctx context.Context, doc string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(s.lay.Meta, "views", 1) // want ttlwrite/read-modify-write
	row, err := s.tbl.ApplyReadModifyWrite(ctx, docKey(doc), rmw)
	if err != nil {
		return 0, err
	}
	return btx.ParseInt(btx.Cell(row, s.lay.Meta, "views")), nil
}

func (s *Store) Comment(ctx context.Context, doc, text string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(s.lay.Rev, "comments", []byte(text+"\n")) // want ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, docKey(doc), rmw)
	return err
}

func (s *Store) Head(ctx context.Context, doc string) (Revision, error) {
	row, err := s.tbl.ReadRow(ctx, docKey(doc), s.latest()) // ok ttlread/version-limit
	if err != nil {
		return Revision{}, err
	}
	return s.decode(doc, row)
}

func (s *Store) decode(doc string, row bigtable.Row) (Revision, error) {
	it, ok := btx.Item(row, s.lay.Rev, colBody)
	if !ok {
		return Revision{}, ErrNotFound
	}
	return Revision{
		Doc:    doc,
		Number: btx.Number(it.Timestamp), // ok ttlage/not-write-time
		Author: string(btx.Cell(row, s.lay.Rev, colAuthor)),
		Body:   it.Value,
	}, nil
}

func (s *Store) HeadDated(ctx context.Context, doc string) (Revision, error) {
	row, err := s.tbl.ReadRow(ctx, docKey(doc), s.latest()) // ok ttlread/version-limit
	if err != nil {
		return Revision{}, err
	}
	rev, err := s.decode(doc, row)
	if err != nil {
		return rev, err
	}
	it, _ := btx.Item(row, s.lay.Rev, colBody)
	rev.WrittenAt = it.Timestamp.Time() // want ttlage/not-write-time
	return rev, nil
}

func (s *Store) History(ctx context.Context, doc string) ([]Revision, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(s.lay.Rev), bigtable.LatestNFilter(schema.RevVersions))
	row, err := s.tbl.ReadRow(ctx, docKey(doc), bigtable.RowFilter(f)) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return s.revisions(doc, row), nil
}

func (s *Store) FullHistory(ctx context.Context, doc string) ([]Revision, error) {
	row, err := s.tbl.ReadRow(ctx, docKey(doc)) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return s.revisions(doc, row), nil
}

func (s *Store) revisions(doc string, row bigtable.Row) []Revision {
	byNumber := map[int64]*Revision{}
	for _, it := range row[s.lay.Rev] {
		n := btx.Number(it.Timestamp) // ok ttlage/not-write-time
		r := byNumber[n]
		if r == nil {
			r = &Revision{Doc: doc, Number: n}
			byNumber[n] = r
		}
		switch strings.TrimPrefix(it.Column, s.lay.Rev+":") {
		case colBody:
			r.Body = it.Value
		case colAuthor:
			r.Author = string(it.Value)
		}
	}
	out := make([]Revision, 0, len(byNumber))
	for _, r := range byNumber {
		out = append(out, *r)
	}
	slices.SortFunc(out, func(a, b Revision) int { return int(b.Number - a.Number) })
	return out
}

func (s *Store) Since(ctx context.Context, doc string, days int) ([]Revision, error) {
	from := time.Now().AddDate(0, 0, -days)
	f := bigtable.ChainFilters(bigtable.FamilyFilter(s.lay.Rev), bigtable.TimestampRangeFilter(from, time.Time{}), bigtable.LatestNFilter(schema.RevVersions)) // want ttlread/wrong-bound[since]
	row, err := s.tbl.ReadRow(ctx, docKey(doc), bigtable.RowFilter(f))                                                                                         // want ttlread/wrong-bound[since]
	if err != nil {
		return nil, err
	}
	return s.revisions(doc, row), nil
}

func (s *Store) Between(ctx context.Context, doc string, from, to int64) ([]Revision, error) {
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(s.lay.Rev),
		bigtable.TimestampRangeFilterMicros(btx.Sequence(from), btx.Sequence(to+1)), // ok ttlread/wrong-bound
		bigtable.LatestNFilter(schema.RevVersions),
	)
	row, err := s.tbl.ReadRow(ctx, docKey(doc), bigtable.RowFilter(f)) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return s.revisions(doc, row), nil
}

func (s *Store) Grep(ctx context.Context, word string) ([]string, error) {
	var out []string
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange("doc#"), func(row bigtable.Row) bool { // want ttlread/version-limit[grep]
		if _, ok := btx.Item(row, schema.FamRev, colBody); ok {
			out = append(out, row.Key())
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/version-limit[grep]
		bigtable.FamilyFilter(schema.FamRev),
		bigtable.ColumnFilter(colBody),
		bigtable.ValueFilter("(?s).*"+word+".*"), // want ttlread/version-limit[grep]
		bigtable.LatestNFilter(1),                // want ttlread/version-limit[grep]
	))) // want ttlread/version-limit[grep]
	return out, err
}

func (s *Store) GrepHead(ctx context.Context, word string) ([]string, error) {
	var out []string
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange("doc#"), func(row bigtable.Row) bool { // ok ttlread/version-limit
		if _, ok := btx.Item(row, schema.FamRev, colBody); ok {
			out = append(out, row.Key())
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.FamRev),
		bigtable.ColumnFilter(colBody),
		bigtable.LatestNFilter(1), // ok ttlread/version-limit
		bigtable.ValueFilter("(?s).*"+word+".*"),
	)))
	return out, err
}

func (s *Store) Exists(ctx context.Context, doc string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, docKey(doc), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(s.lay.Meta), bigtable.StripValueFilter()))) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row) > 0, nil
}

func (s *Store) Titles(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange("doc#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		out[row.Key()] = string(btx.Cell(row, s.lay.Meta, colTitle))
		return true
	})
	return out, err
}

func (s *Store) Info(ctx context.Context, doc string) (Info, error) {
	row, err := s.tbl.ReadRow(ctx, docKey(doc), btx.Newest(1)) // ok ttlread/missing-filter
	if err != nil {
		return Info{}, err
	}
	in := Info{Doc: doc}
	for _, it := range row[s.lay.Meta] {
		switch it.Column {
		case s.lay.Meta + ":" + colTitle:
			in.Title = string(it.Value)
			in.Modified = it.Timestamp.Time() // want ttlage/not-write-time
		case s.lay.Meta + ":" + colOwner:
			in.Owner = string(it.Value)
		case s.lay.Meta + ":" + colState:
			in.State = string(it.Value)
		case s.lay.Meta + ":" + colLabels:
			in.Labels = strings.Split(string(it.Value), ",")
		}
	}
	if it, ok := btx.Item(row, s.lay.Rev, colBody); ok {
		in.Revision = btx.Number(it.Timestamp) // ok ttlage/not-write-time
	}
	return in, nil
}

func (s *Store) Page(ctx context.Context, doc, user string) (Info, Draft, error) {
	row, err := s.tbl.ReadRow(ctx, docKey(doc), btx.Newest(1)) // want ttlread/missing-filter
	if err != nil {
		return Info{}, Draft{}, err
	}
	in := Info{Doc: doc, Title: string(btx.Cell(row, s.lay.Meta, colTitle))}
	dr := Draft{User: user, Body: btx.Cell(row, s.lay.Draft, user)}
	return in, dr, nil
}

func (s *Store) PageLive(ctx context.Context, doc string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, docKey(doc), bigtable.RowFilter(bigtable.InterleaveFilters( // ok ttlread/unfiltered-branch
		btx.Of(s.lay.Rev, bigtable.LatestNFilter(1)),      // ok ttlread/unfiltered-branch
		btx.Of(s.lay.Draft, btx.Younger(schema.DraftTTL)), // ok ttlread/wrong-bound
		bigtable.FamilyFilter(s.lay.Meta),                 // ok ttlread/unfiltered-branch
	)))
}

func (s *Store) PageQuick(ctx context.Context, doc string) (bigtable.Row, error) {
	f := bigtable.InterleaveFilters( // want ttlread/unfiltered-branch[pagequick]
		bigtable.FamilyFilter(s.lay.Rev),                 // want ttlread/unfiltered-branch[pagequick]
		btx.Of(s.lay.Draft, btx.Younger(7*24*time.Hour)), // ok ttlread/wrong-bound
		bigtable.FamilyFilter(s.lay.Meta),
	)
	return s.tbl.ReadRow(ctx, docKey(doc), bigtable.RowFilter(f)) // want ttlread/unfiltered-branch[pagequick]
}

func (s *Store) Claim(ctx context.Context, doc, user string) (bool, error) {
	m := bigtable.NewMutation()
	m.Set(s.lay.Meta, "claimed_by", 0, []byte(user)) // ok ttlwrite/clock-in-zero
	var ok bool
	cond := bigtable.NewCondMutation(bigtable.FamilyFilter(s.lay.Rev), m, nil) // ok ttlread/conditional-mutation
	err := s.tbl.Apply(ctx, docKey(doc), cond, bigtable.GetCondMutationResult(&ok))
	return ok, err
}

func (s *Store) Publish(ctx context.Context, doc, author string) (bool, error) {
	m := bigtable.NewMutation()
	m.Set(s.lay.Meta, colState, 0, []byte("published")) // ok ttlwrite/clock-in-zero
	var ok bool
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(s.lay.Rev), bigtable.ColumnFilter(colAuthor), bigtable.ValueFilter(author)) // want ttlread/conditional-mutation[publish]
	cond := bigtable.NewCondMutation(pred, m, nil)                                                                                  // want ttlread/conditional-mutation[publish]
	err := s.tbl.Apply(ctx, docKey(doc), cond, bigtable.GetCondMutationResult(&ok))                                                 // want ttlread/conditional-mutation[publish]
	return ok, err
}

func (s *Store) PublishHead(ctx context.Context, doc, author string) (bool, error) {
	m := bigtable.NewMutation()
	m.Set(s.lay.Meta, colState, 0, []byte("published")) // ok ttlwrite/clock-in-zero
	var ok bool
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(s.lay.Rev), bigtable.ColumnFilter(colAuthor), bigtable.LatestNFilter(1), bigtable.ValueFilter(author))
	cond := bigtable.NewCondMutation(pred, m, nil) // ok ttlread/conditional-mutation
	err := s.tbl.Apply(ctx, docKey(doc), cond, bigtable.GetCondMutationResult(&ok))
	return ok, err
}

func (s *Store) restore(rev Revision, at bigtable.Timestamp) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set(s.lay.Rev, colBody, at, rev.Body)
	m.Set(s.lay.Rev, colAuthor, at, []byte(rev.Author))
	m.Set(s.lay.Meta, colState, 0, []byte("restored")) // ok ttlwrite/clock-in-zero
	return m
}

func (s *Store) Restore(ctx context.Context, rev Revision) error {
	return s.tbl.Apply(ctx, docKey(rev.Doc), s.restore(rev, bigtable.Now())) // want ttlwrite/clock-in-sequence
}

func (s *Store) RestoreAs(ctx context.Context, rev Revision, number int64) error {
	return s.tbl.Apply(ctx, docKey(rev.Doc), s.restore(rev, btx.Sequence(number))) // ok ttlwrite/clock-in-sequence
}

func (s *Store) RestoreMany(ctx context.Context, revs []Revision) error {
	for i, rev := range revs {
		if err := s.tbl.Apply(ctx, docKey(rev.Doc), s.restore(rev, bigtable.Timestamp(i+1))); err != nil { // want ttlwrite/unscaled-sequence
			return err
		}
	}
	return nil
}

func (s *Store) Renumber(ctx context.Context, doc string, revs []Revision) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(s.lay.Rev) // ok ttlwrite/delete-after-set
	for n := 1; n <= len(revs); n++ {
		m.Set(s.lay.Rev, colBody, bigtable.Timestamp(n), revs[n-1].Body)                  // want ttlwrite/unscaled-sequence
		m.Set(s.lay.Rev, colAuthor, bigtable.Timestamp(n*1000), []byte(revs[n-1].Author)) // ok ttlwrite/unscaled-sequence
	}
	return s.tbl.Apply(ctx, docKey(doc), m)
}

func (s *Store) Append(ctx context.Context, doc string, have []Revision, body []byte) error {
	n := len(have) + 1
	m := bigtable.NewMutation()
	m.Set(s.lay.Rev, colBody, bigtable.Timestamp(n), body)                             // want ttlwrite/unscaled-sequence
	m.Set(s.lay.Rev, colAuthor, bigtable.Timestamp(n)*1000, []byte("append"))          // ok ttlwrite/unscaled-sequence
	m.Set(s.lay.Rev, "source", bigtable.Time(time.UnixMilli(int64(n))), []byte("api")) // ok ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, docKey(doc), m)
}

func (s *Store) Stamp(ctx context.Context, rev Revision) error {
	m := bigtable.NewMutation()
	m.Set(s.lay.Rev, colBody, bigtable.Time(rev.WrittenAt), rev.Body)                       // want ttlwrite/clock-in-sequence
	m.Set(s.lay.Rev, colAuthor, btx.Sequence(rev.Number), []byte(rev.Author))               // ok ttlwrite/clock-in-sequence
	m.Set(s.lay.Rev, "client", bigtable.Timestamp(time.Now().UnixNano()), []byte(s.tenant)) // want ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, docKey(rev.Doc), m)
}

func (s *Store) Autosave(ctx context.Context, doc string, d Draft) error {
	m := bigtable.NewMutation()
	m.Set(s.lay.Draft, d.User, bigtable.ServerTime, d.Body)                                           // ok ttlwrite/server-timestamp
	m.Set(s.lay.Draft, d.User+"_cursor", bigtable.Time(time.Now().Add(-6*24*time.Hour)), []byte("0")) // ok ttlwrite/already-expired
	m.Set(s.lay.Draft, d.User+"_lock", bigtable.Time(time.Now().Add(-7*24*time.Hour)), []byte("1"))   // want ttlwrite/already-expired
	m.Set(s.lay.Draft, d.User+"_tab", bigtable.Now(), []byte(s.tenant))                               // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, docKey(doc), m)
}

func (s *Store) Drafts(ctx context.Context, doc string) ([]Draft, error) {
	row, err := s.tbl.ReadRow(ctx, docKey(doc), bigtable.RowFilter(btx.Of(s.lay.Draft, bigtable.LatestNFilter(1)))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return s.drafts(row), nil
}

func (s *Store) DraftsLive(ctx context.Context, doc string) ([]Draft, error) {
	row, err := s.tbl.ReadRow(ctx, docKey(doc), bigtable.RowFilter(btx.Of(s.lay.Draft, btx.Younger(schema.DraftTTL)))) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return s.drafts(row), nil
}

func (s *Store) DraftsToday(ctx context.Context, doc string) ([]Draft, error) {
	row, err := s.tbl.ReadRow(ctx, docKey(doc), bigtable.RowFilter(btx.Of(s.lay.Draft, btx.Younger(24*time.Hour)))) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return s.drafts(row), nil
}

func (s *Store) DraftsNow(ctx context.Context, doc string) ([]Draft, error) {
	row, err := s.tbl.ReadRow(ctx, docKey(doc), btx.LiveOf(s.lay.Draft)) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return s.drafts(row), nil
}

func (s *Store) Faded(ctx context.Context, doc string) ([]Draft, error) {
	end := time.Now().Add(-schema.DraftTTL)
	row, err := s.tbl.ReadRow(ctx, docKey(doc), bigtable.RowFilter(btx.Of(s.lay.Draft, bigtable.TimestampRangeFilter(time.Time{}, end)))) // want ttlread/expired-only
	if err != nil {
		return nil, err
	}
	return s.drafts(row), nil
}

func (s *Store) drafts(row bigtable.Row) []Draft {
	var out []Draft
	for _, it := range row[s.lay.Draft] {
		user := strings.TrimPrefix(it.Column, s.lay.Draft+":")
		if strings.Contains(user, "_") {
			continue
		}
		out = append(out, Draft{User: user, Body: it.Value})
	}
	return out
}

func (s *Store) DraftAges(ctx context.Context, doc string) (map[string]time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, docKey(doc), bigtable.RowFilter(btx.Of(s.lay.Draft, btx.Younger(schema.DraftTTL)))) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	now := time.Now()
	out := map[string]time.Duration{}
	for _, it := range row[s.lay.Draft] {
		out[it.Column] = now.Sub(it.Timestamp.Time()) // want ttlage/not-write-time
	}
	return out, nil
}

func (s *Store) Ours(ctx context.Context, doc, user string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, docKey(doc), bigtable.RowFilter(btx.Of(s.lay.Draft, btx.Younger(schema.DraftTTL)))) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	it, ok := btx.Item(row, s.lay.Draft, user)
	return ok && it.Timestamp != bigtable.ServerTime, nil // want ttlage/server-sentinel
}

func (s *Store) Bulk(ctx context.Context, bodies map[string][]byte) error {
	b := btx.NewBatch(s.tbl, 50)
	for doc, body := range bodies {
		n := s.revs.Add(1)
		m := bigtable.NewMutation()
		m.Set(s.lay.Rev, colBody, bigtable.Timestamp(n), body)                  // want ttlwrite/unscaled-sequence
		m.Set(s.lay.Rev, colAuthor, bigtable.Timestamp(n*1000), []byte("bulk")) // ok ttlwrite/unscaled-sequence
		if err := b.Add(ctx, docKey(doc), m); err != nil {
			return err
		}
	}
	return b.Flush(ctx)
}

func (s *Store) Next(ctx context.Context, t *registry.Tenant, doc string, body []byte) error {
	n := t.NextSeq(doc)
	m := bigtable.NewMutation()
	m.Set(s.lay.Rev, colBody, btx.Plain(n), body)                // want ttlwrite/unscaled-sequence
	m.Set(s.lay.Rev, colAuthor, btx.Sequence(n), []byte("next")) // ok ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, docKey(doc), m)
}

func (s *Store) Set(ctx context.Context, doc, column string, ts bigtable.Timestamp, v []byte) error {
	m := bigtable.NewMutation()
	m.Set(s.lay.Rev, column, ts, v) // ok ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, docKey(doc), m)
}

// MarshalRow is for the debug handler.
func MarshalRow(row bigtable.Row) ([]byte, error) {
	type cell struct {
		Column string `json:"column"`
		Number int64  `json:"number"`
		Value  string `json:"value"`
	}
	var cells []cell
	for _, items := range row {
		for _, it := range items {
			cells = append(cells, cell{it.Column, btx.Number(it.Timestamp), string(it.Value)})
		}
	}
	return json.Marshal(cells)
}
