// audit writes and reads the audit log. Its families have real timestamps:
// nothing here is special, and all of it is right.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/user"
	"sort"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/tramway/btops/internal/btx"
	"github.com/tramway/btops/internal/report"
	"github.com/tramway/btops/internal/schema"
)

var (
	opts   btx.Options
	format = flag.String("format", "text", "text, csv or json")
	from   = flag.Duration("from", 24*time.Hour, "begin of the window, before now")
	to     = flag.Duration("to", 0, "end of the window, before now")
	who    = flag.String("who", "", "actor")
)

// Record is a line of the log.
type Record struct {
	Actor     string    `json:"actor"`
	Action    string    `json:"action"`
	Object    string    `json:"object"`
	CreatedAt time.Time `json:"createdAt"`
}

type journal struct{ tbl *bigtable.Table }

func main() {
	opts.Register(flag.CommandLine)
	flag.Parse()
	ctx, cancel := opts.Context()
	defer cancel()
	client, err := opts.Client(ctx)
	btx.Fatal(err)
	defer client.Close()
	j := &journal{client.Open(schema.Audit)}
	switch flag.Arg(0) {
	case "note":
		err = j.note(ctx, flag.Args()[1:])
	case "list":
		err = j.list(ctx)
	case "top":
		err = j.top(ctx)
	case "actors":
		err = j.actors(ctx)
	case "forget":
		err = j.forget(ctx)
	default:
		err = errors.New("note, list, top, actors or forget?")
	}
	btx.Fatal(err)
}

func (j *journal) note(ctx context.Context, words []string) error {
	u, err := user.Current()
	if err != nil {
		return err
	}
	b, err := json.Marshal(Record{Actor: u.Username, Action: "note", Object: strings.Join(words, " "), CreatedAt: time.Now()})
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set("event", "note", bigtable.ServerTime, b)                   // ok ttlwrite/server-timestamp
	m.Set("actor", "name", bigtable.Now(), []byte(u.Name))           // ok ttlwrite/write-time
	m.Set("actor", "shell", btx.Stamp(), []byte(os.Getenv("SHELL"))) // ok ttlwrite/write-time
	key := fmt.Sprintf("%s#%d", u.Username, time.Now().UnixNano())
	if err := j.tbl.Apply(ctx, key, m); err != nil {
		return err
	}
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment("actor", "notes", 1) // ok ttlwrite/read-modify-write
	_, err = j.tbl.ApplyReadModifyWrite(ctx, u.Username, rmw)
	return err
}

// window is the filter of a query.
func window() bigtable.Filter {
	now := time.Now()
	return bigtable.TimestampRangeFilter(now.Add(-*from), now.Add(-*to)) // ok ttlread/upper-bound
}

func (j *journal) list(ctx context.Context) error {
	out, err := report.Open(os.Stdout, *format)
	if err != nil {
		return err
	}
	defer out.Close()
	out.Header("time", "key", "event", "age")
	return j.tbl.ReadRows(ctx, bigtable.PrefixRange(*who), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r["event"] {
			var rec Record
			if json.Unmarshal(it.Value, &rec) != nil {
				rec.Action = string(it.Value)
			}
			rec.CreatedAt = it.Timestamp.Time()                                                                                           // ok ttlage/not-write-time
			out.Row(rec.CreatedAt.Format(time.RFC3339), r.Key(), rec.Action, time.Since(it.Timestamp.Time()).Round(time.Second).String()) // ok ttlage/not-write-time
		}
		return true
	}, bigtable.RowFilter(window()))
}

// top counts events by actor.
func (j *journal) top(ctx context.Context) error {
	counts := map[string]int{}
	err := j.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		name, _, _ := strings.Cut(r.Key(), "#")
		counts[name] += len(r["event"])
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("event"), window(), bigtable.StripValueFilter())))
	if err != nil {
		return err
	}
	var names []string
	for n := range counts {
		names = append(names, n)
	}
	sort.Slice(names, func(i, k int) bool { return counts[names[i]] > counts[names[k]] })
	for _, n := range names {
		fmt.Printf("%6d %s\n", counts[n], n)
	}
	return nil
}

func (j *journal) actors(ctx context.Context) error {
	seen := map[string]bool{}
	err := j.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r["actor"] {
			if it.Column == "actor:name" {
				seen[string(it.Value)] = true
			}
		}
		return true
	}, btx.Newest())
	fmt.Println(len(seen), "actors")
	return err
}

// forget removes an actor's name, as the law wants it.
func (j *journal) forget(ctx context.Context) error {
	if *who == "" {
		return errors.New("-who?")
	}
	var keys []string
	var muts []*bigtable.Mutation
	err := j.tbl.ReadRows(ctx, bigtable.PrefixRange(*who+"#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		m := bigtable.NewMutation()
		m.DeleteCellsInFamily("actor")
		m.Set("actor", "name", bigtable.Now(), []byte("forgotten")) // ok ttlwrite/delete-after-set
		keys, muts = append(keys, r.Key()), append(muts, m)
		return true
	})
	if err != nil || len(keys) == 0 {
		return err
	}
	_, err = j.tbl.ApplyBulk(ctx, keys, muts)
	return err
}
