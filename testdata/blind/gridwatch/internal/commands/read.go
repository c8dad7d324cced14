package commands

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/gridwatch/internal/bus"
	"example.com/gridwatch/internal/events"
	"example.com/gridwatch/internal/store"
)

// Pending is a command with its number.
type Pending struct {
	events.Command
	Number    int64
	WrittenAt time.Time
	Waiting   time.Duration
}

// Entries returns the entries that are kept, newest first.
func (l *Log) Entries(ctx context.Context, device string) ([]bigtable.ReadItem, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(store.FamEntry), bigtable.ColumnFilter("cmd"), bigtable.LatestNFilter(Keep))
	row, err := l.tbl.ReadRow(ctx, device, bigtable.RowFilter(f)) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	if len(row) == 0 {
		return nil, ErrEmpty
	}
	return row[store.FamEntry], nil
}

// All returns whatever the server has, superseded entries too.
func (l *Log) All(ctx context.Context, device string) ([]bigtable.ReadItem, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(store.FamEntry), bigtable.ColumnFilter("cmd")) // want ttlread/version-limit[all]
	row, err := l.tbl.ReadRow(ctx, device, bigtable.RowFilter(f))                                   // want ttlread/version-limit[all]
	if err != nil {
		return nil, err
	}
	return row[store.FamEntry], nil
}

// Raw reads the row as it is.
func (l *Log) Raw(ctx context.Context, device string) ([]bigtable.ReadItem, error) {
	row, err := l.tbl.ReadRow(ctx, device) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return row[store.FamEntry], nil
}

// Cursor reads a value at timestamp zero.
func (l *Log) Cursor(ctx context.Context, device, name string) (string, error) {
	row, err := l.tbl.ReadRow(ctx, device, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(store.FamCursor), bigtable.ColumnFilter(name)))) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range row[store.FamCursor] {
		return string(it.Value), nil
	}
	return "", nil
}

// Notes reads without a filter, but only ordinary cells matter.
func (l *Log) Notes(ctx context.Context, device string) (map[string]time.Time, error) {
	row, err := l.tbl.ReadRow(ctx, device) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]time.Time{}
	for _, it := range row[store.FamNote] {
		out[it.Column] = it.Timestamp.Time()
	}
	return out, nil
}

// Ten wants more entries than the table keeps.
func (l *Log) Ten(ctx context.Context, device string) ([]bigtable.ReadItem, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(store.FamEntry), bigtable.LatestNFilter(10)) // want ttlread/version-limit[ten]
	row, err := l.tbl.ReadRow(ctx, device, bigtable.RowFilter(f))                                 // want ttlread/version-limit[ten]
	if err != nil {
		return nil, err
	}
	return row[store.FamEntry], nil
}

// Last returns the newest entry.
func (l *Log) Last(ctx context.Context, device string) (*Pending, error) {
	row, err := l.tbl.ReadRow(ctx, device, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(store.FamEntry), bigtable.LatestNFilter(1)))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	for _, it := range row[store.FamEntry] {
		p := &Pending{Number: int64(it.Timestamp) / 1000} // ok ttlage/not-write-time
		if err := json.Unmarshal(it.Value, &p.Command); err != nil {
			return nil, fmt.Errorf("commands: %s: %w", device, err)
		}
		p.WrittenAt = it.Timestamp.Time()           // want ttlage/not-write-time
		p.Waiting = time.Since(it.Timestamp.Time()) // want ttlage/not-write-time
		return p, nil
	}
	return nil, ErrEmpty
}

// LastHour reads numbered cells by the clock.
func (l *Log) LastHour(ctx context.Context, device string) ([]bigtable.ReadItem, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(store.FamEntry), store.Within(time.Hour)) // want ttlread/wrong-bound[lasthour]
	row, err := l.tbl.ReadRow(ctx, device, bigtable.RowFilter(f))                              // want ttlread/wrong-bound[lasthour]
	if err != nil {
		return nil, err
	}
	return row[store.FamEntry], nil
}

// Live uses the filter of the sessions.
func (l *Log) Live(ctx context.Context, device string) ([]bigtable.ReadItem, error) {
	row, err := l.tbl.ReadRow(ctx, device, bigtable.RowFilter(store.LiveFamily(store.FamEntry))) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return row[store.FamEntry], nil
}

// From returns the kept entries from a number on.
func (l *Log) From(ctx context.Context, device string, n int64) ([]bigtable.ReadItem, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(store.FamEntry), bigtable.LatestNFilter(Keep), bigtable.TimestampRangeFilterMicros(store.Seq(n), 0))
	row, err := l.tbl.ReadRow(ctx, device, bigtable.RowFilter(f)) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return row[store.FamEntry], nil
}

// Find looks for an operation among the kept entries.
func (l *Log) Find(ctx context.Context, device, op string) (bool, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(store.FamEntry), bigtable.LatestNFilter(Keep), bigtable.ValueFilter(op))
	row, err := l.tbl.ReadRow(ctx, device, bigtable.RowFilter(f)) // ok ttlread/version-limit
	return len(row) > 0, err
}

// FindAny has the limit behind the value.
func (l *Log) FindAny(ctx context.Context, device, op string) (bool, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(store.FamEntry), bigtable.ValueFilter(op), bigtable.LatestNFilter(1)) // want ttlread/version-limit[findany]
	row, err := l.tbl.ReadRow(ctx, device, bigtable.RowFilter(f))                                                          // want ttlread/version-limit[findany]
	return len(row) > 0, err
}

// Stream sends the newest command of every device.
func (l *Log) Stream(ctx context.Context, out chan<- Pending) error {
	defer close(out)
	return l.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/version-limit
		for _, it := range row[store.FamEntry] {
			p := Pending{Number: int64(it.Timestamp) / 1000}
			if json.Unmarshal(it.Value, &p.Command) != nil {
				continue
			}
			select {
			case out <- p:
			case <-ctx.Done():
				return false
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.LatestNFilter(1)))
}

// StreamAll was Stream before somebody wanted history.
func (l *Log) StreamAll(ctx context.Context, out chan<- Pending) error {
	defer close(out)
	return l.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/missing-filter
		for _, it := range row[store.FamEntry] {
			p := Pending{Number: int64(it.Timestamp) / 1000}
			if json.Unmarshal(it.Value, &p.Command) != nil {
				continue
			}
			p.Waiting = time.Now().Sub(it.Timestamp.Time()) // want ttlage/not-write-time
			out <- p
		}
		return true
	})
}

// Started reports whether a log has any entry: a superseded one will do.
func (l *Log) Started(ctx context.Context, device string) (bool, error) {
	start := bigtable.NewMutation()
	start.Set(store.FamCursor, "head", 0, []byte("0"))
	cond := bigtable.NewCondMutation(bigtable.FamilyFilter(store.FamEntry), nil, start) // ok ttlread/conditional-mutation
	var matched bool
	err := l.tbl.Apply(ctx, device, cond, bigtable.GetCondMutationResult(&matched))
	return matched, err
}

// Stop appends a stop unless the last command was one.
func (l *Log) Stop(ctx context.Context, device string) error {
	stop := bigtable.NewMutation()
	stop.Set(store.FamEntry, "cmd", store.Seq(l.number(device)), []byte("stop"))
	isStop := bigtable.ChainFilters(bigtable.FamilyFilter(store.FamEntry), bigtable.ColumnFilter("cmd"), bigtable.ValueFilter("stop")) // want ttlread/conditional-mutation[stop]
	return l.tbl.Apply(ctx, device, bigtable.NewCondMutation(isStop, nil, stop))                                                       // want ttlread/conditional-mutation[stop]
}

// StopOnce looks at the last command only.
func (l *Log) StopOnce(ctx context.Context, device string) error {
	stop := bigtable.NewMutation()
	stop.Set(store.FamEntry, "cmd", store.Seq(l.number(device)), []byte("stop"))
	isStop := bigtable.ChainFilters(bigtable.FamilyFilter(store.FamEntry), bigtable.ColumnFilter("cmd"), bigtable.LatestNFilter(1), bigtable.ValueFilter("stop"))
	return l.tbl.Apply(ctx, device, bigtable.NewCondMutation(isStop, nil, stop)) // ok ttlread/conditional-mutation
}

// Tail follows a device and publishes new commands.
func (l *Log) Tail(ctx context.Context, device string, every time.Duration, out *bus.Topic[Pending]) error {
	var seen int64
	for range bus.Tick(ctx, every) {
		p, err := l.Last(ctx, device)
		if err == ErrEmpty {
			continue
		}
		if err != nil {
			return err
		}
		if p.Number <= seen {
			continue
		}
		seen = p.Number
		if err := out.Publish(ctx, *p); err != nil {
			return err
		}
	}
	return ctx.Err()
}
