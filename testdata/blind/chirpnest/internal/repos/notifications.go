package repos

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/chirpnest/internal/bt"
	"example.com/chirpnest/internal/dto"
	"example.com/chirpnest/internal/tables"
	"example.com/chirpnest/internal/utils/async"
	"example.com/chirpnest/internal/utils/cursor"
	"example.com/chirpnest/internal/utils/result"
	"example.com/chirpnest/internal/utils/strutil"
)

const (
	inboxTTL  = 30 * 24 * time.Hour
	digestTTL = 7 * 24 * time.Hour
)

// NotificationRepo keeps the inbox for a month, digests for a week, prefs for good.
type NotificationRepo struct {
	tbl   *bigtable.Table
	clock func() time.Time
}

func NewNotificationRepo(deps Deps) *NotificationRepo {
	return &NotificationRepo{tbl: deps.Client.Open(tables.Notifications), clock: deps.Clock}
}

func inboxKey(userID, id string) string { return strutil.Key("n", userID, id) }

func mapNotification(row bigtable.Row) dto.Notification {
	n := dto.Notification{ID: strutil.Tail(row.Key())}
	for _, it := range row[tables.FamInbox] {
		switch bt.Qualifier(it) {
		case "kind":
			n.Kind = string(it.Value)
			n.CreatedAt = it.Timestamp.Time() // want ttlage/not-write-time
		case "text":
			n.Text = string(it.Value)
			n.ExpiresAt = it.Timestamp.Time().Add(inboxTTL) // ok ttlage/not-write-time
		case "at":
			_ = n.CreatedAt.UnmarshalText(it.Value) // ok ttlage/not-write-time
		}
	}
	return n
}

func mapDigest(row bigtable.Row) dto.Digest {
	d := dto.Digest{}
	for _, it := range row[tables.FamDigest] {
		d.Lines = append(d.Lines, string(it.Value))
		d.WrittenAt = it.Timestamp.Time() // want ttlage/not-write-time
	}
	return d
}

func mapPrefs(row bigtable.Row) dto.Prefs {
	var p dto.Prefs
	for _, it := range row[tables.FamPrefs] {
		switch bt.Qualifier(it) {
		case "email":
			p.Email = string(it.Value) == "1"
		case "push":
			p.Push = string(it.Value) == "1"
		}
		p.UpdatedAt = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	return p
}

// Insert writes a notification with the default age.
func (r *NotificationRepo) Insert(ctx context.Context, n dto.Notification) error {
	now := r.clock()
	at, _ := now.MarshalText()
	mut := bigtable.NewMutation()
	mut.Set(tables.FamInbox, "kind", bigtable.Time(now), []byte(n.Kind)) // ok ttlwrite/write-time
	mut.Set(tables.FamInbox, "text", bigtable.Time(now), []byte(n.Text)) // ok ttlwrite/same-timestamp
	mut.Set(tables.FamInbox, "at", bigtable.ServerTime, at)              // ok ttlwrite/server-timestamp
	return r.tbl.Apply(ctx, inboxKey(n.UserID, n.ID), mut)
}

// InsertFor writes a notification that lives for ttl.
func (r *NotificationRepo) InsertFor(ctx context.Context, n dto.Notification, ttl time.Duration) error {
	ts := bt.Shifted(ttl, inboxTTL)
	return bt.Upsert(ctx, r.tbl, inboxKey(n.UserID, n.ID),
		bt.Cell{Family: tables.FamInbox, Column: "kind", TS: ts, Value: []byte(n.Kind)}, // ok ttlwrite/already-expired
		bt.Cell{Family: tables.FamInbox, Column: "text", TS: ts, Value: []byte(n.Text)},
	)
}

// InsertPush writes one that is of no use after some hours.
func (r *NotificationRepo) InsertPush(ctx context.Context, n dto.Notification) error {
	const ttl = 6 * time.Hour
	ts := bigtable.Now() + bigtable.Timestamp((ttl - inboxTTL).Microseconds()) // ok ttlunit/wrong-unit
	mut := bigtable.NewMutation()
	mut.Set(tables.FamInbox, "kind", ts, []byte(n.Kind))
	mut.Set(tables.FamInbox, "text", ts, []byte(n.Text)) // ok ttlwrite/already-expired
	return r.tbl.Apply(ctx, inboxKey(n.UserID, n.ID), mut)
}

// InsertSticky writes one that stays longer.
func (r *NotificationRepo) InsertSticky(ctx context.Context, n dto.Notification, extra time.Duration) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamInbox, "text", bigtable.Now()+bigtable.Timestamp(extra), []byte(n.Text))                  // want ttlunit/wrong-unit
	mut.Set(tables.FamInbox, "kind", bigtable.Now()+bigtable.Timestamp(extra/time.Microsecond), []byte(n.Kind)) // ok ttlunit/wrong-unit
	return r.tbl.Apply(ctx, inboxKey(n.UserID, n.ID), mut)
}

// InsertAt is for the import of the old inbox.
func (r *NotificationRepo) InsertAt(ctx context.Context, n dto.Notification) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamInbox, "text", bigtable.Timestamp(n.CreatedAt.UnixMilli()), []byte(n.Text))      // want ttlunit/wrong-unit
	mut.Set(tables.FamInbox, "kind", bigtable.Timestamp(n.CreatedAt.UnixMilli()*1000), []byte(n.Kind)) // ok ttlunit/wrong-unit
	return r.tbl.Apply(ctx, inboxKey(n.UserID, n.ID), mut)
}

// Dismiss makes it as old as its family allows.
func (r *NotificationRepo) Dismiss(ctx context.Context, userID, id string) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamInbox, "text", bigtable.Time(r.clock().Add(-inboxTTL)), nil) // want ttlwrite/already-expired
	return r.tbl.Apply(ctx, inboxKey(userID, id), mut)
}

// Snooze keeps it for one more hour only.
func (r *NotificationRepo) Snooze(ctx context.Context, userID, id string, text string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(tables.FamInbox, "text")
	mut.Set(tables.FamInbox, "text", bigtable.Time(r.clock().Add(time.Hour-inboxTTL)), []byte(text)) // ok ttlwrite/already-expired
	return r.tbl.Apply(ctx, inboxKey(userID, id), mut)
}

// Pin keeps a notification without a date.
func (r *NotificationRepo) Pin(ctx context.Context, userID, id, text string) error {
	return bt.Put(ctx, r.tbl, inboxKey(userID, id), tables.FamInbox, "pinned", bt.Zero, []byte(text)) // want ttlwrite/already-expired
}

// CountUnread counts; the family is an ordinary one for read-modify-write.
func (r *NotificationRepo) CountUnread(ctx context.Context, userID string) (int64, error) {
	return bt.Incr(ctx, r.tbl, inboxKey(userID, "unread"), tables.FamInbox, "unread", 1) // ok ttlwrite/read-modify-write
}

// InsertDigest writes a week's digest.
func (r *NotificationRepo) InsertDigest(ctx context.Context, d dto.Digest) error {
	mut := bigtable.NewMutation()
	ts := bigtable.Now()
	for i, line := range d.Lines {
		mut.Set(tables.FamDigest, string(rune('a'+i)), ts, []byte(line)) // ok ttlwrite/same-timestamp
	}
	return r.tbl.Apply(ctx, inboxKey(d.UserID, "digest"), mut)
}

// AppendDigest writes the lines one below the other.
func (r *NotificationRepo) AppendDigest(ctx context.Context, d dto.Digest) error {
	mut := bigtable.NewMutation()
	ts := bigtable.Now()
	for _, line := range d.Lines {
		mut.Set(tables.FamDigest, "line", ts, []byte(line)) // want ttlwrite/same-timestamp
	}
	return r.tbl.Apply(ctx, inboxKey(d.UserID, "digest"), mut)
}

// UpsertPrefs writes preferences.
func (r *NotificationRepo) UpsertPrefs(ctx context.Context, userID string, p dto.Prefs) error {
	flag := map[bool]string{true: "1", false: "0"}
	return bt.Replace(ctx, r.tbl, inboxKey(userID, "prefs"),
		bt.Cell{Family: tables.FamPrefs, Column: "email", TS: bt.Stamp(), Value: []byte(flag[p.Email])}, // ok ttlwrite/write-time
		bt.Cell{Family: tables.FamPrefs, Column: "push", TS: bt.Stamp(), Value: []byte(flag[p.Push])},
	)
}

// FindOne is one notification.
func (r *NotificationRepo) FindOne(ctx context.Context, userID, id string) result.Result[result.Option[dto.Notification]] {
	return bt.FindOne(ctx, r.tbl, inboxKey(userID, id), mapNotification, bt.Where(bt.InFamily(tables.FamInbox, bt.YoungerThan(inboxTTL)))) // ok ttlread/wrong-bound
}

// FindPage is a page of the inbox.
func (r *NotificationRepo) FindPage(ctx context.Context, userID string, c cursor.Cursor) (cursor.Page[dto.Notification], error) {
	rs := bigtable.NewRange(inboxKey(userID, c.After), inboxKey(userID, "~"))
	items, err := bt.FindMany(ctx, r.tbl, rs, mapNotification, bigtable.LimitRows(int64(c.Limit)+1)).Unpack() // want ttlread/missing-filter
	if err != nil {
		return cursor.Page[dto.Notification]{}, err
	}
	return cursor.Paginate(items, c.Limit, func(n dto.Notification) string { return n.ID }), nil
}

// FindLivePage is a page of the inbox without what is over.
func (r *NotificationRepo) FindLivePage(ctx context.Context, userID string, c cursor.Cursor) (cursor.Page[dto.Notification], error) {
	rs := bigtable.NewRange(inboxKey(userID, c.After), inboxKey(userID, "~"))
	opts := []bigtable.ReadOption{bigtable.LimitRows(int64(c.Limit) + 1)}
	opts = append(opts, bt.Where(bt.InFamily(tables.FamInbox, bt.YoungerThan(inboxTTL))))
	items, err := bt.FindMany(ctx, r.tbl, rs, mapNotification, opts...).Unpack() // ok ttlread/missing-filter
	if err != nil {
		return cursor.Page[dto.Notification]{}, err
	}
	return cursor.Paginate(items, c.Limit, func(n dto.Notification) string { return n.ID }), nil
}

// FindFresh takes the filter from the session store.
func (r *NotificationRepo) FindFresh(ctx context.Context, userID string) ([]dto.Notification, error) {
	fresh := bt.InFamily(tables.FamInbox, bt.LiveNow())                                                                   // want ttlread/wrong-bound[fresh]
	return bt.FindMany(ctx, r.tbl, bigtable.PrefixRange(inboxKey(userID, "")), mapNotification, bt.Where(fresh)).Unpack() // want ttlread/wrong-bound[fresh]
}

// FindDigest uses the inbox's age.
func (r *NotificationRepo) FindDigest(ctx context.Context, userID string) (dto.Digest, error) {
	row, err := r.tbl.ReadRow(ctx, inboxKey(userID, "digest"), bt.Where(bt.InFamily(tables.FamDigest, bt.YoungerThan(inboxTTL)))) // want ttlread/wrong-bound
	if err != nil {
		return dto.Digest{}, err
	}
	return mapDigest(row), nil
}

// FindWeek uses its own.
func (r *NotificationRepo) FindWeek(ctx context.Context, userID string) (dto.Digest, error) {
	row, err := r.tbl.ReadRow(ctx, inboxKey(userID, "digest"), bt.Where(bt.InFamily(tables.FamDigest, bt.YoungerThan(digestTTL)))) // ok ttlread/wrong-bound
	if err != nil {
		return dto.Digest{}, err
	}
	return mapDigest(row), nil
}

// FindOverview has both.
func (r *NotificationRepo) FindOverview(ctx context.Context, userID string) ([]dto.Notification, []dto.Digest, error) {
	f := bt.AnyOf( // want ttlread/unfiltered-branch[overview]
		bt.InFamily(tables.FamInbox, bt.YoungerThan(inboxTTL)),
		bt.InFamily(tables.FamDigest, bigtable.LatestNFilter(1)), // want ttlread/unfiltered-branch[overview]
	)
	var ns []dto.Notification
	var ds []dto.Digest
	err := r.tbl.ReadRows(ctx, bigtable.PrefixRange(inboxKey(userID, "")), func(row bigtable.Row) bool { // want ttlread/unfiltered-branch[overview]
		ns = append(ns, mapNotification(row))
		ds = append(ds, mapDigest(row))
		return true
	}, bt.Where(f)) // want ttlread/unfiltered-branch[overview]
	return ns, ds, err
}

// FindBoth has both, each by its age.
func (r *NotificationRepo) FindBoth(ctx context.Context, userID string) ([]dto.Notification, []dto.Digest, error) {
	f := bt.AnyOf(
		bt.InFamily(tables.FamInbox, bt.YoungerThan(inboxTTL)),
		bt.InFamily(tables.FamDigest, bt.YoungerThan(digestTTL)),
	)
	var ns []dto.Notification
	var ds []dto.Digest
	err := r.tbl.ReadRows(ctx, bigtable.PrefixRange(inboxKey(userID, "")), func(row bigtable.Row) bool { // ok ttlread/unfiltered-branch
		ns = append(ns, mapNotification(row))
		ds = append(ds, mapDigest(row))
		return true
	}, bt.Where(f))
	return ns, ds, err
}

// FindWithPrefs has a notification and what the user wants to hear about.
func (r *NotificationRepo) FindWithPrefs(ctx context.Context, userID, id string) (dto.Notification, dto.Prefs, error) {
	row, err := r.tbl.ReadRow(ctx, inboxKey(userID, id), bigtable.RowFilter(bt.YoungerThan(inboxTTL))) // want ttlread/hides-other-families
	if err != nil {
		return dto.Notification{}, dto.Prefs{}, err
	}
	return mapNotification(row), mapPrefs(row), nil
}

// FindPrefs reads prefs only.
func (r *NotificationRepo) FindPrefs(ctx context.Context, userID string) *async.Promise[dto.Prefs] {
	return async.Go(func() (dto.Prefs, error) {
		row, err := r.tbl.ReadRow(ctx, inboxKey(userID, "prefs"), bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
		if err != nil {
			return dto.Prefs{}, err
		}
		return mapPrefs(row), nil
	})
}

// FindPast is the archive view: what is up to now.
func (r *NotificationRepo) FindPast(ctx context.Context, userID string) ([]dto.Notification, error) {
	now := r.clock()
	f := bt.InFamily(tables.FamInbox, bigtable.TimestampRangeFilter(now.Add(-inboxTTL), now))                         // want ttlread/upper-bound[past]
	return bt.FindMany(ctx, r.tbl, bigtable.PrefixRange(inboxKey(userID, "")), mapNotification, bt.Where(f)).Unpack() // want ttlread/upper-bound[past]
}

// Purge deletes what is over; GC takes its time.
func (r *NotificationRepo) Purge(ctx context.Context, userID string) error {
	var keys []string
	err := r.tbl.ReadRows(ctx, bigtable.PrefixRange(inboxKey(userID, "")), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		keys = append(keys, row.Key())
		return true
	}, bigtable.RowFilter(bigtable.StripValueFilter()))
	if err != nil {
		return err
	}
	return bt.Drop(ctx, r.tbl, keys)
}

// CountPage counts the rows of an inbox.
func (r *NotificationRepo) CountPage(ctx context.Context, userID string) (n int, err error) {
	err = r.tbl.ReadRows(ctx, bigtable.PrefixRange(inboxKey(userID, "")), func(bigtable.Row) bool { // ok ttlread/missing-filter
		n++
		return true
	})
	return n, err
}
