// Package written says of cells' timestamps that they are the time of writing.
package written

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/written/lib"
)

// Put together.

func joined(row bigtable.Row) (out []string) {
	for _, it := range row["token"] {
		out = append(out, "modified "+it.Timestamp.Time().Format(time.RFC3339))                      // want `not-write-time: .*"token"`
		out = append(out, it.Column+" written "+it.Timestamp.Time().String())                        // want `not-write-time: .*"token"`
		out = append(out, "last updated: "+it.Timestamp.Time().UTC().Format(time.Kitchen)+" ("+"x)") // want `not-write-time: .*"token"`
		out = append(out, "created="+strconv.FormatInt(it.Timestamp.Time().Unix(), 10))              // want `not-write-time: .*"token"`
		out = append(out, fmt.Sprintf("written %s", it.Timestamp.Time().Format(time.RFC3339)))       // want `not-write-time: .*"token"`
		out = append(out, fmt.Sprintf("%s (written at %v)", it.Column, it.Timestamp.Time()))         // want `not-write-time: .*"token"`
		out = append(out, fmt.Sprint("created ", it.Timestamp.Time()))                               // want `not-write-time: .*"token"`
		out = append(out, strings.Join([]string{"updated", it.Timestamp.Time().String()}, " "))      // want `not-write-time: .*"token"`
	}
	return out
}

func okJoined(row bigtable.Row) (out []string) {
	for _, it := range row["token"] {
		out = append(out, "expires "+it.Timestamp.Time().Format(time.RFC3339))
		out = append(out, it.Column+" valid until "+it.Timestamp.Time().String())
		out = append(out, "created by "+it.Column+", expires "+it.Timestamp.Time().Format(time.RFC3339))
		out = append(out, fmt.Sprintf("expires %s", it.Timestamp.Time().Format(time.RFC3339)))
		out = append(out, fmt.Sprintf("written by %s, valid until %v", it.Column, it.Timestamp.Time()))
		out = append(out, fmt.Sprint("until ", it.Timestamp.Time()))
		out = append(out, it.Timestamp.Time().String()+" created")
	}
	for _, it := range row["profile"] {
		out = append(out, "modified "+it.Timestamp.Time().Format(time.RFC3339))
		out = append(out, fmt.Sprintf("written %s", it.Timestamp.Time().Format(time.RFC3339)))
	}
	return out
}

// By way of locals.

func locals(row bigtable.Row) string {
	it := row["token"][0]
	at := it.Timestamp.Time()
	text := at.Format(time.RFC3339)
	return "modified " + text // want `not-write-time: .*"token"`
}

func localTime(row bigtable.Row) string {
	it := row["token"][0]
	at := it.Timestamp.Time()
	return fmt.Sprintf("written %s", at.Format(time.RFC3339)) // want `not-write-time: .*"token"`
}

func okLocals(row bigtable.Row) string {
	it := row["token"][0]
	at := it.Timestamp.Time()
	text := at.Format(time.RFC3339)
	return "expires " + text
}

func assigned(row bigtable.Row) (s string) {
	var at time.Time
	for _, it := range row["token"] {
		at = it.Timestamp.Time()
	}
	s += "created " + at.Format(time.RFC3339) // want `not-write-time: .*"token"`
	return s
}

// Struct fields, tags, maps, headers.

type session struct {
	JWT       string    `json:"jwt"`
	CreatedAt time.Time `json:"created_at"`
	Stamp     time.Time `json:"updated_at"`
	Expires   time.Time `json:"expires"`
	Modified  string
	WrittenMs int64
	Meta      struct{ Updated time.Time }
}

func literal(row bigtable.Row) session {
	it := row["token"][0]
	return session{
		JWT:       string(it.Value),
		CreatedAt: it.Timestamp.Time(), // want `not-write-time: .*"token"`
		Expires:   it.Timestamp.Time(),
	}
}

func tagged(row bigtable.Row) session {
	it := row["token"][0]
	var s session
	s.Stamp = it.Timestamp.Time() // want `not-write-time: .*"token"`
	s.Expires = it.Timestamp.Time()
	return s
}

func fields(row bigtable.Row) *session {
	s := &session{}
	for _, it := range row["token"] {
		ts := it.Timestamp
		s.Modified = ts.Time().Format(time.RFC1123) // want `not-write-time: .*"token"`
	}
	return s
}

func millis(row bigtable.Row) *session {
	s := &session{}
	for _, it := range row["token"] {
		s.WrittenMs = it.Timestamp.Time().UnixMilli() // want `not-write-time: .*"token"`
	}
	return s
}

func nested(row bigtable.Row) (s session) {
	s.Meta.Updated = row["token"][0].Timestamp.Time() // want `not-write-time: .*"token"`
	return s
}

func okFields(row bigtable.Row) *session {
	s := &session{}
	for _, it := range row["token"] {
		s.Expires = it.Timestamp.Time()
	}
	for _, it := range row["profile"] {
		s.CreatedAt = it.Timestamp.Time()
		s.Modified = it.Timestamp.Time().Format(time.RFC1123)
	}
	return s
}

func header(w http.ResponseWriter, row bigtable.Row) {
	it := row["token"][0]
	w.Header().Set("Last-Modified", it.Timestamp.Time().UTC().Format(http.TimeFormat)) // want `not-write-time: .*"token"`
	w.Header().Set("Expires", it.Timestamp.Time().UTC().Format(http.TimeFormat))
	w.Header().Add("X-Created-At", it.Timestamp.Time().Format(time.RFC3339))            // want `not-write-time: .*"token"`
	w.Header()["Last-Modified"] = []string{it.Timestamp.Time().Format(http.TimeFormat)} // want `not-write-time: .*"token"`
	http.SetCookie(w, &http.Cookie{Name: "written", Expires: it.Timestamp.Time()})
}

func logged(row bigtable.Row) {
	it := row["token"][0]
	slog.Info("token", "written_at", it.Timestamp.Time())                    // want `not-write-time: .*"token"`
	slog.Info("token", slog.Time("created", it.Timestamp.Time()))            // want `not-write-time: .*"token"`
	slog.Info("token", slog.String("updated", it.Timestamp.Time().String())) // want `not-write-time: .*"token"`
	slog.Info("token", slog.Any("modified", it.Timestamp.Time()))            // want `not-write-time: .*"token"`
	slog.Info("token", "expires", it.Timestamp.Time(), "written", true)
	log.Printf("token written %s", it.Timestamp.Time())  // want `not-write-time: .*"token"`
	log.Println("token written at", it.Timestamp.Time()) // want `not-write-time: .*"token"`
	log.Println("token expires at", it.Timestamp.Time())
	log.Printf("written %d bytes, good until %s", len(it.Value), it.Timestamp.Time())
}

func maps(row bigtable.Row) map[string]any {
	it := row["token"][0]
	m := map[string]any{
		"created": it.Timestamp.Time(), // want `not-write-time: .*"token"`
		"expires": it.Timestamp.Time(),
		"meta":    map[string]any{"updatedAt": it.Timestamp.Time().Unix()}, // want `not-write-time: .*"token"`
	}
	m["last_write"] = it.Timestamp.Time().Format(time.RFC3339) // want `not-write-time: .*"token"`
	m["valid_until"] = it.Timestamp.Time().Format(time.RFC3339)
	return m
}

// Printed to a writer.

func print(w io.Writer, row bigtable.Row) {
	for _, it := range row["token"] {
		fmt.Fprintf(w, "%s\tcreated %s\n", it.Column, it.Timestamp.Time().Format(time.RFC3339)) // want `not-write-time: .*"token"`
		fmt.Fprintf(w, "%s\t%s\n", it.Column, it.Timestamp.Time().Format(time.RFC3339))
		fmt.Fprintln(w, "updated:", it.Timestamp.Time()) // want `not-write-time: .*"token"`
	}
}

// The variable's own name.

func named(row bigtable.Row) ([]byte, error) {
	it := row["token"][0]
	createdAt := it.Timestamp.Time() // want `not-write-time: .*"token"`
	expiresAt := it.Timestamp.Time()
	return json.Marshal([]time.Time{createdAt, expiresAt})
}

// Another package's type and helper.

func made(ctx context.Context, tbl *bigtable.Table) (*lib.Info, error) {
	row, err := tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
	if err != nil {
		return nil, err
	}
	it := row["token"][0]
	lib.Keep(it.Timestamp.Time())
	return &lib.Info{Name: "x", LastWrite: it.Timestamp.Time(), Until: it.Timestamp.Time()}, nil // want `not-write-time: .*"token"`
}

// A sequence number is no date at all.
func number(row bigtable.Row) string {
	return "written " + row["entry"][0].Timestamp.Time().String() // want `not-write-time: .*"entry"`
}

func okNumber(row bigtable.Row) string {
	return "written as number " + strconv.FormatInt(int64(row["entry"][0].Timestamp)/1000, 10)
}
