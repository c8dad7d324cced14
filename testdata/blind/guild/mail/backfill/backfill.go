// Package backfill copies mail from the old table to the new one.
package backfill

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/guild/internal/kit"
	"example.com/guild/mail"
	"example.com/guild/schema"
)

// Options are the options of a job.
type Options struct {
	Prefix string
	Batch  int
	DryRun bool
	// Progress is called after every batch.
	Progress func(done int)
}

// Job copies rows.
type Job struct {
	from *bigtable.Table
	to   *bigtable.Table
	opts Options
}

// New returns a job.
func New(client *bigtable.Client, opts Options) *Job {
	if opts.Batch == 0 {
		opts.Batch = 200
	}
	return &Job{from: client.Open(schema.Mailbox), to: client.Open(schema.Mailbox2), opts: opts}
}

// Stats is what a job did.
type Stats struct {
	Rows, Cells, Late, Failed int
}

// item is a message on its way.
type item struct {
	Key     string
	Column  string
	Value   []byte
	Until   time.Time
	Created time.Time
}

// Copy copies what is alive, with the lifetime that it has left.
func (j *Job) Copy(ctx context.Context) (Stats, error) {
	var st Stats
	var batch kit.Batch
	var ferr error
	now := kit.Now(ctx)
	err := j.from.ReadRows(ctx, bigtable.PrefixRange(mail.RowKey(j.opts.Prefix)), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		m := bigtable.NewMutation()
		for _, it := range row[schema.FamMail] {
			col := strings.TrimPrefix(it.Column, schema.FamMail+":")
			m.Set(schema.FamMail, col, bigtable.Time(it.Timestamp.Time().Add(-mail.TTL)), it.Value) // ok ttlunit/wrong-unit ttlwrite/already-expired
			st.Cells++
		}
		st.Rows++
		batch.Add(row.Key(), m)
		if batch.Len() >= j.opts.Batch {
			ferr = j.flush(ctx, &batch, &st)
		}
		return ferr == nil
	}, bigtable.RowFilter(kit.OfFamily(schema.FamMail, kit.UnexpiredAt(now))))
	if err == nil {
		err = ferr
	}
	if err == nil {
		err = j.flush(ctx, &batch, &st)
	}
	return st, err
}

// flush writes a batch, unless the job only tries.
func (j *Job) flush(ctx context.Context, b *kit.Batch, st *Stats) error {
	n := b.Len()
	if j.opts.DryRun {
		*b = kit.Batch{}
		return nil
	}
	failed, err := b.Flush(ctx, j.to)
	st.Failed += len(failed)
	if j.opts.Progress != nil {
		j.opts.Progress(n)
	}
	return err
}

// CopyAll copies everything that the old table returns. It was the first
// version of Copy, and the runbook still names it.
func (j *Job) CopyAll(ctx context.Context) (Stats, error) {
	var st Stats
	var ferr error
	err := j.from.ReadRows(ctx, bigtable.PrefixRange(mail.RowKey(j.opts.Prefix)), func(row bigtable.Row) bool { // want ttlread/missing-filter[copyAll]
		m := bigtable.NewMutation()
		for _, it := range row[schema.FamMail] {
			col := strings.TrimPrefix(it.Column, schema.FamMail+":")
			shift := bigtable.Timestamp(mail.TTL)                    // want ttlunit/wrong-unit[copyAll]
			m.Set(schema.FamMail, col, it.Timestamp-shift, it.Value) // want ttlunit/wrong-unit[copyAll]
			st.Cells++
		}
		st.Rows++
		ferr = j.to.Apply(ctx, row.Key(), m)
		return ferr == nil
	}, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter[copyAll]
	if err == nil {
		err = ferr
	}
	return st, err
}

// CopyShifted is CopyAll with the shift in microseconds.
func (j *Job) CopyShifted(ctx context.Context) (Stats, error) {
	var st Stats
	var ferr error
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamMail), kit.UnexpiredAt(time.Now()), bigtable.LatestNFilter(1))
	err := j.from.ReadRows(ctx, bigtable.PrefixRange(mail.RowKey(j.opts.Prefix)), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		m := bigtable.NewMutation()
		for _, it := range row[schema.FamMail] {
			col := strings.TrimPrefix(it.Column, schema.FamMail+":")
			shift := bigtable.Timestamp(mail.TTL.Microseconds()) // ok ttlunit/wrong-unit
			m.Set(schema.FamMail, col, it.Timestamp-shift, it.Value)
			st.Cells++
		}
		st.Rows++
		ferr = j.to.Apply(ctx, row.Key(), m)
		return ferr == nil
	}, bigtable.RowFilter(f))
	if err == nil {
		err = ferr
	}
	return st, err
}

// Late counts messages that have ended but that nobody collected yet. It
// looks at each cell's end.
func (j *Job) Late(ctx context.Context) (int, error) {
	var n int
	now := time.Now()
	err := j.from.ReadRows(ctx, bigtable.PrefixRange(mail.RowKey(j.opts.Prefix)), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[schema.FamMail] {
			if it.Timestamp.Time().Before(now) {
				n++
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamMail)))
	return n, err
}

// collect reads the rows of a prefix into items, for the file that the
// auditors get.
func (j *Job) collect(ctx context.Context) ([]item, error) {
	var out []item
	err := j.from.ReadRows(ctx, bigtable.PrefixRange(mail.RowKey(j.opts.Prefix)), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[schema.FamMail] {
			out = append(out, item{
				Key:     row.Key(),
				Column:  it.Column,
				Value:   it.Value,
				Until:   it.Timestamp.Time(), // ok ttlage/not-write-time
				Created: it.Timestamp.Time(), // want ttlage/not-write-time
			})
		}
		return true
	}, bigtable.RowFilter(kit.OfFamily(schema.FamMail, kit.UnexpiredAt(kit.Now(ctx)))))
	return out, err
}

// Export writes the items of a prefix as lines of JSON.
func (j *Job) Export(ctx context.Context, write func([]byte) error) error {
	items, err := j.collect(ctx)
	if err != nil {
		return err
	}
	for _, it := range items {
		b, err := json.Marshal(it)
		if err != nil {
			return err
		}
		if err := write(b); err != nil {
			return fmt.Errorf("export %s: %w", it.Key, err)
		}
	}
	return nil
}

// Stamp stores in the old table that a row was copied.
func (j *Job) Stamp(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamMail, "copied", bigtable.Time(kit.Now(ctx)), []byte("1")) // want ttlwrite/write-time
	m.Set(schema.FamFlag, "copied", bigtable.Time(kit.Now(ctx)), []byte("1")) // ok ttlwrite/write-time
	return j.from.Apply(ctx, key, m)
}

// StampNew stores in the new table that a row was copied.
func (j *Job) StampNew(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamMail, "copied", bigtable.Time(kit.Now(ctx)), []byte("1")) // ok ttlwrite/write-time
	return j.to.Apply(ctx, key, m)
}

// Import writes mail of the first season, which is in files, into the new
// table, with the times at which it was sent.
func (j *Job) Import(ctx context.Context, msgs []mail.Message) error {
	for _, msg := range msgs {
		m, err := mail.EncodeUntil(msg, bigtable.Time(msg.SentAt)) // ok ttlwrite/already-expired ttlwrite/write-time
		if err != nil {
			return err
		}
		if err := j.to.Apply(ctx, mail.RowKey(msg.To), m); err != nil {
			return err
		}
	}
	return nil
}

// seasonOne is when the first season began.
var seasonOne = time.Date(2019, time.March, 1, 0, 0, 0, 0, time.UTC)

// ImportUndated writes mail without a date as if it were of the first day.
func (j *Job) ImportUndated(ctx context.Context, msgs []mail.Message) error {
	for _, msg := range msgs {
		b, err := json.Marshal(msg)
		if err != nil {
			return err
		}
		m := bigtable.NewMutation()
		m.Set(schema.FamMail, msg.ID, bigtable.Time(seasonOne), b) // want ttlwrite/already-expired
		if err := j.to.Apply(ctx, mail.RowKey(msg.To), m); err != nil {
			return err
		}
	}
	return nil
}
