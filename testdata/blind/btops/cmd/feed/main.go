// feed writes what the control centre sends about vehicles, and answers of
// the weather service, into Bigtable. All times in the feed are numbers, each
// partner with a unit of its own.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/tramway/btops/internal/btx"
	"github.com/tramway/btops/internal/progress"
	"github.com/tramway/btops/internal/schema"
)

var (
	opts    btx.Options
	partner = flag.String("partner", "", "vdv, gtfs or weather")
	file    = flag.String("f", "-", "file")
	horizon = flag.Duration("horizon", 6*time.Hour, "how far forecasts reach")
)

// position is a line of the feed.
type position struct {
	Vehicle string  `json:"vehicle"`
	Lat     float64 `json:"lat"`
	Lon     float64 `json:"lon"`
	Line    string  `json:"line"`
	Sec     int64   `json:"sec"`
	Millis  int64   `json:"ms"`
	Speed   int     `json:"speed"`
	Door    string  `json:"door"`
}

func (p position) value() []byte {
	return []byte(fmt.Sprintf("%.5f,%.5f", p.Lat, p.Lon))
}

type importer struct {
	vehicles *bigtable.Table
	weather  *bigtable.Table
	gates    *bigtable.Table
	meter    *progress.Meter
}

func main() {
	opts.Register(flag.CommandLine)
	flag.Parse()
	ctx, cancel := opts.Context()
	defer cancel()
	client, err := opts.Client(ctx)
	btx.Fatal(err)
	defer client.Close()
	im := &importer{
		vehicles: client.Open(schema.Vehicles),
		weather:  client.Open("weather"),
		gates:    client.Open(schema.Gates),
		meter:    progress.New(os.Stderr, "lines"),
	}
	in := io.Reader(os.Stdin)
	if *file != "-" {
		f, err := os.Open(*file)
		btx.Fatal(err)
		defer f.Close()
		in = f
	}
	handlers := map[string]func(context.Context, []byte) error{
		"vdv":     im.vdv,
		"gtfs":    im.gtfs,
		"weather": im.forecast,
		"doors":   im.doors,
	}
	h, ok := handlers[*partner]
	if !ok {
		btx.Fatal(errors.New("-partner?"))
	}
	sc := bufio.NewScanner(in)
	for n := 1; sc.Scan(); n++ {
		if err := h(ctx, sc.Bytes()); err != nil {
			log.Printf("line %d: %v", n, err)
		}
		im.meter.Add(1, len(sc.Bytes()))
	}
	im.meter.Done()
	btx.Fatal(sc.Err())
	btx.Fatal(im.window(ctx))
}

// vdv has seconds.
func (im *importer) vdv(ctx context.Context, line []byte) error {
	var p position
	if err := json.Unmarshal(line, &p); err != nil {
		return err
	}
	at := time.Unix(p.Sec, 0)
	m := bigtable.NewMutation()
	m.Set(schema.State, "pos", bigtable.Timestamp(at.Unix()), p.value())                   // want ttlunit/wrong-unit
	m.Set(schema.State, "pos2", bigtable.Time(at), p.value())                              // ok ttlunit/wrong-unit
	m.Set(schema.State, "pos3", bigtable.Timestamp(at.Unix()*1e6), p.value())              // ok ttlunit/wrong-unit
	m.Set(schema.State, "line", bigtable.Timestamp(at.Unix()*1000), []byte(p.Line))        // want ttlunit/wrong-unit
	m.Set(schema.State, "speed", bigtable.Timestamp(p.Sec*int64(1000000)), nil)            // ok ttlunit/wrong-unit
	m.Set(schema.State, "received", bigtable.Timestamp(time.Now().UnixMilli()), nil)       // want ttlunit/wrong-unit
	m.Set(schema.State, "received2", bigtable.Timestamp(time.Now().UnixMilli()*1000), nil) // ok ttlunit/wrong-unit
	return im.vehicles.Apply(ctx, "v#"+p.Vehicle, m)
}

// micros is the unit that Bigtable wants.
func micros(t time.Time) bigtable.Timestamp { return bigtable.Timestamp(t.UnixMicro()) } // ok ttlunit/wrong-unit

// nanos was the unit of the old store.
func nanos(t time.Time) bigtable.Timestamp { return bigtable.Timestamp(t.UnixNano()) } // want ttlunit/wrong-unit[nanos]

// gtfs has milliseconds.
func (im *importer) gtfs(ctx context.Context, line []byte) error {
	var p position
	if err := json.Unmarshal(line, &p); err != nil {
		return err
	}
	at := time.UnixMilli(p.Millis)
	m := bigtable.NewMutation()
	m.Set(schema.State, "pos", micros(at), p.value())                                                     // ok ttlunit/wrong-unit
	m.Set(schema.State, "pos-old", nanos(at), p.value())                                                  // want ttlunit/wrong-unit[nanos]
	m.Set(schema.State, "speed", bigtable.Timestamp(at.UnixNano()/1000), nil)                             // ok ttlunit/wrong-unit
	m.Set(schema.State, "next", bigtable.Time(at)+bigtable.Timestamp(time.Minute), nil)                   // want ttlunit/wrong-unit
	m.Set(schema.State, "next2", bigtable.Time(at)+bigtable.Timestamp(time.Minute/time.Microsecond), nil) // ok ttlunit/wrong-unit
	m.Set(schema.State, "next3", bigtable.Time(at)+bigtable.Timestamp(time.Minute.Microseconds()), nil)   // ok ttlunit/wrong-unit
	return im.vehicles.Apply(ctx, "v#"+p.Vehicle, m)
}

// forecast writes into a table that only this tool knows.
func (im *importer) forecast(ctx context.Context, line []byte) error {
	var f struct {
		Place string `json:"place"`
		At    int64  `json:"at"`
		Text  string `json:"text"`
	}
	if err := json.Unmarshal(line, &f); err != nil {
		return err
	}
	until := time.Now().Add(*horizon)
	m := bigtable.NewMutation()
	m.Set("forecast", "text", bigtable.Timestamp(until.UnixMilli()), []byte(f.Text))              // want ttlunit/wrong-unit
	m.Set("forecast", "until", bigtable.Time(until), []byte(until.Format(time.RFC3339)))          // ok ttlunit/wrong-unit
	m.Set("forecast", "lag", bigtable.Timestamp(time.Since(time.Unix(f.At, 0))), nil)             // want ttlunit/wrong-unit
	m.Set("forecast", "epoch", bigtable.Time(time.Time{}), nil)                                   // want ttlunit/out-of-range
	m.Set("forecast", "never", bigtable.Time(time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)), nil) // want ttlunit/out-of-range
	m.Set("forecast", "late", bigtable.Time(time.Date(2199, 12, 31, 0, 0, 0, 0, time.UTC)), nil)  // ok ttlunit/out-of-range
	m.Set("forecast", "minus", -2000, nil)                                                        // want ttlunit/out-of-range
	m.Set("forecast", "server", -1, nil)                                                          // ok ttlunit/out-of-range
	m.Set("forecast", "tick", 1500, nil)                                                          // want ttlunit/sub-millisecond
	m.Set("forecast", "tock", 2000, nil)                                                          // ok ttlunit/sub-millisecond
	return im.weather.Apply(ctx, f.Place, m)
}

// doors writes when a gate's door was opened; the gates table forgets it after
// two minutes.
func (im *importer) doors(ctx context.Context, line []byte) error {
	var p position
	if err := json.Unmarshal(line, &p); err != nil {
		return err
	}
	exp := time.Now().Add(schema.GateTTL)
	m := bigtable.NewMutation()
	m.Set(schema.State, "door", bigtable.Timestamp(exp.UnixMilli()), []byte(p.Door))         // want ttlunit/wrong-unit
	m.Set(schema.State, "door2", bigtable.Timestamp(exp.UnixMicro()), []byte(p.Door))        // ok ttlunit/wrong-unit
	m.Set(schema.State, "door3", bigtable.Now()+bigtable.Timestamp(schema.GateTTL), nil)     // want ttlunit/wrong-unit
	m.Set(schema.State, "door4", bigtable.Now()+bigtable.Timestamp(schema.GateTTL/1e3), nil) // ok ttlunit/wrong-unit ttlwrite/write-time
	m.Set(schema.State, "door5", micros(time.Now()), nil)                                    // want ttlwrite/write-time
	m.Set(schema.State, "door6", micros(exp), nil)                                           // ok ttlwrite/write-time
	return im.gates.Apply(ctx, p.Vehicle, m)
}

// window reads back what was written in the last minutes.
func (im *importer) window(ctx context.Context) error {
	end := time.Now()
	n := 0
	err := im.vehicles.ReadRows(ctx, bigtable.PrefixRange("v#"), func(r bigtable.Row) bool { // ok ttlread/upper-bound
		for _, it := range r[schema.State] {
			if age := end.Sub(it.Timestamp.Time()); age < time.Minute { // ok ttlage/not-write-time
				n++
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.TimestampRangeFilter(end.Add(-10*time.Minute), end))) // ok ttlread/upper-bound ttlread/expired-only
	if err != nil {
		return err
	}
	// The first thousand ticks of the weather table were made by hand.
	byHand := 0
	err = im.weather.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool {
		byHand += len(r["forecast"])
		return true
	}, bigtable.RowFilter(bigtable.TimestampRangeFilterMicros(0, 500))) // want ttlunit/sub-millisecond
	if err != nil {
		return err
	}
	err = im.weather.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool {
		byHand += len(r["forecast"])
		return true
	}, bigtable.RowFilter(bigtable.TimestampRangeFilterMicros(0, 1000000))) // ok ttlunit/sub-millisecond ttlunit/empty-range
	if err != nil {
		return err
	}
	err = im.weather.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool {
		byHand += len(r["forecast"])
		return true
	}, bigtable.RowFilter(bigtable.TimestampRangeFilterMicros(2000000, 1000000))) // want ttlunit/empty-range
	fmt.Println(n, "positions of the last minute,", byHand, "forecasts by hand")
	return err
}
