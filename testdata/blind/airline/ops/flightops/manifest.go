package flightops

import (
	"context"
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
	"skyward.example/dal/bt"
)

const (
	famEntry = "entry"
	famNote  = "note"
)

// Manifest is the passenger manifest of one carrier; each carrier has its own table.
type Manifest struct {
	tbl  *bigtable.Table
	code string
	seq  map[string]int64
}

// manifestTable is the name of a carrier's table.
func manifestTable(code string) string { return strings.ToLower(code) + "-manifest" }

// OpenManifest opens the manifest of a carrier.
func OpenManifest(c *bigtable.Client, code string) *Manifest {
	return &Manifest{tbl: c.Open(manifestTable(code)), code: code, seq: map[string]int64{}}
}

// Add adds an entry under its number.
func (mf *Manifest) Add(ctx context.Context, flight, pax string, n int64) error {
	m := bigtable.NewMutation()
	m.Set(famEntry, pax, bigtable.Timestamp(n*1000), []byte("add")) // ok ttlwrite/unscaled-sequence
	m.Set(famNote, pax, bigtable.Now(), []byte("by "+mf.code))      // ok ttlwrite/clock-in-sequence
	return mf.tbl.Apply(ctx, flight, m)
}

// Drop removes one.
func (mf *Manifest) Drop(ctx context.Context, flight, pax string) error {
	m := bigtable.NewMutation()
	m.Set(famEntry, pax, bigtable.Now(), []byte("drop")) // want ttlwrite/clock-in-sequence
	return mf.tbl.Apply(ctx, flight, m)
}

// Amend numbers by itself.
func (mf *Manifest) Amend(ctx context.Context, flight, pax, what string) error {
	mf.seq[flight]++
	m := bigtable.NewMutation()
	m.Set(famEntry, pax, bigtable.Timestamp(mf.seq[flight]), []byte(what)) // want ttlwrite/unscaled-sequence
	return mf.tbl.Apply(ctx, flight, m)
}

// AmendScaled numbers by itself, in thousands.
func (mf *Manifest) AmendScaled(ctx context.Context, flight, pax, what string) error {
	mf.seq[flight]++
	m := bigtable.NewMutation()
	m.Set(famEntry, pax, bt.Revision(mf.seq[flight]), []byte(what)) // ok ttlwrite/unscaled-sequence
	return mf.tbl.Apply(ctx, flight, m)
}

// List lists the entries.
func (mf *Manifest) List(ctx context.Context, flight string) ([]string, error) {
	row, err := mf.tbl.ReadRow(ctx, flight, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(famEntry), bigtable.LatestNFilter(1)))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return listOf(row), nil
}

// ListAll lists them with notes.
func (mf *Manifest) ListAll(ctx context.Context, flight string) ([]string, error) {
	row, err := mf.tbl.ReadRow(ctx, flight) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return listOf(row), nil
}

// ListThree lists the kept versions.
func (mf *Manifest) ListThree(ctx context.Context, flight string) ([]string, error) {
	row, err := mf.tbl.ReadRow(ctx, flight, bigtable.RowFilter(bigtable.LatestNFilter(3))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return listOf(row), nil
}

// ListFive lists more than are kept.
func (mf *Manifest) ListFive(ctx context.Context, flight string) ([]string, error) {
	row, err := mf.tbl.ReadRow(ctx, flight, bigtable.RowFilter(bigtable.LatestNFilter(5))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return listOf(row), nil
}

func listOf(row bigtable.Row) []string {
	var out []string
	for _, it := range row[famEntry] {
		out = append(out, strings.TrimPrefix(it.Column, famEntry+":")+"="+string(it.Value))
	}
	return out
}

// Notes reads notes only.
func (mf *Manifest) Notes(ctx context.Context, flight string) (map[string]time.Time, error) {
	row, err := mf.tbl.ReadRow(ctx, flight, bigtable.RowFilter(bigtable.FamilyFilter(famNote))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]time.Time{}
	for _, it := range row[famNote] {
		writtenAt := it.Timestamp.Time() // ok ttlage/not-write-time
		out[it.Column] = writtenAt
	}
	return out, nil
}

// Dates says when each entry was made.
func (mf *Manifest) Dates(ctx context.Context, flight string) (map[string]string, error) {
	row, err := mf.tbl.ReadRow(ctx, flight, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(famEntry), bigtable.LatestNFilter(1)))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, it := range row[famEntry] {
		createdAt := it.Timestamp.Time()                 // want ttlage/not-write-time[dates]
		out[it.Column] = createdAt.Format(time.DateOnly) // want ttlage/not-write-time[dates]
	}
	return out, nil
}

// CopyTo copies the manifest for the authorities, under their own table.
func (mf *Manifest) CopyTo(ctx context.Context, dst *bigtable.Client, flight string) error {
	list, err := mf.List(ctx, flight)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	for i, l := range list {
		m.Set(famEntry, fmt.Sprintf("%03d", i), bigtable.Now(), []byte(l)) // ok ttlwrite/clock-in-sequence
	}
	return dst.Open("authority-export").Apply(ctx, flight, m)
}

// ManifestPolicies sets up a carrier's table.
func ManifestPolicies(ctx context.Context, ac *bigtable.AdminClient, code string) error {
	table := manifestTable(code)
	if err := ac.SetGCPolicy(ctx, table, famNote, bigtable.MaxAgePolicy(90*24*time.Hour)); err != nil { // ok ttlgc/age-on-sequence
		return err
	}
	return ac.SetGCPolicy(ctx, table, famEntry, bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.MaxAgePolicy(30*24*time.Hour))) // want ttlgc/age-on-sequence
}

// ManifestPoliciesNew is the repaired one.
func ManifestPoliciesNew(ctx context.Context, ac *bigtable.AdminClient, code string) error {
	return ac.SetGCPolicy(ctx, manifestTable(code), famEntry, bigtable.MaxVersionsPolicy(3)) // ok ttlgc/policy-mismatch
}
