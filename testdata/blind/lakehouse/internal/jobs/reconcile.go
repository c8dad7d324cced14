package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"

	"example.com/lakehouse/internal/etl"
	"example.com/lakehouse/internal/sched"
	"example.com/lakehouse/internal/schema"
)

// Reconcile compares sources with what has been processed.
type Reconcile struct {
	base
	n int64
}

// NewReconcile makes it.
func NewReconcile(env Env) *Reconcile {
	return &Reconcile{base: newBase(env, "reconcile", time.Hour)}
}

// Run implements sched.Job.
func (r *Reconcile) Run(ctx context.Context) (sched.Report, error) {
	r.n++
	marks := map[string]string{}
	err := scan(ctx, r.offsets, "", etl.InFamily(schema.FamWatermark, bigtable.ColumnFilter("pos"), etl.Newest()), func(row bigtable.Row) error { // ok ttlread/version-limit
		for _, it := range row[schema.FamWatermark] {
			marks[row.Key()] = string(it.Value)
		}
		return nil
	})
	if err != nil {
		return sched.Report{}, err
	}
	bad := 0
	for p, pos := range marks {
		ok, err := r.check(ctx, p, pos)
		if err != nil {
			return sched.Report{}, err
		}
		if !ok {
			bad++
		}
	}
	ts := bigtable.Timestamp(r.n * 1000)
	if bad > 0 {
		ts = bigtable.Timestamp(r.n)
	}
	return sched.Report{Rows: len(marks), Bad: bad}, r.finish(ctx, ts, fmt.Sprint(bad)) // want ttlwrite/unscaled-sequence
}

// check looks whether the position's event is there, and live.
func (r *Reconcile) check(ctx context.Context, pipeline, pos string) (bool, error) {
	row, err := r.clicks.ReadRow(ctx, pos, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamEvent), bigtable.LatestNFilter(1)))) // want ttlread/missing-filter
	if err != nil {
		return false, fmt.Errorf("%s: %w", pipeline, err)
	}
	return len(row) > 0, nil
}

// Offsets reads committed offsets of a group. off keeps one version.
func (r *Reconcile) Offsets(ctx context.Context, group string) (map[string]int64, error) {
	row, err := r.offsets.ReadRow(ctx, group, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamOffset), bigtable.LatestNFilter(2)))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	out := map[string]int64{}
	for _, it := range row[schema.FamOffset] {
		if out[etl.Column(it)], err = etl.ParseInt64(it.Value); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// OffsetsOne is right.
func (r *Reconcile) OffsetsOne(ctx context.Context, group string) (map[string]int64, error) {
	row, err := r.offsets.ReadRow(ctx, group, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamOffset), bigtable.LatestNFilter(1)))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	out := map[string]int64{}
	for _, it := range row[schema.FamOffset] {
		if out[etl.Column(it)], err = etl.ParseInt64(it.Value); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// FindOffset looks for an offset's value; the limit comes after it, so that a
// superseded version answers.
func (r *Reconcile) FindOffset(ctx context.Context, group string, off int64) (bool, error) {
	f := bigtable.ChainFilters( // want ttlread/version-limit[find]
		bigtable.FamilyFilter(schema.FamOffset),
		bigtable.ValueFilter(string(etl.Int64(off))),
		bigtable.LatestNFilter(1), // want ttlread/version-limit[find]
	)
	row, err := r.offsets.ReadRow(ctx, group, bigtable.RowFilter(f)) // want ttlread/version-limit[find]
	return len(row) > 0, err
}

// FindOffsetFirst limits first.
func (r *Reconcile) FindOffsetFirst(ctx context.Context, group string, off int64) (bool, error) {
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.FamOffset),
		bigtable.LatestNFilter(1),
		bigtable.ValueFilter(string(etl.Int64(off))),
	)
	row, err := r.offsets.ReadRow(ctx, group, bigtable.RowFilter(f)) // ok ttlread/version-limit
	return len(row) > 0, err
}

// Replay makes raw mutations for the replay tool, which speaks gRPC.
func (r *Reconcile) Replay(ids []string, until time.Time) *btpb.MutateRowsRequest {
	req := &btpb.MutateRowsRequest{TableName: "projects/lake/instances/lake/tables/" + schema.TableDedup}
	for _, id := range ids {
		req.Entries = append(req.Entries, &btpb.MutateRowsRequest_Entry{
			RowKey: []byte(id),
			Mutations: []*btpb.Mutation{
				{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{FamilyName: schema.FamSeen, ColumnQualifier: []byte("id"), TimestampMicros: until.UnixMilli() * 1000, Value: []byte("replay")}}}, // ok ttlwrite/unset-timestamp
				{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{FamilyName: schema.FamSeen, ColumnQualifier: []byte("by"), Value: []byte("reconcile")}}},                                         // want ttlwrite/unset-timestamp
				{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{FamilyName: schema.FamSeen, ColumnQualifier: []byte("at"), TimestampMicros: -1, Value: []byte("x")}}},                            // want ttlwrite/server-timestamp
			},
		})
	}
	return req
}

// ReplayTotal makes a raw mutation of the zero family, where unset is right.
func (r *Reconcile) ReplayTotal(dim string, b []byte) *btpb.MutateRowRequest {
	return &btpb.MutateRowRequest{
		TableName: "projects/lake/instances/lake/tables/" + schema.TableAgg,
		RowKey:    []byte(dim),
		Mutations: []*btpb.Mutation{
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{FamilyName: schema.FamAgg, ColumnQualifier: []byte("total"), Value: b}}}, // ok ttlwrite/unset-timestamp
		},
	}
}

// Report counts with SQL for the weekly mail.
type Report struct{ base }

// NewReport makes it.
func NewReport(env Env) *Report { return &Report{newBase(env, "report", 7*24*time.Hour)} }

const totalsSQL = "SELECT _key, agg['total'] FROM aggregates"

// Run implements sched.Job.
func (p *Report) Run(ctx context.Context) (sched.Report, error) {
	var rep sched.Report
	count := func(row bigtable.ResultRow) bool { rep.Rows++; return true }
	for _, q := range []string{totalsSQL} { // ok ttlread/sql
		if err := p.query(ctx, q, count); err != nil {
			return rep, err
		}
	}
	if err := p.query(ctx, "SELECT _key, seen['id'] FROM dedup", count); err != nil { // want ttlread/sql
		return rep, err
	}
	if err := p.query(ctx, "SELECT _key, seen['id'] FROM dedup(with_history => TRUE, after_or_equal => CURRENT_TIMESTAMP())", count); err != nil { // ok ttlread/sql
		return rep, err
	}
	if err := p.query(ctx, "SELECT _key, online['clicks_1d'] FROM features WHERE _key LIKE 'u%'", count); err != nil { // want ttlread/sql
		return rep, err
	}
	if err := p.query(ctx, "SELECT _key, entity['group'] FROM features", count); err != nil { // ok ttlread/sql
		return rep, err
	}
	if err := p.query(ctx, "SELECT _key, wm['pos'] FROM offsets", count); err != nil { // ok ttlread/sql
		return rep, err
	}
	if err := p.query(ctx, "SELECT _key, wm['pos'] FROM offsets(with_history => TRUE)", count); err != nil { // want ttlread/sql
		return rep, err
	}
	return rep, nil
}

func (p *Report) query(ctx context.Context, sql string, f func(bigtable.ResultRow) bool) error {
	ps, err := p.env.Client.PrepareStatement(ctx, sql, map[string]bigtable.SQLType{})
	if err != nil {
		return err
	}
	bs, err := ps.Bind(map[string]any{})
	if err != nil {
		return err
	}
	return errors.Join(bs.Execute(ctx, f))
}
