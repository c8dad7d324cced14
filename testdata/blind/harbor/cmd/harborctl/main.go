// Harborctl is the operators' tool. Each subcommand was written in one night.
package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/harbor/btutil"
	"example.com/harbor/lease"
	"example.com/harbor/ledger"
	"example.com/harbor/manifest"
	"example.com/harbor/quote"
	"example.com/harbor/report"
	"example.com/harbor/schema"
	"example.com/harbor/session"
	"example.com/harbor/settings"
)

var (
	project  = flag.String("project", "harbor", "project")
	instance = flag.String("instance", "main", "instance")
	dryRun   = flag.Bool("n", false, "dry run")
	verbose  = flag.Bool("v", false, "talk")
	force    = flag.Bool("force", false, "do it anyway")
	ttlFlag  = flag.Duration("ttl", 0, "lifetime of what is written")
	seqFlag  = flag.Int64("seq", 0, "sequence number")
	env      = flag.String("env", "", "environment prefix of ledger tables")
	oldest   = flag.Duration("oldest", 72*time.Hour, "oldest quote shown")
	tsFlag   = flag.Int64("ts", 0, "timestamp in microseconds")

	client *bigtable.Client
	admin  *bigtable.AdminClient

	commands = map[string]func(ctx context.Context, args []string) error{}
)

func init() {
	commands["schema"] = cmdSchema
	commands["session"] = cmdSession
	commands["lease"] = cmdLease
	commands["captcha"] = cmdCaptcha
	commands["ledger"] = cmdLedger
	commands["fix-ledger"] = cmdFixLedger
	commands["quotes"] = cmdQuotes
	commands["setting"] = cmdSetting
	commands["manifest"] = cmdManifest
	commands["report"] = cmdReport
	commands["purge"] = cmdPurge
	commands["seed"] = cmdSeed
	commands["copy"] = cmdCopy
}

func main() {
	log.SetFlags(0)
	log.SetPrefix(filepath.Base(os.Args[0]) + ": ")
	flag.Parse()
	if flag.NArg() == 0 {
		var names []string
		for n := range commands {
			names = append(names, n)
		}
		log.Fatalf("which command? %s", strings.Join(names, " "))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	if client, err = bigtable.NewClient(ctx, *project, *instance); err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	if admin, err = bigtable.NewAdminClient(ctx, *project, *instance); err != nil {
		log.Fatal(err)
	}
	defer admin.Close()
	settings.Setup(client)
	f, ok := commands[flag.Arg(0)]
	if !ok {
		log.Fatalf("no command %q", flag.Arg(0))
	}
	if err := f(ctx, flag.Args()[1:]); err != nil {
		log.Fatal(err)
	}
}

func cmdSchema(ctx context.Context, args []string) error {
	only := ""
	if len(args) > 0 {
		only = args[0]
	}
	if *dryRun {
		fmt.Print(schema.Describe())
		return nil
	}
	if err := schema.Ensure(ctx, admin, only, *force, !*verbose); err != nil {
		return err
	}
	if only == "captchas" {
		return schema.Captcha(ctx, admin)
	}
	return nil
}

func cmdSession(ctx context.Context, args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("session get|dump|put|kill|extend KEY [VALUE]")
	}
	tbl := client.Open("sessions")
	key := args[1]
	switch args[0] {
	case "get":
		s, err := session.New(client).Get(ctx, key)
		if err != nil {
			return err
		}
		return json.NewEncoder(os.Stdout).Encode(s)
	case "dump":
		row, err := tbl.ReadRow(ctx, key) // want ttlread/missing-filter
		if err != nil {
			return err
		}
		for fam, items := range row {
			for _, it := range items {
				fmt.Printf("%s %s %d %q\n", fam, it.Column, it.Timestamp, it.Value)
			}
		}
		return nil
	case "put":
		if len(args) < 3 {
			return fmt.Errorf("no value")
		}
		m := bigtable.NewMutation()
		m.Set("token", "jwt", bigtable.Now(), []byte(args[2]))      // want ttlwrite/write-time
		m.Set("profile", "by", bigtable.Now(), []byte("harborctl")) // ok ttlwrite/write-time
		return tbl.Apply(ctx, key, m)
	case "extend":
		if len(args) < 3 {
			return fmt.Errorf("no value")
		}
		life := *ttlFlag
		if life == 0 {
			life = btutil.TokenTTL
		}
		m := bigtable.NewMutation()
		m.Set("token", "jwt", bigtable.Time(time.Now().Add(life)), []byte(args[2])) // ok ttlwrite/write-time
		return tbl.Apply(ctx, key, m)
	case "kill":
		m := bigtable.NewMutation()
		m.DeleteCellsInFamily("token")
		m.DeleteCellsInFamily("nonce") // ok ttlwrite/delete-after-set
		return tbl.Apply(ctx, key, m)
	case "count":
		n := 0
		err := tbl.ReadRows(ctx, bigtable.PrefixRange(key), func(bigtable.Row) bool { n++; return true }, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter()))) // ok ttlread/missing-filter
		fmt.Println(n)
		return err
	case "live":
		n := 0
		err := tbl.ReadRows(ctx, bigtable.PrefixRange(key), func(bigtable.Row) bool { n++; return true }, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Time{}, time.Now()), bigtable.StripValueFilter()))) // want ttlread/expired-only
		fmt.Println(n)
		return err
	}
	return fmt.Errorf("session %s?", args[0])
}

func cmdLease(ctx context.Context, args []string) error {
	host, _ := os.Hostname()
	m := lease.NewManager(client, "ctl@"+host, *ttlFlag)
	defer m.Close()
	if len(args) < 2 {
		return fmt.Errorf("lease take|drop|list NAME")
	}
	switch args[0] {
	case "take":
		if *force {
			mut := bigtable.NewMutation()
			mut.DeleteRow()
			mut.Set("lease", "holder", btutil.TS(time.Hour, false, false), []byte(host)) // ok ttlwrite/delete-after-set
			mut.Set("lease", "forced", btutil.TS(time.Hour, true, false), []byte(host))  // want ttlwrite/server-timestamp
			mut.Set("lease", "ctl", btutil.TS(0, false, true), []byte(host))             // want ttlwrite/already-expired
			mut.Set("lease", "at", btutil.TS(0, false, false), []byte(host))             // want ttlwrite/write-time
			return client.Open("locks").Apply(ctx, args[1], mut)
		}
		return m.Acquire(ctx, args[1])
	case "drop":
		return m.Drop(ctx, args[1], "")
	case "list":
		mode := "live"
		if *verbose {
			mode = "raw"
		}
		evs, err := m.List(ctx, args[1], mode)
		if err != nil {
			return err
		}
		for _, ev := range evs {
			fmt.Printf("%-20s %-20s %s\n", ev.Resource, ev.Holder, ev.Until.Format(time.DateTime))
		}
		return nil
	}
	return fmt.Errorf("lease %s?", args[0])
}

// cmdCaptcha looks into the captcha table, which the registry lacks.
func cmdCaptcha(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("captcha ID [ANSWER]")
	}
	tbl := client.Open("captchas")
	if len(args) > 1 {
		m := bigtable.NewMutation()
		m.Set("answer", "text", bigtable.ServerTime, []byte(args[1]))                 // want ttlwrite/server-timestamp
		m.Set("answer", "hint", btutil.ExpiresIn(2*time.Minute), []byte(args[1][:1])) // ok ttlwrite/server-timestamp
		m.Set("stats", "by", bigtable.ServerTime, []byte("harborctl"))                // ok ttlwrite/server-timestamp
		return tbl.Apply(ctx, args[0], m)
	}
	if *verbose {
		row, err := tbl.ReadRow(ctx, args[0], bigtable.RowFilter(bigtable.FamilyFilter("answer"))) // want ttlread/missing-filter
		if err != nil {
			return err
		}
		v, _ := btutil.Column(row, "answer", "text")
		fmt.Printf("%s\n", v)
		return nil
	}
	row, err := tbl.ReadRow(ctx, args[0], bigtable.RowFilter(btutil.LiveIn("answer"))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	v, _ := btutil.Column(row, "answer", "text")
	fmt.Printf("%s\n", v)
	return nil
}

func cmdLedger(ctx context.Context, args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("ledger TERMINAL ACCOUNT [AMOUNT]")
	}
	b := ledger.Open(client, *env, args[0])
	if len(args) == 2 {
		es, err := b.History(ctx, args[1], "short")
		if err != nil {
			return err
		}
		for _, e := range es {
			fmt.Printf("%6d %10d %10d %s\n", e.Seq, e.Amount, e.Balance, e.Ref)
		}
		return nil
	}
	var amount int64
	if _, err := fmt.Sscan(args[2], &amount); err != nil {
		return err
	}
	return b.Post(ctx, &ledger.Entry{Account: args[1], Amount: amount, Ref: "ctl"}, "by hand", false, *seqFlag)
}

// cmdFixLedger repairs what cmdLedger of 2018 broke.
func cmdFixLedger(ctx context.Context, args []string) error {
	if len(args) < 1 {
		return fmt.Errorf("fix-ledger TERMINAL")
	}
	tbl := client.Open(args[0] + "-ledger")
	type bad struct {
		key  string
		seqs []int64
	}
	var bads []bad
	seen := 0
	err := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlread/version-limit[fixledger]
		seen++
		var b bad
		b.key = r.Key()
		for _, it := range r["entry"] {
			if it.Timestamp%1000 != 0 {
				b.seqs = append(b.seqs, int64(it.Timestamp))
			}
		}
		if len(b.seqs) > 0 {
			bads = append(bads, b)
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter("entry"))) // want ttlread/version-limit[fixledger]
	if err != nil {
		return err
	}
	log.Printf("%d rows, %d bad", seen, len(bads))
	if *dryRun {
		return nil
	}
	batch := btutil.NewBatch(tbl, 100)
	for i, b := range bads {
		m := bigtable.NewMutation()
		for j := range b.seqs {
			m.Set("entry", "fixed", bigtable.Timestamp(j), []byte{1})           // want ttlwrite/unscaled-sequence
			m.Set("entry", "amount", bigtable.Timestamp((j+1)*1000), []byte{0}) // ok ttlwrite/unscaled-sequence
		}
		m.Set("entry", "fixrun", btutil.SeqTS(int64(i)), []byte(time.Now().String())) // ok ttlwrite/unscaled-sequence
		m.Set("memo", "fixed", btutil.NowTS(), []byte("harborctl"))                   // ok ttlwrite/clock-in-sequence
		m.Set("entry", "fixedat", btutil.NowTS(), []byte("harborctl"))                // want ttlwrite/clock-in-sequence
		if err := batch.Add(ctx, b.key, m); err != nil {
			return err
		}
	}
	return batch.Flush(ctx)
}

func cmdQuotes(ctx context.Context, args []string) error {
	tbl := client.Open("quotes")
	lane := ""
	if len(args) > 0 {
		lane = args[0]
	}
	show := func(r bigtable.Row) bool {
		for _, it := range r["quote"] {
			fmt.Printf("%s %s %s\n", r.Key(), it.Column, hex.EncodeToString(it.Value))
		}
		return true
	}
	if len(args) > 1 && args[1] == "week" {
		return tbl.ReadRows(ctx, bigtable.PrefixRange(lane), show, bigtable.RowFilter(btutil.SinceIn("quote", 7*24*time.Hour))) // want ttlread/wrong-bound
	}
	if len(args) > 1 && args[1] == "now" {
		return tbl.ReadRows(ctx, bigtable.PrefixRange(lane), show, btutil.ReadOpts(true, 1, bigtable.FamilyFilter("quote"))...) // want ttlread/wrong-bound
	}
	if len(args) > 1 && args[1] == "flag" {
		return tbl.ReadRows(ctx, bigtable.PrefixRange(lane), show, bigtable.RowFilter(btutil.SinceIn("quote", *oldest))) // maybe ttlread/wrong-bound
	}
	if len(args) > 2 {
		svc := quote.NewService(client)
		return svc.Save(ctx, &quote.Quote{ID: args[1], Lane: lane, Cents: 1}, quote.Options{TTL: *ttlFlag, Source: args[2]})
	}
	return tbl.ReadRows(ctx, bigtable.PrefixRange(lane), show, btutil.ReadOpts(false, 1, btutil.SinceIn("quote", btutil.QuoteTTL))...) // ok ttlread/wrong-bound
}

func cmdSetting(ctx context.Context, args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("setting SCOPE KEY [VALUE]")
	}
	if len(args) == 2 {
		fmt.Println(settings.Get(ctx, args[0], args[1], ""))
		return nil
	}
	if *tsFlag != 0 {
		m := bigtable.NewMutation()
		m.Set("kv", args[1], bigtable.Timestamp(*tsFlag), []byte(args[2])) // maybe ttlwrite/clock-in-zero
		return client.Open("settings").Apply(ctx, args[0], m)
	}
	if *force {
		m := bigtable.NewMutation()
		m.Set("kv", args[1], btutil.NowTS(), []byte(args[2])) // want ttlwrite/clock-in-zero
		return client.Open("settings").Apply(ctx, args[0], m)
	}
	return settings.Set(ctx, args[0], args[1], args[2], 0, true)
}

func cmdManifest(ctx context.Context, args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("manifest show|draft|hist SHIP")
	}
	db := manifest.NewDB(client, "harborctl")
	switch args[0] {
	case "show":
		m, err := db.Load(ctx, args[1], *verbose)
		if err != nil {
			return err
		}
		return json.NewEncoder(os.Stdout).Encode(m)
	case "draft":
		row, err := db.ReadRow(ctx, args[1], bigtable.RowFilter(bigtable.ColumnRangeFilter("draft", "a", "z"))) // want ttlread/missing-filter
		if err != nil {
			return err
		}
		for _, it := range row["draft"] {
			fmt.Printf("%s\n", it.Value)
		}
		return nil
	case "log":
		row, err := db.ReadRow(ctx, args[1], bigtable.RowFilter(bigtable.ColumnRangeFilter("log", "a", "z"))) // ok ttlread/missing-filter
		if err != nil {
			return err
		}
		for _, it := range row["log"] {
			fmt.Printf("%s %s\n", it.Timestamp.Time().Format(time.DateTime), it.Value)
		}
		return nil
	case "hist":
		row, err := db.ReadRow(ctx, args[1], bigtable.RowFilter(bigtable.FamilyFilter("rev"))) // want ttlread/version-limit
		if err != nil {
			return err
		}
		for _, it := range row["rev"] {
			fmt.Printf("%s modified %s\n", it.Value, it.Timestamp.Time().Format(time.DateTime)) // maybe ttlage/not-write-time
		}
		return nil
	}
	return fmt.Errorf("manifest %s?", args[0])
}

func cmdReport(ctx context.Context, args []string) error {
	r := report.New(client, os.Stdout)
	if len(args) == 0 {
		return r.Logins(ctx, "u#", 1000)
	}
	return r.CSV(ctx, args, []string{"cents"}, time.Time{}, true, false, *force)
}

// cmdPurge deletes what is left of expired sessions. Only keys are needed.
func cmdPurge(ctx context.Context, args []string) error {
	for _, name := range []string{"sessions", "locks", "gates"} {
		tbl := client.Open(name)
		batch := btutil.NewBatch(tbl, 1000)
		err := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
			m := bigtable.NewMutation()
			m.DeleteRow()
			if *dryRun {
				return true
			}
			return batch.Add(ctx, r.Key(), m) == nil
		}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token|lease|state"), bigtable.TimestampRangeFilter(time.Time{}, time.Now().Add(-time.Hour)), bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter()))) // ok ttlread/expired-only
		if err != nil {
			return err
		}
		if err := batch.Flush(ctx); err != nil {
			return err
		}
	}
	return nil
}

// seeds are test data for a new environment.
var seeds = []struct {
	table, key, fam, col string
	ts                   bigtable.Timestamp
	val                  string
}{
	{"settings", "global", "kv", "limit", 0, "100"},                          // ok ttlwrite/clock-in-zero
	{"t1-ledger", "acc#1", "entry", "balance", 1000, "0"},                    // ok ttlwrite/unscaled-sequence
	{"t1-ledger", "acc#2", "entry", "balance", 2, "0"},                       // want ttlwrite/unscaled-sequence[seed]
	{"vessels", "v#1", "eta", "eta", bigtable.ServerTime, "tomorrow"},        // ok ttlwrite/server-timestamp
	{"warehouse", "w#1", "token", "id", bigtable.ServerTime, "w"},            // ok ttlwrite/server-timestamp
	{"manifests", "ship#1", "log", "seed", bigtable.ServerTime, "harborctl"}, // ok ttlwrite/server-timestamp
}

func cmdSeed(ctx context.Context, args []string) error {
	for _, s := range seeds {
		m := bigtable.NewMutation()
		m.Set(s.fam, s.col, s.ts, []byte(s.val)) // want ttlwrite/unscaled-sequence[seed]
		if err := client.Open(s.table).Apply(ctx, s.key, m); err != nil {
			return err
		}
	}
	m := bigtable.NewMutation()
	for i, plate := range args {
		m.Set("state", fmt.Sprintf("plate%d", i), btutil.ExpiresIn(10*time.Minute), []byte(plate)) // ok ttlwrite/clock-in-sequence
	}
	m.Set("state", "seeded", btutil.NowTS(), []byte("1")) // want ttlwrite/write-time
	if err := client.Open("gates").Apply(ctx, "g#1", m); err != nil {
		return err
	}
	m = bigtable.NewMutation()
	m.Set("state", "pos", btutil.SeqTS(*seqFlag), []byte("0,0"))       // ok ttlwrite/unscaled-sequence
	m.Set("state", "seeded", btutil.ExpiresIn(time.Hour), []byte("1")) // want ttlwrite/clock-in-sequence
	return client.Open("vessels").Apply(ctx, "v#1", m)
}

// cmdCopy copies rows of any table to any other.
func cmdCopy(ctx context.Context, args []string) error {
	if len(args) < 3 {
		return fmt.Errorf("copy FROM TO PREFIX")
	}
	from, to := client.Open(args[0]), client.Open(args[1])
	batch := btutil.NewBatch(to, 500)
	err := from.ReadRows(ctx, bigtable.PrefixRange(args[2]), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		m := bigtable.NewMutation()
		for fam, items := range r {
			for _, it := range items {
				m.Set(fam, strings.TrimPrefix(it.Column, fam+":"), it.Timestamp, it.Value) // ok ttlwrite/clock-in-sequence
			}
		}
		return batch.Add(ctx, r.Key(), m) == nil
	})
	if err != nil {
		return err
	}
	return batch.Flush(ctx)
}
