package online

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/featureplat/btx"
	"example.com/featureplat/schema"
)

// Window is an aggregate over the last minutes. Windows end a quarter of an
// hour after the last event.
type Window struct {
	Name  string
	Sum   float64
	Count int64
	Ends  time.Time
}

// Mean is the window's mean.
func (w Window) Mean() float64 {
	if w.Count == 0 {
		return 0
	}
	return w.Sum / float64(w.Count)
}

func encodeWindow(w Window) []byte {
	return append(btx.EncodeFloat(w.Sum), btx.EncodeInt(w.Count)...)
}

func decodeWindow(name string, it bigtable.ReadItem) (Window, error) {
	if len(it.Value) != 16 {
		return Window{}, fmt.Errorf("window %s of %d bytes", name, len(it.Value))
	}
	sum, err := btx.DecodeFloat(it.Value[:8])
	if err != nil {
		return Window{}, err
	}
	n, err := btx.DecodeInt(it.Value[8:])
	return Window{Name: name, Sum: sum, Count: n, Ends: it.Timestamp.Time()}, err // ok ttlage/not-write-time
}

// PutWindow writes a window until it ends.
func (s *Store) PutWindow(ctx context.Context, e btx.Entity, w Window) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamWindow, w.Name, btx.ExpiresIn(schema.WindowTTL), encodeWindow(w)) // ok ttlwrite/write-time
	return s.apply(ctx, e, m)
}

// PutWindows writes several windows, and the totals for the week.
func (s *Store) PutWindows(ctx context.Context, e btx.Entity, ws []Window) error {
	m := bigtable.NewMutation()
	for _, w := range ws {
		m.Set(schema.FamWindow, w.Name, bigtable.ServerTime, encodeWindow(w))                  // want ttlwrite/server-timestamp
		m.Set(schema.FamValue, w.Name+"_mean", bigtable.ServerTime, btx.EncodeFloat(w.Mean())) // ok ttlwrite/server-timestamp
	}
	return s.apply(ctx, e, m)
}

// Roll moves a window on: the old cell goes, the new one ends later.
func (s *Store) Roll(ctx context.Context, e btx.Entity, w Window) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(schema.FamWindow, w.Name) // ok ttlwrite/delete-after-set
	end := time.Now().Truncate(time.Minute).Add(schema.WindowTTL)
	m.Set(schema.FamWindow, w.Name, bigtable.Time(end), encodeWindow(w)) // ok ttlwrite/write-time ttlunit/wrong-unit
	return s.apply(ctx, e, m)
}

// Touch keeps a window for as long as its entity is looked at.
func (s *Store) Touch(ctx context.Context, e btx.Entity, w Window) error {
	m := bigtable.NewMutation()
	now := time.Now()
	m.Set(schema.FamWindow, w.Name, bigtable.Time(now), encodeWindow(w)) // want ttlwrite/write-time
	m.Set(schema.FamMeta, "touched", bigtable.Time(now), nil)            // ok ttlwrite/write-time
	return s.apply(ctx, e, m)
}

// Close ends a window early.
func (s *Store) Close(ctx context.Context, e btx.Entity, name string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(schema.FamWindow, name) // ok ttlwrite/delete-after-set
	return s.apply(ctx, e, m)
}

// Hit counts an event in the current window.
func (s *Store) Hit(ctx context.Context, e btx.Entity, name string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamWindow, name+"_hits", 1) // want ttlwrite/read-modify-write
	rmw.Increment(schema.FamMeta, "hits", 1)         // ok ttlwrite/read-modify-write
	row, err := s.tbl.ApplyReadModifyWrite(ctx, e.Key(), rmw)
	if err != nil {
		return 0, s.count(err)
	}
	it, ok := btx.First(row, schema.FamMeta, "hits")
	if !ok {
		return 0, btx.ErrNotFound
	}
	return btx.DecodeInt(it.Value)
}

// Windows reads an entity's open windows.
func (s *Store) Windows(ctx context.Context, e btx.Entity) ([]Window, error) {
	row, err := s.tbl.ReadRow(ctx, e.Key(), btx.Options(bigtable.FamilyFilter(schema.FamWindow), btx.Live())...) // ok ttlread/missing-filter
	if err != nil {
		return nil, s.count(err)
	}
	return windowsOf(row)
}

func windowsOf(row bigtable.Row) ([]Window, error) {
	var ws []Window
	for name, it := range btx.Items(row, schema.FamWindow) {
		w, err := decodeWindow(name, it)
		if err != nil {
			return nil, err
		}
		ws = append(ws, w)
	}
	return ws, nil
}

// LastWindows reads the windows of the last quarter of an hour.
func (s *Store) LastWindows(ctx context.Context, e btx.Entity) ([]Window, error) {
	row, err := s.tbl.ReadRow(ctx, e.Key(), btx.Options(bigtable.FamilyFilter(schema.FamWindow), btx.Within(schema.WindowTTL))...) // want ttlread/wrong-bound
	if err != nil {
		return nil, s.count(err)
	}
	return windowsOf(row)
}

// WindowsSoon reads the windows that end within the next minutes, to flush
// them downstream before they go.
func (s *Store) WindowsSoon(ctx context.Context, e btx.Entity) ([]Window, error) {
	now := time.Now()
	f := btx.And(bigtable.FamilyFilter(schema.FamWindow), btx.Between(now, now.Add(5*time.Minute)))
	row, err := s.tbl.ReadRow(ctx, e.Key(), bigtable.RowFilter(f)) // want ttlread/upper-bound
	if err != nil {
		return nil, s.count(err)
	}
	return windowsOf(row)
}

// WindowsUntil reads up to the end of the longest window.
func (s *Store) WindowsUntil(ctx context.Context, e btx.Entity) ([]Window, error) {
	now := time.Now()
	row, err := s.tbl.ReadRow(ctx, e.Key(), bigtable.RowFilter(btx.Family(schema.FamWindow, btx.Between(now, now.Add(2*schema.WindowTTL))))) // ok ttlread/upper-bound
	if err != nil {
		return nil, s.count(err)
	}
	return windowsOf(row)
}

// WindowsBefore reads the windows up to now, as the offline job does.
func (s *Store) WindowsBefore(ctx context.Context, e btx.Entity) ([]Window, error) {
	row, err := s.tbl.ReadRow(ctx, e.Key(), bigtable.RowFilter(btx.Family(schema.FamWindow, btx.Before(time.Now())))) // want ttlread/expired-only
	if err != nil {
		return nil, s.count(err)
	}
	return windowsOf(row)
}

// Everything reads features and windows of an entity for the debug page.
func (s *Store) Everything(ctx context.Context, e btx.Entity) ([]Feature, []Window, error) {
	f := bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamValue), btx.Within(schema.ValueTTL)),
		bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamWindow), bigtable.LatestNFilter(1)), // want ttlread/unfiltered-branch[every]
	)
	row, err := s.tbl.ReadRow(ctx, e.Key(), bigtable.RowFilter(f)) // want ttlread/unfiltered-branch[every]
	if err != nil {
		return nil, nil, s.count(err)
	}
	fs, err := decodeFeatures(row)
	if err != nil {
		return nil, nil, err
	}
	ws, err := windowsOf(row)
	return fs, ws, err
}

// WindowAge tells for how long a window has been open.
func (s *Store) WindowAge(ctx context.Context, e btx.Entity, name string) (time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, e.Key(), bigtable.RowFilter(btx.LiveCell(schema.FamWindow, name))) // ok ttlread/missing-filter
	if err != nil {
		return 0, s.count(err)
	}
	it, ok := btx.First(row, schema.FamWindow, name)
	if !ok {
		return 0, btx.ErrNotFound
	}
	return time.Since(it.Timestamp.Time()), nil // want ttlage/not-write-time
}

// WindowLeft tells how long a window stays open.
func (s *Store) WindowLeft(ctx context.Context, e btx.Entity, name string) (time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, e.Key(), bigtable.RowFilter(btx.LiveCell(schema.FamWindow, name))) // ok ttlread/missing-filter
	if err != nil {
		return 0, s.count(err)
	}
	it, ok := btx.First(row, schema.FamWindow, name)
	if !ok {
		return 0, btx.ErrNotFound
	}
	return time.Until(it.Timestamp.Time()), nil // ok ttlage/not-write-time
}

// Describe puts an entity's cells into words.
func (s *Store) Describe(ctx context.Context, e btx.Entity) (map[string]string, error) {
	row, err := s.tbl.ReadRow(ctx, e.Key(), bigtable.RowFilter(valueFilter())) // ok ttlread/missing-filter
	if err != nil {
		return nil, s.count(err)
	}
	out := map[string]string{}
	for _, it := range row[schema.FamValue] {
		updated := it.Timestamp.Time().Format(time.RFC3339) // want ttlage/not-write-time[described]
		out[it.Column+"_updated"] = updated                 // want ttlage/not-write-time[described]
		out[it.Column] = strconv.Itoa(len(it.Value))
	}
	return out, nil
}

// Touched tells when somebody last looked at an entity.
func (s *Store) Touched(ctx context.Context, e btx.Entity) (time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, e.Key(), bigtable.RowFilter(btx.Cell(schema.FamMeta, "touched"))) // ok ttlread/missing-filter
	if err != nil {
		return 0, s.count(err)
	}
	for _, it := range row[schema.FamMeta] {
		return time.Since(it.Timestamp.Time()), nil // ok ttlage/not-write-time
	}
	return 0, btx.ErrNotFound
}

// closeIfIdle takes a window away if it has no hits any more.
func (s *Store) closeIfIdle(ctx context.Context, e btx.Entity, name string) error {
	del := bigtable.NewMutation()
	del.DeleteCellsInFamily(schema.FamWindow)
	idle := bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamWindow), bigtable.ColumnFilter(name)), nil, del) // ok ttlread/conditional-mutation
	return s.tbl.Apply(ctx, e.Key(), idle)
}

// OpenOnce opens a window unless there is one.
func (s *Store) OpenOnce(ctx context.Context, e btx.Entity, name string) (bool, error) {
	open := bigtable.NewMutation()
	open.Set(schema.FamWindow, name, btx.ExpiresIn(schema.WindowTTL), encodeWindow(Window{Name: name})) // ok ttlwrite/write-time
	var matched bool
	cond := bigtable.NewCondMutation(btx.Cell(schema.FamWindow, name), nil, open) // want ttlread/conditional-mutation
	if err := s.tbl.Apply(ctx, e.Key(), cond, bigtable.GetCondMutationResult(&matched)); err != nil {
		return false, s.count(err)
	}
	return !matched, nil
}

// OpenLive is OpenOnce that does not count windows that have ended.
func (s *Store) OpenLive(ctx context.Context, e btx.Entity, name string) (bool, error) {
	open := bigtable.NewMutation()
	open.Set(schema.FamWindow, name, btx.ExpiresIn(schema.WindowTTL), encodeWindow(Window{Name: name})) // ok ttlwrite/write-time
	var matched bool
	cond := bigtable.NewCondMutation(btx.LiveCell(schema.FamWindow, name), nil, open) // ok ttlread/conditional-mutation
	if err := s.tbl.Apply(ctx, e.Key(), cond, bigtable.GetCondMutationResult(&matched)); err != nil {
		return false, s.count(err)
	}
	if matched {
		return false, nil
	}
	return true, s.closeIfIdle(ctx, e, name+"_hits")
}
