// Package export turns rows into lines for the data lake. Rows come in on a channel,
// from whichever table the caller streams.
package export

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"
	"golang.org/x/sync/errgroup"

	"example.com/gridwatch/internal/store"
)

// Line is one cell for the lake.
type Line struct {
	Key       string    `json:"key"`
	Column    string    `json:"column"`
	Value     string    `json:"value"`
	WrittenAt time.Time `json:"written_at,omitzero"`
	ExpiresAt time.Time `json:"expires_at,omitzero"`
	Number    int64     `json:"number,omitempty"`
}

// Samples turns telemetry rows into lines.
func Samples(ctx context.Context, in <-chan bigtable.Row, out chan<- Line) error {
	defer close(out)
	for row := range in {
		for _, it := range row[store.FamRaw] {
			l := Line{Key: row.Key(), Column: it.Column, Value: string(it.Value), WrittenAt: it.Timestamp.Time()} // want ttlage/not-write-time
			if err := emit(ctx, out, l); err != nil {
				return err
			}
		}
		for _, it := range row[store.FamRollup] {
			l := Line{Key: row.Key(), Column: it.Column, Value: string(it.Value), WrittenAt: it.Timestamp.Time()} // ok ttlage/not-write-time
			if err := emit(ctx, out, l); err != nil {
				return err
			}
		}
	}
	return nil
}

// Sessions turns session rows into lines.
func Sessions(ctx context.Context, in <-chan bigtable.Row, out chan<- Line) error {
	defer close(out)
	for row := range in {
		for _, it := range row[store.FamToken] {
			l := Line{Key: row.Key(), Column: it.Column}
			l.ExpiresAt = it.Timestamp.Time() // ok ttlage/not-write-time
			if err := emit(ctx, out, l); err != nil {
				return err
			}
		}
		for _, it := range row[store.FamPresence] {
			l := Line{Key: row.Key(), Column: it.Column}
			l.WrittenAt = it.Timestamp.Time() // want ttlage/not-write-time
			if err := emit(ctx, out, l); err != nil {
				return err
			}
		}
	}
	return nil
}

// Commands turns log rows into lines.
func Commands(ctx context.Context, in <-chan bigtable.Row, out chan<- Line) error {
	defer close(out)
	for row := range in {
		for _, it := range row[store.FamEntry] {
			l := Line{Key: row.Key(), Column: it.Column, Value: string(it.Value), Number: int64(it.Timestamp) / 1000} // ok ttlage/not-write-time
			if err := emit(ctx, out, l); err != nil {
				return err
			}
		}
	}
	return nil
}

func emit(ctx context.Context, out chan<- Line, l Line) error {
	select {
	case out <- l:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// age is how long ago a cell was written.
func age(it bigtable.ReadItem, now time.Time) time.Duration {
	return now.Sub(it.Timestamp.Time())
}

// Ages collects the ages of what a row holds.
func Ages(row bigtable.Row, now time.Time) map[string]time.Duration {
	out := map[string]time.Duration{}
	for _, it := range row[store.FamProfile] {
		out[it.Column] = age(it, now) // ok ttlage/not-write-time
	}
	for _, it := range row[store.FamMute] {
		out[it.Column] = age(it, now) // want ttlage/not-write-time
	}
	for _, it := range row[store.FamNote] {
		out[it.Column] = age(it, now) // ok ttlage/not-write-time
	}
	return out
}

// Attributes are what the lake's catalogue shows of a row.
func Attributes(row bigtable.Row) map[string]any {
	attrs := map[string]any{"key": row.Key()}
	if items := row[store.FamSeen]; len(items) > 0 {
		attrs["created"] = items[0].Timestamp.Time().Format(time.RFC3339) // want ttlage/not-write-time
		attrs["expires"] = items[0].Timestamp.Time().Format(time.RFC3339) // ok ttlage/not-write-time
	}
	if items := row[store.FamDaily]; len(items) > 0 {
		attrs["modified"] = items[0].Timestamp.Time().Format(time.RFC3339) // ok ttlage/not-write-time
		if items[0].Timestamp == bigtable.ServerTime {                     // want ttlage/server-sentinel
			attrs["modified"] = "unknown"
		}
		if items[0].Timestamp == 0 { // ok ttlage/server-sentinel
			attrs["modified"] = "never"
		}
	}
	if items := row[store.FamRev]; len(items) > 0 {
		updatedAt := items[0].Timestamp.Time()          // want ttlage/not-write-time[revattr]
		attrs["updated"] = updatedAt.Unix()             // want ttlage/not-write-time[revattr]
		attrs["rev"] = int64(items[0].Timestamp / 1000) // ok ttlage/not-write-time
	}
	return attrs
}

// JSON writes lines as JSON, CSV as comma separated values; Tee feeds both.
func JSON(w io.Writer, in <-chan Line) error {
	enc := json.NewEncoder(w)
	for l := range in {
		if err := enc.Encode(l); err != nil {
			return err
		}
	}
	return nil
}

// CSV writes lines as comma separated values.
func CSV(w io.Writer, in <-chan Line) error {
	cw := csv.NewWriter(w)
	for l := range in {
		rec := []string{l.Key, l.Column, l.Value, l.WrittenAt.Format(time.RFC3339), l.ExpiresAt.Format(time.RFC3339), strconv.FormatInt(l.Number, 10)}
		if err := cw.Write(rec); err != nil {
			return err
		}
	}
	cw.Flush()
	return cw.Error()
}

// Tee writes both formats.
func Tee(ctx context.Context, jw, cw io.Writer, in <-chan Line) error {
	a, b := make(chan Line, 64), make(chan Line, 64)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return JSON(jw, a) })
	g.Go(func() error { return CSV(cw, b) })
	g.Go(func() error {
		defer close(a)
		defer close(b)
		for l := range in {
			for _, ch := range []chan Line{a, b} {
				if err := emit(ctx, ch, l); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return g.Wait()
}
