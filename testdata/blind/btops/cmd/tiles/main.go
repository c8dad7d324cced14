// tiles warms, checks and throws away rendered pieces of the map.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"image/png"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/tramway/btops/internal/btx"
	"github.com/tramway/btops/internal/progress"
)

const (
	family  = "png"
	keepFor = 6 * time.Hour
)

var (
	opts     btx.Options
	renderer = flag.String("renderer", "http://renderer.internal", "renderer")
	zoom     = flag.Int("zoom", 12, "zoom level")
	workers  = flag.Int("workers", 8, "requests at the same time")
	short    = flag.Bool("short", false, "tiles of a construction site: an hour")
)

// fresh are the options of every read of tiles.
var fresh = []bigtable.ReadOption{ // want ttlread/stale-bound[tilefresh]
	bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now().Add(-keepFor), time.Time{})), // want ttlread/stale-bound[tilefresh]
}

type tile struct{ z, x, y int }

func (t tile) key() string { return fmt.Sprintf("z%d/%d/%d", t.z, t.x, t.y) }

type cache struct {
	tbl  *bigtable.Table
	http *http.Client
	now  func() time.Time
}

func main() {
	opts.Register(flag.CommandLine)
	flag.Parse()
	ctx, cancel := opts.Context()
	defer cancel()
	client, err := opts.Client(ctx)
	btx.Fatal(err)
	defer client.Close()
	c := &cache{tbl: client.Open("tiles"), http: &http.Client{Timeout: time.Minute}, now: time.Now}
	switch flag.Arg(0) {
	case "warm":
		err = c.warm(ctx)
	case "check":
		err = c.check(ctx)
	case "drop":
		err = c.drop(ctx, flag.Args()[1:])
	case "stat":
		err = c.stat(ctx)
	case "watch":
		err = c.watch(ctx)
	default:
		err = errors.New("warm, check, drop, stat or watch?")
	}
	btx.Fatal(err)
}

func (c *cache) render(ctx context.Context, t tile) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, *renderer+"/"+t.key()+".png", nil)
	if err != nil {
		return nil, err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", t.key(), resp.Status)
	}
	return io.ReadAll(io.LimitReader(resp.Body, 1<<20))
}

// put stores a tile. A tile of a construction site lives an hour, so its
// timestamp lies five hours back.
func (c *cache) put(ctx context.Context, t tile, b []byte) error {
	m := bigtable.NewMutation()
	ts := bigtable.ServerTime
	if *short {
		ts = bigtable.Time(c.now().Add(time.Hour - keepFor))
	}
	m.Set(family, "v2", ts, b) // ok ttlwrite/server-timestamp ttlwrite/already-expired
	return c.tbl.Apply(ctx, t.key(), m)
}

// get is nil if there is no fresh tile.
func (c *cache) get(ctx context.Context, t tile) ([]byte, error) {
	row, err := c.tbl.ReadRow(ctx, t.key(), fresh...) // want ttlread/stale-bound[tilefresh]
	if err != nil {
		return nil, err
	}
	for _, it := range row[family] {
		return it.Value, nil
	}
	return nil, nil
}

// has asks for the key only.
func (c *cache) has(ctx context.Context, t tile) (bool, error) {
	row, err := c.tbl.ReadRow(ctx, t.key(), bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter()))) // want ttlread/missing-filter
	return len(row) > 0, err
}

// hasFresh is has, right.
func (c *cache) hasFresh(ctx context.Context, t tile) (bool, error) {
	row, err := c.tbl.ReadRow(ctx, t.key(), bigtable.RowFilter(bigtable.ChainFilters( // ok ttlread/missing-filter ttlread/limit-before-filter
		bigtable.TimestampRangeFilter(c.now().Add(-keepFor), time.Time{}),
		bigtable.CellsPerRowLimitFilter(1),
		bigtable.StripValueFilter(),
	)))
	return len(row) > 0, err
}

func (c *cache) each(ctx context.Context, f func(tile) error) error {
	ch := make(chan tile)
	errs := make(chan error, *workers)
	var wg sync.WaitGroup
	for range *workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for t := range ch {
				if err := f(t); err != nil {
					select {
					case errs <- err:
					default:
					}
				}
			}
		}()
	}
	side := 1 << max(*zoom-8, 0)
loop:
	for x := range side {
		for y := range side {
			select {
			case ch <- tile{*zoom, x, y}:
			case <-ctx.Done():
				break loop
			}
		}
	}
	close(ch)
	wg.Wait()
	close(errs)
	var all []error
	for err := range errs {
		all = append(all, err)
	}
	return errors.Join(append(all, ctx.Err())...)
}

func (c *cache) warm(ctx context.Context) error {
	meter := progress.New(os.Stderr, "tiles")
	err := c.each(ctx, func(t tile) error {
		ok, err := c.has(ctx, t)
		if err != nil || ok {
			return err
		}
		b, err := c.render(ctx, t)
		if err != nil {
			return err
		}
		meter.Add(1, len(b))
		if opts.DryRun {
			return nil
		}
		return c.put(ctx, t, b)
	})
	meter.Done()
	return err
}

func (c *cache) check(ctx context.Context) error {
	return c.each(ctx, func(t tile) error {
		ok, err := c.hasFresh(ctx, t)
		if err != nil || !ok {
			return err
		}
		b, err := c.get(ctx, t)
		if err != nil {
			return err
		}
		if _, err := png.Decode(bytes.NewReader(b)); err != nil {
			log.Printf("%s: %v", t.key(), err)
		}
		return nil
	})
}

// drop makes tiles disappear at the next compaction.
func (c *cache) drop(ctx context.Context, prefixes []string) error {
	gone := bigtable.Time(c.now().Add(-keepFor - time.Minute))
	for _, p := range prefixes {
		var keys []string
		err := c.tbl.ReadRows(ctx, bigtable.PrefixRange(strings.TrimSpace(p)), func(r bigtable.Row) bool { // ok ttlread/missing-filter
			keys = append(keys, r.Key())
			return true
		}, bigtable.RowFilter(bigtable.StripValueFilter()))
		if err != nil {
			return err
		}
		for _, k := range keys {
			m := bigtable.NewMutation()
			m.DeleteCellsInColumn(family, "v2")
			m.Set(family, "dropped", gone, []byte("1"))                                                  // want ttlwrite/already-expired
			m.Set(family, "dropped-by", bigtable.Time(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)), nil) // want ttlwrite/already-expired
			m.Set(family, "seen", bigtable.Now(), nil)                                                   // ok ttlwrite/write-time
			if err := c.tbl.Apply(ctx, k, m); err != nil {
				return err
			}
		}
	}
	return nil
}

// stat prints how old tiles are.
func (c *cache) stat(ctx context.Context) error {
	type info struct {
		Key        string
		Bytes      int
		ModifiedAt time.Time
	}
	now := c.now()
	var infos []info
	err := c.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[family] {
			infos = append(infos, info{r.Key(), len(it.Value), it.Timestamp.Time()}) // want ttlage/not-write-time
		}
		return true
	}, bigtable.RowFilter(btx.Within(keepFor))) // ok ttlread/wrong-bound
	if err != nil {
		return err
	}
	for _, i := range infos {
		fmt.Printf("%s %d %s\n", i.Key, i.Bytes, now.Sub(i.ModifiedAt)) // maybe ttlage/not-write-time
	}
	// Tiles that nobody has rendered for a day.
	return c.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlread/expired-only[tilestat]
		fmt.Println("old:", r.Key(), len(r[family]))
		return true
	}, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Time{}, now.Add(-keepFor)))) // want ttlread/expired-only[tilestat]
}

// watch prints new tiles as they come.
func (c *cache) watch(ctx context.Context) error {
	last := c.now()
	for ctx.Err() == nil {
		err := c.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlread/wrong-bound[tilewatch]
			for _, it := range r[family] {
				fmt.Println(r.Key(), len(it.Value))
			}
			return true
		}, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{}))) // want ttlread/wrong-bound[tilewatch]
		if err != nil {
			return err
		}
		time.Sleep(10 * time.Second)
		log.Printf("watching for %s", time.Since(last).Round(time.Second))
	}
	return ctx.Err()
}
