package services

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/chirpnest/internal/bt"
	"example.com/chirpnest/internal/dto"
	"example.com/chirpnest/internal/events"
	"example.com/chirpnest/internal/flags"
	"example.com/chirpnest/internal/tables"
	"example.com/chirpnest/internal/utils/async"
	"example.com/chirpnest/internal/utils/result"
	"example.com/chirpnest/internal/utils/strutil"
	"example.com/chirpnest/internal/validate"
)

// PostService publishes and edits.
type PostService struct {
	Create   func(ctx context.Context, in dto.CreatePostInput) result.Result[dto.Post]
	Edit     func(ctx context.Context, id, by, text string) error
	Restore  func(ctx context.Context, id string, n int64) error
	Batch    func(ctx context.Context, posts []dto.Post) error
	Feed     func(ctx context.Context, userID string) ([]dto.TimelineEntry, error)
	MarkRead func(ctx context.Context, userID, pos string) error
	Diff     func(ctx context.Context, id string) ([]string, error)
}

// revisionTS chooses the timestamp of a revision.
func revisionTS(n int64, slow bool) bigtable.Timestamp {
	if slow {
		return bigtable.Now()
	}
	return bt.Seq(n)
}

// NewPostService wires it.
func NewPostService(deps Deps) *PostService {
	repo, timelines := deps.Repos.Posts, deps.Repos.Timelines
	tbl := deps.Client.Open(tables.Posts)

	fanOut := func(ctx context.Context, p dto.Post, followers []string) error {
		e := dto.TimelineEntry{PostID: p.ID, AuthorID: p.AuthorID, Score: 1, CreatedAt: deps.Clock()}
		return async.Retry(ctx, 3, 50*time.Millisecond, func(ctx context.Context) error {
			return timelines.PushAll(ctx, followers, e)
		})
	}

	svc := &PostService{
		Create: func(ctx context.Context, in dto.CreatePostInput) result.Result[dto.Post] {
			if err := validate.Check(in.Text, validate.NotBlank, validate.MaxLen(500)); err != nil {
				return result.Err[dto.Post](err)
			}
			p := dto.Post{ID: strutil.NanoID(), AuthorID: in.AuthorID, Text: in.Text, CreatedAt: deps.Clock()}
			if err := repo.SaveRevision(ctx, p); err != nil {
				return result.Err[dto.Post](err)
			}
			return result.Ok(p)
		},
		Edit: func(ctx context.Context, id, by, text string) error {
			if ok, err := repo.Exists(ctx, id); err != nil || !ok {
				return err
			}
			if deps.Flags.Enabled(flags.SlowRevisions) {
				mut := bigtable.NewMutation()
				mut.Set(tables.FamRev, "text", revisionTS(0, true), []byte(text)) // want ttlwrite/clock-in-sequence
				return tbl.Apply(ctx, strutil.Key("p", id), mut)
			}
			return repo.Edit(ctx, id, by, text)
		},
		Restore: func(ctx context.Context, id string, n int64) error {
			rev, err := repo.FindRevision(ctx, id, n)
			if err != nil {
				return err
			}
			mut := bigtable.NewMutation()
			mut.Set(tables.FamRev, "text", revisionTS(rev.Number+1, false), []byte(rev.Text)) // ok ttlwrite/clock-in-sequence
			mut.Set(tables.FamBody, "text", bt.Zero, []byte(rev.Text))                        // ok ttlwrite/clock-in-zero
			return tbl.Apply(ctx, strutil.Key("p", id), mut)
		},
		Batch: func(ctx context.Context, posts []dto.Post) error {
			keys := make([]string, len(posts))
			muts := make([]*bigtable.Mutation, len(posts))
			for i, p := range posts {
				keys[i] = strutil.Key("p", p.ID)
				muts[i] = bigtable.NewMutation()
				muts[i].Set(tables.FamRev, "batch", bigtable.Timestamp(i), []byte(p.Text))          // want ttlwrite/unscaled-sequence
				muts[i].Set(tables.FamRev, "text", bigtable.Timestamp(i)*1000+1000, []byte(p.Text)) // ok ttlwrite/unscaled-sequence
				muts[i].Set(tables.FamStats, "batch", bigtable.Now(), nil)                          // ok ttlwrite/clock-in-sequence
			}
			_, err := tbl.ApplyBulk(ctx, keys, muts)
			return err
		},
		Feed: func(ctx context.Context, userID string) ([]dto.TimelineEntry, error) {
			if deps.Flags.Enabled(flags.NewTimeline) {
				entries, _, err := timelines.FindSplit(ctx, userID)
				return entries, err
			}
			return timelines.FindEntries(ctx, userID)
		},
		MarkRead: func(ctx context.Context, userID, pos string) error {
			if err := timelines.SaveRead(ctx, userID, pos); err != nil { // ok ttlwrite/clock-in-zero
				return err
			}
			return timelines.SaveReadAt(ctx, userID, pos, deps.Clock()) // want ttlwrite/clock-in-zero[readat]
		},
		Diff: func(ctx context.Context, id string) ([]string, error) {
			var texts []string
			row, err := tbl.ReadRow(ctx, strutil.Key("p", id), bigtable.RowFilter(bigtable.LatestNFilter(2))) // ok ttlread/version-limit
			if err != nil {
				return nil, err
			}
			for _, it := range row[tables.FamRev] {
				texts = append(texts, string(it.Value))
			}
			return texts, nil
		},
	}

	deps.Events.On(events.PostPublished, events.Typed(func(ctx context.Context, p dto.Post) error {
		return fanOut(ctx, p, []string{p.AuthorID})
	}))
	deps.Events.On(events.PostEdited, events.Typed(func(ctx context.Context, p dto.Post) error {
		mut := bigtable.NewMutation()
		mut.Set(tables.FamRev, "edited", bigtable.Time(deps.Clock()), []byte(p.Text)) // want ttlwrite/clock-in-sequence
		mut.Set(tables.FamStats, "edited", bigtable.Time(deps.Clock()), nil)          // ok ttlwrite/clock-in-sequence
		return tbl.Apply(ctx, strutil.Key("p", p.ID), mut)
	}))
	return svc
}
