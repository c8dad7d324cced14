// Package jobs has what runs every so often.
package jobs

import (
	"context"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"northlane.example/parcel/internal/bt"
	"northlane.example/parcel/internal/clock"
	"northlane.example/parcel/internal/metrics"
)

// Job is a job.
type Job struct {
	Name  string
	Every time.Duration
	Run   func(context.Context) error
}

// Loop runs jobs until ctx ends.
func Loop(ctx context.Context, m *metrics.Registry, jobs ...Job) {
	for _, j := range jobs {
		go func() {
			for clock.Sleep(ctx.Done(), j.Every) {
				start := time.Now()
				if err := j.Run(ctx); err != nil {
					slog.Error("job", "name", j.Name, "err", err)
					m.Counter("job_" + j.Name + "_errors").Add(1)
				}
				m.Observe("job_"+j.Name, start)
			}
		}()
	}
}

// Reminder warns couriers whose sessions end.
func Reminder(c *bigtable.Client, notify func(courier string)) Job {
	tbl := c.Open("sessions")
	return Job{Name: "reminder", Every: 5 * time.Minute, Run: func(ctx context.Context) error {
		return tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlread/missing-filter[reminder]
			if len(r["token"]) > 0 && string(r["token"][0].Value) != "" {
				notify(r.Key())
			}
			return true
		}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.LatestNFilter(1)))) // want ttlread/missing-filter[reminder]
	}}
}

// Greeter greets couriers who have a live session.
func Greeter(c *bigtable.Client, notify func(courier string)) Job {
	tbl := c.Open("sessions")
	return Job{Name: "greeter", Every: 5 * time.Minute, Run: func(ctx context.Context) error {
		live := bt.LiveFamily("token", time.Now())
		return tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
			if len(r["token"]) > 0 && string(r["token"][0].Value) != "" {
				notify(r.Key())
			}
			return true
		}, bigtable.RowFilter(live))
	}}
}

// Heartbeat shows that the process lives.
func Heartbeat(c *bigtable.Client, node string) Job {
	tbl := c.Open("holds")
	return Job{Name: "heartbeat", Every: 10 * time.Second, Run: func(ctx context.Context) error {
		m := bigtable.NewMutation()
		m.Set("lease", "beat", bigtable.Now(), []byte(node))                             // want ttlwrite/write-time
		m.Set("lease", "node", bigtable.Time(time.Now().Add(time.Minute)), []byte(node)) // ok ttlwrite/write-time
		return tbl.Apply(ctx, "node#"+node, m)
	}}
}

// Cleaner removes the rows of nodes that are gone; it deletes whatever it finds.
func Cleaner(c *bigtable.Client) Job {
	tbl := c.Open("holds")
	return Job{Name: "cleaner", Every: time.Hour, Run: func(ctx context.Context) error {
		b := bt.NewBulk(100)
		err := tbl.ReadRows(ctx, bigtable.PrefixRange("node#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
			m := bigtable.NewMutation()
			m.DeleteRow()
			b.Add(r.Key(), m)
			return true
		})
		if err != nil {
			return err
		}
		return b.Flush(ctx, tbl)
	}}
}
