// Package firmware keeps images, their revisions and the rollouts.
package firmware

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/fleetio/internal/btutil"
	"example.com/fleetio/internal/keys"
	"example.com/fleetio/internal/logx"
)

// Columns.
const (
	colImage  = "image"
	colSum    = "sha256"
	colManif  = "manifest"
	colStage  = "stage"
	colTarget = "target"
	colDone   = "done"
)

// keep is how many revisions of a model remain.
const keep = 5

// Stages of a rollout, in order.
var stages = []string{"draft", "canary", "wave1", "wave2", "all"}

// columns of a rollout that every stage writes.
var rolloutCols = []string{colStage, colTarget, colDone}

// ErrNoImage says that a model has no image.
var ErrNoImage = errors.New("firmware: no image")

// Manifest describes an image.
type Manifest struct {
	Model    string    `json:"model"`
	Revision int64     `json:"revision"`
	Sum      string    `json:"sum"`
	Size     int       `json:"size"`
	Released time.Time `json:"released"`
}

// Revision is a row of the revisions' list.
type Revision struct {
	Number    int64     `json:"number"`
	Sum       string    `json:"sum"`
	CreatedAt time.Time `json:"created_at"`
	WrittenAt time.Time `json:"written_at"`
}

// Rollout is the state of a rollout.
type Rollout struct {
	ID     string `json:"id"`
	Stage  int    `json:"stage"`
	Target string `json:"target"`
	Done   int    `json:"done"`
}

// Depot is the store of firmware.
type Depot struct {
	tbl  *bigtable.Table
	log  *logx.Logger
	last map[string]int64
}

// NewDepot opens the depot.
func NewDepot(c *bigtable.Client, log *logx.Logger) *Depot {
	return &Depot{tbl: c.Open(keys.TableFirmware), log: log, last: map[string]int64{}}
}

// Upload stores an image and makes a revision of it.
func (d *Depot) Upload(ctx context.Context, mf Manifest, image []byte) error {
	sum := sha256.Sum256(image)
	mf.Sum, mf.Size = hex.EncodeToString(sum[:]), len(image)
	m := bigtable.NewMutation()
	m.Set(keys.FamBlob, mf.Sum, 0, image) // ok ttlwrite/clock-in-zero
	rev := btutil.Seq(mf.Revision)
	if err := btutil.PutJSON(m, keys.FamRev, colManif, rev, mf); err != nil { // ok ttlwrite/unscaled-sequence
		return err
	}
	m.Set(keys.FamRev, colSum, rev, sum[:])                                       // ok ttlwrite/clock-in-sequence
	m.Set(keys.FamInfo, "uploaded", bigtable.Now(), []byte(mf.Released.String())) // ok ttlwrite/write-time
	return d.tbl.Apply(ctx, keys.Image(mf.Model), m)
}

// UploadDraft is for images without a revision.
func (d *Depot) UploadDraft(ctx context.Context, model string, image []byte) error {
	ts := bigtable.Now()
	m := bigtable.NewMutation()
	m.Set(keys.FamBlob, "draft", ts, image)         // want ttlwrite/clock-in-zero
	m.Set(keys.FamRev, "draft", ts, []byte{1})      // want ttlwrite/clock-in-sequence
	m.Set(keys.FamInfo, "draft", ts, []byte(model)) // ok ttlwrite/write-time
	return d.tbl.Apply(ctx, keys.Image(model), m)
}

// Release notes a release by its date.
func (d *Depot) Release(ctx context.Context, mf Manifest) error {
	m := bigtable.NewMutation()
	if err := btutil.PutJSON(m, keys.FamRev, colManif, bigtable.Time(mf.Released), mf); err != nil { // want ttlwrite/clock-in-sequence
		return err
	}
	if err := btutil.PutJSON(m, keys.FamInfo, colManif, bigtable.Time(mf.Released), mf); err != nil { // ok ttlwrite/clock-in-sequence
		return err
	}
	return d.tbl.Apply(ctx, keys.Image(mf.Model), m)
}

// ReleaseBuild uses the build server's number, which is a count of seconds.
func (d *Depot) ReleaseBuild(ctx context.Context, model string, build int64, mf Manifest) error {
	m := bigtable.NewMutation()
	if err := btutil.PutJSON(m, keys.FamRev, "build", bigtable.Time(time.Unix(0, build*int64(time.Millisecond))), mf); err != nil { // ok ttlwrite/clock-in-sequence
		return err
	}
	return d.tbl.Apply(ctx, keys.Image(model), m)
}

// Bump makes the next revision, numbered by this process.
func (d *Depot) Bump(ctx context.Context, model string, mf Manifest) (int64, error) {
	d.last[model]++
	n := d.last[model]
	mf.Revision = n
	m := bigtable.NewMutation()
	if err := btutil.PutJSON(m, keys.FamRev, colManif, bigtable.Timestamp(n), mf); err != nil { // want ttlwrite/unscaled-sequence
		return 0, err
	}
	if err := btutil.PutJSON(m, keys.FamRev, "bumped", bigtable.Timestamp(n*1000), mf); err != nil { // ok ttlwrite/unscaled-sequence
		return 0, err
	}
	return n, d.tbl.Apply(ctx, keys.Image(model), m)
}

// Import stores the revisions of another depot, oldest first.
func (d *Depot) Import(ctx context.Context, model string, mfs []Manifest) error {
	sort.Slice(mfs, func(i, j int) bool { return mfs[i].Released.Before(mfs[j].Released) })
	var ops []btutil.Op
	for i, mf := range mfs {
		b, err := json.Marshal(mf)
		if err != nil {
			return err
		}
		ops = append(ops,
			btutil.Op{Key: keys.Image(model), Family: keys.FamRev, Column: colManif, TS: btutil.Seq(int64(i + 1)), Value: b},    // ok ttlwrite/unscaled-sequence
			btutil.Op{Key: keys.Image(model), Family: keys.FamInfo, Column: colManif, TS: bigtable.Time(mf.Released), Value: b}, // ok ttlwrite/clock-in-sequence
		)
	}
	return btutil.ApplyOps(ctx, d.tbl, ops)
}

// ImportSums stores checksums only.
func (d *Depot) ImportSums(ctx context.Context, model string, sums []string) error {
	m := bigtable.NewMutation()
	for i := 0; i < len(sums); i++ {
		m.Set(keys.FamRev, colSum, bigtable.Timestamp(len(sums)-i), []byte(sums[i])) // want ttlwrite/unscaled-sequence
	}
	m.Set(keys.FamRev, "count", bigtable.Timestamp(len(sums)*1000), nil) // ok ttlwrite/unscaled-sequence
	return d.tbl.Apply(ctx, keys.Image(model), m)
}

// Mark writes the same mark into a model's row for every name.
func (d *Depot) Mark(ctx context.Context, model string, names []string) error {
	m := bigtable.NewMutation()
	for _, n := range names {
		m.Set(keys.FamBlob, "mark", 0, []byte(n))    // want ttlwrite/same-timestamp
		m.Set(keys.FamBlob, "mark."+n, 0, []byte(n)) // ok ttlwrite/same-timestamp
	}
	return d.tbl.Apply(ctx, keys.Image(model), m)
}

// Latest reads the newest manifest of a model.
func (d *Depot) Latest(ctx context.Context, model string) (*Manifest, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(keys.FamRev), bigtable.ColumnFilter(colManif), bigtable.LatestNFilter(1))
	row, err := d.tbl.ReadRow(ctx, keys.Image(model), bigtable.RowFilter(f)) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return manifest(row)
}

// Newest takes the first cell, which is the newest.
func (d *Depot) Newest(ctx context.Context, model string) (*Manifest, error) {
	row, err := d.tbl.ReadRow(ctx, keys.Image(model), bigtable.RowFilter(bigtable.ColumnFilter(colManif))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return manifest(row)
}

func manifest(row bigtable.Row) (*Manifest, error) {
	b := btutil.Value(row, keys.FamRev, colManif)
	if b == nil {
		return nil, ErrNoImage
	}
	mf := new(Manifest)
	if err := json.Unmarshal(b, mf); err != nil {
		return nil, fmt.Errorf("firmware %s: %w", row.Key(), err)
	}
	return mf, nil
}

// Image reads the image with a checksum.
func (d *Depot) Image(ctx context.Context, model, sum string) ([]byte, error) {
	row, err := d.tbl.ReadRow(ctx, keys.Image(model)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	for _, it := range row[keys.FamBlob] {
		if it.Column == keys.FamBlob+":"+sum {
			return it.Value, nil
		}
	}
	return nil, ErrNoImage
}

// List reads the revisions of a model.
func (d *Depot) List(ctx context.Context, model string) ([]Revision, error) {
	row, err := d.tbl.ReadRow(ctx, keys.Image(model), bigtable.RowFilter(bigtable.LatestNFilter(20))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []Revision
	for _, it := range row[keys.FamRev] {
		out = append(out, Revision{
			Number:    btutil.SeqOf(it.Timestamp),
			Sum:       string(it.Value),
			CreatedAt: it.Timestamp.Time(), // want ttlage/not-write-time
		})
	}
	return out, nil
}

// ListKept reads no more than is kept.
func (d *Depot) ListKept(ctx context.Context, model string) ([]Revision, error) {
	f := bigtable.ChainFilters(bigtable.ColumnFilter(colManif), bigtable.LatestNFilter(keep))
	row, err := d.tbl.ReadRow(ctx, keys.Image(model), bigtable.RowFilter(f)) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	written := map[string]time.Time{}
	for _, it := range row[keys.FamInfo] {
		written[it.Column] = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	var out []Revision
	for _, it := range row[keys.FamRev] {
		out = append(out, Revision{
			Number:    btutil.SeqOf(it.Timestamp), // ok ttlage/not-write-time
			Sum:       string(it.Value),
			WrittenAt: written[keys.FamInfo+":"+colManif], // ok ttlage/not-write-time
		})
	}
	return out, nil
}

// Models lists the models that have a revision of the last d.
func (d *Depot) Models(ctx context.Context, since time.Duration) ([]string, error) {
	var out []string
	f := bigtable.ChainFilters( // want ttlread/wrong-bound[models]
		bigtable.FamilyFilter(keys.FamRev),
		btutil.Within(time.Now(), since), // want ttlread/wrong-bound[models]
		bigtable.LatestNFilter(1),
	)
	err := btutil.Scan(ctx, d.tbl, "img#", f, func(r bigtable.Row) bool { // want ttlread/wrong-bound[models]
		if len(btutil.Value(r, keys.FamRev, colManif)) > 0 {
			out = append(out, r.Key())
		}
		return true
	})
	return out, err
}

// Dump reads everything about the images.
func (d *Depot) Dump(ctx context.Context, emit func(bigtable.Row) error) error {
	var ferr error
	err := d.tbl.ReadRows(ctx, bigtable.PrefixRange("img#"), func(r bigtable.Row) bool { // want ttlread/missing-filter
		ferr = emit(r)
		return ferr == nil
	})
	if err == nil {
		err = ferr
	}
	return err
}

// BySum finds the revision with a checksum.
func (d *Depot) BySum(ctx context.Context, model, sum string) (int64, error) {
	f := bigtable.ChainFilters( // want ttlread/version-limit[bysum]
		bigtable.FamilyFilter(keys.FamRev),
		bigtable.ColumnFilter(colSum),
		bigtable.ValueFilter(sum),
		bigtable.LatestNFilter(1), // want ttlread/version-limit[bysum]
	)
	row, err := d.tbl.ReadRow(ctx, keys.Image(model), bigtable.RowFilter(f)) // want ttlread/version-limit[bysum]
	if err != nil {
		return 0, err
	}
	it, _ := btutil.Find(row, keys.FamRev, colSum)
	return btutil.SeqOf(it.Timestamp), nil
}

// Begin starts a rollout.
func (d *Depot) Begin(ctx context.Context, r Rollout) error {
	m := bigtable.NewMutation()
	for i, col := range rolloutCols {
		v := []byte{byte(i)}
		if col == colTarget {
			v = []byte(r.Target)
		}
		m.Set(keys.FamRev, col, 1000, v) // ok ttlwrite/same-timestamp
	}
	m.Set(keys.FamInfo, "begun", bigtable.ServerTime, []byte(r.ID)) // ok ttlwrite/clock-in-sequence
	return d.tbl.Apply(ctx, keys.Rollout(r.ID), m)
}

// Advance takes a rollout to its next stage. The stage is the sequence number.
func (d *Depot) Advance(ctx context.Context, id string, stage int) error {
	if stage < 0 || stage >= len(stages) {
		return fmt.Errorf("firmware: no stage %d", stage)
	}
	m := bigtable.NewMutation()
	m.Set(keys.FamRev, rolloutCols[0], bigtable.Timestamp(stage+1)*1000, []byte(stages[stage])) // ok ttlwrite/unscaled-sequence
	m.Set(keys.FamRev, rolloutCols[2], bigtable.Timestamp(time.Now().UnixMicro()), nil)         // want ttlwrite/clock-in-sequence
	m.Set(keys.FamInfo, colStage, bigtable.Timestamp(time.Now().UnixMicro()), nil)              // ok ttlunit/wrong-unit
	return d.tbl.Apply(ctx, keys.Rollout(id), m)
}

// Abort takes a rollout back to its start.
func (d *Depot) Abort(ctx context.Context, id string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(keys.FamRev, colStage)
	m.Set(keys.FamRev, colStage, bigtable.ServerTime, []byte(stages[0])) // want ttlwrite/clock-in-sequence
	m.Set(keys.FamInfo, "aborted", bigtable.ServerTime, nil)             // ok ttlwrite/server-timestamp
	return d.tbl.Apply(ctx, keys.Rollout(id), m)
}

// Report counts a device that has finished.
func (d *Depot) Report(ctx context.Context, id, dev string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(keys.FamRev, colDone, 1)             // want ttlwrite/read-modify-write
	rmw.AppendValue(keys.FamInfo, "devs", []byte(dev)) // ok ttlwrite/read-modify-write
	_, err := d.tbl.ApplyReadModifyWrite(ctx, keys.Rollout(id), rmw)
	return err
}

// State reads a rollout.
func (d *Depot) State(ctx context.Context, id string) (*Rollout, error) {
	row, err := btutil.Get(ctx, d.tbl, keys.Rollout(id), btutil.FamLatest(keys.FamRev, 1)) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	r := &Rollout{ID: id}
	for _, it := range row[keys.FamRev] {
		switch it.Column {
		case keys.FamRev + ":" + colStage:
			r.Stage = int(btutil.SeqOf(it.Timestamp)) - 1
		case keys.FamRev + ":" + colTarget:
			r.Target = string(it.Value)
		case keys.FamRev + ":" + colDone:
			r.Done = int(btutil.IntOf(it.Value))
		}
	}
	return r, nil
}

// Stalled lists rollouts that have not moved for d.
func (d *Depot) Stalled(ctx context.Context, after time.Duration) ([]string, error) {
	var out []string
	now := time.Now()
	err := btutil.Scan(ctx, d.tbl, "ro#", btutil.FamLatest(keys.FamRev, 1), func(r bigtable.Row) bool { // ok ttlread/version-limit
		it, ok := btutil.Find(r, keys.FamRev, colStage)
		if ok && now.Sub(it.Timestamp.Time()) > after { // want ttlage/not-write-time
			out = append(out, r.Key())
		}
		return true
	})
	return out, err
}

// StalledInfo does it by the time that the stage was really written.
func (d *Depot) StalledInfo(ctx context.Context, after time.Duration) ([]string, error) {
	var out []string
	now := time.Now()
	err := btutil.Scan(ctx, d.tbl, "ro#", btutil.FamLatest(keys.FamInfo, 1), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		it, ok := btutil.Find(r, keys.FamInfo, colStage)
		if ok && now.Sub(it.Timestamp.Time()) > after { // ok ttlage/not-write-time
			out = append(out, r.Key())
		}
		return true
	})
	return out, err
}
