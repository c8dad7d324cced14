package btimpl

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/meridian/orderhub/internal/constants"
	"example.com/meridian/orderhub/internal/dao"
	"example.com/meridian/orderhub/internal/domain"
	"example.com/meridian/orderhub/internal/filter"
	"example.com/meridian/orderhub/internal/platform/bt"
	"example.com/meridian/orderhub/internal/platform/clock"
	"example.com/meridian/orderhub/internal/timestamp"
)

// BigtableNotificationDAO implements dao.NotificationDAO.
type BigtableNotificationDAO struct {
	*bt.AbstractDAO
	clock clock.Clock
}

var _ dao.NotificationDAO = (*BigtableNotificationDAO)(nil)

// NewBigtableNotificationDAO returns a BigtableNotificationDAO.
func NewBigtableNotificationDAO(tables bt.TableFactory, c clock.Clock) *BigtableNotificationDAO {
	base := bt.NewAbstractDAO(tables, constants.TableNotifications)
	return &BigtableNotificationDAO{AbstractDAO: &base, clock: c}
}

// Push implements dao.NotificationDAO. The lifetime defaults to that of the family.
func (d *BigtableNotificationDAO) Push(ctx context.Context, customer string, n domain.Notification) error {
	mut := bigtable.NewMutation()
	ts := bigtable.ServerTime
	if n.Lifetime > 0 {
		ts = timestamp.Shifted(d.clock.Now(), n.Lifetime, constants.InboxTTL)
	}
	mut.Set(constants.FamilyInbox, n.ID, ts, []byte(n.Subject+"\n"+n.Body))                // ok ttlwrite/server-timestamp ttlwrite/already-expired
	mut.Set(constants.FamilyReceipt, n.ID+".sent", bigtable.ServerTime, []byte(n.Channel)) // ok ttlwrite/server-timestamp
	return d.Store(ctx, customer, mut)
}

// PushNow is Push with the default lifetime.
func (d *BigtableNotificationDAO) PushNow(ctx context.Context, customer, id string, body []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(constants.FamilyInbox, id, bigtable.Now(), body) // ok ttlwrite/write-time
	return d.Store(ctx, customer, mut)
}

// PushPromo stores a promotion, which lives for three days.
func (d *BigtableNotificationDAO) PushPromo(ctx context.Context, customer, id string, body []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(constants.FamilyInbox, id, bigtable.Time(d.clock.Now().Add(constants.PromoTTL-constants.InboxTTL)), body) // ok ttlwrite/already-expired
	return d.Store(ctx, customer, mut)
}

// PushOld stores a notification that is on its last legs. Somebody subtracted the wrong lifetime.
func (d *BigtableNotificationDAO) PushOld(ctx context.Context, customer, id string, body []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(constants.FamilyInbox, id, bigtable.Time(d.clock.Now().Add(-constants.InboxTTL)), body) // want ttlwrite/already-expired
	return d.Store(ctx, customer, mut)
}

// PushEpoch stores at zero, as the neighbouring family does.
func (d *BigtableNotificationDAO) PushEpoch(ctx context.Context, customer, id string, body []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(constants.FamilyInbox, id, 0, body)          // want ttlwrite/already-expired
	mut.Set(constants.FamilyPref, "last", 0, []byte(id)) // ok ttlwrite/already-expired
	return d.Store(ctx, customer, mut)
}

// PushSeconds takes the time from a message of the mail gateway.
func (d *BigtableNotificationDAO) PushSeconds(ctx context.Context, customer, id string, sent time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set(constants.FamilyInbox, id, bigtable.Timestamp(sent.Unix()), nil)       // want ttlunit/wrong-unit
	mut.Set(constants.FamilyReceipt, id, bigtable.Timestamp(sent.Unix()*1e6), nil) // ok ttlunit/wrong-unit
	return d.Store(ctx, customer, mut)
}

// PushMillis is PushSeconds for the other gateway.
func (d *BigtableNotificationDAO) PushMillis(ctx context.Context, customer, id string, sent time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set(constants.FamilyReceipt, id, bigtable.Timestamp(sent.UnixMilli()), nil)             // want ttlunit/wrong-unit
	mut.Set(constants.FamilyReceipt, id+".nano", bigtable.Timestamp(sent.UnixNano()/1000), nil) // ok ttlunit/wrong-unit
	return d.Store(ctx, customer, mut)
}

// PushTwice stores a digest over itself.
func (d *BigtableNotificationDAO) PushTwice(ctx context.Context, customer string, first, second []byte) error {
	mut := bigtable.NewMutation()
	ts := bigtable.Time(d.clock.Now())
	mut.Set(constants.FamilyInbox, constants.ColDigest, ts, first)  // ok ttlwrite/same-timestamp
	mut.Set(constants.FamilyInbox, constants.ColDigest, ts, second) // want ttlwrite/same-timestamp
	return d.Store(ctx, customer, mut)
}

// Inbox implements dao.NotificationDAO.
func (d *BigtableNotificationDAO) Inbox(ctx context.Context, customer string) ([]domain.Notification, error) {
	row, err := d.Fetch(ctx, customer, bigtable.RowFilter(filter.Inbox())) // ok ttlread/missing-filter ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return d.decode(row), nil
}

// Unfiltered is what the mail digest reads.
func (d *BigtableNotificationDAO) Unfiltered(ctx context.Context, customer string) ([]domain.Notification, error) {
	row, err := d.Fetch(ctx, customer, bigtable.RowFilter(bigtable.FamilyFilter(constants.FamilyInbox))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return d.decode(row), nil
}

// ExpiryStyle was copied from the sessions.
func (d *BigtableNotificationDAO) ExpiryStyle(ctx context.Context, customer string) ([]domain.Notification, error) {
	row, err := d.Fetch(ctx, customer, bigtable.RowFilter(filter.LiveFamily(constants.FamilyInbox))) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return d.decode(row), nil
}

// LastWeek uses the lifetime of another family.
func (d *BigtableNotificationDAO) LastWeek(ctx context.Context, customer string) ([]domain.Notification, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyInbox), filter.Within(constants.AudienceTTL)) // want ttlread/wrong-bound[lastweek]
	row, err := d.Fetch(ctx, customer, bigtable.RowFilter(f))                                                      // want ttlread/wrong-bound[lastweek]
	if err != nil {
		return nil, err
	}
	return d.decode(row), nil
}

// UntilNow closes the range at the current time, which hides what was given a longer life.
func (d *BigtableNotificationDAO) UntilNow(ctx context.Context, customer string) ([]domain.Notification, error) {
	now := d.clock.Now()
	f := bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyInbox), bigtable.TimestampRangeFilter(now.Add(-constants.InboxTTL), now)) // want ttlread/upper-bound[untilnow]
	row, err := d.Fetch(ctx, customer, bigtable.RowFilter(f))                                                                                  // want ttlread/upper-bound[untilnow]
	if err != nil {
		return nil, err
	}
	return d.decode(row), nil
}

// Dead reads what is past its life.
func (d *BigtableNotificationDAO) Dead(ctx context.Context, customer string) (int, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyInbox), bigtable.TimestampRangeFilter(time.Time{}, d.clock.Now().Add(-constants.InboxTTL))) // want ttlread/expired-only[dead]
	row, err := d.Fetch(ctx, customer, bigtable.RowFilter(f))                                                                                                    // want ttlread/expired-only[dead]
	return len(row[constants.FamilyInbox]), err
}

// Page reads one page of the inbox.
func (d *BigtableNotificationDAO) Page(ctx context.Context, customer string, offset, limit int) ([]domain.Notification, error) {
	f := bigtable.ChainFilters(filter.Inbox(), bigtable.CellsPerRowOffsetFilter(offset), bigtable.CellsPerRowLimitFilter(limit))
	row, err := d.Fetch(ctx, customer, bigtable.RowFilter(f)) // ok ttlread/limit-before-filter
	if err != nil {
		return nil, err
	}
	return d.decode(row), nil
}

// PageFast skips first.
func (d *BigtableNotificationDAO) PageFast(ctx context.Context, customer string, offset int) ([]domain.Notification, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyInbox), bigtable.CellsPerRowOffsetFilter(offset), filter.Within(constants.InboxTTL)) // want ttlread/limit-before-filter[pagefast]
	row, err := d.Fetch(ctx, customer, bigtable.RowFilter(f))                                                                                             // want ttlread/limit-before-filter[pagefast]
	if err != nil {
		return nil, err
	}
	return d.decode(row), nil
}

func (d *BigtableNotificationDAO) decode(row bigtable.Row) []domain.Notification {
	var out []domain.Notification
	for _, item := range row[constants.FamilyInbox] {
		n := domain.Notification{ID: item.Column[len(constants.FamilyInbox)+1:], Body: string(item.Value)}
		out = append(out, n)
	}
	return out
}

// InboxWithDates fills in when things were sent, from the wrong place.
func (d *BigtableNotificationDAO) InboxWithDates(ctx context.Context, customer string) (map[string]string, error) {
	row, err := d.Fetch(ctx, customer, bigtable.RowFilter(filter.Inbox())) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, item := range row[constants.FamilyInbox] {
		createdAt := item.Timestamp.Time().Format(time.RFC1123) // want ttlage/not-write-time
		out[item.Column] = createdAt
	}
	return out, nil
}

// Receipts reads receipts, whose timestamps are true.
func (d *BigtableNotificationDAO) Receipts(ctx context.Context, customer string) (map[string]string, error) {
	row, err := d.Fetch(ctx, customer, bigtable.RowFilter(bigtable.FamilyFilter(constants.FamilyReceipt))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, item := range row[constants.FamilyReceipt] {
		createdAt := item.Timestamp.Time().Format(time.RFC1123) // ok ttlage/not-write-time
		out[item.Column] = createdAt
	}
	return out, nil
}

// Acknowledge implements dao.NotificationDAO.
func (d *BigtableNotificationDAO) Acknowledge(ctx context.Context, customer, id string, at time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set(constants.FamilyReceipt, id, bigtable.Time(at), []byte(constants.ColOpened)) // ok ttlwrite/write-time
	mut.DeleteCellsInColumn(constants.FamilyInbox, id)                                   // ok ttlwrite/delete-after-set
	return d.Store(ctx, customer, mut)
}

// Mute implements dao.NotificationDAO.
func (d *BigtableNotificationDAO) Mute(ctx context.Context, customer string, muted bool) error {
	mut := bigtable.NewMutation()
	v := []byte("0")
	if muted {
		v = []byte("1")
	}
	mut.Set(constants.FamilyPref, constants.ColMuted, 0, v) // ok ttlwrite/clock-in-zero
	return d.Store(ctx, customer, mut)
}

// MuteAll was written by a newcomer.
func (d *BigtableNotificationDAO) MuteAll(ctx context.Context, customer string) error {
	mut := bigtable.NewMutation()
	ts := clock.NowTimestamp()
	for _, ch := range []domain.Channel{domain.ChannelMail, domain.ChannelPush, domain.ChannelSMS} {
		mut.Set(constants.FamilyPref, constants.ColMuted+"."+string(ch), ts, []byte("1")) // want ttlwrite/clock-in-zero
	}
	return d.Store(ctx, customer, mut)
}

// Muted implements dao.NotificationDAO.
func (d *BigtableNotificationDAO) Muted(ctx context.Context, customer string) (bool, error) {
	row, err := d.Fetch(ctx, customer, bigtable.RowFilter(bigtable.FamilyFilter(constants.FamilyPref))) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return bt.Text(row, constants.FamilyPref, constants.ColMuted) == "1", nil
}

// CountUnread counts in the inbox family; a default-expiration family takes it.
func (d *BigtableNotificationDAO) CountUnread(ctx context.Context, customer string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(constants.FamilyInbox, "unread", 1) // ok ttlwrite/read-modify-write
	_, err := d.Gateway.ApplyReadModifyWrite(ctx, customer, rmw)
	return err
}

// CountMuted counts in the preferences.
func (d *BigtableNotificationDAO) CountMuted(ctx context.Context, customer string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(constants.FamilyPref, "mutes", 1) // want ttlwrite/read-modify-write
	_, err := d.Gateway.ApplyReadModifyWrite(ctx, customer, rmw)
	return err
}

// PushOnce stores a notification unless the customer has it.
func (d *BigtableNotificationDAO) PushOnce(ctx context.Context, customer, id string, body []byte) error {
	set := bigtable.NewMutation()
	set.Set(constants.FamilyInbox, id, bigtable.Now(), body) // ok ttlwrite/write-time
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyInbox), bigtable.ColumnFilter(id))
	return d.Store(ctx, customer, bigtable.NewCondMutation(pred, nil, set)) // want ttlread/conditional-mutation
}

// PushOnceLive is PushOnce with a filter.
func (d *BigtableNotificationDAO) PushOnceLive(ctx context.Context, customer, id string, body []byte) error {
	set := bigtable.NewMutation()
	set.Set(constants.FamilyInbox, id, bigtable.Now(), body) // ok ttlwrite/write-time
	pred := bigtable.ChainFilters(filter.Inbox(), bigtable.ColumnFilter(id))
	return d.Store(ctx, customer, bigtable.NewCondMutation(pred, nil, set)) // ok ttlread/conditional-mutation
}

// Cleanup removes what is dead.
func (d *BigtableNotificationDAO) Cleanup(ctx context.Context, customer, id string) error {
	mut := bigtable.NewMutation()
	mut.DeleteTimestampRange(constants.FamilyInbox, id, 0, bigtable.Time(d.clock.Now().Add(-constants.InboxTTL))) // ok ttlunit/sub-millisecond
	return d.Store(ctx, customer, mut)
}

// CleanupFirst deletes the zero cell only, or so it was meant.
func (d *BigtableNotificationDAO) CleanupFirst(ctx context.Context, customer, id string) error {
	mut := bigtable.NewMutation()
	mut.DeleteTimestampRange(constants.FamilyReceipt, id, 0, 1) // want ttlunit/sub-millisecond
	return d.Store(ctx, customer, mut)
}
