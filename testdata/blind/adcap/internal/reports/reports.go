// Package reports renders what is stored for the account managers.
package reports

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"text/tabwriter"
	"time"

	"cloud.google.com/go/bigtable"

	"adcap.example/platform/internal/bt"
	"adcap.example/platform/internal/filters"
	"adcap.example/platform/internal/schema"
)

// Reporter reads the tables.
type Reporter struct {
	caps, consent, audience *bigtable.Table
	log                     *slog.Logger
}

// New opens the tables.
func New(c *bigtable.Client, log *slog.Logger) *Reporter {
	return &Reporter{
		caps:     c.Open(schema.TableFreqCap),
		consent:  c.Open(schema.TableConsent),
		audience: c.Open(schema.TableAudience),
		log:      log,
	}
}

// CapLine is a line of the cap report.
type CapLine struct {
	Campaign  string    `json:"campaign"`
	CreatedAt time.Time `json:"created_at"`
	ExpiresAt time.Time `json:"expires_at"`
}

// ConsentLine is a line of the consent report.
type ConsentLine struct {
	Column  string    `json:"column"`
	Updated time.Time `json:"updated"`
	Number  int64     `json:"number"`
}

// Caps lists the caps of a user.
func (r *Reporter) Caps(ctx context.Context, user string) ([]CapLine, error) {
	row, err := r.caps.ReadRow(ctx, user, bigtable.RowFilter(filters.LiveFamily(schema.FamCap, time.Now()))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []CapLine
	for _, it := range row[schema.FamCap] {
		out = append(out, CapLine{Campaign: it.Column, ExpiresAt: it.Timestamp.Time()}) // ok ttlage/not-write-time
	}
	return out, nil
}

// CapsCreated believes that the timestamp is the impression.
func (r *Reporter) CapsCreated(ctx context.Context, user string) ([]CapLine, error) {
	row, err := r.caps.ReadRow(ctx, user, bigtable.RowFilter(filters.LiveFamily(schema.FamCap, time.Now()))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []CapLine
	for _, it := range row[schema.FamCap] {
		out = append(out, CapLine{Campaign: it.Column, CreatedAt: it.Timestamp.Time()}) // want ttlage/not-write-time
	}
	return out, nil
}

// CapAge logs ages.
func (r *Reporter) CapAge(ctx context.Context, user string) error {
	row, err := r.caps.ReadRow(ctx, user, bigtable.RowFilter(filters.FreqCap(time.Now()))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	now := time.Now()
	for _, it := range row[schema.FamCap] {
		r.log.Info("cap", "age", time.Since(it.Timestamp.Time()))              // want ttlage/not-write-time
		r.log.Info("cap", "left", time.Until(it.Timestamp.Time()))             // ok ttlage/not-write-time
		r.log.Info("cap", "left", it.Timestamp.Time().Sub(now))                // ok ttlage/not-write-time
		r.log.Info("cap", "expires", it.Timestamp.Time().Format(time.RFC3339)) // ok ttlage/not-write-time
	}
	for _, it := range row[schema.FamSeg] {
		r.log.Info("segment", "age", time.Since(it.Timestamp.Time())) // ok ttlage/not-write-time
		r.log.Info("segment", "written", it.Timestamp.Time())         // ok ttlage/not-write-time
	}
	return nil
}

// SeenAge does it for a family whose timestamps may be shifted.
func (r *Reporter) SeenAge(ctx context.Context, user string) (oldest time.Duration, err error) {
	row, err := r.caps.ReadRow(ctx, user, bigtable.RowFilter(filters.Seen(time.Now()))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	now := time.Now()
	for _, it := range row[schema.FamSeen] {
		age := now.Sub(it.Timestamp.Time()) // want ttlage/not-write-time
		oldest = max(oldest, age)
	}
	return oldest, nil
}

// Consent lists revisions.
func (r *Reporter) Consent(ctx context.Context, user string) ([]ConsentLine, error) {
	row, err := r.consent.ReadRow(ctx, user, bigtable.RowFilter(filters.Versions(schema.FamRev, 5))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []ConsentLine
	for _, it := range row[schema.FamRev] {
		out = append(out, ConsentLine{Column: it.Column, Number: int64(it.Timestamp) / 1000}) // ok ttlage/not-write-time
	}
	return out, nil
}

// ConsentUpdated takes the number for a date.
func (r *Reporter) ConsentUpdated(ctx context.Context, user string) ([]ConsentLine, error) {
	row, err := r.consent.ReadRow(ctx, user, bigtable.RowFilter(filters.Versions(schema.FamRev, 1))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []ConsentLine
	for _, it := range row[schema.FamRev] {
		line := ConsentLine{Column: it.Column}
		line.Updated = it.Timestamp.Time() // want ttlage/not-write-time
		out = append(out, line)
	}
	return out, nil
}

// MetaUpdated does the same for the ordinary family.
func (r *Reporter) MetaUpdated(ctx context.Context, user string) ([]ConsentLine, error) {
	row, err := r.consent.ReadRow(ctx, user, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamMeta))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []ConsentLine
	for _, it := range row[schema.FamMeta] {
		line := ConsentLine{Column: it.Column}
		line.Updated = it.Timestamp.Time() // ok ttlage/not-write-time
		out = append(out, line)
	}
	return out, nil
}

// Print prints the current strings with their age.
func (r *Reporter) Print(ctx context.Context, w io.Writer, prefix string) error {
	tw := tabwriter.NewWriter(w, 0, 8, 1, ' ', 0)
	for row, err := range bt.Rows(ctx, r.consent, bigtable.PrefixRange(prefix), bigtable.RowFilter(bigtable.FamilyFilter(schema.FamCur))) { // ok ttlread/missing-filter
		if err != nil {
			return err
		}
		for _, it := range row[schema.FamCur] {
			fmt.Fprintf(tw, "%s\t%s\t%v\n", row.Key(), it.Column, time.Since(it.Timestamp.Time())) // want ttlage/not-write-time
		}
	}
	return tw.Flush()
}

// Members prints when members joined, although the times may be shifted.
func (r *Reporter) Members(ctx context.Context, w io.Writer, user string) error {
	type line struct {
		Segment string    `json:"segment"`
		Written time.Time `json:"written"`
	}
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamMember), filters.Since(time.Now(), schema.MemberTTL))
	row, err := r.audience.ReadRow(ctx, user, bigtable.RowFilter(f)) // ok ttlread/wrong-bound
	if err != nil {
		return err
	}
	enc := json.NewEncoder(w)
	for _, it := range row[schema.FamMember] {
		if err := enc.Encode(line{it.Column, it.Timestamp.Time()}); err != nil { // want ttlage/not-write-time
			return err
		}
	}
	return nil
}

// Models lists how old the scores are.
func (r *Reporter) Models(ctx context.Context, model string) (map[string]time.Duration, error) {
	row, err := r.audience.ReadRow(ctx, model, bigtable.RowFilter(filters.Versions(schema.FamModel, 1))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	out := map[string]time.Duration{}
	for _, it := range row[schema.FamModel] {
		createdAt := it.Timestamp.Time()       // want ttlage/not-write-time[modelage]
		out[it.Column] = time.Since(createdAt) // want ttlage/not-write-time[modelage]
	}
	return out, nil
}

// Sentinels counts cells the server stamped. It never finds one.
func (r *Reporter) Sentinels(ctx context.Context, user string) (n int, err error) {
	row, err := r.caps.ReadRow(ctx, user, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamSeg))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[schema.FamSeg] {
		switch it.Timestamp {
		case bigtable.ServerTime: // want ttlage/server-sentinel
			n++
		}
		if it.Timestamp != bigtable.Timestamp(-1) { // want ttlage/server-sentinel
			r.log.Debug("stamped", "column", it.Column)
		}
	}
	return n, nil
}
