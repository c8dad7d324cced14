package services

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/chirpnest/internal/bt"
	"example.com/chirpnest/internal/dto"
	"example.com/chirpnest/internal/events"
	"example.com/chirpnest/internal/flags"
	"example.com/chirpnest/internal/tables"
	"example.com/chirpnest/internal/utils/async"
	"example.com/chirpnest/internal/utils/cursor"
	"example.com/chirpnest/internal/utils/result"
	"example.com/chirpnest/internal/utils/strutil"
	"example.com/chirpnest/internal/utils/timeutil"
	"example.com/chirpnest/internal/validate"
)

// NotifyService writes and reads the inbox.
type NotifyService struct {
	Send    func(ctx context.Context, in dto.NotifyInput) result.Result[dto.Notification]
	Page    func(ctx context.Context, userID, after string) (cursor.Page[dto.Notification], error)
	Digest  func(ctx context.Context, userID string) error
	Summary func(ctx context.Context, userID string) (string, error)
	Close   func(ctx context.Context, userID string) error
}

// inboxLine renders one item; it gets rows of the notifications table.
func inboxLine(it bigtable.ReadItem, now time.Time) string {
	return fmt.Sprintf("%s (%s)", it.Value, timeutil.Humanize(now.Sub(it.Timestamp.Time()))) // want ttlage/not-write-time[line]
}

// prefsLine renders a preference.
func prefsLine(it bigtable.ReadItem, now time.Time) string {
	return fmt.Sprintf("%s, set %s", bt.Qualifier(it), timeutil.Humanize(now.Sub(it.Timestamp.Time()))) // ok ttlage/not-write-time
}

// NewNotifyService wires it.
func NewNotifyService(deps Deps) *NotifyService {
	repo := deps.Repos.Notifications
	tbl := deps.Client.Open(tables.Notifications)
	cfg := deps.Config.Notify

	send := func(ctx context.Context, in dto.NotifyInput) (dto.Notification, error) {
		if err := validate.Check(in,
			validate.Field("user", func(in dto.NotifyInput) string { return in.UserID }, validate.ID),
			validate.Field("text", func(in dto.NotifyInput) string { return in.Text }, validate.NotBlank, validate.MaxLen(500)),
		); err != nil {
			return dto.Notification{}, err
		}
		n := dto.Notification{ID: strutil.NanoID(), UserID: in.UserID, Kind: in.Kind, Text: in.Text, CreatedAt: deps.Clock()}
		switch {
		case in.TTL > 0:
			return n, repo.InsertFor(ctx, n, in.TTL) // ok ttlwrite/already-expired
		case in.Kind == "push":
			return n, repo.InsertFor(ctx, n, cfg.PushTTL) // ok ttlwrite/already-expired
		default:
			return n, repo.Insert(ctx, n)
		}
	}

	svc := &NotifyService{
		Send: func(ctx context.Context, in dto.NotifyInput) result.Result[dto.Notification] {
			return result.From(send(ctx, in))
		},
		Page: func(ctx context.Context, userID, after string) (cursor.Page[dto.Notification], error) {
			c, err := cursor.Decode(after, deps.Config.Limits.PageSize)
			if err != nil {
				return cursor.Page[dto.Notification]{}, err
			}
			return repo.FindLivePage(ctx, userID, c)
		},
		Digest: func(ctx context.Context, userID string) error {
			live := bt.YoungerThan(cfg.InboxTTL)
			row, err := tbl.ReadRow(ctx, strutil.Key("n", userID), bt.Where(bt.InFamily(tables.FamInbox, live))) // ok ttlread/wrong-bound
			if err != nil {
				return err
			}
			d := dto.Digest{UserID: userID}
			for _, it := range row[tables.FamInbox] {
				d.Lines = append(d.Lines, string(it.Value))
			}
			if deps.Flags.Enabled(flags.StickyDigest) {
				return bt.Put(ctx, tbl, strutil.Key("n", userID, "digest"), tables.FamDigest, "sticky", bt.Shifted(30*timeutil.Day, timeutil.Week), bt.JSON(d)) // ok ttlwrite/already-expired
			}
			return repo.InsertDigest(ctx, d)
		},
		Summary: func(ctx context.Context, userID string) (string, error) {
			row, err := tbl.ReadRow(ctx, strutil.Key("n", userID), bt.Where(bt.AnyOf( // ok ttlread/unfiltered-branch
				bt.InFamily(tables.FamInbox, bt.YoungerThan(30*timeutil.Day)),
				bigtable.FamilyFilter(tables.FamPrefs),
			)))
			if err != nil {
				return "", err
			}
			out, now := "", deps.Clock()
			for _, it := range row[tables.FamInbox] {
				out += inboxLine(it, now) + "\n" // want ttlage/not-write-time[line]
			}
			for _, it := range row[tables.FamPrefs] {
				out += prefsLine(it, now) + "\n" // ok ttlage/not-write-time
			}
			return out, nil
		},
		Close: func(ctx context.Context, userID string) error {
			keys, err := bt.Keys(ctx, tbl, strutil.Key("n", userID)) // ok ttlread/missing-filter
			if err != nil {
				return err
			}
			_, err = async.MapLimit(ctx, 8, keys, func(ctx context.Context, key string) (string, error) {
				mut := bigtable.NewMutation()
				mut.Set(tables.FamInbox, "closed", bigtable.Time(time.Unix(0, 0)), nil) // want ttlwrite/already-expired
				mut.Set(tables.FamPrefs, "closed", bigtable.Time(time.Unix(0, 0)), nil) // ok ttlwrite/already-expired
				return key, tbl.Apply(ctx, key, mut)
			})
			return err
		},
	}

	deps.Events.On(events.UserFollowed, events.Typed(func(ctx context.Context, in dto.NotifyInput) error {
		return svc.Send(ctx, in).Err()
	}))
	return svc
}
