// Package mailer sends newsletters: jobs with leases, a log of what was sent.
package mailer

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"
	"sync"
	"time"

	"brightpost.example/monolith/bt"
	"brightpost.example/monolith/btutil"
	"brightpost.example/monolith/conf"
	"brightpost.example/monolith/dbx"

	"cloud.google.com/go/bigtable"
)

// JobFam and LogFam were vars once, for the tests of 2018.
const (
	JobFam = "job"
	LogFam = "log"
)

type job struct {
	ID      string
	Issue   string
	Parts   []string
	Tries   int
	Updated time.Time
}

// Mailer runs jobs.
type Mailer struct {
	mu     sync.Mutex
	sends  *bigtable.Table
	host   string
	lease  time.Duration
	queue  chan job
	leases *btutil.TTLStore
	marks  *btutil.Store
	wg     sync.WaitGroup
}

// pending is a mutation for the flusher.
type pending struct {
	key string
	mut *bigtable.Mutation
}

func New(c *bigtable.Client) *Mailer {
	host, _ := os.Hostname()
	m := &Mailer{
		sends: c.Open(conf.TblSends),
		host:  host,
		lease: conf.JobLease,
		queue: make(chan job, 64),
	}
	m.leases = btutil.NewTTL(c, conf.TblSends, JobFam, conf.JobLease) // ok ttlwrite/write-time
	m.marks = btutil.New(c, conf.TblSends, JobFam)                    // want ttlwrite/write-time
	return m
}

// Run starts the workers. Each of them does everything.
func (m *Mailer) Run(ctx context.Context, workers int, retry, verbose bool) {
	for w := 0; w < workers; w++ {
		m.wg.Add(1)
		go func(w int) {
			defer m.wg.Done()
			for {
				select {
				case <-ctx.Done():
					return
				case j := <-m.queue:
					start := time.Now()
					if err := m.one(ctx, j, w); err != nil {
						log.Printf("mailer: %s: %v", j.ID, err)
						if retry && j.Tries < 3 {
							j.Tries++
							m.queue <- j
						}
						continue
					}
					if verbose {
						log.Printf("mailer: %s took %s", j.ID, time.Since(start))
					}
				}
			}
		}(w)
	}
}

func (m *Mailer) one(ctx context.Context, j job, worker int) error {
	key := "job#" + j.ID
	now := time.Now()

	// is somebody else at it?
	row, err := m.sends.ReadRow(ctx, key) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, it := range row[JobFam] {
		if it.Column == JobFam+":lease" && string(it.Value) != m.host {
			return fmt.Errorf("leased by %s", it.Value)
		}
	}

	mut := bigtable.NewMutation()
	mut.Set(JobFam, "lease", bigtable.Time(now.Add(m.lease)), []byte(m.host)) // ok ttlwrite/write-time
	mut.Set(JobFam, "worker", bigtable.Time(now), fmt.Append(nil, worker))    // want ttlwrite/write-time
	mut.Set(LogFam, "start", bigtable.Time(now), []byte(m.host))              // ok ttlwrite/write-time
	if err := m.sends.Apply(ctx, key, mut); err != nil {
		return err
	}
	for i, p := range j.Parts {
		if err := m.send(ctx, j, p); err != nil {
			return err
		}
		if i%10 == 9 {
			if err := m.renew(ctx, key); err != nil {
				return err
			}
		}
	}
	if err := m.leases.Write(ctx, key, "done", []byte(m.host)); err != nil {
		return err
	}
	return m.marks.Write(ctx, key, "mark", []byte(j.Issue))
}

func (m *Mailer) send(ctx context.Context, j job, part string) error {
	lm := bigtable.NewMutation()
	lm.Set(LogFam, "part#"+part, bigtable.ServerTime, []byte(j.Issue)) // ok ttlwrite/server-timestamp
	return m.sends.Apply(ctx, "job#"+j.ID, lm)
}

// renew keeps the lease.
func (m *Mailer) renew(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set(JobFam, "lease", bigtable.ServerTime, []byte(m.host))   // want ttlwrite/server-timestamp
	mut.Set(LogFam, "renewed", bigtable.ServerTime, []byte(m.host)) // ok ttlwrite/server-timestamp
	return m.sends.Apply(ctx, key, mut)
}

// Lease takes a lease, compare and set.
func (m *Mailer) Lease(ctx context.Context, id string) (bool, error) {
	t := bigtable.NewMutation()
	t.Set(JobFam, "lease", bt.In(conf.JobLease), []byte(m.host))
	var taken bool
	cm := bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.FamilyFilter(JobFam), bigtable.ColumnFilter("lease")), nil, t) // want ttlread/conditional-mutation
	err := m.sends.Apply(ctx, "job#"+id, cm, bigtable.GetCondMutationResult(&taken))
	return !taken, err
}

// LeaseLive sees live leases only.
func (m *Mailer) LeaseLive(ctx context.Context, id string) (bool, error) {
	t := bigtable.NewMutation()
	t.Set(JobFam, "lease", bt.In(conf.JobLease), []byte(m.host))
	var taken bool
	cm := bigtable.NewCondMutation(dbx.LiveFilter(JobFam), nil, t) // ok ttlread/conditional-mutation
	err := m.sends.Apply(ctx, "job#"+id, cm, bigtable.GetCondMutationResult(&taken))
	return !taken, err
}

// Release ends a lease if it is ours.
func (m *Mailer) Release(ctx context.Context, id string) error {
	del := bigtable.NewMutation()
	del.DeleteCellsInColumn(JobFam, "lease")
	cond := bigtable.ChainFilters(bigtable.FamilyFilter(JobFam), bigtable.ColumnFilter("lease"), bigtable.ValueFilter(m.host))
	return m.sends.Apply(ctx, "job#"+id, bigtable.NewCondMutation(cond, del, nil)) // ok ttlread/conditional-mutation
}

// Tries counts attempts.
func (m *Mailer) Tries(ctx context.Context, id string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(JobFam, "tries", 1) // want ttlwrite/read-modify-write
	rmw.Increment(LogFam, "tries", 1) // ok ttlwrite/read-modify-write
	_, err := m.sends.ApplyReadModifyWrite(ctx, "job#"+id, rmw)
	return err
}

// Log of a job.
func (m *Mailer) Log(ctx context.Context, id string) ([]string, error) {
	row, err := m.sends.ReadRow(ctx, "job#"+id, bigtable.RowFilter(bigtable.FamilyFilter(LogFam))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[LogFam] {
		out = append(out, fmt.Sprintf("%s %s ago: %s", it.Column, time.Since(it.Timestamp.Time()), it.Value)) // ok ttlage/not-write-time
	}
	return out, nil
}

// Status mixes both families.
func (m *Mailer) Status(ctx context.Context, id string) (bigtable.Row, error) {
	now := time.Now()
	return m.sends.ReadRow(ctx, "job#"+id, bigtable.RowFilter(bigtable.TimestampRangeFilter(now, time.Time{}))) // want ttlread/hides-other-families
}

// StatusBoth is right.
func (m *Mailer) StatusBoth(ctx context.Context, id string) (bigtable.Row, error) {
	f := bigtable.InterleaveFilters(dbx.LiveFilter(JobFam), bigtable.ChainFilters(bigtable.FamilyFilter(LogFam), bigtable.LatestNFilter(1)))
	return m.sends.ReadRow(ctx, "job#"+id, bigtable.RowFilter(f)) // ok ttlread/hides-other-families
}

// StatusJob wants nothing but the job.
func (m *Mailer) StatusJob(ctx context.Context, id string) (string, error) {
	row, err := m.sends.ReadRow(ctx, "job#"+id, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{}))) // ok ttlread/hides-other-families
	if err != nil {
		return "", err
	}
	for _, it := range row[JobFam] {
		return string(it.Value), nil
	}
	return "", nil
}

// StatusLog wants the log with the same filter, and wonders.
func (m *Mailer) StatusLog(ctx context.Context, id string) (string, error) {
	f := bigtable.TimestampRangeFilter(time.Now(), time.Time{})        // want ttlread/hides-other-families[sl]
	row, err := m.sends.ReadRow(ctx, "job#"+id, bigtable.RowFilter(f)) // want ttlread/hides-other-families[sl]
	if err != nil {
		return "", err
	}
	lease := ""
	for _, it := range row[JobFam] {
		lease = string(it.Value)
	}
	for _, it := range row[LogFam] {
		return lease + string(it.Value), nil
	}
	return "", nil
}

// StatusInter forgot one branch.
func (m *Mailer) StatusInter(ctx context.Context, id string) (bigtable.Row, error) {
	f := bigtable.InterleaveFilters( // want ttlread/unfiltered-branch[si]
		bigtable.FamilyFilter(JobFam), // want ttlread/unfiltered-branch[si]
		bigtable.ChainFilters(bigtable.FamilyFilter(LogFam), bigtable.LatestNFilter(1)),
	)
	return m.sends.ReadRow(ctx, "job#"+id, bigtable.RowFilter(f)) // want ttlread/unfiltered-branch[si]
}

// Window has an end; there is no ttl in the registry.
func (m *Mailer) Window(ctx context.Context) (int, error) {
	n := 0
	now := time.Now()
	f := bigtable.ChainFilters(bigtable.FamilyFilter(JobFam), bigtable.TimestampRangeFilter(now, now.Add(72*time.Hour))) // want ttlread/upper-bound[win]
	err := m.sends.ReadRows(ctx, bigtable.PrefixRange("job#"), func(r bigtable.Row) bool {                               // want ttlread/upper-bound[win]
		n += len(r[JobFam])
		return true
	}, bigtable.RowFilter(f)) // want ttlread/upper-bound[win]
	return n, err
}

// WindowLog is a query window over ordinary cells.
func (m *Mailer) WindowLog(ctx context.Context, from, to time.Time) (int, error) {
	n := 0
	f := bigtable.ChainFilters(bigtable.FamilyFilter(LogFam), bigtable.TimestampRangeFilter(from, to))
	err := m.sends.ReadRows(ctx, bigtable.PrefixRange("job#"), func(r bigtable.Row) bool { // ok ttlread/upper-bound
		n += len(r[LogFam])
		return true
	}, bigtable.RowFilter(f))
	return n, err
}

// Slack allows for clocks that differ by a second.
func (m *Mailer) Slack(ctx context.Context, id string) (bool, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(JobFam), bigtable.TimestampRangeFilter(time.Now().Add(-time.Second), time.Time{}))
	row, err := m.sends.ReadRow(ctx, "job#"+id, bigtable.RowFilter(f)) // ok ttlread/wrong-bound
	return len(row) > 0, err
}

// SlackMore allows for more.
func (m *Mailer) SlackMore(ctx context.Context, id string) (bool, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(JobFam), bigtable.TimestampRangeFilter(time.Now().Add(-conf.JobLease), time.Time{})) // want ttlread/wrong-bound[sm]
	row, err := m.sends.ReadRow(ctx, "job#"+id, bigtable.RowFilter(f))                                                                    // want ttlread/wrong-bound[sm]
	return len(row) > 0, err
}

// Batch collects mutations and flushes them in another goroutine.
func (m *Mailer) Batch(ctx context.Context, jobs []job) error {
	ch := make(chan pending, len(jobs))
	done := make(chan error, 1)
	go func() { done <- m.flush(ctx, ch) }()
	for _, j := range jobs {
		mut := bigtable.NewMutation()
		mut.Set(JobFam, "queued", bigtable.Now(), []byte(j.Issue))  // want ttlwrite/write-time
		mut.Set(LogFam, "queued", bigtable.Now(), []byte(j.Issue))  // ok ttlwrite/write-time
		mut.Set(JobFam, "until", bt.In(time.Hour), []byte(j.Issue)) // ok ttlwrite/write-time
		ch <- pending{"job#" + j.ID, mut}
	}
	close(ch)
	return <-done
}

func (m *Mailer) flush(ctx context.Context, ch <-chan pending) error {
	var keys []string
	var muts []*bigtable.Mutation
	for p := range ch {
		keys, muts = append(keys, p.key), append(muts, p.mut)
	}
	if len(keys) == 0 {
		return nil
	}
	_, err := m.sends.ApplyBulk(ctx, keys, muts)
	return err
}

// Beat is the heartbeat of a host. It went through four hands.
func (m *Mailer) Beat(ctx context.Context, kind string, info map[string]string) error {
	var fam string
	var ts bigtable.Timestamp
	switch {
	case os.Getenv("BP_BEAT_LOG") != "":
		fam, ts = LogFam, bigtable.Now()
	default:
		fam, ts = JobFam, bt.In(time.Minute)
	}
	mut := bigtable.NewMutation()
	mut.Set(fam, "beat", ts, []byte(kind)) // ok ttlwrite/write-time
	for k, v := range info {
		mut.Set(LogFam, k, bigtable.Now(), []byte(v)) // ok ttlwrite/write-time
	}
	return m.sends.Apply(ctx, "host#"+m.host, mut)
}

// BeatOld has them the wrong way round.
func (m *Mailer) BeatOld(ctx context.Context, kind string) error {
	fam, ts := LogFam, bt.In(time.Minute)
	if os.Getenv("BP_BEAT_JOB") != "" {
		fam, ts = JobFam, bigtable.Now()
	}
	mut := bigtable.NewMutation()
	mut.Set(fam, "beat", ts, []byte(kind)) // want ttlwrite/write-time
	return m.sends.Apply(ctx, "host#"+m.host, mut)
}

// Running lists jobs with live leases, in the long way round.
func (m *Mailer) Running(ctx context.Context, mine bool) ([]job, error) {
	var out []job
	opts := []bigtable.ReadOption{dbx.Live(JobFam), bigtable.LimitRows(1000)}
	err := m.sends.ReadRows(ctx, bigtable.PrefixRange("job#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		j := job{ID: strings.TrimPrefix(r.Key(), "job#")}
		for _, it := range r[JobFam] {
			if mine && string(it.Value) != m.host {
				return true
			}
			j.Issue = string(it.Value)
		}
		out = append(out, j)
		return true
	}, opts...)
	return out, err
}

// RunningOld is Running of 2019; the cron job of operations calls it.
func (m *Mailer) RunningOld(ctx context.Context) ([]job, error) {
	var out []job
	var opts []bigtable.ReadOption
	opts = append(opts, bigtable.LimitRows(1000))
	opts = append(opts, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(JobFam), bigtable.LatestNFilter(1)))) // want ttlread/missing-filter[ro]
	err := m.sends.ReadRows(ctx, bigtable.PrefixRange("job#"), func(r bigtable.Row) bool {                                   // want ttlread/missing-filter[ro]
		j := job{ID: strings.TrimPrefix(r.Key(), "job#")}
		for _, it := range r[JobFam] {
			j.Updated = it.Timestamp.Time() // want ttlage/not-write-time
			j.Issue = string(it.Value)
		}
		out = append(out, j)
		return true
	}, opts...) // want ttlread/missing-filter[ro]
	return out, err
}

// Import reads jobs as JSON; the expiry comes with them.
func (m *Mailer) Import(ctx context.Context, raw []byte) error {
	var in []struct {
		ID    string    `json:"id"`
		Until time.Time `json:"until"`
		Issue string    `json:"issue"`
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return err
	}
	for _, j := range in {
		mut := bigtable.NewMutation()
		mut.Set(JobFam, "until", bigtable.Time(j.Until), []byte(j.Issue)) // ok ttlwrite/write-time
		mut.Set(LogFam, "imported", bigtable.Now(), []byte(j.Issue))      // ok ttlwrite/write-time
		if err := m.sends.Apply(ctx, "job#"+j.ID, mut); err != nil {
			return err
		}
	}
	return nil
}

// Deadline in the units of the mailing house.
func (m *Mailer) Deadline(ctx context.Context, id string, at time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set(LogFam, "deadline", bigtable.Timestamp(at.UnixMilli()), nil)                         // want ttlunit/wrong-unit
	mut.Set(LogFam, "deadline2", bigtable.Timestamp(at.Unix()*1e6), nil)                         // ok ttlunit/wrong-unit
	mut.Set(LogFam, "took", bigtable.Now()+bigtable.Timestamp(time.Hour), nil)                   // want ttlunit/wrong-unit
	mut.Set(LogFam, "took2", bigtable.Now()+bigtable.Timestamp(time.Hour/time.Microsecond), nil) // ok ttlunit/wrong-unit
	return m.sends.Apply(ctx, "job#"+id, mut)
}
