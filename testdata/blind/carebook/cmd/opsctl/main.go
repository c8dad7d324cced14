// Opsctl is the support desk's tool.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/carebook/appointments/internal/adapter/bt"
	"github.com/carebook/appointments/internal/adapter/btkv"
	"github.com/carebook/appointments/internal/adapter/btpatient"
	"github.com/carebook/appointments/internal/adapter/btsession"
	"github.com/carebook/appointments/internal/names"
	"github.com/carebook/appointments/internal/platform/clock"
	"github.com/carebook/appointments/internal/platform/config"
	"github.com/carebook/appointments/internal/platform/metrics"
)

type tool struct {
	client *bigtable.Client
	open   *bt.Opener
	prefix string
	out    io.Writer
}

type command struct {
	help string
	run  func(context.Context, *tool, []string) error
}

var commands = map[string]command{
	"session":  {"ID: show a session", showSession},
	"sessions": {"PATIENT: list sessions", listSessions},
	"kick":     {"ID: end a session", kick},
	"slot":     {"KEY: show a slot", showSlot},
	"free":     {"KEY: free a slot", freeSlot},
	"waiting":  {"CLINIC: show the waiting list", waiting},
	"patient":  {"ID: show a patient", showPatient},
	"table":    {"TABLE KEY: show any row", showAny},
	"invite":   {"CODE MAIL: invite somebody", invite},
	"ledger":   {"TENANT ID: show a referral", showLedger},
	"lag":      {"PATIENT: how late are reminders", lag},
}

func main() {
	flag.Usage = func() {
		for n, c := range commands {
			fmt.Fprintf(os.Stderr, "opsctl %s %s\n", n, c.help)
		}
	}
	flag.Parse()
	if err := run(context.Background(), flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "opsctl:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("no command")
	}
	cmd, ok := commands[args[0]]
	if !ok {
		return fmt.Errorf("unknown command %q", args[0])
	}
	cfg, err := config.FromEnv()
	if err != nil {
		return err
	}
	client, err := bigtable.NewClient(ctx, cfg.Project, cfg.Instance)
	if err != nil {
		return err
	}
	defer client.Close()
	t := &tool{client: client, open: bt.NewOpener(client, metrics.NewRegistry(), slog.Default()), prefix: cfg.TablePref, out: os.Stdout}
	return cmd.run(ctx, t, args[1:])
}

func showSession(ctx context.Context, t *tool, args []string) error {
	tbl := t.client.Open(names.Sessions)
	row, err := tbl.ReadRow(ctx, args[0], bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(t.out, 0, 8, 2, ' ', 0)
	for _, items := range row {
		for _, it := range items {
			fmt.Fprintf(w, "%s\t%s\n", it.Column, it.Value)
		}
	}
	return w.Flush()
}

func listSessions(ctx context.Context, t *tool, args []string) error {
	tbl := t.client.Open(t.prefix + names.Sessions)
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamToken), bigtable.LatestNFilter(1)) // want ttlread/missing-filter[opslist]
	err := tbl.ReadRows(ctx, bigtable.PrefixRange(args[0]+"#"), func(r bigtable.Row) bool {      // want ttlread/missing-filter[opslist]
		for _, it := range r[names.FamToken] {
			fmt.Fprintln(t.out, r.Key(), it.Column)
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/missing-filter[opslist]
	if err != nil {
		return err
	}
	return tbl.ReadRows(ctx, bigtable.PrefixRange(args[0]+"#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		fmt.Fprintln(t.out, r.Key())
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())))
}

func kick(ctx context.Context, t *tool, args []string) error {
	store := btsession.New(t.open)
	info, err := store.Info(ctx, args[0])
	if err != nil {
		return err
	}
	fmt.Fprintln(t.out, "ends", info.ExpiresAt.Format(time.RFC3339))
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(names.FamToken)
	mut.Set(names.FamToken, "kicked", bigtable.ServerTime, []byte(os.Getenv("USER")))   // want ttlwrite/server-timestamp
	mut.Set(names.FamProfile, "kicked", bigtable.ServerTime, []byte(os.Getenv("USER"))) // ok ttlwrite/server-timestamp
	return t.client.Open(names.Sessions).Apply(ctx, args[0], mut)
}

func showSlot(ctx context.Context, t *tool, args []string) error {
	tbl := t.client.Open(names.Slots)
	row, err := tbl.ReadRow(ctx, args[0]) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, it := range row[names.FamHold] {
		fmt.Fprintln(t.out, "hold", it.Column, string(it.Value))
	}
	one, err := tbl.ReadRow(ctx, args[0], bigtable.RowFilter(bt.Latest(names.FamState, 1))) // ok ttlread/version-limit
	if err != nil {
		return err
	}
	for _, it := range one[names.FamState] {
		updated := it.Timestamp.Time()                                                // want ttlage/not-write-time[opsslot]
		fmt.Fprintln(t.out, "state", string(it.Value), updated.Format(time.DateTime)) // want ttlage/not-write-time[opsslot]
	}
	eq, err := t.client.Open(names.Equipment).ReadRow(ctx, args[0], bigtable.RowFilter(bigtable.FamilyFilter(names.FamState))) // ok ttlread/version-limit
	if err != nil {
		return err
	}
	for _, it := range eq[names.FamState] {
		updated := it.Timestamp.Time() // ok ttlage/not-write-time
		fmt.Fprintln(t.out, "device", string(it.Value), updated.Format(time.DateTime))
	}
	return nil
}

func freeSlot(ctx context.Context, t *tool, args []string) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamState, names.ColStatus, bigtable.Time(time.Now()), []byte("free")) // want ttlwrite/clock-in-sequence
	mut.DeleteCellsInFamily(names.FamHold)
	if err := t.client.Open(names.Slots).Apply(ctx, args[0], mut); err != nil {
		return err
	}
	dev := bigtable.NewMutation()
	dev.Set(names.FamState, names.ColStatus, bigtable.Time(time.Now()), []byte("free")) // ok ttlwrite/clock-in-sequence
	return t.client.Open(names.Equipment).Apply(ctx, args[0], dev)
}

func waiting(ctx context.Context, t *tool, args []string) error {
	tbl := t.client.Open(names.Waitlist)
	show := func(r bigtable.Row) bool {
		for _, it := range r[names.FamPlace] {
			fmt.Fprintln(t.out, r.Key(), string(it.Value))
		}
		return true
	}
	if err := tbl.ReadRows(ctx, bigtable.PrefixRange(args[0]), show, bigtable.LimitRows(50)); err != nil { // want ttlread/missing-filter
		return err
	}
	return tbl.ReadRows(ctx, bigtable.PrefixRange(args[0]), show, bt.Limit(bt.Within(names.FamPlace, btkv.WaitlistLife), 50)...) // ok ttlread/missing-filter
}

func showPatient(ctx context.Context, t *tool, args []string) error {
	store := btpatient.New(t.open, clock.System{})
	p, err := store.Patient(ctx, args[0])
	if err != nil {
		return err
	}
	fmt.Fprintf(t.out, "%s\t%s\t%s\n", p.Name, p.Language, p.UpdatedAt.Format(time.DateOnly))
	var opts []bigtable.ReadOption
	if len(args) > 1 {
		opts = append(opts, bigtable.RowFilter(bigtable.ColumnFilter(args[1])))
	}
	row, err := t.open.Table(names.Patients).ReadRow(ctx, args[0], opts...) // want ttlread/missing-filter|ttlread/version-limit
	if err != nil {
		return err
	}
	for _, it := range row[names.FamConsent] {
		fmt.Fprintln(t.out, it.Column, bt.Number(it), string(it.Value))
	}
	return nil
}

func showAny(ctx context.Context, t *tool, args []string) error {
	row, err := t.client.Open(t.prefix+args[0]).ReadRow(ctx, args[1]) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	for fam, items := range row {
		for _, it := range items {
			fmt.Fprintln(t.out, fam, it.Column, int64(it.Timestamp), len(it.Value)) // ok ttlage/not-write-time
		}
	}
	states, err := t.client.Open(t.prefix+args[0]).ReadRow(ctx, args[1], bigtable.RowFilter(bigtable.FamilyFilter(names.FamState))) // ok ttlread/version-limit
	if err != nil {
		return err
	}
	fmt.Fprintln(t.out, len(states[names.FamState]), "states")
	return nil
}

func invite(ctx context.Context, t *tool, args []string) error {
	kv := btkv.New(t.open, clock.System{}, metrics.NewRegistry())
	in := btkv.Invite{Mail: args[1], Practice: strings.SplitN(args[1], "@", 2)[0]}
	if err := kv.InviteUntil(ctx, args[0], in, time.Now()); err != nil { // want ttlwrite/write-time
		return err
	}
	if err := kv.InviteUntil(ctx, args[0]+"-late", in, time.Now().Add(btkv.InviteLife)); err != nil { // ok ttlwrite/write-time
		return err
	}
	return kv.InviteUntil(ctx, args[0]+"-old", in, time.Time{}) // want ttlwrite/already-expired
}

func showLedger(ctx context.Context, t *tool, args []string) error {
	tbl := t.client.Open("north-referrals")
	row, err := tbl.ReadRow(ctx, args[1], bigtable.RowFilter(bigtable.FamilyFilter(names.FamEntry))) // want ttlread/version-limit
	if err != nil {
		return err
	}
	fmt.Fprintln(t.out, len(row[names.FamEntry]), "lines")
	locks, err := t.client.Open(args[0]+names.ReferralSuffix).ReadRow(ctx, args[1]) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, it := range locks[names.FamLock] {
		fmt.Fprintln(t.out, "locked by", string(it.Value))
	}
	return nil
}

func lag(ctx context.Context, t *tool, args []string) error {
	tbl := t.open.Table(names.Reminders)
	now := time.Now()
	return tbl.ReadRows(ctx, bigtable.PrefixRange(args[0]+"#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		if it, ok := bt.First(r, names.FamLog, "sent"); ok {
			fmt.Fprintln(t.out, "sent", r.Key(), now.Sub(it.Timestamp.Time())) // ok ttlage/not-write-time
		}
		if it, ok := bt.First(r, names.FamDue, names.ColBody); ok {
			fmt.Fprintln(t.out, "due", r.Key(), now.Sub(it.Timestamp.Time())) // want ttlage/not-write-time
		}
		return true
	}, bt.With(bt.Either(bt.Within(names.FamDue, 168*time.Hour), bigtable.FamilyFilter(names.FamLog))))
}
