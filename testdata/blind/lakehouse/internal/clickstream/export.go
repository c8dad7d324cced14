package clickstream

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/lakehouse/internal/conf"
	"example.com/lakehouse/internal/etl"
	"example.com/lakehouse/internal/schema"
)

// Record is a row of the export.
type Record struct {
	Key       string `json:"key"`
	URL       string `json:"url"`
	User      string `json:"user"`
	Referrer  string `json:"ref,omitempty"`
	Partner   string `json:"partner,omitempty"`
	CreatedAt string `json:"created_at,omitempty"`
	Cells     int    `json:"cells"`
}

// Exporter writes events to files.
type Exporter struct {
	tbl *bigtable.Table
	cfg conf.Clicks
	log *slog.Logger
}

// NewExporter opens the table.
func NewExporter(client *bigtable.Client, cfg conf.Clicks, log *slog.Logger) *Exporter {
	return &Exporter{tbl: client.Open(schema.TableClicks), cfg: cfg, log: log}
}

func decodeEvent(row bigtable.Row) (Record, error) {
	r := Record{Key: row.Key()}
	for _, it := range row[schema.FamEvent] {
		switch etl.Column(it) {
		case "url":
			r.URL = string(it.Value)
		case "user":
			r.User = string(it.Value)
		case "ref":
			r.Referrer = string(it.Value)
		}
		r.Cells++
	}
	return r, nil
}

// events is the filter of every export: the events of the retention.
func (x *Exporter) events() bigtable.Filter {
	return bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.FamEvent),
		bigtable.TimestampRangeFilter(time.Now().Add(-schema.ClickRetention), time.Time{}),
		bigtable.LatestNFilter(1),
	)
}

// JSON exports all events of a shard.
func (x *Exporter) JSON(ctx context.Context, shard int, w io.Writer) (int, error) {
	jw := etl.NewJSONWriter(w)
	err := etl.Scan(ctx, x.tbl, bigtable.PrefixRange(fmt.Sprintf("%02d#", shard)), decodeEvent, func(r Record) error {
		return jw.Write(r)
	}, bigtable.RowFilter(x.events())) // ok ttlread/missing-filter
	if err != nil {
		return jw.Lines(), err
	}
	return jw.Lines(), jw.Close()
}

// JSONAll is the weekly dump. It goes through the same decoder.
func (x *Exporter) JSONAll(ctx context.Context, w io.Writer) (int, error) {
	jw := etl.NewJSONWriter(w)
	err := etl.Scan(ctx, x.tbl, bigtable.InfiniteRange(""), decodeEvent, func(r Record) error { return jw.Write(r) }) // want ttlread/missing-filter
	if err != nil {
		return jw.Lines(), err
	}
	return jw.Lines(), jw.Close()
}

// CSV exports the events of a user.
func (x *Exporter) CSV(ctx context.Context, user string, w io.Writer) error {
	cw := csv.NewWriter(w)
	if err := cw.Write([]string{"key", "url", "ref"}); err != nil {
		return err
	}
	emit := func(r Record) error { return cw.Write([]string{r.Key, r.URL, r.Referrer}) }
	for shard := range 16 {
		rs := bigtable.PrefixRange(etl.Key(fmt.Sprintf("%02d", shard), user))
		if err := etl.Scan(ctx, x.tbl, rs, decodeEvent, emit, bigtable.RowFilter(etl.InFamily(schema.FamEvent, etl.Newest()))); err != nil { // want ttlread/missing-filter
			return err
		}
	}
	cw.Flush()
	return cw.Error()
}

// Yesterday exports a window of a day; what is older has its own file already.
func (x *Exporter) Yesterday(ctx context.Context, out chan<- Record) error {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamEvent), etl.Within(24*time.Hour)) // want ttlread/wrong-bound[yesterday]
	return x.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {         // want ttlread/wrong-bound[yesterday]
		r, _ := decodeEvent(row)
		out <- r
		return true
	}, bigtable.RowFilter(f)) // want ttlread/wrong-bound[yesterday]
}

// Recent reads with the filter that the session pages use.
func (x *Exporter) Recent(ctx context.Context, user string) ([]Record, error) {
	var out []Record
	rs := bigtable.PrefixRange(etl.Key("00", user))
	err := x.tbl.ReadRows(ctx, rs, func(row bigtable.Row) bool { // want ttlread/wrong-bound[m7]
		r, _ := decodeEvent(row)
		out = append(out, r)
		return len(out) < 100
	}, bigtable.RowFilter(etl.InFamily(schema.FamEvent, etl.Live()))) // want ttlread/wrong-bound[m7]
	return out, err
}

// Within30 is what Recent should be.
func (x *Exporter) Within30(ctx context.Context, user string) ([]Record, error) {
	var out []Record
	rs := bigtable.PrefixRange(etl.Key("00", user))
	err := x.tbl.ReadRows(ctx, rs, func(row bigtable.Row) bool {
		r, _ := decodeEvent(row)
		out = append(out, r)
		return len(out) < 100
	}, bigtable.RowFilter(etl.InFamily(schema.FamEvent, etl.Within(30*24*time.Hour)))) // ok ttlread/wrong-bound
	return out, err
}

// Window cuts at now and so hides gold customers, whose timestamps lie ahead.
func (x *Exporter) Window(ctx context.Context, emit func(Record) error) error {
	now := time.Now()
	f := bigtable.ChainFilters( // want ttlread/upper-bound[window]
		bigtable.FamilyFilter(schema.FamEvent),
		bigtable.TimestampRangeFilter(now.Add(-schema.ClickRetention), now), // want ttlread/upper-bound[window]
	)
	return etl.Scan(ctx, x.tbl, bigtable.InfiniteRange(""), decodeEvent, emit, bigtable.RowFilter(f)) // want ttlread/upper-bound[window]
}

// Imports joins events with the import's own notes.
func (x *Exporter) Imports(ctx context.Context, emit func(Record) error) error {
	decode := func(row bigtable.Row) (Record, error) {
		r, err := decodeEvent(row)
		for _, it := range row[schema.FamMeta] {
			switch etl.Column(it) {
			case "partner":
				r.Partner = string(it.Value)
			case "imported":
				r.CreatedAt = it.Timestamp.Time().Format(time.RFC3339) // ok ttlage/not-write-time
			}
		}
		return r, err
	}
	return etl.Scan(ctx, x.tbl, bigtable.InfiniteRange(""), decode, emit, bigtable.RowFilter(etl.Within(schema.ClickRetention))) // want ttlread/hides-other-families
}

// ImportsSplit does it per family.
func (x *Exporter) ImportsSplit(ctx context.Context, emit func(Record) error) error {
	decode := func(row bigtable.Row) (Record, error) {
		r, err := decodeEvent(row)
		if p := etl.First(row, schema.FamMeta, "partner"); p != nil {
			r.Partner = string(p)
		}
		return r, err
	}
	f := bigtable.InterleaveFilters(
		etl.InFamily(schema.FamEvent, etl.Within(schema.ClickRetention)),
		etl.InFamily(schema.FamMeta, etl.Newest()),
	)
	return etl.Scan(ctx, x.tbl, bigtable.InfiniteRange(""), decode, emit, bigtable.RowFilter(f)) // ok ttlread/unfiltered-branch
}

// ImportsTagged keeps the raw column whatever its age, said the ticket.
func (x *Exporter) ImportsTagged(ctx context.Context, emit func(Record) error) error {
	f := bigtable.InterleaveFilters( // want ttlread/unfiltered-branch[tagged]
		etl.InFamily(schema.FamEvent, bigtable.ColumnFilter("raw")), // want ttlread/unfiltered-branch[tagged]
		etl.InFamily(schema.FamEvent, bigtable.ColumnFilter("url|user|ref"), etl.Within(schema.ClickRetention)),
		etl.InFamily(schema.FamMeta),
	)
	return etl.Scan(ctx, x.tbl, bigtable.InfiniteRange(""), decodeEvent, emit, bigtable.RowFilter(f)) // want ttlread/unfiltered-branch[tagged]
}

// Partners lists the partners of the table; it reads ordinary cells only.
func (x *Exporter) Partners(ctx context.Context) (map[string]int, error) {
	out := map[string]int{}
	err := x.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		for _, it := range row[schema.FamMeta] {
			if it.Column == "meta:partner" {
				out[string(it.Value)]++
			}
		}
		return true
	}) // ok ttlread/missing-filter
	return out, err
}

// Keys streams the row keys for the diff with the warehouse.
func (x *Exporter) Keys(ctx context.Context, out chan<- string) error {
	defer close(out)
	return x.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		out <- row.Key()
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())))
}

// Shards exports all shards at once, n at a time.
func (x *Exporter) Shards(ctx context.Context, n int, open func(shard int) (io.WriteCloser, error)) (int, error) {
	in := make(chan int)
	go func() {
		defer close(in)
		for i := range 16 {
			select {
			case in <- i:
			case <-ctx.Done():
				return
			}
		}
	}()
	var mu sync.Mutex
	total := 0
	err := etl.Pool(ctx, n, in, func(ctx context.Context, shard int) error {
		w, err := open(shard)
		if err != nil {
			return err
		}
		defer w.Close()
		k, err := x.JSON(ctx, shard, w)
		mu.Lock()
		total += k
		mu.Unlock()
		return err
	})
	return total, err
}

// Lag logs how far behind the import is.
func (x *Exporter) Lag(ctx context.Context, key string) (time.Duration, error) {
	row, err := x.tbl.ReadRow(ctx, key, bigtable.RowFilter(x.events()))
	if err != nil {
		return 0, err
	}
	var lag time.Duration
	for _, it := range row[schema.FamEvent] {
		if d := time.Since(it.Timestamp.Time()); d > lag { // want ttlage/not-write-time
			lag = d
		}
	}
	x.log.Info("import lag", "key", key, "lag", lag)
	return lag, nil
}

// MetaLag uses the import's note.
func (x *Exporter) MetaLag(ctx context.Context, key string) (time.Duration, error) {
	row, err := x.tbl.ReadRow(ctx, key, bigtable.RowFilter(etl.InFamily(schema.FamMeta, etl.Newest())))
	if err != nil {
		return 0, err
	}
	for _, it := range row[schema.FamMeta] {
		if it.Column == "meta:imported" {
			return time.Since(it.Timestamp.Time()), nil // ok ttlage/not-write-time
		}
	}
	return 0, nil
}
