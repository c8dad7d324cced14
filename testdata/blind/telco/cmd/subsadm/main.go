// Command subsadm creates tables, sets GC policies, migrates, and mends what went wrong.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"sort"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"telco.example/subs/internal/bt"
	"telco.example/subs/internal/names"
	"telco.example/subs/internal/platform"
	"telco.example/subs/internal/roaming"
	"telco.example/subs/internal/schema"
)

var (
	dry   = flag.Bool("n", false, "only say what would be done")
	force = flag.Bool("f", false, "do not ask")

	commands = map[string]func(context.Context, *tool, []string) error{}
)

func register(name string, f func(context.Context, *tool, []string) error) { commands[name] = f }

func init() {
	register("create", create)
	register("migrate", migrate)
	register("loosen", func(ctx context.Context, t *tool, _ []string) error { return t.creator.Loosen(ctx) })
	register("tighten", func(ctx context.Context, t *tool, _ []string) error { return t.creator.Tighten(ctx) })
	register("show", show)
	register("verify", verify)
	register("raw", rawRequests)
	register("session", session)
	register("renumber", renumber)
	register("mend", mend)
	register("otp", otp)
	register("backfill", backfill)
	register("dump", dump)
	register("seed", seed)
	register("copy", copyRows)
}

type tool struct {
	cfg     *platform.Config
	log     *slog.Logger
	c       *bt.Client
	admin   *bigtable.AdminClient
	creator *schema.Creator
}

func main() {
	cfgPath := flag.String("config", "", "configuration file")
	flag.Usage = usage
	flag.Parse()
	if flag.NArg() == 0 {
		usage()
		os.Exit(2)
	}
	f, ok := commands[flag.Arg(0)]
	if !ok {
		usage()
		os.Exit(2)
	}
	if err := run(*cfgPath, f, flag.Args()[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "subsadm:", err)
		os.Exit(1)
	}
}

func usage() {
	fmt.Fprintln(os.Stderr, "usage: subsadm [-config FILE] [-n] [-f] COMMAND [ARG...]")
	var names []string
	for n := range commands {
		names = append(names, n)
	}
	sort.Strings(names)
	fmt.Fprintln(os.Stderr, "commands:", strings.Join(names, " "))
	flag.PrintDefaults()
}

func run(cfgPath string, f func(context.Context, *tool, []string) error, args []string) error {
	ctx := context.Background()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	cfg, err := platform.Load(cfgPath)
	if err != nil {
		return err
	}
	c, err := bt.Dial(ctx, cfg, log)
	if err != nil {
		return err
	}
	defer c.Close()
	admin, err := bigtable.NewAdminClient(ctx, cfg.Project, cfg.Instance)
	if err != nil {
		return err
	}
	defer admin.Close()
	return f(ctx, &tool{cfg: cfg, log: log, c: c, admin: admin, creator: schema.NewCreator(admin, log, *dry)}, args)
}

func confirm(format string, args ...any) bool {
	if *force {
		return true
	}
	fmt.Fprintf(os.Stderr, format+" [y/N] ", args...)
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	return err == nil && strings.HasPrefix(strings.ToLower(strings.TrimSpace(line)), "y")
}

// create creates all the tables.
func create(ctx context.Context, t *tool, args []string) error {
	steps := []func(context.Context) error{t.creator.Base, t.creator.Roaming, t.creator.Archive, t.creator.OTP}
	for _, s := range steps {
		if err := s(ctx); err != nil {
			return err
		}
	}
	short := len(args) > 0 && args[0] == "short"
	for _, m := range t.cfg.Markets {
		f := t.creator.Usage
		if short {
			f = t.creator.UsageShort
		}
		if err := f(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

// migrate runs the migrations that have not run. Their ids are in the sandbox table.
func migrate(ctx context.Context, t *tool, _ []string) error {
	tbl := t.c.Open(names.TableSandbox)
	row, err := tbl.Get(ctx, "migrations") // ok ttlread/missing-filter
	if err != nil && !errors.Is(err, bt.ErrNotFound) {
		return err
	}
	done := map[string]bool{}
	for _, it := range row["route"] {
		done[strings.TrimPrefix(it.Column, "route:")] = true
	}
	for _, m := range schema.Migrations {
		if done[m.ID] {
			continue
		}
		t.log.Info("migration", "id", m.ID, "note", m.Note)
		if *dry || !confirm("run %s (%s)?", m.ID, m.Note) {
			continue
		}
		if err := m.Up(ctx, t.admin); err != nil {
			return fmt.Errorf("%s: %w", m.ID, err)
		}
		if err := tbl.PutNow(ctx, "migrations", "route", m.ID, []byte("done")); err != nil { // ok ttlwrite/clock-in-sequence
			return err
		}
	}
	return nil
}

// show prints the live policies.
func show(ctx context.Context, t *tool, args []string) error {
	tables := args
	if len(tables) == 0 {
		var err error
		if tables, err = t.admin.Tables(ctx); err != nil {
			return err
		}
	}
	sort.Strings(tables)
	for _, name := range tables {
		info, err := t.admin.TableInfo(ctx, name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, f := range info.FamilyInfos {
			fmt.Printf("%s\t%s\t%s\n", name, f.Name, f.GCPolicy)
		}
	}
	return nil
}

// expected are the policies that verify compares with.
var expected = map[string]map[string]string{
	names.TableSessions: {names.FamSession: "age() > 1s", names.FamAuth: "age() > 1s"},
	names.TablePorting:  {names.FamRoute: "versions() > 3", names.FamClaim: "age() > 1s"},
	names.TableBalances: {names.FamLedger: "versions() > 50", names.FamHold: "age() > 1s"},
}

// verify compares the live policies with what we think they are.
func verify(ctx context.Context, t *tool, _ []string) error {
	var errs []error
	for table, fams := range expected {
		info, err := t.admin.TableInfo(ctx, table)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for _, f := range info.FamilyInfos {
			if want, ok := fams[f.Name]; ok && want != f.GCPolicy {
				errs = append(errs, fmt.Errorf("%s/%s: %s, want %s", table, f.Name, f.GCPolicy, want))
			}
		}
	}
	return errors.Join(errs...)
}

// rawRequests prints the requests for the console.
func rawRequests(_ context.Context, t *tool, _ []string) error {
	parent := "projects/" + t.cfg.Project + "/instances/" + t.cfg.Instance
	fmt.Println(schema.RawCreate(parent))
	fmt.Println(schema.RawTouch(parent))
	return nil
}

// session prints or fakes a session, for the test SIMs.
func session(ctx context.Context, t *tool, args []string) error {
	if len(args) < 2 {
		return errors.New("session show|fake|forever|kill IMSI")
	}
	tbl := t.c.Raw().Open(names.TableSessions)
	imsi := args[1]
	switch args[0] {
	case "show":
		row, err := tbl.ReadRow(ctx, imsi, bigtable.RowFilter(bigtable.FamilyFilter("sess|auth"))) // want ttlread/missing-filter
		if err != nil {
			return err
		}
		for fam, items := range row {
			for _, it := range items {
				fmt.Printf("%s %s %q\n", fam, it.Column, it.Value)
			}
		}
		return nil
	case "live":
		row, err := tbl.ReadRow(ctx, imsi, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("sess|auth"), bt.Live()))) // ok ttlread/missing-filter
		if err != nil {
			return err
		}
		for fam, items := range row {
			for _, it := range items {
				fmt.Printf("%s %s until %s %q\n", fam, it.Column, it.Timestamp.Time().Format(time.RFC3339), it.Value) // ok ttlage/not-write-time
			}
		}
		return nil
	case "fake":
		m := bigtable.NewMutation()
		m.Set(names.FamSession, "apn", bigtable.Time(time.Now().Add(time.Hour)), []byte("test")) // ok ttlwrite/write-time
		m.Set(names.FamSession, "fake", -1, []byte("1"))                                         // want ttlwrite/server-timestamp
		m.Set(names.FamProfile, "fake", -1, []byte("1"))                                         // ok ttlwrite/server-timestamp
		return tbl.Apply(ctx, imsi, m)
	case "forever":
		m := bigtable.NewMutation()
		m.Set(names.FamSession, "apn", bigtable.Time(time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)), []byte("test")) // want ttlunit/out-of-range
		m.Set(names.FamSession, "rat", bigtable.Time(time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)), []byte("test")) // ok ttlunit/out-of-range
		m.Set(names.FamProfile, "test", bigtable.Timestamp(-5000), []byte("1"))                                    // want ttlunit/out-of-range
		return tbl.Apply(ctx, imsi, m)
	case "kill":
		m := bigtable.NewMutation()
		m.Set(names.FamSession, "apn", bigtable.Time(time.Time{}), nil)              // want ttlwrite/already-expired
		m.Set(names.FamSession, "rat", bigtable.Time(time.Unix(1500000000, 0)), nil) // want ttlwrite/already-expired
		m.DeleteCellsInFamily(names.FamAuth)                                         // ok ttlwrite/delete-after-set
		return tbl.Apply(ctx, imsi, m)
	}
	return fmt.Errorf("session %s: what?", args[0])
}

// renumber writes the ledgers anew with numbers without gaps.
func renumber(ctx context.Context, t *tool, args []string) error {
	tbl := t.c.Raw().Open(names.TableBalances)
	return tbl.ReadRows(ctx, bigtable.NewRange(first(args), ""), func(r bigtable.Row) bool { // ok ttlread/version-limit
		m := bigtable.NewMutation()
		m.DeleteCellsInColumn(names.FamLedger, "entry") // ok ttlwrite/delete-after-set
		items := r[names.FamLedger]
		for i := len(items) - 1; i >= 0; i-- {
			m.Set(names.FamLedger, "entry", bigtable.Timestamp(len(items)-i), items[i].Value) // want ttlwrite/unscaled-sequence
		}
		for i := range items {
			m.Set(names.FamLedger, "entry2", bigtable.Timestamp(1000*(len(items)-i)), items[i].Value) // ok ttlwrite/unscaled-sequence
		}
		m.Set(names.FamMeta, "renumbered", bigtable.Now(), nil) // ok ttlwrite/clock-in-sequence
		if *dry {
			fmt.Println(r.Key(), len(items))
			return true
		}
		return tbl.Apply(ctx, r.Key(), m) == nil
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(names.FamLedger), bigtable.LatestNFilter(50))))
}

func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// mend has the repairs of past incidents. None of them is needed any more, I hope.
func mend(ctx context.Context, t *tool, args []string) error {
	archive := t.c.Raw().Open(names.TableArchive)
	ports := t.c.Raw().Open(names.TablePorting)
	switch first(args) {
	case "2021-07":
		// The first half millisecond was full of nulls.
		return archive.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlunit/sub-millisecond[first]
			fmt.Println(r.Key())
			return true
		}, bigtable.RowFilter(bigtable.TimestampRangeFilterMicros(0, 500))) // want ttlunit/sub-millisecond[first]
	case "2021-09":
		return archive.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool {
			fmt.Println(r.Key())
			return true
		}, bigtable.RowFilter(bigtable.TimestampRangeFilterMicros(0, 5000))) // ok ttlunit/sub-millisecond
	case "2022-01":
		f := bigtable.TimestampRangeFilterMicros(5000, 5000)                                 // want ttlunit/empty-range[er1]
		return archive.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlunit/empty-range[er1]
			fmt.Println(r.Key())
			return true
		}, bigtable.RowFilter(f)) // want ttlunit/empty-range[er1]
	case "2022-02":
		from, to := time.Date(2022, 2, 1, 0, 0, 0, 0, time.UTC), time.Date(2022, 1, 31, 0, 0, 0, 0, time.UTC)
		f := bigtable.TimestampRangeFilter(from, to)                                         // want ttlunit/empty-range[er2]
		return archive.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlunit/empty-range[er2]
			fmt.Println(r.Key())
			return true
		}, bigtable.RowFilter(f)) // want ttlunit/empty-range[er2]
	case "2022-05":
		row, err := archive.ReadRow(ctx, "last", bigtable.RowFilter(bigtable.LatestNFilter(0))) // want ttlunit/invalid-filter
		if err != nil {
			return err
		}
		fmt.Println(row.Key())
		return nil
	case "2022-06":
		row, err := ports.ReadRow(ctx, "last", bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(names.FamCase)))) // want ttlunit/invalid-filter
		if err != nil {
			return err
		}
		fmt.Println(string(bt.Cell(row, names.FamCase, "opened")))
		return nil
	case "2022-07":
		row, err := ports.ReadRow(ctx, "last", bigtable.RowFilter(bigtable.InterleaveFilters(bigtable.FamilyFilter(names.FamCase), bigtable.BlockAllFilter()))) // ok ttlunit/invalid-filter
		if err != nil {
			return err
		}
		fmt.Println(string(bt.Cell(row, names.FamCase, "opened")))
		return nil
	case "2023-03":
		m := bigtable.NewMutation()
		m.Set(names.FamCase, "marker", 1500, []byte("mended"))  // want ttlunit/sub-millisecond
		m.Set(names.FamCase, "marker2", 2000, []byte("mended")) // ok ttlunit/sub-millisecond
		m.Set(names.FamRoute, "marker", 1500, []byte("mended")) // want ttlwrite/unscaled-sequence
		return ports.Apply(ctx, first(args[1:]), m)
	case "2023-04":
		f := bigtable.InterleaveFilters(bigtable.PassAllFilter())                               // want ttlunit/invalid-filter[if1]
		return archive.ReadRows(ctx, bigtable.PrefixRange("26201"), func(r bigtable.Row) bool { // want ttlunit/invalid-filter[if1]
			fmt.Println(r.Key())
			return true
		}, bigtable.RowFilter(f)) // want ttlunit/invalid-filter[if1]
	case "2024-11":
		row, err := archive.ReadRow(ctx, "last", bigtable.RowFilter(bigtable.FamilyFilter("sess")), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/overridden-filter
		if err != nil {
			return err
		}
		fmt.Println(row.Key())
		return nil
	}
	return errors.New("mend INCIDENT")
}

// otp stores and shows one-time passwords of the self care. The schema is in internal/schema.
func otp(ctx context.Context, t *tool, args []string) error {
	if len(args) < 2 {
		return errors.New("otp put|putnow|get|getlive|count MSISDN [CODE]")
	}
	tbl := t.c.Open(names.TableOTP)
	msisdn := args[1]
	switch args[0] {
	case "put":
		return tbl.PutFor(ctx, msisdn, names.FamCode, "code", 5*time.Minute, []byte(first(args[2:]))) // ok ttlwrite/write-time
	case "putnow":
		return tbl.Put(ctx, msisdn, names.FamCode, "code", bigtable.Now(), []byte(first(args[2:]))) // want ttlwrite/write-time
	case "get":
		row, err := tbl.Get(ctx, msisdn) // want ttlread/missing-filter
		if err != nil {
			return err
		}
		fmt.Println(string(bt.Cell(row, names.FamCode, "code")))
		return nil
	case "getlive":
		row, err := tbl.Get(ctx, msisdn, bigtable.RowFilter(bt.LiveIn(names.FamCode))) // ok ttlread/missing-filter
		if err != nil {
			return err
		}
		fmt.Println(string(bt.Cell(row, names.FamCode, "code")))
		return nil
	case "count":
		n, err := tbl.Incr(ctx, msisdn, names.FamCode, "tries", 1) // want ttlwrite/read-modify-write
		fmt.Println(n)
		return err
	}
	return fmt.Errorf("otp %s: what?", args[0])
}

// record is a line of a backfill file.
type record struct {
	Key    string `json:"key"`
	Family string `json:"family"`
	Column string `json:"column"`
	Value  string `json:"value"`
	Micros int64  `json:"micros"`
}

// backfill writes the records of a file into a table, as they are.
func backfill(ctx context.Context, t *tool, args []string) error {
	if len(args) != 2 {
		return errors.New("backfill TABLE FILE")
	}
	f, err := os.Open(args[1])
	if err != nil {
		return err
	}
	defer f.Close()
	tbl := t.c.Open(args[0])
	sc := bufio.NewScanner(f)
	n := 0
	for sc.Scan() {
		var r record
		if err := json.Unmarshal(sc.Bytes(), &r); err != nil {
			return fmt.Errorf("line %d: %w", n+1, err)
		}
		if err := tbl.Put(ctx, r.Key, r.Family, r.Column, bigtable.Timestamp(r.Micros), []byte(r.Value)); err != nil { // ok ttlwrite/unscaled-sequence
			return err
		}
		n++
	}
	t.log.Info("backfilled", "n", n)
	return sc.Err()
}

// dump prints a table.
func dump(ctx context.Context, t *tool, args []string) error {
	if len(args) == 0 {
		return errors.New("dump TABLE [PREFIX]")
	}
	tbl := t.c.Open(args[0])
	w := bufio.NewWriter(os.Stdout)
	defer w.Flush()
	return tbl.Scan(ctx, bigtable.PrefixRange(first(args[1:])), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, items := range r {
			for _, it := range items {
				fmt.Fprintf(w, "%s\t%s\t%d\t%q\n", it.Row, it.Column, it.Timestamp, it.Value)
			}
		}
		return true
	})
}

// fixture is a row of the test data.
type fixture struct {
	table, key, family, column string
	ts                         bigtable.Timestamp
	value                      string
}

var fixtures = []fixture{
	{names.TableSessions, "262010000000001", names.FamSession, "apn", bigtable.Now(), "internet"},        // want ttlwrite/stale-clock[fix1]
	{names.TableSessions, "262010000000001", names.FamProfile, "last_apn", bigtable.Now(), "internet"},   // ok ttlwrite/stale-clock
	{names.TableSessions, "262010000000002", names.FamAuth, "vec", bigtable.ServerTime, "{}"},            // want ttlwrite/server-timestamp[fix2]
	{names.TablePorting, "491700000001", names.FamRoute, "rn", bigtable.Timestamp(1), "D123"},            // want ttlwrite/unscaled-sequence[fix3]
	{names.TablePorting, "491700000001", names.FamRoute, "op", bigtable.Timestamp(1000), "own"},          // ok ttlwrite/unscaled-sequence
	{names.TableBalances, "100000071", names.FamBalance, "cents", 0, "\x00\x00\x00\x00\x00\x00\x03\xe8"}, // ok ttlwrite/clock-in-zero
	{names.TableBalances, "100000071", names.FamBalance, "tariff", 1000, "S"},                            // want ttlwrite/clock-in-zero[fix4]
	{names.TableBalances, "100000071", names.FamLedger, "entry", 1000, "start"},                          // ok ttlwrite/unscaled-sequence
	{names.TableReceipts, "491700000001#1", names.FamReceipt, "status", bigtable.ServerTime, "ok"},       // ok ttlwrite/server-timestamp
}

// seed writes the test data.
func seed(ctx context.Context, t *tool, _ []string) error {
	if !confirm("write test data into %s?", t.cfg.Instance) {
		return nil
	}
	for _, f := range fixtures {
		if err := t.c.Open(f.table).Put(ctx, f.key, f.family, f.column, f.ts, []byte(f.value)); err != nil { // want ttlwrite/stale-clock[fix1] ttlwrite/server-timestamp[fix2] ttlwrite/unscaled-sequence[fix3] ttlwrite/clock-in-zero[fix4]
			return fmt.Errorf("%s %s: %w", f.table, f.key, err)
		}
	}
	devices := t.c.Raw().Open(names.TableDevices)
	m := roaming.NewVisitMutation("26201")
	return devices.Apply(ctx, "35000000", m) // ok ttlwrite/write-time
}

// copyRows copies the lasting families of one table's rows into the archive.
func copyRows(ctx context.Context, t *tool, args []string) error {
	from := t.c.Raw().Open(names.TablePorting)
	to := t.c.Raw().Open(names.TableArchive)
	var failed error
	err := from.ReadRows(ctx, bigtable.PrefixRange(first(args)), func(r bigtable.Row) bool { // want ttlread/missing-filter
		m := bigtable.NewMutation()
		for fam, items := range r {
			for _, it := range items {
				m.Set(fam, strings.TrimPrefix(it.Column, fam+":"), it.Timestamp, it.Value) // ok ttlwrite/clock-in-sequence
			}
		}
		failed = to.Apply(ctx, r.Key(), m)
		return failed == nil
	})
	return errors.Join(err, failed)
}
