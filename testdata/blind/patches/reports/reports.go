// Package reports makes the numbers for sales. Everything is copied from somewhere.
package reports

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"sort"
	"strings"
	"time"

	"brightpost.example/monolith/bt"
	"brightpost.example/monolith/btutil"
	"brightpost.example/monolith/conf"
	"brightpost.example/monolith/dbx"

	"cloud.google.com/go/bigtable"
)

// Line of a report.
type Line struct {
	Key       string
	Value     string
	UpdatedAt time.Time
	WrittenAt time.Time
	ExpiresAt time.Time
	Version   int64
}

// Reporter has the clients of all the tables.
type Reporter struct {
	impr, camps, subs, sends *bigtable.Table
	loc                      *time.Location
}

func New(c *bigtable.Client) *Reporter {
	return &Reporter{
		impr: c.Open("impressions"), camps: c.Open("campaigns"),
		subs: c.Open("subscribers"), sends: c.Open("sends"), loc: time.Local,
	}
}

// Weekly is run on Mondays.
func (r *Reporter) Weekly(ctx context.Context, w io.Writer, withCaps, withRevs, withSubs bool, limit int) error {
	cw := csv.NewWriter(w)
	defer cw.Flush()
	var lines []Line
	now := time.Now()
	if withCaps {
		f := bigtable.ChainFilters(bigtable.FamilyFilter("cap"), bigtable.TimestampRangeFilter(now, time.Time{}))
		err := r.impr.ReadRows(ctx, bigtable.PrefixRange("u#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
			for _, it := range row["cap"] {
				l := Line{Key: row.Key(), Value: string(it.Value)}
				l.ExpiresAt = it.Timestamp.Time() // ok ttlage/not-write-time
				l.WrittenAt = it.Timestamp.Time() // want ttlage/not-write-time
				lines = append(lines, l)
			}
			return len(lines) < limit
		}, bigtable.RowFilter(f))
		if err != nil {
			return err
		}
	}
	if withRevs {
		f := bigtable.ChainFilters(bigtable.FamilyFilter("rev"), bigtable.LatestNFilter(1))
		err := r.camps.ReadRows(ctx, bigtable.PrefixRange("c#"), func(row bigtable.Row) bool { // ok ttlread/version-limit
			for _, it := range row["rev"] {
				lines = append(lines, Line{
					Key:       row.Key(),
					Version:   int64(it.Timestamp / 1000),    // ok ttlage/not-write-time
					UpdatedAt: it.Timestamp.Time().In(r.loc), // want ttlage/not-write-time
				})
			}
			return true
		}, bigtable.RowFilter(f))
		if err != nil {
			return err
		}
		err = r.camps.ReadRows(ctx, bigtable.PrefixRange("c#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
			for _, it := range row["info"] {
				lines = append(lines, Line{Key: row.Key(), UpdatedAt: it.Timestamp.Time()}) // ok ttlage/not-write-time
			}
			return true
		}, bigtable.RowFilter(bigtable.FamilyFilter("info")))
		if err != nil {
			return err
		}
	}
	if withSubs {
		err := r.subs.ReadRows(ctx, bigtable.PrefixRange("s#"), func(row bigtable.Row) bool { // want ttlread/missing-filter
			for _, it := range row["confirm"] {
				lines = append(lines, Line{Key: row.Key(), Value: string(it.Value)})
			}
			for _, it := range row["profile"] {
				lines = append(lines, Line{Key: row.Key(), UpdatedAt: it.Timestamp.Time()}) // ok ttlage/not-write-time
			}
			return true
		})
		if err != nil {
			return err
		}
	}
	sort.Slice(lines, func(i, j int) bool { return lines[i].Key < lines[j].Key })
	for _, l := range lines {
		if err := cw.Write([]string{l.Key, l.Value, l.UpdatedAt.Format(time.DateOnly), fmt.Sprint(l.Version)}); err != nil {
			return err
		}
	}
	return cw.Error()
}

// cellAge is used by Stale and Fresh.
func cellAge(it bigtable.ReadItem) time.Duration { return time.Since(it.Timestamp.Time()) } // want ttlage/not-write-time[ca]

// Stale lists campaigns whose state is old.
func (r *Reporter) Stale(ctx context.Context, d time.Duration) ([]string, error) {
	var out []string
	err := r.camps.ReadRows(ctx, bigtable.PrefixRange("c#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row["state"] {
			if cellAge(it) > d { // want ttlage/not-write-time[ca]
				out = append(out, row.Key())
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("state"), bigtable.LatestNFilter(1))))
	return out, err
}

// infoAge is the right one.
func infoAge(it bigtable.ReadItem) time.Duration { return time.Since(it.Timestamp.Time()) } // ok ttlage/not-write-time

// Fresh lists campaigns whose info is new.
func (r *Reporter) Fresh(ctx context.Context, d time.Duration) ([]string, error) {
	var out []string
	err := r.camps.ReadRows(ctx, bigtable.PrefixRange("c#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row["info"] {
			if infoAge(it) < d { // ok ttlage/not-write-time
				out = append(out, row.Key())
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter("info")))
	return out, err
}

// Caps for a sales call.
func (r *Reporter) Caps(ctx context.Context, user string) (string, error) {
	row, err := r.impr.ReadRow(ctx, "u#"+user, dbx.Live("cap")) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, it := range row["cap"] {
		age := time.Now().Sub(it.Timestamp.Time())  // want ttlage/not-write-time
		left := it.Timestamp.Time().Sub(time.Now()) // ok ttlage/not-write-time
		fmt.Fprintf(&b, "%s: %s, %s left\n", it.Column, age, left)
	}
	return b.String(), nil
}

// Seen for a sales call.
func (r *Reporter) Seen(ctx context.Context, user string) (string, error) {
	row, err := r.impr.ReadRow(ctx, "u#"+user, dbx.Young("seen", conf.SeenTTL)) // ok ttlread/wrong-bound
	if err != nil {
		return "", err
	}
	for _, it := range row["seen"] {
		modified := it.Timestamp.Time().Format(time.RFC3339) // want ttlage/not-write-time
		return modified, nil
	}
	return "", nil
}

// MetaAge for a sales call.
func (r *Reporter) MetaAge(ctx context.Context, user string) (time.Duration, error) {
	row, err := r.impr.ReadRow(ctx, "u#"+user, dbx.Newest("meta", 1)) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row["meta"] {
		return time.Since(it.Timestamp.Time()), nil // ok ttlage/not-write-time
	}
	return 0, nil
}

// Leases are shown on the wall.
func (r *Reporter) Leases(ctx context.Context) (map[string]time.Time, error) {
	out := map[string]time.Time{}
	err := r.sends.ReadRows(ctx, bigtable.PrefixRange("job#"), func(row bigtable.Row) bool { // want ttlread/missing-filter
		for _, it := range row["job"] {
			out[row.Key()] = it.Timestamp.Time() // ok ttlage/not-write-time
		}
		return true
	})
	return out, err
}

// Counters remembers that it ran, in all the tables.
func (r *Reporter) Counters(ctx context.Context, name string) error {
	if err := bt.Incr(ctx, conf.TblSubscribers, "report#"+name, conf.FamConfirm, "runs", 1); err != nil { // want ttlwrite/read-modify-write
		return err
	}
	if err := bt.Incr(ctx, conf.TblSubscribers, "report#"+name, conf.FamProfile, "runs", 1); err != nil { // ok ttlwrite/read-modify-write
		return err
	}
	if err := bt.Put(ctx, conf.TblSubscribers, "report#"+name, conf.SubFams[0], "last", nil); err != nil { // want ttlwrite/write-time
		return err
	}
	if err := bt.Put(ctx, conf.TblSubscribers, "report#"+name, conf.SubFams[2], "last", nil); err != nil { // ok ttlwrite/write-time
		return err
	}
	return btutil.NewMut().Put("job", "report", bigtable.ServerTime, name).Apply(ctx, r.sends, "report#"+name) // want ttlwrite/server-timestamp
}
