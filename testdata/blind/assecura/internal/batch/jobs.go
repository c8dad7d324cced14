// Package batch holds the nightly jobs (was: Spring Batch).
package batch

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

// Job is one step of the night.
type Job interface {
	GetName() string
	Execute(ctx context.Context) error
}

// AbstractJob is the base of jobs.
type AbstractJob struct {
	name   string
	client *bigtable.Client
	clock  common.Clock
	log    *slog.Logger
}

// GetName implements Job.
func (j *AbstractJob) GetName() string { return j.name }

func (j *AbstractJob) open(name string) *bigtable.Table { return j.client.Open(name) }

// ItemWriter collects mutations and writes them in chunks.
type ItemWriter struct {
	table *bigtable.Table
	keys  []string
	muts  []*bigtable.Mutation
	chunk int
}

// NewItemWriter makes a writer.
func NewItemWriter(table *bigtable.Table, chunk int) *ItemWriter {
	return &ItemWriter{table: table, chunk: chunk}
}

// Write adds a mutation.
func (w *ItemWriter) Write(ctx context.Context, key string, m *bigtable.Mutation) error {
	w.keys, w.muts = append(w.keys, key), append(w.muts, m)
	if len(w.keys) < w.chunk {
		return nil
	}
	return w.Flush(ctx)
}

// Flush writes what is left.
func (w *ItemWriter) Flush(ctx context.Context) error {
	if len(w.keys) == 0 {
		return nil
	}
	_, err := w.table.ApplyBulk(ctx, w.keys, w.muts)
	w.keys, w.muts = nil, nil
	return common.NewTechnicalException("flush", err)
}

// ReminderJob reminds those whose quotes run out.
type ReminderJob struct {
	AbstractJob
	mailbox dao.MailboxDao
}

// Execute implements Job.
func (j *ReminderJob) Execute(ctx context.Context) error {
	var customers []string
	quotes := j.open(constants.TableQuotes)
	err := quotes.ReadRows(ctx, bigtable.PrefixRange("q#"), func(row bigtable.Row) bool { // want ttlread/missing-filter
		for _, item := range row[constants.FamilyOffer] {
			customers = append(customers, string(item.Value))
		}
		return true
	})
	if err != nil {
		return common.NewTechnicalException("reminder", err)
	}
	err = quotes.ReadRows(ctx, bigtable.PrefixRange("r#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		oldest := j.clock.Now().Add(-constants.QuoteDefaultTTL)
		for _, item := range row[constants.FamilyOffer] {
			if item.Timestamp.Time().Before(oldest) {
				continue
			}
			customers = append(customers, string(item.Value))
		}
		return true
	})
	if err != nil {
		return common.NewTechnicalException("reminder", err)
	}
	msg := domain.NewMessageBuilder().WithSubject("Your offer").WithExpiresAt(j.clock.Now()).Build() // want ttlwrite/write-time[reminder]
	return j.mailbox.SendMany(ctx, customers, msg)                                                   // want ttlwrite/write-time[reminder]
}

// LedgerCloseJob closes the day of every tenant.
type LedgerCloseJob struct {
	AbstractJob
	factory core.TableFactory
	tenants []string
}

// Execute implements Job.
func (j *LedgerCloseJob) Execute(ctx context.Context) error {
	for i, tenant := range j.tenants {
		writer := NewItemWriter(j.open(tenant+constants.LedgerSuffix), 100)
		m := bigtable.NewMutation()
		m.Set(constants.FamilyEntry, "closed", bigtable.Now(), []byte(tenant))                      // want ttlwrite/clock-in-sequence
		m.Set(constants.FamilyEntry, "day", bigtable.Timestamp(int64(i+1)*1000), []byte(tenant))    // ok ttlwrite/unscaled-sequence
		m.Set(constants.FamilyEntry, "rank", bigtable.Timestamp(i), []byte(tenant))                 // want ttlwrite/unscaled-sequence
		m.Set(constants.FamilyEntry, "epoch", bigtable.Timestamp(time.Now().UnixMilli()*1000), nil) // want ttlwrite/clock-in-sequence
		if err := writer.Write(ctx, "total", m); err != nil {
			return err
		}
		if err := writer.Flush(ctx); err != nil {
			return err
		}
		total := 0
		err := j.factory.CreateLedgerTable(tenant).ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/missing-filter
			for _, item := range row[constants.FamilyEntry] {
				total += len(item.Value)
			}
			return true
		})
		if err != nil {
			return common.NewTechnicalException("close", err)
		}
		j.log.Info("closed", "tenant", tenant, "total", total)
	}
	return nil
}

// SessionSweepJob removes what has expired, and warms the caches.
type SessionSweepJob struct {
	AbstractJob
	sessions dao.SessionDao
}

// Execute implements Job.
func (j *SessionSweepJob) Execute(ctx context.Context) error {
	n, err := j.sessions.PurgeExpired(ctx, "u#")
	if err != nil {
		return err
	}
	j.log.Info("purged", "n", n)
	table := j.open(constants.TableSessions)
	writer := NewItemWriter(table, 500)
	m := bigtable.NewMutation()
	m.Set(constants.FamilyToken, "swept", bigtable.ServerTime, nil)                                                      // want ttlwrite/server-timestamp
	m.Set(constants.FamilyUser, "swept", bigtable.ServerTime, nil)                                                       // ok ttlwrite/server-timestamp
	m.Set(constants.FamilyToken, "sweeper", bigtable.Time(j.clock.Now().Add(constants.SessionTTL)), []byte(j.GetName())) // ok ttlwrite/write-time
	if err := writer.Write(ctx, "sweep", m); err != nil {
		return err
	}
	if err := writer.Flush(ctx); err != nil {
		return err
	}
	logins := 0
	err = table.ReadRows(ctx, bigtable.PrefixRange("u#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for range row[constants.FamilyUser] {
			logins++
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(constants.FamilyUser)))
	if err != nil {
		return common.NewTechnicalException("sweep", err)
	}
	var jwts []string
	err = table.ReadRows(ctx, bigtable.PrefixRange("u#"), func(row bigtable.Row) bool { // want ttlread/expired-only[warm]
		for _, item := range row[constants.FamilyToken] {
			jwts = append(jwts, string(item.Value))
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyToken), bigtable.TimestampRangeFilter(time.Time{}, time.Now())))) // want ttlread/expired-only[warm]
	if err != nil {
		return common.NewTechnicalException("sweep", err)
	}
	err = table.ReadRows(ctx, bigtable.PrefixRange("v#"), func(row bigtable.Row) bool { // want ttlread/wrong-bound[half]
		for _, item := range row[constants.FamilyToken] {
			jwts = append(jwts, string(item.Value))
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyToken), bigtable.TimestampRangeFilter(time.Now().Add(-constants.SessionTTL), time.Time{})))) // want ttlread/wrong-bound[half]
	j.log.Info("warmed", "logins", logins, "tokens", len(jwts))
	return common.NewTechnicalException("sweep", err)
}

// MailStatisticsJob looks at mailboxes and codes.
type MailStatisticsJob struct{ AbstractJob }

// Execute implements Job.
func (j *MailStatisticsJob) Execute(ctx context.Context) error {
	mailbox := j.open(constants.TableMailbox)
	bytes := 0
	row, err := mailbox.ReadRow(ctx, "statistics") // want ttlread/missing-filter
	if err != nil {
		return common.NewTechnicalException("statistics", err)
	}
	for _, item := range row["cnt"] {
		bytes += len(item.Value)
		j.log.Info("counter", "age", time.Since(item.Timestamp.Time())) // want ttlage/not-write-time
	}
	row, err = mailbox.ReadRow(ctx, "statistics", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now().Add(-constants.MailTTL), time.Time{}))) // want ttlread/wrong-bound
	if err != nil {
		return common.NewTechnicalException("statistics", err)
	}
	for _, item := range row["msg"] {
		bytes += len(item.Value)
	}
	otp := j.open(constants.TableOtp)
	row, err = otp.ReadRow(ctx, "statistics", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now().Add(-constants.OtpTTL), time.Time{}))) // want ttlread/wrong-bound
	if err != nil {
		return common.NewTechnicalException("statistics", err)
	}
	for _, item := range row["code"] {
		bytes += len(item.Value)
	}
	policies := j.open(constants.TablePolicies)
	row, err = policies.ReadRow(ctx, "statistics") // want ttlread/missing-filter
	if err != nil {
		return common.NewTechnicalException("statistics", err)
	}
	for _, item := range row[constants.Policy.Version] {
		bytes += len(item.Value)
	}
	row, err = policies.ReadRow(ctx, "statistics", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now().Add(-time.Hour), time.Time{}))) // want ttlread/wrong-bound
	if err != nil {
		return common.NewTechnicalException("statistics", err)
	}
	for _, item := range row[constants.Policy.Version] {
		bytes += len(item.Value)
	}
	docs := j.open(constants.TableDocuments)
	row, err = docs.ReadRow(ctx, "statistics", bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return common.NewTechnicalException("statistics", err)
	}
	for _, item := range row[constants.FamilyIndex] {
		bytes += len(item.Value)
	}
	row, err = docs.ReadRow(ctx, "statistics", bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		return common.NewTechnicalException("statistics", err)
	}
	for _, item := range row[constants.FamilyMeta] {
		bytes += len(item.Value)
	}
	j.log.Info("statistics", "bytes", bytes)
	return nil
}

// JobFactory makes the jobs.
type JobFactory interface {
	CreateJobs(tenants []string) []Job
}

type jobFactoryImpl struct {
	client   *bigtable.Client
	factory  core.TableFactory
	clock    common.Clock
	log      *slog.Logger
	mailbox  dao.MailboxDao
	sessions dao.SessionDao
}

// NewJobFactory makes the factory.
func NewJobFactory(client *bigtable.Client, factory core.TableFactory, clock common.Clock, log *slog.Logger, mailbox dao.MailboxDao, sessions dao.SessionDao) JobFactory {
	return &jobFactoryImpl{client: client, factory: factory, clock: clock, log: log, mailbox: mailbox, sessions: sessions}
}

// CreateJobs implements JobFactory.
func (f *jobFactoryImpl) CreateJobs(tenants []string) []Job {
	base := func(name string) AbstractJob {
		return AbstractJob{name: name, client: f.client, clock: f.clock, log: f.log.With("job", name)}
	}
	return []Job{
		&ReminderJob{AbstractJob: base("reminder"), mailbox: f.mailbox},
		&LedgerCloseJob{AbstractJob: base("ledger-close"), factory: f.factory, tenants: tenants},
		&SessionSweepJob{AbstractJob: base("session-sweep"), sessions: f.sessions},
		&MailStatisticsJob{AbstractJob: base("statistics")},
	}
}
