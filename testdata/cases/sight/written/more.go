package written

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
)

type audit struct {
	WrittenMicros int64
	UpdatedAt     *time.Time
	Labels        map[string]string
}

func numbers(row bigtable.Row) audit {
	it := row["token"][0]
	a := audit{Labels: map[string]string{}}
	a.WrittenMicros = int64(it.Timestamp)                               // want `not-write-time: .*"token"`
	a.Labels["created_us"] = strconv.FormatInt(int64(it.Timestamp), 10) // want `not-write-time: .*"token"`
	a.Labels["expires_us"] = strconv.FormatInt(int64(it.Timestamp), 10)
	a.Labels["modified"] = "at " + it.Timestamp.Time().Format(time.RFC3339) // want `not-write-time: .*"token"`
	a.Labels["ends"] = "at " + it.Timestamp.Time().Format(time.RFC3339)
	return a
}

func pointer(row bigtable.Row) *audit {
	at := row["token"][0].Timestamp.Time()
	return &audit{UpdatedAt: &at} // want `not-write-time: .*"token"`
}

func builder(row bigtable.Row) string {
	var b strings.Builder
	b.WriteString("modified " + row["token"][0].Timestamp.Time().Format(time.DateOnly)) // want `not-write-time: .*"token"`
	fmt.Fprintf(&b, "; last write: %s", row["token"][0].Timestamp.Time())               // want `not-write-time: .*"token"`
	fmt.Fprintf(&b, "; ends: %s", row["token"][0].Timestamp.Time())
	return b.String()
}

func failure(row bigtable.Row) error {
	if it := row["token"][0]; len(it.Value) == 0 {
		return fmt.Errorf("value written at %s is empty", it.Timestamp.Time()) // want `not-write-time: .*"token"`
	}
	return errors.New("token expires " + row["token"][0].Timestamp.Time().String())
}

func table(w io.Writer, row bigtable.Row) error {
	c := csv.NewWriter(w)
	if err := c.Write([]string{"column", "created", "expires"}); err != nil {
		return err
	}
	for _, it := range row["token"] {
		if err := c.Write([]string{it.Column, "-", it.Timestamp.Time().Format(time.RFC3339)}); err != nil {
			return err
		}
	}
	return nil
}

// What a function is called says what it returns.

func createdAt(it bigtable.ReadItem) time.Time { return it.Timestamp.Time() }

func expiresAt(it bigtable.ReadItem) time.Time { return it.Timestamp.Time() }

func okCalled(row bigtable.Row) (time.Time, time.Time) {
	return expiresAt(row["token"][0]), createdAt(row["profile"][0])
}

func handed(row bigtable.Row) string {
	return "written " + formatted(row["token"][0].Timestamp.Time()) // want `not-write-time: .*"token"`
}

func formatted(t time.Time) string { return t.Format(time.RFC3339) }
