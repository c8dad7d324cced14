// rosters publishes, compares and restores drivers' rosters. Every line keeps
// its last three revisions; the revision is the cell's number.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/tramway/btops/internal/btx"
)

var (
	opts btx.Options
	rev  = flag.Int64("rev", 0, "revision")
	note = flag.String("note", "", "why")
)

// Revision is a number of a roster.
type Revision int64

// Timestamp is the cell's timestamp for it.
func (r Revision) Timestamp() bigtable.Timestamp { return bigtable.Timestamp(r) * 1000 }

// revisionOf is the number that a cell has.
func revisionOf(it bigtable.ReadItem) Revision { return Revision(it.Timestamp / 1000) }

// Roster is who drives when.
type Roster struct {
	Line      string            `json:"line"`
	Rev       Revision          `json:"rev"`
	Shifts    map[string]string `json:"shifts"`
	WrittenAt time.Time         `json:"writtenAt"`
	Notes     []string          `json:"notes,omitempty"`
}

type board struct {
	tbl  bigtable.TableAPI
	revs map[string]Revision
	n    int64
}

func main() {
	opts.Register(flag.CommandLine)
	flag.Parse()
	ctx, cancel := opts.Context()
	defer cancel()
	client, err := opts.Client(ctx)
	btx.Fatal(err)
	defer client.Close()
	b := &board{tbl: client.OpenTable("rosters"), revs: map[string]Revision{}}
	switch flag.Arg(0) {
	case "publish":
		err = b.publish(ctx, os.Stdin)
	case "show":
		err = b.show(ctx, flag.Arg(1))
	case "diff":
		err = b.diff(ctx, flag.Arg(1))
	case "restore":
		err = b.restore(ctx, flag.Arg(1), Revision(*rev))
	case "touch":
		err = b.touch(ctx, flag.Args()[1:])
	case "changed":
		err = b.changed(ctx)
	case "bump":
		err = b.bump(ctx, flag.Arg(1))
	default:
		err = errors.New("publish, show, diff, restore, touch, changed or bump?")
	}
	btx.Fatal(err)
}

func key(line string) string { return "line#" + line }

// newest is the newest roster of a line.
func (b *board) newest(ctx context.Context, line string) (*Roster, error) {
	row, err := b.tbl.ReadRow(ctx, key(line), bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return decode(row)
}

func decode(row bigtable.Row) (*Roster, error) {
	r := &Roster{}
	for _, it := range row["rev"] {
		if it.Column != "rev:plan" {
			continue
		}
		if err := json.Unmarshal(it.Value, r); err != nil {
			return nil, err
		}
		r.Rev = revisionOf(it)
		r.WrittenAt = it.Timestamp.Time() // want ttlage/not-write-time
		break
	}
	for _, it := range row["note"] {
		r.Notes = append(r.Notes, it.Timestamp.Time().Format(time.DateOnly)+" "+string(it.Value)) // ok ttlage/not-write-time
	}
	return r, nil
}

// publish reads rosters, one a line, and gives each the next number.
func (b *board) publish(ctx context.Context, r io.Reader) error {
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		var ro Roster
		if err := json.Unmarshal(sc.Bytes(), &ro); err != nil {
			return err
		}
		last, err := b.newest(ctx, ro.Line)
		if err != nil {
			return err
		}
		next := last.Rev + 1
		b.revs[ro.Line]++
		b.n++
		m := bigtable.NewMutation()
		m.Set("rev", "plan", next.Timestamp(), sc.Bytes())                                      // ok ttlwrite/unscaled-sequence
		m.Set("rev", "by-line", b.revs[ro.Line].Timestamp(), sc.Bytes())                        // ok ttlwrite/unscaled-sequence
		m.Set("rev", "run", bigtable.Timestamp(b.n), sc.Bytes())                                // want ttlwrite/unscaled-sequence
		m.Set("rev", "line-run", bigtable.Timestamp(b.revs[ro.Line]), sc.Bytes())               // want ttlwrite/unscaled-sequence
		m.Set("note", "run", bigtable.Timestamp(b.n), sc.Bytes())                               // ok ttlwrite/unscaled-sequence
		m.Set("rev", "shifts", bigtable.Timestamp(len(ro.Shifts)), nil)                         // want ttlwrite/unscaled-sequence
		m.Set("rev", "at", bigtable.Time(time.Now()), []byte(time.Now().Format(time.RFC3339)))  // want ttlwrite/clock-in-sequence
		m.Set("note", "at", bigtable.Time(time.Now()), []byte(time.Now().Format(time.RFC3339))) // ok ttlwrite/clock-in-sequence
		m.Set("rev", "unix", bigtable.Timestamp(time.Now().Unix()), nil)                        // want ttlwrite/clock-in-sequence
		if *note != "" {
			m.Set("note", "why", bigtable.ServerTime, []byte(*note)) // ok ttlwrite/server-timestamp
		}
		if err := b.tbl.Apply(ctx, key(ro.Line), m); err != nil {
			return fmt.Errorf("%s: %w", ro.Line, err)
		}
	}
	return sc.Err()
}

func (b *board) show(ctx context.Context, line string) error {
	r, err := b.newest(ctx, line)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(os.Stdout)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

// diff compares the last two revisions.
func (b *board) diff(ctx context.Context, line string) error {
	row, err := b.tbl.ReadRow(ctx, key(line), bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/version-limit[rosterdiff]
		bigtable.FamilyFilter("rev"), bigtable.ColumnFilter("plan")))) // want ttlread/version-limit[rosterdiff]
	if err != nil {
		return err
	}
	var two []map[string]string
	for _, it := range row["rev"] {
		var r Roster
		if err := json.Unmarshal(it.Value, &r); err != nil {
			return err
		}
		two = append(two, r.Shifts)
	}
	if len(two) < 2 {
		return errors.New("no second revision")
	}
	for driver, shift := range two[0] {
		if old := two[1][driver]; old != shift {
			fmt.Printf("%s: %s, was %s\n", driver, shift, old)
		}
	}
	return nil
}

// restore writes an old revision as the newest.
func (b *board) restore(ctx context.Context, line string, n Revision) error {
	want := n.Timestamp()
	row, err := b.tbl.ReadRow(ctx, key(line), bigtable.RowFilter(bigtable.ChainFilters( // ok ttlread/wrong-bound
		bigtable.FamilyFilter("rev"),
		bigtable.TimestampRangeFilterMicros(want, want+1000), // ok ttlread/wrong-bound
		bigtable.LatestNFilter(1),
	)))
	if err != nil {
		return err
	}
	last, err := b.newest(ctx, line)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	for _, it := range row["rev"] {
		m.Set("rev", strings.TrimPrefix(it.Column, "rev:"), (last.Rev + 1).Timestamp(), it.Value) // ok ttlwrite/unscaled-sequence
	}
	return b.tbl.Apply(ctx, key(line), m)
}

// touch makes a line's roster the newest again, so that the app reloads it.
func (b *board) touch(ctx context.Context, lines []string) error {
	for _, l := range lines {
		row, err := b.tbl.ReadRow(ctx, key(l)) // want ttlread/missing-filter
		if err != nil {
			return err
		}
		m := bigtable.NewMutation()
		for _, it := range row["rev"] {
			m.Set("rev", "plan", bigtable.ServerTime, it.Value) // want ttlwrite/clock-in-sequence
			break
		}
		if err := b.tbl.Apply(ctx, key(l), m); err != nil {
			return err
		}
	}
	return nil
}

// changed prints the lines whose roster changed today.
func (b *board) changed(ctx context.Context) error {
	today := time.Now().Truncate(24 * time.Hour)
	err := b.tbl.ReadRows(ctx, bigtable.PrefixRange("line#"), func(r bigtable.Row) bool { // want ttlread/wrong-bound[rosterchanged]
		if len(r["rev"]) > 0 {
			fmt.Println(r.Key())
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/wrong-bound[rosterchanged]
		bigtable.FamilyFilter("rev"),
		bigtable.TimestampRangeFilter(today, time.Time{}), // want ttlread/wrong-bound[rosterchanged]
		bigtable.LatestNFilter(1),
	))) // want ttlread/wrong-bound[rosterchanged]
	if err != nil {
		return err
	}
	// Notes have real timestamps.
	return b.tbl.ReadRows(ctx, bigtable.PrefixRange("line#"), func(r bigtable.Row) bool { // ok ttlread/wrong-bound
		for _, it := range r["note"] {
			fmt.Println(r.Key(), string(it.Value))
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter("note"),
		bigtable.TimestampRangeFilter(today, time.Time{}), // ok ttlread/wrong-bound
	)))
}

// bump raises the counter of reloads.
func (b *board) bump(ctx context.Context, line string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment("rev", "reloads", 1)  // want ttlwrite/read-modify-write
	rmw.Increment("note", "reloads", 1) // ok ttlwrite/read-modify-write
	_, err := b.tbl.ApplyReadModifyWrite(ctx, key(line), rmw)
	return err
}
