package impl

import (
	"context"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/assecura/internal/common"
	"example.com/assecura/internal/constants"
	"example.com/assecura/internal/core"
	"example.com/assecura/internal/dao"
	"example.com/assecura/internal/domain"
)

type mailboxDaoImpl struct {
	table  bigtable.TableAPI
	clock  common.Clock
	log    *slog.Logger
	reader core.CellReader
	writer core.CellWriter
}

// NewMailboxDao makes the DAO of the table of mailboxes.
func NewMailboxDao(client *bigtable.Client, clock common.Clock, log *slog.Logger) dao.MailboxDao {
	return &mailboxDaoImpl{table: client.OpenTable(constants.TableMailbox), clock: clock, log: log}
}

func (d *mailboxDaoImpl) expiry() bigtable.Timestamp {
	return bigtable.Time(d.clock.Now().Add(constants.MailTTL))
}

func (d *mailboxDaoImpl) now() bigtable.Timestamp { return bigtable.Time(d.clock.Now()) }

// Send implements dao.MailboxDao.
func (d *mailboxDaoImpl) Send(ctx context.Context, customer string, msg *domain.Message) error {
	family := constants.MailboxFamilies[constants.MailboxMessage]
	m := bigtable.NewMutation()
	m.Set(family, msg.ID+"/subject", d.expiry(), []byte(msg.Subject))                                                            // ok ttlwrite/write-time
	m.Set(family, msg.ID+"/body", d.expiry(), msg.Body)                                                                          // ok ttlwrite/write-time
	m.Set(family, msg.ID+"/sent", d.now(), nil)                                                                                  // want ttlwrite/write-time
	d.writer.PutNow(m, family, "last", []byte(msg.ID))                                                                           // want ttlwrite/write-time
	d.writer.PutExpiring(m, family, "lastSubject", constants.MailTTL, []byte(msg.Subject))                                       // ok ttlwrite/write-time
	d.writer.PutExpiring(m, family, "lastPreview", 0, []byte(msg.Subject))                                                       // want ttlwrite/write-time
	d.writer.PutInt64(m, constants.MailboxFamilies[constants.MailboxCounter], "size", bigtable.ServerTime, int64(len(msg.Body))) // want ttlwrite/server-timestamp
	d.writer.PutInt64(m, constants.MailboxFamilies[constants.MailboxCounter], "sum", d.expiry(), int64(len(msg.Body)))           // ok ttlwrite/server-timestamp
	return common.NewTechnicalException("send", d.table.Apply(ctx, customer, m))
}

// SendAt implements dao.MailboxDao: with the server's time it takes the usual lifetime.
func (d *mailboxDaoImpl) SendAt(ctx context.Context, customer string, msg *domain.Message, ts bigtable.Timestamp) error {
	if ts == bigtable.ServerTime {
		ts = d.expiry()
	}
	m := bigtable.NewMutation()
	m.Set(constants.MailboxFamilies[constants.MailboxMessage], msg.ID+"/body", ts, msg.Body) // ok ttlwrite/server-timestamp
	return common.NewTechnicalException("send at", d.table.Apply(ctx, customer, m))
}

// SendMany implements dao.MailboxDao.
func (d *mailboxDaoImpl) SendMany(ctx context.Context, customers []string, msg *domain.Message) error {
	family := constants.MailboxFamilies[constants.MailboxMessage]
	var never time.Time
	muts := make([]*bigtable.Mutation, len(customers))
	for i := range customers {
		m := bigtable.NewMutation()
		m.Set(family, msg.ID+"/body", bigtable.Time(msg.ExpiresAt), msg.Body)                                          // want ttlwrite/write-time[reminder]
		m.Set(family, msg.ID+"/pinned", bigtable.Time(never), nil)                                                     // want ttlwrite/already-expired
		m.Set(family, msg.ID+"/bulk", bigtable.Timestamp(1735689600000000), nil)                                       // want ttlwrite/already-expired
		m.Set(family, msg.ID+"/unit", bigtable.Timestamp(d.clock.Now().Add(constants.MailTTL).UnixMilli()), nil)       // want ttlunit/wrong-unit
		m.Set(family, msg.ID+"/right", bigtable.Timestamp(d.clock.Now().Add(constants.MailTTL).UnixMilli()*1000), nil) // ok ttlunit/wrong-unit
		muts[i] = m
	}
	_, err := d.table.ApplyBulk(ctx, customers, muts)
	return common.NewTechnicalException("send many", err)
}

// CountUnread implements dao.MailboxDao.
func (d *mailboxDaoImpl) CountUnread(ctx context.Context, customer string) (int64, error) {
	family := constants.MailboxFamilies[constants.MailboxCounter]
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(family, constants.QualifierUnread, 1)   // want ttlwrite/read-modify-write
	rmw.AppendValue(family, "history", []byte("unread;")) // want ttlwrite/read-modify-write
	row, err := d.table.ApplyReadModifyWrite(ctx, customer, rmw)
	if err != nil {
		return 0, common.NewTechnicalException("count unread", err)
	}
	return d.reader.GetInt64(row, family, constants.QualifierUnread), nil
}

// List implements dao.MailboxDao.
func (d *mailboxDaoImpl) List(ctx context.Context, customer string) ([]*domain.Message, error) {
	opts := []bigtable.ReadOption{bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(constants.MailboxFamilies[constants.MailboxMessage]),
		bigtable.TimestampRangeFilter(d.clock.Now(), time.Time{})))}
	row, err := d.table.ReadRow(ctx, customer, opts...) // ok ttlread/missing-filter
	if err != nil {
		return nil, common.NewTechnicalException("list", err)
	}
	return d.toMessages(row), nil
}

// ListAll implements dao.MailboxDao.
func (d *mailboxDaoImpl) ListAll(ctx context.Context, prefix string) ([]*domain.Message, error) {
	var out []*domain.Message
	opts := []bigtable.ReadOption{bigtable.LimitRows(1000)}
	err := d.table.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // want ttlread/missing-filter[listAll]
		out = append(out, d.toMessages(row)...)
		return true
	}, opts...) // want ttlread/missing-filter[listAll]
	if err != nil {
		return nil, common.NewTechnicalException("list all", err)
	}
	// The clerk's screen asks for the next seven days.
	now := d.clock.Now()
	err = d.table.ReadRows(ctx, bigtable.PrefixRange("vip#"+prefix), func(row bigtable.Row) bool { // want ttlread/upper-bound[vip]
		out = append(out, d.toMessages(row)...)
		return true
	}, bigtable.RowFilter(bigtable.TimestampRangeFilter(now, common.DateUtils{}.PlusDays(now, 7)))) // want ttlread/upper-bound[vip]
	return out, common.NewTechnicalException("list all", err)
}

// Read implements dao.MailboxDao.
func (d *mailboxDaoImpl) Read(ctx context.Context, customer, id string) (*domain.Message, error) {
	live := bigtable.RowFilter(bigtable.TimestampRangeFilter(d.clock.Now(), time.Time{}))
	row, err := d.table.ReadRow(ctx, customer, live, bigtable.RowFilter(bigtable.ColumnFilter(id+"/.*"))) // want ttlread/overridden-filter
	if err != nil {
		return nil, common.NewTechnicalException("read", err)
	}
	if len(row) == 0 {
		row, err = d.table.ReadRow(ctx, customer, live) // ok ttlread/overridden-filter
		if err != nil {
			return nil, common.NewTechnicalException("read", err)
		}
	}
	for _, msg := range d.toMessages(row) {
		return msg, nil
	}
	return nil, common.NewNotFoundException("message", id)
}

// Reset implements dao.MailboxDao.
func (d *mailboxDaoImpl) Reset(ctx context.Context, customer string) error {
	family := constants.MailboxFamilies[constants.MailboxCounter]
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(family)
	m.Set(family, constants.QualifierUnread, bigtable.Time(d.clock.Now().Add(constants.CounterTTL)), []byte{0}) // ok ttlwrite/delete-after-set
	m.Set(family, "resetAt", bigtable.Time(d.clock.Now().Add(-time.Minute)), []byte{0})                         // want ttlwrite/already-expired
	if err := d.table.Apply(ctx, customer, m); err != nil {
		return common.NewTechnicalException("reset", err)
	}
	wipe := bigtable.NewMutation()
	wipe.Set(family, "wiped", d.expiry(), nil) // ok ttlwrite/write-time
	wipe.DeleteRow()                           // want ttlwrite/delete-after-set
	return common.NewTechnicalException("reset", d.table.Apply(ctx, "old#"+customer, wipe))
}

func (d *mailboxDaoImpl) toMessages(row bigtable.Row) []*domain.Message {
	var out []*domain.Message
	for _, item := range row[constants.MailboxFamilies[constants.MailboxMessage]] {
		msg := domain.NewMessageBuilder().WithID(item.Column).WithBody(item.Value).WithExpiresAt(item.Timestamp.Time()).Build() // ok ttlage/not-write-time
		msg.UpdatedAt = item.Timestamp.Time()                                                                                   // want ttlage/not-write-time
		d.log.Debug("message", "id", msg.ID, "age", d.clock.Now().Sub(item.Timestamp.Time()))                                   // want ttlage/not-write-time
		out = append(out, msg)
	}
	return out
}
