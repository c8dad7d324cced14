// Package age takes timestamps of cells for dates.
package age

import (
	"context"
	"encoding/json"
	"log"
	"log/slog"
	"net/http"
	"time"

	"cloud.google.com/go/bigtable"
)

type store struct{ sessions, clicks, ledger *bigtable.Table }

// Open opens the tables.
func Open(c *bigtable.Client) *store {
	return &store{c.Open("sessions"), c.Open("clicks"), c.Open("eu-ledger")}
}

func live() bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
}

func day() bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now().Add(-720*time.Hour), time.Time{}))
}

func ageOf(it bigtable.ReadItem) time.Duration { return time.Since(it.Timestamp.Time()) }

func ageOfTime(t time.Time) time.Duration { return time.Since(t) }

func seconds(ts bigtable.Timestamp) float64 { return time.Now().Sub(ts.Time()).Seconds() }

func (s *store) Ages(ctx context.Context, key string) []time.Duration {
	row, err := s.sessions.ReadRow(ctx, key, live())
	if err != nil {
		return nil
	}
	var out []time.Duration
	for _, it := range row["token"] {
		out = append(out, ageOf(it))                                                                  // want `not-write-time: .*"token"`
		out = append(out, ageOfTime(it.Timestamp.Time()))                                             // want `not-write-time: .*"token"`
		out = append(out, time.Duration(bigtable.Now()-it.Timestamp)*time.Microsecond)                // want `not-write-time: .*"token"`
		out = append(out, time.Duration(time.Now().UnixMicro()-int64(it.Timestamp))*time.Microsecond) // want `not-write-time: .*"token"`
		log.Print(seconds(it.Timestamp))                                                              // want `not-write-time: .*"token"`
	}
	row, err = s.sessions.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter("profile")))
	if err != nil {
		return nil
	}
	for _, it := range row["profile"] {
		out = append(out, ageOf(it), ageOfTime(it.Timestamp.Time()), time.Duration(bigtable.Now()-it.Timestamp)*time.Microsecond)
		log.Print(seconds(it.Timestamp))
	}
	return out
}

// OkRemaining is the life that remains.
func (s *store) OkRemaining(ctx context.Context, key string) (out []time.Duration) {
	row, _ := s.sessions.ReadRow(ctx, key, live())
	for _, it := range row["token"] {
		out = append(out, time.Duration(it.Timestamp-bigtable.Now())*time.Microsecond)
		out = append(out, time.Duration(int64(it.Timestamp)-time.Now().UnixMicro())*time.Microsecond)
		if bigtable.Now()-it.Timestamp > 0 {
			continue
		}
	}
	return out
}

func (s *store) Serve(ctx context.Context, w http.ResponseWriter, key string) {
	row, err := s.sessions.ReadRow(ctx, key, live())
	if err != nil || len(row["token"]) == 0 {
		return
	}
	it := row["token"][0]
	w.Header().Set("Last-Modified", it.Timestamp.Time().UTC().Format(http.TimeFormat)) // want `not-write-time: .*"token"`
	w.Header().Set("Expires", it.Timestamp.Time().UTC().Format(http.TimeFormat))
	slog.Info("read", "written_at", it.Timestamp.Time()) // want `not-write-time: .*"token"`
	slog.Info("read", "expires_at", it.Timestamp.Time())
	slog.Info("read", slog.Time("created", it.Timestamp.Time())) // want `not-write-time: .*"token"`
	log.Printf("created=%s", it.Timestamp.Time())                // want `not-write-time: .*"token"`
	_ = json.NewEncoder(w).Encode(map[string]any{
		"created": it.Timestamp.Time().Unix(), // want `not-write-time: .*"token"`
		"expires": it.Timestamp.Time().Unix(),
	})
}

type entry struct {
	At      time.Time `json:"written_at"`
	Until   time.Time `json:"until"`
	Value   string    `json:"value"`
	Version int64     `json:"version"`
}

func (s *store) Entries(ctx context.Context, key string) (out []entry) {
	row, _ := s.sessions.ReadRow(ctx, key, live())
	for _, it := range row["token"] {
		out = append(out, entry{At: it.Timestamp.Time(), Value: string(it.Value)}) // want `not-write-time: .*"token"`
		out = append(out, entry{Until: it.Timestamp.Time()})
	}
	return out
}

// Local stores it by way of a local.
func (s *store) Local(ctx context.Context, key string) map[string]string {
	row, _ := s.sessions.ReadRow(ctx, key, live())
	m := map[string]string{}
	for _, it := range row["token"] {
		t := it.Timestamp.Time()
		stamp := t.Format(time.RFC3339)
		m["created"] = stamp // want `not-write-time: .*"token"`
		m["until"] = stamp
	}
	return m
}

// Default families: a difference is an expiry only if it is compared with the
// lifetime.
func (s *store) Clicks(ctx context.Context, key string) (n int) {
	row, _ := s.clicks.ReadRow(ctx, key, day())
	for _, it := range row["event"] {
		if time.Since(it.Timestamp.Time()) > 720*time.Hour {
			continue
		}
		if time.Since(it.Timestamp.Time()) < time.Hour { // want `not-write-time: .*"event"`
			n++
		}
	}
	return n
}
