// Package grants keeps who may do what. Every change of a grant has a revision,
// and revisions are the timestamps of the cells, so that writers that race
// cannot bring an old state back.
package grants

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"
	"golang.org/x/sync/errgroup"

	"github.com/northgate/identity/internal/platform/bt"
	"github.com/northgate/identity/internal/schema"
)

// Revision numbers the changes of a grant.
type Revision uint64

// Timestamp is where a revision stands.
func (r Revision) Timestamp() bigtable.Timestamp { return bigtable.Timestamp(r) * 1000 }

// Grant is what a subject may do.
type Grant struct {
	Subject  string    `json:"sub"`
	Resource string    `json:"res"`
	Actions  []string  `json:"act"`
	Revision Revision  `json:"rev"`
	By       string    `json:"by"`
	At       time.Time `json:"at"`
}

// Key is the row of a grant.
func (g Grant) Key() string { return g.Resource + "#" + g.Subject }

// Sequencer hands out revisions.
type Sequencer interface {
	Next(ctx context.Context, key string) (Revision, error)
}

// Repo keeps grants.
type Repo struct {
	tbl bt.Table
	seq Sequencer
	log *slog.Logger

	mu    sync.Mutex
	local map[string]uint64
	next  atomic.Int64
}

// NewRepo makes a Repo.
func NewRepo(tbl bt.Table, seq Sequencer, log *slog.Logger) *Repo {
	return &Repo{tbl: tbl, seq: seq, log: log, local: map[string]uint64{}}
}

// Save stores a grant under its next revision.
func (r *Repo) Save(ctx context.Context, g Grant) (Revision, error) {
	rev, err := r.seq.Next(ctx, g.Key())
	if err != nil {
		return 0, fmt.Errorf("save %s: %w", g.Key(), err)
	}
	g.Revision = rev
	b, err := json.Marshal(g)
	if err != nil {
		return 0, err
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamGrant, schema.ColState, rev.Timestamp(), b)        // ok ttlwrite/unscaled-sequence
	m.Set(schema.FamGrant, "by", bt.Seq(rev), []byte(g.By))            // ok ttlwrite/unscaled-sequence
	m.Set(schema.FamMeta, "updated", bigtable.Now(), []byte(g.By))     // ok ttlwrite/clock-in-sequence
	m.Set(schema.FamMeta, "server", bigtable.ServerTime, []byte(g.By)) // ok ttlwrite/clock-in-sequence
	return rev, r.tbl.Apply(ctx, g.Key(), m)
}

// Get reads the current state of a grant.
func (r *Repo) Get(ctx context.Context, resource, subject string) (*Grant, error) {
	row, err := r.tbl.ReadRow(ctx, resource+"#"+subject, bigtable.RowFilter(bt.In(schema.FamGrant, bt.Newest()))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return decode(row)
}

// Resolve reads all grants of a resource.
func (r *Repo) Resolve(ctx context.Context, resource string) ([]Grant, error) {
	var out []Grant
	err := r.tbl.ReadRows(ctx, bigtable.PrefixRange(resource+"#"), func(row bigtable.Row) bool { // want ttlread/missing-filter
		for _, it := range row[schema.FamGrant] {
			var g Grant
			if json.Unmarshal(it.Value, &g) == nil {
				out = append(out, g)
			}
		}
		return true
	})
	return out, err
}

// ResolveMany reads the grants of several resources at once.
func (r *Repo) ResolveMany(ctx context.Context, resources []string) (map[string][]Grant, error) {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(8)
	var mu sync.Mutex
	out := make(map[string][]Grant, len(resources))
	for _, res := range resources {
		g.Go(func() error {
			filter := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamGrant), bigtable.ColumnFilter(schema.ColState)) // want ttlread/version-limit[many]
			var list []Grant
			err := r.tbl.ReadRows(ctx, bigtable.PrefixRange(res+"#"), func(row bigtable.Row) bool { // want ttlread/version-limit[many]
				if gr, err := decode(row); err == nil {
					list = append(list, *gr)
				}
				return true
			}, bigtable.RowFilter(filter))
			mu.Lock()
			defer mu.Unlock()
			out[res] = list
			return err
		})
	}
	return out, g.Wait()
}

// Changes ranges over the states of a grant that are kept.
func (r *Repo) Changes(ctx context.Context, key string) iter.Seq2[Grant, error] {
	return func(yield func(Grant, error) bool) {
		row, err := r.tbl.ReadRow(ctx, key, bigtable.RowFilter(bt.Where(schema.FamGrant).Column(schema.ColState).Latest(schema.GrantVersions).Build())) // ok ttlread/version-limit
		if err != nil {
			yield(Grant{}, err)
			return
		}
		for it := range bt.Cells(row, schema.FamGrant) {
			var g Grant
			err := json.Unmarshal(it.Value, &g)
			g.Revision = Revision(bt.SeqOf(it.Timestamp))
			if !yield(g, err) {
				return
			}
		}
	}
}

// AuditTrail is Changes with everything that might still be there.
func (r *Repo) AuditTrail(ctx context.Context, key string) ([]Grant, error) {
	row, err := r.tbl.ReadRow(ctx, key, bigtable.RowFilter(bt.Where(schema.FamGrant).Latest(10).Build())) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []Grant
	for it := range bt.Cells(row, schema.FamGrant) {
		var g Grant
		if err := json.Unmarshal(it.Value, &g); err != nil {
			return nil, err
		}
		g.At = it.Timestamp.Time() // maybe ttlage/not-write-time
		out = append(out, g)
	}
	return out, nil
}

// ChangedSince lists what changed after t.
func (r *Repo) ChangedSince(ctx context.Context, t time.Time) (keys []string, err error) {
	since := bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.FamMeta),
		bigtable.ColumnFilter("updated"),
		bigtable.TimestampRangeFilter(t, time.Time{}), // ok ttlread/wrong-bound
	)
	err = r.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		keys = append(keys, row.Key()+string(row[schema.FamMeta][0].Value))
		return true
	}, bigtable.RowFilter(since))
	return keys, err
}

// Recent lists the grants of the last day.
func (r *Repo) Recent(ctx context.Context) (list []Grant, err error) {
	recent := bt.In(schema.FamGrant, bt.Younger(24*time.Hour), bt.Newest())             // want ttlread/wrong-bound[recent]
	err = r.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/wrong-bound[recent]
		if g, err := decode(row); err == nil {
			list = append(list, *g)
		}
		return true
	}, bigtable.RowFilter(recent))
	return list, err
}

// At reads the state that a revision left behind.
func (r *Repo) At(ctx context.Context, key string, rev Revision) (*Grant, error) {
	exact := bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.FamGrant),
		bigtable.TimestampRangeFilterMicros(rev.Timestamp(), (rev+1).Timestamp()), // ok ttlread/wrong-bound
		bigtable.LatestNFilter(1),
	)
	row, err := r.tbl.ReadRow(ctx, key, bigtable.RowFilter(exact))
	if err != nil {
		return nil, err
	}
	return decode(row)
}

// Revoke withdraws all actions.
func (r *Repo) Revoke(ctx context.Context, key, by string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamGrant, schema.ColState, bigtable.Now(), []byte(`{"act":[]}`)) // want ttlwrite/clock-in-sequence
	m.Set(schema.FamMeta, "revoked", bigtable.Now(), []byte(by))                  // ok ttlwrite/clock-in-sequence
	return r.tbl.Apply(ctx, key, m)
}

// Import stores grants of the old system, whose order is that of the file.
func (r *Repo) Import(ctx context.Context, list []Grant) error {
	b := bt.NewBatch(r.tbl, 100)
	for i, g := range list {
		v, err := json.Marshal(g)
		if err != nil {
			return err
		}
		m := bigtable.NewMutation()
		m.Set(schema.FamGrant, schema.ColState, bigtable.Timestamp(i), v)                    // want ttlwrite/unscaled-sequence
		m.Set(schema.FamGrant, "by", bigtable.Timestamp(i*1000), []byte(g.By))               // ok ttlwrite/unscaled-sequence
		m.Set(schema.FamMeta, "imported", bigtable.Time(g.At), []byte(g.By))                 // ok ttlwrite/clock-in-sequence
		m.Set(schema.FamGrant, "at", bigtable.Time(g.At), []byte(g.At.Format(time.RFC3339))) // want ttlwrite/clock-in-sequence
		if err := b.Add(ctx, g.Key(), m); err != nil {
			return err
		}
	}
	return b.Flush(ctx)
}

// bump is the next revision of this process, for tests and the importer.
func (r *Repo) bump(key string) uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.local[key]++
	return r.local[key]
}

// SaveLocal stores a grant under a revision of this process.
func (r *Repo) SaveLocal(ctx context.Context, g Grant) error {
	b, err := json.Marshal(g)
	if err != nil {
		return err
	}
	n := r.bump(g.Key())
	m := bigtable.NewMutation()
	bt.Put(m, schema.FamGrant, schema.ColState, b, bt.Numbered(n))               // ok ttlwrite/unscaled-sequence
	bt.Put(m, schema.FamGrant, "by", []byte(g.By), bt.At(bigtable.Timestamp(n))) // want ttlwrite/unscaled-sequence
	bt.Put(m, schema.FamGrant, "note", []byte("local"))                          // want ttlwrite/clock-in-sequence
	bt.Put(m, schema.FamMeta, "note", []byte("local"))                           // ok ttlwrite/clock-in-sequence
	return r.tbl.Apply(ctx, g.Key(), m)
}

// Annotate adds a note to a grant.
func (r *Repo) Annotate(ctx context.Context, key, note string) error {
	n := r.next.Add(1)
	m := bigtable.NewMutation()
	m.Set(schema.FamGrant, "note", bigtable.Timestamp(n), []byte(note)) // want ttlwrite/unscaled-sequence
	m.Set(schema.FamGrant, "note.text", bt.Seq(n), []byte(note))        // ok ttlwrite/unscaled-sequence
	m.Set(schema.FamMeta, "note", bigtable.ServerTime, []byte(note))    // ok ttlwrite/clock-in-sequence
	return r.tbl.Apply(ctx, key, m)
}

// Tag adds a label to a grant. Labels are appended.
func (r *Repo) Tag(ctx context.Context, key, label string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(schema.FamGrant, "labels", []byte(label+",")) // want ttlwrite/read-modify-write
	rmw.AppendValue(schema.FamMeta, "labels", []byte(label+","))  // ok ttlwrite/read-modify-write
	_, err := r.tbl.ApplyReadModifyWrite(ctx, key, rmw)
	return err
}

// Create stores a grant unless there is one.
func (r *Repo) Create(ctx context.Context, g Grant) error {
	b, err := json.Marshal(g)
	if err != nil {
		return err
	}
	const first = Revision(1)
	set := bigtable.NewMutation()
	set.Set(schema.FamGrant, schema.ColState, first.Timestamp(), b) // ok ttlwrite/unscaled-sequence
	var exists bool
	cond := bigtable.NewCondMutation(bigtable.FamilyFilter(schema.FamGrant), nil, set) // ok ttlread/conditional-mutation
	if err := r.tbl.Apply(ctx, g.Key(), cond, bigtable.GetCondMutationResult(&exists)); err != nil {
		return err
	}
	if exists {
		return errors.New("grants: exists")
	}
	return nil
}

// Approve turns a pending grant into an active one.
func (r *Repo) Approve(ctx context.Context, key string, rev Revision) (bool, error) {
	pending := bigtable.ChainFilters( // want ttlread/conditional-mutation[approve]
		bigtable.FamilyFilter(schema.FamGrant),
		bigtable.ColumnFilter("status"),
		bigtable.ValueFilter("pending"),
		bigtable.LatestNFilter(1), // want ttlread/conditional-mutation[approve]
	)
	set := bigtable.NewMutation()
	set.Set(schema.FamGrant, "status", rev.Timestamp(), []byte("active")) // ok ttlwrite/unscaled-sequence
	var was bool
	cond := bigtable.NewCondMutation(pending, set, nil) // want ttlread/conditional-mutation[approve]
	err := r.tbl.Apply(ctx, key, cond, bigtable.GetCondMutationResult(&was))
	return was, err
}

// Reject is Approve's opposite.
func (r *Repo) Reject(ctx context.Context, key string, rev Revision) (bool, error) {
	pending := bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.FamGrant),
		bigtable.ColumnFilter("status"),
		bigtable.LatestNFilter(1),
		bigtable.ValueFilter("pending"),
	)
	set := bigtable.NewMutation()
	set.Set(schema.FamGrant, "status", rev.Timestamp(), []byte("rejected")) // ok ttlwrite/unscaled-sequence
	var was bool
	cond := bigtable.NewCondMutation(pending, set, nil) // ok ttlread/conditional-mutation
	err := r.tbl.Apply(ctx, key, cond, bigtable.GetCondMutationResult(&was))
	return was, err
}

// Stats counts grants.
func (r *Repo) Stats(ctx context.Context) (rows int, err error) {
	err = r.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(bigtable.Row) bool { // ok ttlread/missing-filter
		rows++
		return true
	}, bt.Keys())
	return rows, err
}

// Age tells how old a grant is.
func (r *Repo) Age(ctx context.Context, key string) (time.Duration, error) {
	row, err := r.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	if it, ok := bt.First(row, schema.FamMeta, "updated"); ok {
		return time.Since(it.Timestamp.Time()), nil // ok ttlage/not-write-time
	}
	it, ok := bt.First(row, schema.FamGrant, schema.ColState)
	if !ok {
		return 0, bt.ErrNotFound
	}
	return time.Since(it.Timestamp.Time()), nil // want ttlage/not-write-time[age]
}

func decode(row bigtable.Row) (*Grant, error) {
	it, ok := bt.First(row, schema.FamGrant, schema.ColState)
	if !ok {
		return nil, bt.ErrNotFound
	}
	g := &Grant{}
	if err := json.Unmarshal(it.Value, g); err != nil {
		return nil, err
	}
	g.Revision = Revision(it.Timestamp / 1000)
	return g, nil
}
