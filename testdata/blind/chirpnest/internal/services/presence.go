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
	"example.com/chirpnest/internal/utils/strutil"
)

const (
	onlineFor = 90 * time.Second
	typingFor = 10 * time.Second
)

// PresenceService knows who is online and who types.
type PresenceService struct {
	Ping        func(ctx context.Context, userID, device string) error
	PingV2      func(ctx context.Context, userID, device string) error
	Away        func(ctx context.Context, userID string) error
	Typing      func(ctx context.Context, userID, room string) error
	StopTyping  func(ctx context.Context, userID, room string) error
	Who         func(ctx context.Context, userIDs []string) ([]dto.Presence, error)
	WhoTypes    func(ctx context.Context, room string) ([]string, error)
	LastSeen    func(ctx context.Context, userID string) (dto.Presence, error)
	IsOnline    func(ctx context.Context, userID string) (bool, error)
	WasOnline   func(ctx context.Context, userID string) (bool, error)
	CountOnline func(ctx context.Context) (int, error)
	Sweep       func(ctx context.Context, room string) error
}

func presenceKey(userID string) string { return strutil.Key("u", userID) }

func roomKey(room string) string { return strutil.Key("room", room) }

func toPresence(row bigtable.Row) dto.Presence {
	p := dto.Presence{UserID: strutil.Tail(row.Key()), Status: "offline"}
	for _, it := range row[tables.FamOnline] {
		switch bt.Qualifier(it) {
		case "status":
			p.Status = string(it.Value)
			p.OnlineTill = it.Timestamp.Time() // ok ttlage/not-write-time
		case "device":
			p.Device = string(it.Value)
			p.UpdatedAt = it.Timestamp.Time() // want ttlage/not-write-time
		}
	}
	return p
}

// NewPresenceService wires it.
func NewPresenceService(deps Deps) *PresenceService {
	tbl := deps.Tables.Presence
	online := func() bigtable.Filter { return bt.InFamily(tables.FamOnline, bt.LiveNow()) }

	svc := &PresenceService{
		Ping: func(ctx context.Context, userID, device string) error {
			till := bt.ExpiresIn(onlineFor)
			return bt.Replace(ctx, tbl, presenceKey(userID),
				bt.Cell{Family: tables.FamOnline, Column: "status", TS: till, Value: []byte("online")}, // ok ttlwrite/write-time
				bt.Cell{Family: tables.FamOnline, Column: "device", TS: till, Value: []byte(device)},
			)
		},
		PingV2: func(ctx context.Context, userID, device string) error {
			now := deps.Clock()
			cells := []bt.Cell{
				{Family: tables.FamOnline, Column: "status", TS: bigtable.Time(now.Add(onlineFor)), Value: []byte("online")}, // ok ttlwrite/write-time
				{Family: tables.FamOnline, Column: "device", TS: bigtable.Time(now), Value: []byte(device)},                  // want ttlwrite/write-time[pingv2]
			}
			return bt.Upsert(ctx, tbl, presenceKey(userID), cells...) // want ttlwrite/write-time[pingv2]
		},
		Away: func(ctx context.Context, userID string) error {
			mut := bigtable.NewMutation()
			mut.Set(tables.FamOnline, "status", 0, []byte("away")) // want ttlwrite/already-expired
			return tbl.Apply(ctx, presenceKey(userID), mut)
		},
		Typing: func(ctx context.Context, userID, room string) error {
			ts := bigtable.Now()
			if deps.Flags.Enabled(flags.PresenceV2) {
				ts = bt.ExpiresIn(typingFor)
			}
			mut := bigtable.NewMutation()
			mut.Set(tables.FamTyping, userID, ts, nil) // want ttlwrite/write-time
			return tbl.Apply(ctx, roomKey(room), mut)
		},
		StopTyping: func(ctx context.Context, userID, room string) error {
			mut := bigtable.NewMutation()
			mut.DeleteCellsInColumn(tables.FamTyping, userID) // ok ttlwrite/delete-after-set
			return tbl.Apply(ctx, roomKey(room), mut)
		},
		Who: func(ctx context.Context, userIDs []string) ([]dto.Presence, error) {
			var rows bigtable.RowList
			for _, id := range userIDs {
				rows = append(rows, presenceKey(id))
			}
			return bt.FindMany(ctx, tbl, rows, toPresence, bt.Where(online())).Unpack() // ok ttlread/missing-filter
		},
		WhoTypes: func(ctx context.Context, room string) ([]string, error) {
			row, err := tbl.ReadRow(ctx, roomKey(room), bigtable.RowFilter(bigtable.FamilyFilter(tables.FamTyping))) // want ttlread/missing-filter
			if err != nil {
				return nil, err
			}
			var out []string
			for _, it := range row[tables.FamTyping] {
				out = append(out, bt.Qualifier(it))
			}
			return out, nil
		},
		LastSeen: func(ctx context.Context, userID string) (dto.Presence, error) {
			row, err := tbl.ReadRow(ctx, presenceKey(userID), bt.Where(bt.InFamily(tables.FamOnline, bigtable.LatestNFilter(1)))) // want ttlread/missing-filter
			if err != nil {
				return dto.Presence{}, err
			}
			p := toPresence(row)
			for _, it := range row[tables.FamOnline] {
				p.LastSeen = it.Timestamp.Time() // maybe ttlage/not-write-time
			}
			return p, nil
		},
		IsOnline: func(ctx context.Context, userID string) (bool, error) {
			return bt.Exists(ctx, tbl, presenceKey(userID), bt.Where(online())) // ok ttlread/missing-filter
		},
		WasOnline: func(ctx context.Context, userID string) (bool, error) {
			return bt.Exists(ctx, tbl, presenceKey(userID), bt.Where(bigtable.FamilyFilter(tables.FamOnline), bigtable.StripValueFilter())) // want ttlread/missing-filter
		},
		CountOnline: func(ctx context.Context) (n int, err error) {
			err = tbl.ReadRows(ctx, bigtable.PrefixRange("u#"), func(bigtable.Row) bool { // ok ttlread/missing-filter
				n++
				return true
			}, bt.Where(bigtable.FamilyFilter(tables.FamOnline), bt.LiveNow(), bigtable.StripValueFilter()))
			return n, err
		},
		Sweep: func(ctx context.Context, room string) error {
			mut := bigtable.NewMutation()
			mut.DeleteCellsInFamily(tables.FamTyping)
			any := bigtable.FamilyFilter(tables.FamTyping)
			return tbl.Apply(ctx, roomKey(room), bigtable.NewCondMutation(any, mut, nil)) // ok ttlread/conditional-mutation
		},
	}

	deps.Events.On(events.UserWentOffline, events.Typed(func(ctx context.Context, userID string) error {
		return svc.Away(ctx, userID)
	}))
	deps.Events.On(events.SessionTouched, events.Typed(func(ctx context.Context, s dto.Session) error {
		mut := bigtable.NewMutation()
		mut.Set(tables.FamOnline, "status", bigtable.ServerTime, []byte("online")) // want ttlwrite/server-timestamp
		return tbl.Apply(ctx, presenceKey(s.UserID), mut)
	}))
	deps.Events.On(events.StoryViewed, events.Typed(func(ctx context.Context, userID string) error {
		mut := bigtable.NewMutation()
		mut.Set(tables.FamOnline, "status", bt.ExpiresIn(onlineFor), []byte("online")) // ok ttlwrite/server-timestamp
		return tbl.Apply(ctx, presenceKey(userID), mut)
	}))
	return svc
}

// Watch polls presence and calls back when it changes.
func Watch(ctx context.Context, tbl *bigtable.Table, userID string, changed func(dto.Presence)) error {
	last := ""
	live := bigtable.TimestampRangeFilter(time.Now(), time.Time{})
	for {
		p := async.Go(func() (bigtable.Row, error) {
			return tbl.ReadRow(ctx, presenceKey(userID), bt.Where(bt.InFamily(tables.FamOnline, live))) // ok ttlread/stale-bound
		})
		row, err := p.Await(ctx)
		if err != nil {
			return err
		}
		if now := toPresence(row); now.Status != last {
			last = now.Status
			changed(now)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(5 * time.Second):
		}
	}
}
