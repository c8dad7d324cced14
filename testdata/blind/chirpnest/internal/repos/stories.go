package repos

import (
	"context"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/chirpnest/internal/bt"
	"example.com/chirpnest/internal/dto"
	"example.com/chirpnest/internal/tables"
	"example.com/chirpnest/internal/utils/strutil"
	"example.com/chirpnest/internal/utils/timeutil"
)

const storyTTL = timeutil.Day

// StoryRepo keeps frames for a day. Its "rev" is an ordinary family with the
// edits of the caption.
type StoryRepo struct {
	tbl   *bigtable.Table
	clock func() time.Time
}

func NewStoryRepo(deps Deps) *StoryRepo {
	return &StoryRepo{tbl: deps.Client.Open(tables.Stories), clock: deps.Clock}
}

func storyKey(userID, id string) string { return strutil.Key("st", userID, id) }

// Publish writes the frames.
func (r *StoryRepo) Publish(ctx context.Context, s dto.Story) error {
	mut := bigtable.NewMutation()
	ts := bigtable.Now()
	for i, f := range s.Frames {
		mut.Set(tables.FamFrame, strconv.Itoa(i), ts, []byte(f)) // ok ttlwrite/write-time
	}
	mut.Set(tables.FamRev, "caption", ts, nil) // ok ttlwrite/clock-in-sequence
	return r.tbl.Apply(ctx, storyKey(s.UserID, s.ID), mut)
}

// Caption edits the caption.
func (r *StoryRepo) Caption(ctx context.Context, userID, id, text string) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamRev, "caption", bigtable.ServerTime, []byte(text))   // ok ttlwrite/clock-in-sequence
	mut.Set(tables.FamRev, "by", bigtable.Time(r.clock()), []byte(userID)) // ok ttlwrite/clock-in-sequence
	return r.tbl.Apply(ctx, storyKey(userID, id), mut)
}

// Highlight keeps a frame for a week.
func (r *StoryRepo) Highlight(ctx context.Context, userID, id, frame string) error {
	return bt.Put(ctx, r.tbl, storyKey(userID, id), tables.FamFrame, "hl", bt.Shifted(timeutil.Week, storyTTL), []byte(frame)) // ok ttlwrite/already-expired
}

// Hide makes a frame vanish.
func (r *StoryRepo) Hide(ctx context.Context, userID, id, frame string) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamFrame, frame, bigtable.Time(timeutil.Ago(25*time.Hour)), nil)  // want ttlwrite/already-expired
	mut.Set(tables.FamRev, "hidden", bigtable.Time(timeutil.Ago(25*time.Hour)), nil) // ok ttlwrite/already-expired
	return r.tbl.Apply(ctx, storyKey(userID, id), mut)
}

// Fade leaves a frame for another hour.
func (r *StoryRepo) Fade(ctx context.Context, userID, id, frame string, v []byte) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(tables.FamFrame, frame)
	mut.Set(tables.FamFrame, frame, bigtable.Time(timeutil.Ago(23*time.Hour)), v) // ok ttlwrite/already-expired
	return r.tbl.Apply(ctx, storyKey(userID, id), mut)
}

// Watermark adds the sticker layer once the encoder is done.
func (r *StoryRepo) Watermark(ctx context.Context, userID, id string, done time.Time, v []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamFrame, "mark", bigtable.Timestamp(done.UnixNano()), v)       // want ttlunit/wrong-unit
	mut.Set(tables.FamFrame, "layer", bigtable.Timestamp(done.UnixNano()/1000), v) // ok ttlunit/wrong-unit
	return r.tbl.Apply(ctx, storyKey(userID, id), mut)
}

func (r *StoryRepo) mapStory(row bigtable.Row) dto.Story {
	s := dto.Story{ID: strutil.Tail(row.Key())}
	for _, it := range row[tables.FamFrame] {
		s.Frames = append(s.Frames, string(it.Value))
		s.GoneAt = it.Timestamp.Time().Add(storyTTL) // ok ttlage/not-write-time
	}
	return s
}

func (r *StoryRepo) mapCaption(row bigtable.Row) dto.Story {
	s := dto.Story{ID: strutil.Tail(row.Key())}
	for _, it := range row[tables.FamRev] {
		s.CreatedAt = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	return s
}

func (r *StoryRepo) mapDated(row bigtable.Row) dto.Story {
	s := r.mapStory(row)
	for _, it := range row[tables.FamFrame] {
		s.CreatedAt = it.Timestamp.Time() // want ttlage/not-write-time
	}
	return s
}

// FindOne is a story that is on.
func (r *StoryRepo) FindOne(ctx context.Context, userID, id string) (dto.Story, error) {
	row, err := r.tbl.ReadRow(ctx, storyKey(userID, id), bt.Where(bt.InFamily(tables.FamFrame, bt.YoungerThan(storyTTL)))) // ok ttlread/wrong-bound
	if err != nil {
		return dto.Story{}, err
	}
	return r.mapStory(row), nil
}

// FindByUser lists stories for the ring.
func (r *StoryRepo) FindByUser(ctx context.Context, userID string) ([]dto.Story, error) {
	return bt.FindMany(ctx, r.tbl, bigtable.PrefixRange(storyKey(userID, "")), r.mapStory).Unpack() // want ttlread/missing-filter
}

// FindCaptions lists captions.
func (r *StoryRepo) FindCaptions(ctx context.Context, userID string) ([]dto.Story, error) {
	return bt.FindMany(ctx, r.tbl, bigtable.PrefixRange(storyKey(userID, "")), r.mapCaption, bt.Where(bigtable.FamilyFilter(tables.FamRev))).Unpack() // ok ttlread/version-limit
}

// FindYesterday gives it some slack.
func (r *StoryRepo) FindYesterday(ctx context.Context, userID string) ([]dto.Story, error) {
	since := bt.InFamily(tables.FamFrame, bt.YoungerThan(48*time.Hour))                                              // want ttlread/wrong-bound[yesterday]
	return bt.FindMany(ctx, r.tbl, bigtable.PrefixRange(storyKey(userID, "")), r.mapDated, bt.Where(since)).Unpack() // want ttlread/wrong-bound[yesterday]
}

// FindToday is the same with the right age.
func (r *StoryRepo) FindToday(ctx context.Context, userID string) ([]dto.Story, error) {
	since := bt.InFamily(tables.FamFrame, bigtable.TimestampRangeFilter(timeutil.Ago(storyTTL), time.Time{}))
	return bt.FindMany(ctx, r.tbl, bigtable.PrefixRange(storyKey(userID, "")), r.mapDated, bt.Where(since)).Unpack() // ok ttlread/wrong-bound
}

// FindMemories is what was shown before today.
func (r *StoryRepo) FindMemories(ctx context.Context, userID string) ([]dto.Story, error) {
	old := bt.InFamily(tables.FamFrame, bigtable.TimestampRangeFilter(time.Time{}, timeutil.Ago(storyTTL)))        // want ttlread/expired-only[memories]
	return bt.FindMany(ctx, r.tbl, bigtable.PrefixRange(storyKey(userID, "")), r.mapStory, bt.Where(old)).Unpack() // want ttlread/expired-only[memories]
}

// FindCaptionsSince is a query window over an ordinary family.
func (r *StoryRepo) FindCaptionsSince(ctx context.Context, userID string, from, to time.Time) ([]dto.Story, error) {
	win := bt.InFamily(tables.FamRev, bigtable.TimestampRangeFilter(from, to))
	return bt.FindMany(ctx, r.tbl, bigtable.PrefixRange(storyKey(userID, "")), r.mapCaption, bt.Where(win)).Unpack() // ok ttlread/wrong-bound
}

// View counts a view; stories count in the frames' family.
func (r *StoryRepo) View(ctx context.Context, userID, id string) (int64, error) {
	if n, err := bt.Incr(ctx, r.tbl, storyKey(userID, id), tables.FamFrame, "views", 1); err != nil || n > 0 { // ok ttlwrite/read-modify-write
		return n, err
	}
	return bt.Incr(ctx, r.tbl, storyKey(userID, id), tables.FamRev, "views", 1) // ok ttlwrite/read-modify-write
}

// React toggles a reaction on a frame.
func (r *StoryRepo) React(ctx context.Context, userID, id, frame, emoji string) error {
	on := bigtable.NewMutation()
	on.Set(tables.FamRev, "react:"+emoji, bigtable.Now(), []byte(frame))
	has := bt.InFamily(tables.FamFrame, bigtable.ColumnFilter(frame))
	return r.tbl.Apply(ctx, storyKey(userID, id), bigtable.NewCondMutation(has, on, nil)) // want ttlread/conditional-mutation
}

// ReactLive does if the frame is on.
func (r *StoryRepo) ReactLive(ctx context.Context, userID, id, frame, emoji string) error {
	on := bigtable.NewMutation()
	on.Set(tables.FamRev, "react:"+emoji, bigtable.Now(), []byte(frame))
	has := bt.InFamily(tables.FamFrame, bigtable.ColumnFilter(frame), bt.YoungerThan(storyTTL))
	return r.tbl.Apply(ctx, storyKey(userID, id), bigtable.NewCondMutation(has, on, nil)) // ok ttlread/conditional-mutation
}
