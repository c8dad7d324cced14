// Package staging holds parts of loads until they are committed. Each source
// has a table SOURCE-stage: part expires at its timestamp, rev is numbered,
// hdr is ordinary.
package staging

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sort"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/lakehouse/internal/conf"
	"example.com/lakehouse/internal/etl"
	"example.com/lakehouse/internal/schema"
)

// Area is the staging table of a source.
type Area struct {
	tbl    *bigtable.Table
	source string
	ttl    time.Duration
	rev    int64
}

// Areas opens one per source.
func Areas(client *bigtable.Client, cfg conf.Staging) map[string]*Area {
	out := map[string]*Area{}
	for _, s := range cfg.Sources {
		out[s] = NewArea(client, s, cfg.PartTTL)
	}
	return out
}

// NewArea opens the table of a source.
func NewArea(client *bigtable.Client, source string, ttl time.Duration) *Area {
	return &Area{tbl: client.Open(source + schema.StageTableStem), source: source, ttl: ttl}
}

func partKey(load string, i int) string { return fmt.Sprintf("%s#%06d", load, i) }

// Upload cuts r into parts.
func (a *Area) Upload(ctx context.Context, load string, r io.Reader, size int) (int, error) {
	buf := make([]byte, size)
	deadline := time.Now().Add(a.ttl)
	for i := 0; ; i++ {
		n, err := io.ReadFull(r, buf)
		if n > 0 {
			m := bigtable.NewMutation()
			m.Set(schema.FamPart, "data", bigtable.Time(deadline), buf[:n])                 // ok ttlwrite/write-time
			m.Set(schema.FamPart, "size", bigtable.Time(deadline), []byte(strconv.Itoa(n))) // ok ttlwrite/same-timestamp
			m.Set(schema.FamHeader, "uploaded", bigtable.Now(), []byte(a.source))           // ok ttlwrite/write-time
			if err := a.tbl.Apply(ctx, partKey(load, i), m); err != nil {
				return i, err
			}
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return i, a.header(ctx, load, i)
		case err != nil:
			return i, err
		}
	}
}

func (a *Area) header(ctx context.Context, load string, parts int) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamHeader, "parts", bigtable.Now(), []byte(strconv.Itoa(parts)))
	m.Set(schema.FamPart, "complete", bigtable.Now(), nil) // want ttlwrite/write-time
	return a.tbl.Apply(ctx, load, m)
}

// Part reads a part that is live.
func (a *Area) Part(ctx context.Context, load string, i int) ([]byte, error) {
	row, err := a.tbl.ReadRow(ctx, partKey(load, i), bigtable.RowFilter(etl.InFamily(schema.FamPart, etl.Live(), etl.Newest()))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return etl.First(row, schema.FamPart, "data"), nil
}

// PartAny reads it while it lies there.
func (a *Area) PartAny(ctx context.Context, load string, i int) ([]byte, error) {
	row, err := a.tbl.ReadRow(ctx, partKey(load, i), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return etl.First(row, schema.FamPart, "data"), nil
}

// Parts streams a load in order.
func (a *Area) Parts(ctx context.Context, load string, f func([]byte) error) error {
	var failed error
	err := a.tbl.ReadRows(ctx, bigtable.PrefixRange(load+"#"), func(row bigtable.Row) bool { // want ttlread/upper-bound[m11]
		failed = f(etl.First(row, schema.FamPart, "data"))
		return failed == nil
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamPart), bigtable.TimestampRangeFilter(time.Now(), time.Now().Add(time.Minute))))) // want ttlread/upper-bound[m11]
	return errors.Join(err, failed)
}

// Header reads the ordinary family.
func (a *Area) Header(ctx context.Context, load string) (parts int, uploaded time.Time, err error) {
	row, err := a.tbl.ReadRow(ctx, load, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamHeader))) // ok ttlread/missing-filter
	if err != nil {
		return 0, time.Time{}, err
	}
	for _, it := range row[schema.FamHeader] {
		if it.Column == "hdr:parts" {
			parts, _ = strconv.Atoi(string(it.Value))
			uploaded = it.Timestamp.Time() // ok ttlage/not-write-time
		}
	}
	return parts, uploaded, nil
}

// Commit writes a numbered revision.
func (a *Area) Commit(ctx context.Context, load, manifest string) (int64, error) {
	a.rev++
	m := bigtable.NewMutation()
	m.Set(schema.FamRev, "manifest", etl.Seq(a.rev), []byte(manifest))                 // ok ttlwrite/unscaled-sequence
	m.Set(schema.FamRev, "rev", bigtable.Timestamp(a.rev), etl.Int64(a.rev))           // want ttlwrite/unscaled-sequence
	m.Set(schema.FamRev, "load", bigtable.Timestamp(a.rev)*1000, []byte(load))         // ok ttlwrite/unscaled-sequence
	m.Set(schema.FamRev, "at", bigtable.Time(time.Now()), []byte(time.Now().String())) // want ttlwrite/clock-in-sequence
	m.Set(schema.FamHeader, "committed", bigtable.Time(time.Now()), []byte(manifest))  // ok ttlwrite/clock-in-sequence
	return a.rev, a.tbl.Apply(ctx, a.source, m)
}

// CommitAll writes several manifests of which the last wins.
func (a *Area) CommitAll(ctx context.Context, manifests []string) error {
	m := bigtable.NewMutation()
	for i, s := range manifests {
		a.rev++
		m.Set(schema.FamRev, "manifest", etl.Seq(a.rev), []byte(s))                                  // ok ttlwrite/same-timestamp
		m.Set(schema.FamRev, "index", bigtable.Timestamp(len(manifests)-i), []byte(strconv.Itoa(i))) // want ttlwrite/unscaled-sequence
	}
	return a.tbl.Apply(ctx, a.source, m)
}

// Revision reads the newest.
func (a *Area) Revision(ctx context.Context) (int64, string, error) {
	row, err := a.tbl.ReadRow(ctx, a.source, bigtable.RowFilter(etl.InFamily(schema.FamRev, etl.Newest()))) // ok ttlread/version-limit
	if err != nil || len(row[schema.FamRev]) == 0 {
		return 0, "", err
	}
	it := row[schema.FamRev][0]
	return etl.SeqOf(it.Timestamp), string(it.Value), nil
}

// Revisions reads those that are kept, and a few that are not.
func (a *Area) Revisions(ctx context.Context) ([]string, error) {
	row, err := a.tbl.ReadRow(ctx, a.source, bigtable.RowFilter(etl.InFamily(schema.FamRev, bigtable.LatestNFilter(schema.RevisionKeep+2)))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return manifests(row), nil
}

func manifests(row bigtable.Row) []string {
	var out []string
	for _, it := range row[schema.FamRev] {
		if it.Column == "rev:manifest" {
			out = append(out, string(it.Value))
		}
	}
	return out
}

// RevisionsKept is right.
func (a *Area) RevisionsKept(ctx context.Context) ([]string, error) {
	row, err := a.tbl.ReadRow(ctx, a.source, bigtable.RowFilter(etl.InFamily(schema.FamRev, bigtable.LatestNFilter(schema.RevisionKeep)))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return manifests(row), nil
}

// RevisionsPlain has no filter at all.
func (a *Area) RevisionsPlain(ctx context.Context) ([]string, error) {
	row, err := a.tbl.ReadRow(ctx, a.source) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return manifests(row), nil
}

// Loads lists the loads of the area, newest key last.
func (a *Area) Loads(ctx context.Context) ([]string, error) {
	var out []string
	err := a.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		out = append(out, row.Key())
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.StripValueFilter(), bigtable.CellsPerRowLimitFilter(1))))
	sort.Strings(out)
	return out, err
}

// Discard drops a load.
func (a *Area) Discard(ctx context.Context, load string) error {
	var keys []string
	var muts []*bigtable.Mutation
	err := a.tbl.ReadRows(ctx, bigtable.PrefixRange(load+"#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		m := bigtable.NewMutation()
		m.DeleteRow()
		keys, muts = append(keys, row.Key()), append(muts, m)
		return true
	})
	if err != nil || len(keys) == 0 {
		return err
	}
	errs, err := a.tbl.ApplyBulk(ctx, keys, muts)
	return errors.Join(append(errs, err)...)
}

// Hold prolongs the parts of a load by a day.
func (a *Area) Hold(ctx context.Context, load string, n int) error {
	for i := range n {
		data, err := a.Part(ctx, load, i)
		if err != nil {
			return err
		}
		m := bigtable.NewMutation()
		m.DeleteCellsInColumn(schema.FamPart, "data")
		m.Set(schema.FamPart, "data", etl.ExpiresIn(a.ttl+24*time.Hour), data)                          // ok ttlwrite/write-time
		m.Set(schema.FamPart, "held", bigtable.Timestamp(time.Now().Add(a.ttl).UnixMilli()), nil)       // want ttlunit/wrong-unit
		m.Set(schema.FamPart, "until", bigtable.Timestamp(time.Now().Add(a.ttl).UnixMilli()*1000), nil) // ok ttlunit/wrong-unit
		m.Set(schema.FamPart, "again", bigtable.Now()+bigtable.Timestamp(a.ttl), nil)                   // want ttlunit/wrong-unit
		m.Set(schema.FamPart, "micro", bigtable.Now()+bigtable.Timestamp(a.ttl.Microseconds()), nil)    // ok ttlunit/wrong-unit
		if err := a.tbl.Apply(ctx, partKey(load, i), m); err != nil {
			return err
		}
	}
	return nil
}

// Uploaded shows when parts were uploaded, by the wrong family.
func (a *Area) Uploaded(ctx context.Context, load string) (map[string]string, error) {
	out := map[string]string{}
	err := a.tbl.ReadRows(ctx, bigtable.PrefixRange(load+"#"), func(row bigtable.Row) bool {
		for _, it := range row[schema.FamPart] {
			if it.Timestamp == bigtable.ServerTime { // want ttlage/server-sentinel
				continue
			}
			createdAt := it.Timestamp.Time().Format(time.DateTime) // want ttlage/not-write-time
			out[row.Key()] = createdAt
		}
		return true
	}, bigtable.RowFilter(etl.InFamily(schema.FamPart, etl.Live())))
	return out, err
}
