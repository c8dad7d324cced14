// Medadmin is what the operators run.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"sort"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"

	"medboard.example/board/btx"
	"medboard.example/board/clock"
	"medboard.example/board/devices"
	"medboard.example/board/reports"
	"medboard.example/board/schema"
)

type tool struct {
	client *bigtable.Client
	admin  *bigtable.AdminClient
	log    *slog.Logger
}

var commands = map[string]func(*tool, context.Context, []string) error{
	"schema":  func(t *tool, ctx context.Context, _ []string) error { return schema.Ensure(ctx, t.admin, t.log) },
	"staging": func(t *tool, ctx context.Context, _ []string) error { return schema.EnsureStaging(ctx, t.admin) },
	"demo": func(t *tool, ctx context.Context, _ []string) error {
		return schema.NewProvisioner(t.admin, t.log).Demo(ctx)
	},
	"backfill": (*tool).backfill,
	"revoke":   (*tool).revoke,
	"show":     (*tool).show,
	"occupied": (*tool).occupied,
	"trail":    (*tool).trail,
	"renumber": (*tool).renumber,
	"kiosks":   (*tool).kiosks,
}

func main() {
	project := flag.String("project", "hospital", "project")
	instance := flag.String("instance", "wards", "instance")
	flag.Parse()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	cmd, ok := commands[flag.Arg(0)]
	if !ok {
		names := make([]string, 0, len(commands))
		for n := range commands {
			names = append(names, n)
		}
		sort.Strings(names)
		fmt.Fprintln(os.Stderr, "commands:", names)
		os.Exit(2)
	}
	ctx := context.Background()
	client, err := bigtable.NewClient(ctx, *project, *instance)
	if err != nil {
		log.Error("client", "err", err)
		os.Exit(1)
	}
	admin, err := bigtable.NewAdminClient(ctx, *project, *instance)
	if err != nil {
		log.Error("admin client", "err", err)
		os.Exit(1)
	}
	if err := cmd(&tool{client, admin, log}, ctx, flag.Args()[1:]); err != nil {
		log.Error(flag.Arg(0), "err", err)
		os.Exit(1)
	}
}

// set writes one cell.
func (t *tool) set(ctx context.Context, table, row, family, column string, ts bigtable.Timestamp, value string) error {
	mut := bigtable.NewMutation()
	mut.Set(family, column, ts, []byte(value))
	return t.client.Open(table).Apply(ctx, row, mut)
}

// backfill marks everything that is named as known.
func (t *tool) backfill(ctx context.Context, rows []string) error {
	for i, row := range rows {
		if err := t.set(ctx, schema.Beds, row, schema.Bed, "known", bigtable.ServerTime, "1"); err != nil { // ok ttlwrite/server-timestamp
			return err
		}
		if err := t.set(ctx, schema.Beds, row, schema.Hold, "known", bigtable.ServerTime, "1"); err != nil { // want ttlwrite/server-timestamp
			return err
		}
		if err := t.set(ctx, schema.Kiosks, row, schema.Session, "known", bigtable.ServerTime, "1"); err != nil { // want ttlwrite/server-timestamp
			return err
		}
		if err := t.set(ctx, schema.Devices, row, schema.Session, "known", bigtable.ServerTime, "1"); err != nil { // ok ttlwrite/server-timestamp
			return err
		}
		if err := t.set(ctx, schema.Vitals, row, schema.Alarm, "known", bigtable.Timestamp(i), "1"); err != nil { // want ttlwrite/unscaled-sequence
			return err
		}
		if err := t.set(ctx, "icu-audit", row, schema.Entry, "known", bigtable.ServerTime, "1"); err != nil { // want ttlwrite/clock-in-sequence
			return err
		}
		if err := t.set(ctx, schema.Journal, row, schema.Entry, "known", bigtable.ServerTime, "1"); err != nil { // ok ttlwrite/clock-in-sequence
			return err
		}
	}
	return nil
}

// revoke ends holds and sessions.
func (t *tool) revoke(ctx context.Context, rows []string) error {
	for _, row := range rows {
		if err := t.set(ctx, schema.Beds, row, schema.Hold, "patient", 0, ""); err != nil { // want ttlwrite/already-expired
			return err
		}
		if err := t.set(ctx, schema.Devices, row, schema.Session, "user", 1000, ""); err != nil { // want ttlwrite/already-expired
			return err
		}
		if err := t.set(ctx, schema.State, row, schema.Last, "v", 0, ""); err != nil { // ok ttlwrite/already-expired ttlwrite/clock-in-zero
			return err
		}
	}
	return nil
}

// show prints rows of a table.
func (t *tool) show(ctx context.Context, args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("show TABLE ROW")
	}
	row, err := t.client.Open(args[0]).ReadRow(ctx, args[1]) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, items := range row {
		for _, it := range items {
			fmt.Printf("%s %s %q\n", it.Column, it.Timestamp.Time().Format(time.RFC3339), it.Value) // ok ttlage/not-write-time
		}
	}
	return nil
}

// occupied prints the held beds.
func (t *tool) occupied(ctx context.Context, wards []string) error {
	tbl := t.client.Open(schema.Beds)
	for _, w := range wards {
		err := tbl.ReadRows(ctx, bigtable.PrefixRange(w+"#"), func(row bigtable.Row) bool { // want ttlread/missing-filter
			fmt.Println(row.Key(), btx.Value(row, schema.Hold, "patient"))
			return true
		})
		if err != nil {
			return err
		}
		err = tbl.ReadRows(ctx, bigtable.PrefixRange(w+"#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
			fmt.Println(row.Key(), btx.Value(row, schema.Hold, "patient"))
			return true
		}, bigtable.RowFilter(btx.Live(time.Now())))
		if err != nil {
			return err
		}
	}
	lines, err := reports.New(t.client, clock.System{}, t.log).OccupancyLive(ctx)
	for _, l := range lines {
		fmt.Println(l)
	}
	return err
}

// trail prints a trail.
func (t *tool) trail(ctx context.Context, args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("trail WARD ROW")
	}
	tbl := t.client.Open(args[0] + "-audit")
	row, err := tbl.ReadRow(ctx, args[1]) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, it := range row[schema.Entry] {
		fmt.Printf("%d %s\n", btx.NumberOf(it), it.Value)
	}
	row, err = tbl.ReadRow(ctx, args[1], bigtable.RowFilter(bigtable.LatestNFilter(schema.EntryVersions))) // ok ttlread/version-limit
	if err != nil {
		return err
	}
	for _, it := range row[schema.Entry] {
		updated := it.Timestamp.Time()                    // want ttlage/not-write-time[upd]
		fmt.Printf("updated %s: %s\n", updated, it.Value) // want ttlage/not-write-time[upd]
	}
	return nil
}

// renumber writes the named values as versions of an alarm.
func (t *tool) renumber(ctx context.Context, args []string) error {
	mut := bigtable.NewMutation()
	n := 0
	for _, a := range args {
		n++
		mut.Set(schema.Alarm, "kind", bigtable.Timestamp(n), []byte(a))        // want ttlwrite/unscaled-sequence
		mut.Set(schema.Alarm, "scaled", bigtable.Timestamp(n*1000), []byte(a)) // ok ttlwrite/unscaled-sequence
	}
	return t.client.Open(schema.Vitals).Apply(ctx, "renumbered", mut)
}

// kiosks prints the cards at kiosks, and repairs the family's rule.
func (t *tool) kiosks(ctx context.Context, names []string) error {
	k := devices.OpenKiosks(t.client, clock.System{})
	for _, n := range names {
		card, err := k.Card(ctx, n)
		if err != nil {
			return err
		}
		fmt.Println(n, card)
	}
	req := &adminpb.ModifyColumnFamiliesRequest{
		Name: "projects/hospital/instances/wards/tables/kiosk-logins",
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{ // want ttlgc/empty-mask[mask]
			Id:  "session",                                                                                 // want ttlgc/empty-mask[mask]
			Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{}}, // want ttlgc/empty-mask[mask]
		}},
	}
	t.log.Info("not sent", "request", req.String())
	return nil
}
