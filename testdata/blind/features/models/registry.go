// Package models is the model registry: specs and artifacts by revision, the
// current revision, and an audit trail.
package models

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/featureplat/btx"
	"example.com/featureplat/schema"
)

// Spec is what a revision says.
type Spec struct {
	Model     string            `json:"model"`
	Framework string            `json:"framework"`
	Inputs    []string          `json:"inputs"`
	Labels    map[string]string `json:"labels,omitempty"`
}

// Revision is one state of a model.
type Revision struct {
	Number    int64     `json:"number"`
	Spec      Spec      `json:"spec"`
	Artifact  string    `json:"artifact,omitempty"`
	CreatedAt time.Time `json:"created_at,omitzero"`
}

// Head is the current revision of a model.
type Head struct {
	Number int64  `json:"number"`
	Stage  string `json:"stage"`
}

// ErrConflict says that somebody else published in between.
var ErrConflict = errors.New("conflict")

// Registry is the table of models.
type Registry struct {
	tbl bigtable.TableAPI
	log *slog.Logger

	mu       sync.Mutex
	counters map[string]int64
}

// New opens the registry.
func New(client *bigtable.Client, log *slog.Logger) *Registry {
	return &Registry{tbl: client.OpenTable(schema.Models), log: log, counters: map[string]int64{}}
}

// NextNumber returns the number for the next revision.
func (r *Registry) NextNumber(ctx context.Context, model string) (int64, error) {
	h, err := r.Head(ctx, model)
	if errors.Is(err, btx.ErrNotFound) {
		return 1, nil
	}
	if err != nil {
		return 0, err
	}
	return h.Number + 1, nil
}

// Publish writes a revision and makes it the current one.
func (r *Registry) Publish(ctx context.Context, spec Spec, artifact string) (int64, error) {
	n, err := r.NextNumber(ctx, spec.Model)
	if err != nil {
		return 0, err
	}
	b, err := json.Marshal(spec)
	if err != nil {
		return 0, err
	}
	head, err := json.Marshal(Head{Number: n, Stage: "candidate"})
	if err != nil {
		return 0, err
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamRev, schema.ColSpec, btx.Seq(n), b)                             // ok ttlwrite/unscaled-sequence ttlwrite/clock-in-sequence
	m.Set(schema.FamRev, schema.ColArtifact, btx.Seq(n), []byte(artifact))          // ok ttlwrite/same-timestamp
	m.Set(schema.FamRev, schema.ColWritten, btx.Seq(n), btx.EncodeTime(time.Now())) // ok ttlwrite/clock-in-sequence
	m.Set(schema.FamHead, "head", 0, head)                                          // ok ttlwrite/clock-in-zero
	m.Set(schema.FamAudit, "publish", bigtable.Now(), b)                            // ok ttlwrite/write-time ttlwrite/clock-in-sequence
	if err := r.tbl.Apply(ctx, spec.Model, m); err != nil {
		return 0, fmt.Errorf("publish %s/%d: %w", spec.Model, n, err)
	}
	r.log.Info("published", "model", spec.Model, "revision", n)
	return n, nil
}

// Attach adds an artifact to the current revision.
func (r *Registry) Attach(ctx context.Context, model, artifact string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamRev, schema.ColArtifact, bigtable.ServerTime, []byte(artifact)) // want ttlwrite/clock-in-sequence
	m.Set(schema.FamAudit, "attach", bigtable.ServerTime, []byte(artifact))         // ok ttlwrite/server-timestamp ttlwrite/clock-in-sequence
	return r.tbl.Apply(ctx, model, m)
}

// AttachTo adds an artifact to a revision.
func (r *Registry) AttachTo(ctx context.Context, model string, rev int64, artifact string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamRev, schema.ColArtifact, bigtable.Timestamp(rev*1000), []byte(artifact)) // ok ttlwrite/unscaled-sequence
	return r.tbl.Apply(ctx, model, m)
}

// Import writes the revisions of another registry in their order.
func (r *Registry) Import(ctx context.Context, model string, specs []Spec) error {
	m := bigtable.NewMutation()
	for i, s := range specs {
		b, err := json.Marshal(s)
		if err != nil {
			return err
		}
		m.Set(schema.FamRev, schema.ColSpec, bigtable.Timestamp(i+1), b) // want ttlwrite/unscaled-sequence
	}
	return r.tbl.Apply(ctx, model, m)
}

// ImportNewest writes the newest of them under the length of the list.
func (r *Registry) ImportNewest(ctx context.Context, model string, specs []Spec) error {
	if len(specs) == 0 {
		return nil
	}
	b, err := json.Marshal(specs[len(specs)-1])
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamRev, schema.ColSpec, bigtable.Timestamp(len(specs)), b)                     // want ttlwrite/unscaled-sequence
	m.Set(schema.FamRev, "source", bigtable.Timestamp(len(specs))*1000, []byte(specs[0].Model)) // ok ttlwrite/unscaled-sequence
	return r.tbl.Apply(ctx, model, m)
}

// Metrics stores an evaluation beside a revision. The counter is the
// process's own.
func (r *Registry) Metrics(ctx context.Context, model string, metrics map[string]float64) error {
	b, err := json.Marshal(metrics)
	if err != nil {
		return err
	}
	r.mu.Lock()
	r.counters[model]++
	n := r.counters[model]
	r.mu.Unlock()
	m := bigtable.NewMutation()
	m.Set(schema.FamRev, schema.ColMetrics, bigtable.Timestamp(n), b) // want ttlwrite/unscaled-sequence
	return r.tbl.Apply(ctx, model, m)
}

// MetricsOf stores an evaluation under the revision's number.
func (r *Registry) MetricsOf(ctx context.Context, model string, rev int64, metrics map[string]float64) error {
	b, err := json.Marshal(metrics)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamRev, schema.ColMetrics, btx.Seq(rev), b)                              // ok ttlwrite/unscaled-sequence
	m.Set(schema.FamAudit, "metrics", bigtable.Time(time.Now()), []byte(fmt.Sprint(rev))) // ok ttlwrite/clock-in-sequence
	return r.tbl.Apply(ctx, model, m)
}

// Trained stores when a model was trained, for lineage.
func (r *Registry) Trained(ctx context.Context, model string, at time.Time, dataset string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamRev, "dataset", bigtable.Time(at), []byte(dataset))   // want ttlwrite/clock-in-sequence
	m.Set(schema.FamAudit, "trained", bigtable.Time(at), []byte(dataset)) // ok ttlwrite/clock-in-sequence
	return r.tbl.Apply(ctx, model, m)
}

// TrainedAs stores a run's dataset under its revision's number.
func (r *Registry) TrainedAs(ctx context.Context, model string, rev int64, at time.Time, dataset string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamRev, "dataset", btx.Seq(rev), []byte(dataset+" "+at.Format(time.DateOnly))) // ok ttlwrite/clock-in-sequence
	return r.tbl.Apply(ctx, model, m)
}

// Promote makes a revision the current one.
func (r *Registry) Promote(ctx context.Context, model string, h Head) error {
	b, err := json.Marshal(h)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamHead, "head", bigtable.ServerTime, b)           // want ttlwrite/clock-in-zero
	m.Set(schema.FamAudit, "promote", bigtable.Time(time.Now()), b) // ok ttlwrite/clock-in-zero
	return r.tbl.Apply(ctx, model, m)
}

// PromoteIf makes a revision the current one if another one is.
func (r *Registry) PromoteIf(ctx context.Context, model string, old, h Head) error {
	ob, err := json.Marshal(old)
	if err != nil {
		return err
	}
	b, err := json.Marshal(h)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamHead, "head", 0, b) // ok ttlwrite/clock-in-zero
	cond := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamHead), bigtable.ColumnFilter("head"), bigtable.ValueRangeFilter(ob, append(slices.Clone(ob), 0)))
	var same bool
	if err := r.tbl.Apply(ctx, model, bigtable.NewCondMutation(cond, m, nil), bigtable.GetCondMutationResult(&same)); err != nil { // ok ttlread/conditional-mutation
		return err
	}
	if !same {
		return ErrConflict
	}
	return nil
}

// PublishIf writes a spec if the newest revision is the one that the caller
// has seen.
func (r *Registry) PublishIf(ctx context.Context, model string, seen []byte, rev int64, spec []byte) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamRev, schema.ColSpec, btx.Seq(rev), spec) // ok ttlwrite/unscaled-sequence
	cond := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamRev), bigtable.ColumnFilter(schema.ColSpec), bigtable.ValueRangeFilter(seen, append(slices.Clone(seen), 0)))
	var same bool
	if err := r.tbl.Apply(ctx, model, bigtable.NewCondMutation(cond, m, nil), bigtable.GetCondMutationResult(&same)); err != nil { // want ttlread/conditional-mutation
		return err
	}
	if !same {
		return ErrConflict
	}
	return nil
}

// PublishIfNewest asks the newest cell only.
func (r *Registry) PublishIfNewest(ctx context.Context, model string, seen []byte, rev int64, spec []byte) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamRev, schema.ColSpec, btx.Seq(rev), spec) // ok ttlwrite/unscaled-sequence
	cond := bigtable.ChainFilters(btx.Cell(schema.FamRev, schema.ColSpec), bigtable.ValueRangeFilter(seen, append(slices.Clone(seen), 0)))
	var same bool
	if err := r.tbl.Apply(ctx, model, bigtable.NewCondMutation(cond, m, nil), bigtable.GetCondMutationResult(&same)); err != nil { // ok ttlread/conditional-mutation
		return err
	}
	if !same {
		return ErrConflict
	}
	return nil
}

// Head reads a model's current revision.
func (r *Registry) Head(ctx context.Context, model string) (*Head, error) {
	b, err := btx.Value(ctx, r.tbl, model, schema.FamHead, "head") // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	h := new(Head)
	return h, json.Unmarshal(b, h)
}

// Spec reads a model's newest spec.
func (r *Registry) Spec(ctx context.Context, model string) (*Spec, error) {
	b, err := btx.Value(ctx, r.tbl, model, schema.FamRev, schema.ColSpec) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	s := new(Spec)
	return s, json.Unmarshal(b, s)
}

func revisions(row bigtable.Row) []Revision {
	byNumber := map[int64]*Revision{}
	for name, it := range btx.Items(row, schema.FamRev) {
		n := btx.SeqOf(it.Timestamp)
		rev := byNumber[n]
		if rev == nil {
			rev = &Revision{Number: n}
			byNumber[n] = rev
		}
		switch name {
		case schema.ColSpec:
			if json.Unmarshal(it.Value, &rev.Spec) != nil {
				continue
			}
		case schema.ColArtifact:
			rev.Artifact = string(it.Value)
		case schema.ColWritten:
			rev.CreatedAt, _ = btx.DecodeTime(it.Value) // ok ttlage/not-write-time
		}
	}
	out := make([]Revision, 0, len(byNumber))
	for _, rev := range byNumber {
		out = append(out, *rev)
	}
	slices.SortFunc(out, func(a, b Revision) int { return int(b.Number - a.Number) })
	return out
}

// Revisions reads the revisions that are kept.
func (r *Registry) Revisions(ctx context.Context, model string) ([]Revision, error) {
	row, err := r.tbl.ReadRow(ctx, model, bigtable.RowFilter(btx.Family(schema.FamRev, bigtable.LatestNFilter(schema.ModelVersions)))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return revisions(row), nil
}

// AllRevisions reads a model's row.
func (r *Registry) AllRevisions(ctx context.Context, model string) ([]Revision, error) {
	row, err := r.tbl.ReadRow(ctx, model) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return revisions(row), nil
}

// Recent reads the revisions of the last days.
func (r *Registry) Recent(ctx context.Context, model string, days int) ([]Revision, error) {
	since := time.Now().AddDate(0, 0, -days)
	row, err := r.tbl.ReadRow(ctx, model, bigtable.RowFilter(btx.Family(schema.FamRev, bigtable.TimestampRangeFilter(since, time.Time{})))) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return revisions(row), nil
}

// Range reads the revisions from a to b.
func (r *Registry) Range(ctx context.Context, model string, a, b int64) ([]Revision, error) {
	f := btx.And(bigtable.FamilyFilter(schema.FamRev), bigtable.TimestampRangeFilterMicros(bigtable.Timestamp(a*1000), bigtable.Timestamp((b+1)*1000)))
	row, err := r.tbl.ReadRow(ctx, model, bigtable.RowFilter(f)) // ok ttlread/wrong-bound ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return revisions(row), nil
}

// Compare reads more revisions than there are, to see what was collected.
func (r *Registry) Compare(ctx context.Context, model string) (int, error) {
	row, err := r.tbl.ReadRow(ctx, model, bigtable.RowFilter(btx.Family(schema.FamRev, bigtable.LatestNFilter(schema.ModelVersions+5)))) // want ttlread/version-limit
	if err != nil {
		return 0, err
	}
	return len(revisions(row)), nil
}

// Audit reads a model's trail.
func (r *Registry) Audit(ctx context.Context, model string) ([]string, error) {
	row, err := r.tbl.ReadRow(ctx, model, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamAudit))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, it := range row[schema.FamAudit] {
		created := it.Timestamp.Time().Format(time.DateTime) // ok ttlage/not-write-time
		lines = append(lines, created+" "+it.Column+" "+string(it.Value))
	}
	return lines, nil
}

// ListItem is what the catalogue lists.
type ListItem struct {
	Model      string    `json:"model"`
	Number     int64     `json:"number"`
	ModifiedAt time.Time `json:"modified_at"`
}

// List lists models with the moment of their last change.
func (r *Registry) List(ctx context.Context) ([]ListItem, error) {
	var out []ListItem
	err := r.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		for _, it := range row[schema.FamRev] {
			out = append(out, ListItem{
				Model:      row.Key(),
				Number:     btx.SeqOf(it.Timestamp), // ok ttlage/not-write-time
				ModifiedAt: it.Timestamp.Time(),     // want ttlage/not-write-time
			})
			break
		}
		return true
	}, bigtable.RowFilter(btx.Cell(schema.FamRev, schema.ColSpec))) // ok ttlread/version-limit
	return out, err
}

// ListByHead lists models by what is current.
func (r *Registry) ListByHead(ctx context.Context) ([]ListItem, error) {
	var out []ListItem
	err := r.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[schema.FamHead] {
			var h Head
			if json.Unmarshal(it.Value, &h) != nil {
				continue
			}
			updatedAt := it.Timestamp.Time()                                                       // want ttlage/not-write-time[byhead]
			out = append(out, ListItem{Model: row.Key(), Number: h.Number, ModifiedAt: updatedAt}) // want ttlage/not-write-time[byhead]
		}
		return true
	})
	return out, err
}

// Fingerprint tells whether a head was stored by the server's clock, as the
// first version of this package had it.
func (r *Registry) Fingerprint(ctx context.Context, model string) (bool, error) {
	row, err := r.tbl.ReadRow(ctx, model, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamHead))) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	for _, it := range row[schema.FamHead] {
		if it.Timestamp == bigtable.ServerTime { // want ttlage/server-sentinel
			return true, nil
		}
		if it.Timestamp != 0 { // ok ttlage/server-sentinel
			return true, nil
		}
	}
	return false, nil
}
