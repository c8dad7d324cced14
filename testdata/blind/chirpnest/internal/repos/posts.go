package repos

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/chirpnest/internal/bt"
	"example.com/chirpnest/internal/dto"
	"example.com/chirpnest/internal/tables"
	"example.com/chirpnest/internal/utils/result"
	"example.com/chirpnest/internal/utils/strutil"
	"example.com/chirpnest/internal/utils/timeutil"
)

// keptRevisions is what the GC policy of "rev" keeps.
const keptRevisions = 5

// PostRepo keeps revisions by number, the current body at zero and stats as they are.
type PostRepo struct {
	tbl    *bigtable.Table
	seq    *Sequencer
	clock  func() time.Time
	drafts atomic.Int64
	scaled atomic.Int64
	edits  map[string]int64
}

func NewPostRepo(deps Deps) *PostRepo {
	return &PostRepo{
		tbl:   deps.Client.Open(tables.Posts),
		seq:   deps.Seq,
		clock: deps.Clock,
		edits: map[string]int64{},
	}
}

func postKey(id string) string { return strutil.Key("p", id) }

func mapPost(row bigtable.Row) dto.Post {
	p := dto.Post{ID: strutil.Tail(row.Key())}
	p.Text = bt.Text(row, tables.FamBody, "text")
	p.AuthorID = bt.Text(row, tables.FamBody, "author")
	if it, ok := bt.Pick(row, tables.FamBody, "text"); ok {
		p.CreatedAt = it.Timestamp.Time() // want ttlage/not-write-time
	}
	if it, ok := bt.Pick(row, tables.FamStats, "created"); ok {
		p.CreatedAt = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	return p
}

func mapRevisions(row bigtable.Row) []dto.Revision {
	var out []dto.Revision
	for _, it := range row[tables.FamRev] {
		if bt.Qualifier(it) != "text" {
			continue
		}
		out = append(out, dto.Revision{
			PostID:   strutil.Tail(row.Key()),
			Number:   bt.SeqOf(it.Timestamp), // ok ttlage/not-write-time
			Text:     string(it.Value),
			Modified: timeutil.ISO(it.Timestamp.Time()), // want ttlage/not-write-time
		})
	}
	return out
}

func mapStats(row bigtable.Row) dto.PostStats {
	var s dto.PostStats
	for _, it := range row[tables.FamStats] {
		switch bt.Qualifier(it) {
		case "likes":
			s.Likes = bt.ParseInt64(it.Value)
		case "views":
			s.Views = bt.ParseInt64(it.Value)
		}
		s.UpdatedAt = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	return s
}

// SaveRevision appends a revision and replaces the body.
func (r *PostRepo) SaveRevision(ctx context.Context, p dto.Post) error {
	n := r.seq.Next(p.ID)
	mut := bigtable.NewMutation()
	mut.Set(tables.FamRev, "text", bt.Seq(n), []byte(p.Text))    // ok ttlwrite/unscaled-sequence
	mut.Set(tables.FamBody, "text", bt.Zero, []byte(p.Text))     // ok ttlwrite/clock-in-zero
	mut.Set(tables.FamStats, "edited", bigtable.Now(), nil)      // ok ttlwrite/clock-in-sequence
	mut.Set(tables.FamStats, "editor", bigtable.ServerTime, nil) // ok ttlwrite/server-timestamp
	return r.tbl.Apply(ctx, postKey(p.ID), mut)
}

// SaveDraft keeps what the author types.
func (r *PostRepo) SaveDraft(ctx context.Context, p dto.Post) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamRev, "draft", bigtable.Now(), []byte(p.Text)) // want ttlwrite/clock-in-sequence
	return r.tbl.Apply(ctx, postKey(p.ID), mut)
}

// SaveNumberedDraft numbers the drafts.
func (r *PostRepo) SaveNumberedDraft(ctx context.Context, p dto.Post) error {
	n := r.drafts.Add(1)
	return bt.Put(ctx, r.tbl, postKey(p.ID), tables.FamRev, "draft", bigtable.Timestamp(n), []byte(p.Text)) // want ttlwrite/unscaled-sequence
}

// SaveScaledDraft numbers them in thousands.
func (r *PostRepo) SaveScaledDraft(ctx context.Context, p dto.Post) error {
	n := r.scaled.Add(1000)
	return bt.Put(ctx, r.tbl, postKey(p.ID), tables.FamRev, "draft", bigtable.Timestamp(n), []byte(p.Text)) // ok ttlwrite/unscaled-sequence
}

// Edit applies a suggestion.
func (r *PostRepo) Edit(ctx context.Context, id, by, text string) error {
	r.edits[id]++
	mut := bigtable.NewMutation()
	mut.Set(tables.FamRev, "suggestion", bigtable.Timestamp(r.edits[id]), []byte(text)) // want ttlwrite/unscaled-sequence
	mut.Set(tables.FamRev, "by", bigtable.Timestamp(r.edits[id])*1000, []byte(by))      // ok ttlwrite/unscaled-sequence
	return r.tbl.Apply(ctx, postKey(id), mut)
}

// Publish makes the next revision public.
func (r *PostRepo) Publish(ctx context.Context, p *dto.Post) error {
	p.Revision++
	mut := bigtable.NewMutation()
	mut.Set(tables.FamRev, "public", bigtable.Timestamp(p.Revision), []byte(p.Text))    // want ttlwrite/unscaled-sequence
	mut.Set(tables.FamRev, "text", bigtable.Timestamp(p.Revision*1000), []byte(p.Text)) // ok ttlwrite/unscaled-sequence
	mut.Set(tables.FamStats, "published", bigtable.Time(r.clock()), nil)                // ok ttlwrite/clock-in-sequence
	return r.tbl.Apply(ctx, postKey(p.ID), mut)
}

// ImportRevisions writes the history of a post that comes from elsewhere.
func (r *PostRepo) ImportRevisions(ctx context.Context, id string, texts []string) error {
	mut := bigtable.NewMutation()
	for i, text := range texts {
		mut.Set(tables.FamRev, "text", bigtable.Timestamp(i+1), []byte(text)) // want ttlwrite/unscaled-sequence
	}
	mut.Set(tables.FamBody, "text", bt.Zero, []byte(texts[len(texts)-1]))
	return r.tbl.Apply(ctx, postKey(id), mut)
}

// ImportDated writes it with the editors.
func (r *PostRepo) ImportDated(ctx context.Context, id string, revs []dto.Revision) error {
	mut := bigtable.NewMutation()
	for i, rev := range revs {
		ts := bt.Seq(int64(i) + 1)
		mut.Set(tables.FamRev, "text", ts, []byte(rev.Text)) // ok ttlwrite/unscaled-sequence
		mut.Set(tables.FamRev, "by", ts, []byte(rev.EditedBy))
		mut.Set(tables.FamRev, "imported", bigtable.Time(rev.EditedAt), nil) // want ttlwrite/clock-in-sequence
	}
	return r.tbl.Apply(ctx, postKey(id), mut)
}

// Seal writes the first revision of a thread's root.
func (r *PostRepo) Seal(ctx context.Context, id, text string) error {
	return bt.Upsert(ctx, r.tbl, postKey(id), // want ttlwrite/unscaled-sequence[seal]
		bt.Cell{Family: tables.FamRev, Column: "text", TS: 1, Value: []byte(text)}, // want ttlwrite/unscaled-sequence[seal]
		bt.Cell{Family: tables.FamBody, Column: "text", TS: bt.Zero, Value: []byte(text)},
	)
}

// Open writes revision one as it should be.
func (r *PostRepo) Open(ctx context.Context, id, text string) error {
	return bt.Upsert(ctx, r.tbl, postKey(id),
		bt.Cell{Family: tables.FamRev, Column: "text", TS: bt.Seq(1), Value: []byte(text)}, // ok ttlwrite/unscaled-sequence
		bt.Cell{Family: tables.FamBody, Column: "text", TS: bt.Zero, Value: []byte(text)},
	)
}

// SetBody fixes typos without a revision.
func (r *PostRepo) SetBody(ctx context.Context, id, text string) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamBody, "text", bigtable.Now(), []byte(text))  // want ttlwrite/clock-in-zero
	mut.Set(tables.FamStats, "fixed", bigtable.Now(), []byte("1")) // ok ttlwrite/clock-in-zero
	return r.tbl.Apply(ctx, postKey(id), mut)
}

// SetAuthor moves a post to another author.
func (r *PostRepo) SetAuthor(ctx context.Context, id, author string) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamBody, "author", bigtable.ServerTime, []byte(author)) // want ttlwrite/clock-in-zero
	mut.Set(tables.FamBody, "moved", 0, []byte("1"))                       // ok ttlwrite/clock-in-zero
	return r.tbl.Apply(ctx, postKey(id), mut)
}

// Like counts a like.
func (r *PostRepo) Like(ctx context.Context, id string) (int64, error) {
	return bt.Incr(ctx, r.tbl, postKey(id), tables.FamStats, "likes", 1) // ok ttlwrite/read-modify-write
}

// BumpRevision counts a revision.
func (r *PostRepo) BumpRevision(ctx context.Context, id string) (int64, error) {
	return bt.Incr(ctx, r.tbl, postKey(id), tables.FamRev, "n", 1) // want ttlwrite/read-modify-write
}

// AppendNote adds an editor's note below the body.
func (r *PostRepo) AppendNote(ctx context.Context, id, note string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(tables.FamStats, "log", []byte(note+"\n"))   // ok ttlwrite/read-modify-write
	rmw.AppendValue(tables.FamBody, "text", []byte("\n\n"+note)) // want ttlwrite/read-modify-write
	_, err := r.tbl.ApplyReadModifyWrite(ctx, postKey(id), rmw)
	return err
}

// FindOne is a post as it stands.
func (r *PostRepo) FindOne(ctx context.Context, id string) result.Result[result.Option[dto.Post]] {
	return bt.FindOne(ctx, r.tbl, postKey(id), mapPost) // ok ttlread/missing-filter
}

// Exists tells whether there is such a post.
func (r *PostRepo) Exists(ctx context.Context, id string) (bool, error) {
	return bt.Exists(ctx, r.tbl, postKey(id), bt.Where(bigtable.FamilyFilter(tables.FamRev))) // ok ttlread/version-limit
}

// FindHistory lists the revisions.
func (r *PostRepo) FindHistory(ctx context.Context, id string) ([]dto.Revision, error) {
	row, err := r.tbl.ReadRow(ctx, postKey(id), bigtable.RowFilter(bigtable.FamilyFilter(tables.FamRev))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return mapRevisions(row), nil
}

// FindKept lists the revisions that we promise.
func (r *PostRepo) FindKept(ctx context.Context, id string) ([]dto.Revision, error) {
	row, err := r.tbl.ReadRow(ctx, postKey(id), bt.Where(bt.InFamily(tables.FamRev, bigtable.LatestNFilter(keptRevisions)))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return mapRevisions(row), nil
}

// FindMore lists more of them.
func (r *PostRepo) FindMore(ctx context.Context, id string) ([]dto.Revision, error) {
	row, err := r.tbl.ReadRow(ctx, postKey(id), bt.Where(bt.InFamily(tables.FamRev, bigtable.LatestNFilter(20)))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return mapRevisions(row), nil
}

// FindToday lists today's revisions.
func (r *PostRepo) FindToday(ctx context.Context, id string) ([]dto.Revision, error) {
	today := bigtable.TimestampRangeFilter(timeutil.StartOfDay(r.clock()), time.Time{})      // want ttlread/wrong-bound[today]
	row, err := r.tbl.ReadRow(ctx, postKey(id), bt.Where(bt.InFamily(tables.FamRev, today))) // want ttlread/wrong-bound[today]
	if err != nil {
		return nil, err
	}
	return mapRevisions(row), nil
}

// FindRevision looks one up by its number.
func (r *PostRepo) FindRevision(ctx context.Context, id string, n int64) (dto.Revision, error) {
	one := bigtable.TimestampRangeFilterMicros(bt.Seq(n), bt.Seq(n+1))
	row, err := r.tbl.ReadRow(ctx, postKey(id), bt.Where(bt.InFamily(tables.FamRev, one, bigtable.LatestNFilter(1)))) // ok ttlread/wrong-bound
	if err != nil {
		return dto.Revision{}, err
	}
	revs := mapRevisions(row)
	if len(revs) == 0 {
		return dto.Revision{}, fmt.Errorf("post %s has no revision %d", id, n)
	}
	return revs[0], nil
}

// FindAllRevisions walks all posts of an author.
func (r *PostRepo) FindAllRevisions(ctx context.Context, author string) ([]dto.Revision, error) {
	var out []dto.Revision
	err := r.tbl.ReadRows(ctx, bigtable.PrefixRange(postKey(author)), func(row bigtable.Row) bool { // want ttlread/missing-filter
		out = append(out, mapRevisions(row)...)
		return true
	})
	return out, err
}

// FindAllStats walks them too, for the numbers.
func (r *PostRepo) FindAllStats(ctx context.Context, author string) ([]dto.PostStats, error) {
	var out []dto.PostStats
	err := r.tbl.ReadRows(ctx, bigtable.PrefixRange(postKey(author)), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		out = append(out, mapStats(row))
		return true
	})
	return out, err
}

// FindWhole has everything of one post.
func (r *PostRepo) FindWhole(ctx context.Context, id string) (dto.Post, []dto.Revision, dto.PostStats, error) {
	row, err := r.tbl.ReadRow(ctx, postKey(id), bigtable.RowFilter(bigtable.LatestNFilter(keptRevisions))) // ok ttlread/version-limit
	if err != nil {
		return dto.Post{}, nil, dto.PostStats{}, err
	}
	return mapPost(row), mapRevisions(row), mapStats(row), nil
}

// FindSuggested searches revisions that mention a word.
func (r *PostRepo) FindSuggested(ctx context.Context, id, word string) ([]dto.Revision, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(tables.FamRev), bigtable.ValueFilter(".*"+word+".*"), bigtable.LatestNFilter(keptRevisions)) // want ttlread/version-limit|ttlread/limit-before-filter[suggested]
	row, err := r.tbl.ReadRow(ctx, postKey(id), bigtable.RowFilter(f))                                                                            // want ttlread/version-limit|ttlread/limit-before-filter[suggested]
	if err != nil {
		return nil, err
	}
	return mapRevisions(row), nil
}

// FindMentioning has the limit first.
func (r *PostRepo) FindMentioning(ctx context.Context, id, word string) ([]dto.Revision, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(tables.FamRev), bigtable.LatestNFilter(keptRevisions), bigtable.ValueFilter(".*"+word+".*"))
	row, err := r.tbl.ReadRow(ctx, postKey(id), bigtable.RowFilter(f)) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return mapRevisions(row), nil
}

// IsStale tells whether nobody edited a post for a week.
func (r *PostRepo) IsStale(ctx context.Context, id string) (bool, error) {
	row, err := r.tbl.ReadRow(ctx, postKey(id), bigtable.RowFilter(bigtable.LatestNFilter(1)))
	if err != nil {
		return false, err
	}
	now := r.clock()
	if it, ok := bt.Pick(row, tables.FamStats, "edited"); ok && now.Sub(it.Timestamp.Time()) < timeutil.Week { // ok ttlage/not-write-time
		return false, nil
	}
	it, ok := bt.Pick(row, tables.FamRev, "text")
	return ok && now.Sub(it.Timestamp.Time()) > timeutil.Week, nil // want ttlage/not-write-time
}

// Export renders a post for the user's data request.
func (r *PostRepo) Export(ctx context.Context, id string) ([]byte, error) {
	row, err := r.tbl.ReadRow(ctx, postKey(id), bigtable.RowFilter(bigtable.LatestNFilter(keptRevisions)))
	if err != nil {
		return nil, err
	}
	type line struct {
		Column string `json:"column"`
		Value  string `json:"value"`
		Number int64  `json:"number,omitempty"`
	}
	var lines []line
	for _, it := range row[tables.FamRev] {
		lines = append(lines, line{Column: it.Column, Value: string(it.Value), Number: int64(it.Timestamp) / 1000}) // ok ttlage/not-write-time
	}
	for _, it := range row[tables.FamStats] {
		lines = append(lines, line{Column: it.Column, Value: string(it.Value)})
	}
	return json.Marshal(lines)
}
