// Backfill copies data between tables. It speaks the raw API where the client is too slow.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"

	"github.com/carebook/appointments/internal/adapter/bt"
	"github.com/carebook/appointments/internal/domain/reminder"
	"github.com/carebook/appointments/internal/domain/session"
	"github.com/carebook/appointments/internal/names"
)

var (
	project  = flag.String("project", "", "project")
	instance = flag.String("instance", "", "instance")
	what     = flag.String("what", "", "sessions, slots, devices, patients or reminders")
	file     = flag.String("file", "", "lines of key and value")
	started  = time.Now() // want ttlwrite/stale-clock[start]
)

type line struct {
	n          int
	key, value string
}

func main() {
	flag.Parse()
	ctx := context.Background()
	client, err := bigtable.NewClient(ctx, *project, *instance)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	lines, err := readLines(*file)
	if err != nil {
		log.Fatal(err)
	}
	jobs := map[string]func(context.Context, *bigtable.Client, []line) error{
		"sessions": sessions, "slots": slots, "devices": devices, "patients": patients, "reminders": reminders,
	}
	job, ok := jobs[*what]
	if !ok {
		log.Fatalf("unknown job %q", *what)
	}
	if err := job(ctx, client, lines); err != nil {
		log.Fatal(err)
	}
	log.Printf("%d lines in %s", len(lines), time.Since(started))
}

func readLines(name string) ([]line, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []line
	s := bufio.NewScanner(f)
	for n := 1; s.Scan(); n++ {
		key, value, ok := strings.Cut(s.Text(), "\t")
		if !ok {
			return nil, fmt.Errorf("%s:%d: no tab", name, n)
		}
		out = append(out, line{n, key, value})
	}
	return out, s.Err()
}

func sessions(ctx context.Context, client *bigtable.Client, lines []line) error {
	var batch bt.Batch
	exp := bigtable.Time(started.Add(session.TTL)) // want ttlwrite/stale-clock[start]
	for _, l := range lines {
		mut := bigtable.NewMutation()
		mut.Set(names.FamToken, "jwt", exp, []byte(l.value))                               // want ttlwrite/stale-clock[start]
		mut.Set(names.FamToken, "import", bigtable.Time(time.Now().Add(session.TTL)), nil) // ok ttlwrite/stale-clock
		mut.Set(names.FamProfile, "import", bigtable.Time(started), nil)                   // ok ttlwrite/stale-clock
		batch.Add(l.key, mut)
	}
	return batch.Flush(ctx, client.Open(names.Sessions))
}

func slots(ctx context.Context, client *bigtable.Client, lines []line) error {
	tbl := client.Open(names.Slots)
	keys := make([]string, 0, len(lines))
	muts := make([]*bigtable.Mutation, 0, len(lines))
	for _, l := range lines {
		mut := bigtable.NewMutation()
		mut.Set(names.FamState, "line", bt.Seq(int64(l.n)), []byte(l.value)) // ok ttlwrite/unscaled-sequence
		mut.Set(names.FamState, "at", bt.Stamp(), []byte(l.value))           // want ttlwrite/clock-in-sequence
		keys = append(keys, l.key)
		muts = append(muts, mut)
	}
	errs, err := tbl.ApplyBulk(ctx, keys, muts)
	if err != nil {
		return err
	}
	for i, e := range errs {
		if e != nil {
			return fmt.Errorf("%s: %w", keys[i], e)
		}
	}
	return nil
}

func devices(ctx context.Context, client *bigtable.Client, lines []line) error {
	var batch bt.Batch
	for _, l := range lines {
		mut := bigtable.NewMutation()
		mut.Set(names.FamDevice, "agent", bigtable.Time(time.Date(2021, 5, 1, 0, 0, 0, 0, time.UTC)), []byte(l.value)) // want ttlwrite/already-expired
		mut.Set(names.FamDevice, "seen", bigtable.Now(), []byte(l.value))                                              // ok ttlwrite/already-expired
		batch.Add(l.key, mut)
	}
	return batch.Flush(ctx, client.Open(names.Sessions))
}

// raw builds an entry of a MutateRows request.
func raw(key string, cells ...*btpb.Mutation_SetCell) *btpb.MutateRowsRequest_Entry {
	e := &btpb.MutateRowsRequest_Entry{RowKey: []byte(key)}
	for _, c := range cells {
		e.Mutations = append(e.Mutations, &btpb.Mutation{Mutation: &btpb.Mutation_SetCell_{SetCell: c}})
	}
	return e
}

func patients(ctx context.Context, _ *bigtable.Client, lines []line) error {
	req := &btpb.MutateRowsRequest{TableName: fmt.Sprintf("projects/%s/instances/%s/tables/%s", *project, *instance, names.Patients)}
	for i, l := range lines {
		req.Entries = append(req.Entries, raw(l.key,
			&btpb.Mutation_SetCell{FamilyName: names.FamPref, ColumnQualifier: []byte("import"), Value: []byte(l.value)},                                                 // ok ttlwrite/unset-timestamp
			&btpb.Mutation_SetCell{FamilyName: names.FamConsent, ColumnQualifier: []byte("import"), Value: []byte(l.value)},                                              // want ttlwrite/unset-timestamp
			&btpb.Mutation_SetCell{FamilyName: names.FamConsent, ColumnQualifier: []byte("paper"), TimestampMicros: int64(i+1) * 1000, Value: []byte(l.value)},           // ok ttlwrite/unset-timestamp
			&btpb.Mutation_SetCell{FamilyName: names.FamConsent, ColumnQualifier: []byte("scan"), TimestampMicros: time.Now().UnixMicro(), Value: []byte(l.value)},       // want ttlwrite/clock-in-sequence
			&btpb.Mutation_SetCell{FamilyName: names.FamDemo, ColumnQualifier: []byte("import"), TimestampMicros: time.Now().UnixMilli() * 1000, Value: []byte(l.value)}, // ok ttlwrite/clock-in-sequence
		))
	}
	return send(ctx, req)
}

func reminders(ctx context.Context, client *bigtable.Client, lines []line) error {
	req := &btpb.MutateRowsRequest{TableName: "projects/" + *project + "/instances/" + *instance + "/tables/" + names.Reminders}
	keep := time.Now().Add(24*time.Hour - reminder.Horizon)
	for _, l := range lines {
		req.Entries = append(req.Entries, raw(l.key,
			&btpb.Mutation_SetCell{FamilyName: names.FamDue, ColumnQualifier: []byte("body"), Value: []byte(l.value)},                                           // want ttlwrite/unset-timestamp
			&btpb.Mutation_SetCell{FamilyName: names.FamDue, ColumnQualifier: []byte("keep"), TimestampMicros: keep.UnixMilli() * 1000, Value: []byte(l.value)}, // ok ttlwrite/unset-timestamp
			&btpb.Mutation_SetCell{FamilyName: names.FamLog, ColumnQualifier: []byte("import"), TimestampMicros: -1, Value: []byte(l.value)},                    // ok ttlwrite/server-timestamp
		))
	}
	if err := send(ctx, req); err != nil {
		return err
	}
	return verify(ctx, client.Open(names.Reminders), lines)
}

func verify(ctx context.Context, tbl *bigtable.Table, lines []line) error {
	set := make(bigtable.RowList, 0, len(lines))
	for _, l := range lines {
		set = append(set, l.key)
	}
	seen := 0
	err := tbl.ReadRows(ctx, set, func(r bigtable.Row) bool { // want ttlread/missing-filter[verify]
		for _, it := range r[names.FamDue] {
			seen += len(it.Value)
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(names.FamDue))) // want ttlread/missing-filter[verify]
	if err == nil && seen == 0 {
		err = fmt.Errorf("nothing of %d lines arrived", len(lines))
	}
	return err
}

func send(_ context.Context, req *btpb.MutateRowsRequest) error {
	log.Printf("%s: %d entries", req.GetTableName(), len(req.GetEntries()))
	return nil
}
