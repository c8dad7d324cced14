// Command payctl is the operators' tool.
package main

import (
	"context"
	"encoding/csv"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/payments/internal/config"
	"example.com/payments/internal/migrate"
	"example.com/payments/internal/reporting"
	"example.com/payments/internal/schema"
	"example.com/payments/internal/store"
)

type env struct {
	cfg    config.Config
	client *bigtable.Client
	out    io.Writer
	log    *slog.Logger
}

type command struct {
	name, usage string
	run         func(ctx context.Context, e *env, args []string) error
}

var commands = []command{
	{"migrate", "FROM", runMigrate},
	{"nightly", "", runNightly},
	{"otp-set", "SUBJECT HASH", otpSet},
	{"otp-extend", "SUBJECT HASH", otpExtend},
	{"otp-show", "SUBJECT", otpShow},
	{"keys-free", "KEY...", keysFree},
	{"keys-dump", "PREFIX", keysDump},
	{"rates-load", "FILE", ratesLoad},
	{"rates-show", "PAIR", ratesShow},
	{"ledger-fix", "REGION ACCOUNT BODY", ledgerFix},
	{"ledger-load", "REGION FILE", ledgerLoad},
	{"ledger-dump", "REGION", ledgerDump},
	{"ledger-last", "ACCOUNT", ledgerLast},
	{"payout-reset", "ID", payoutReset},
	{"payout-dump", "ID", payoutDump},
	{"flags", "MERCHANT NAME VALUE", setFlag},
	{"archive-copy", "FILE", archiveCopy},
	{"report", "NAME", report},
}

func main() {
	cfg, err := config.FromEnv()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	flag.StringVar(&cfg.Bigtable.Project, "project", cfg.Bigtable.Project, "project")
	flag.StringVar(&cfg.Bigtable.Instance, "instance", cfg.Bigtable.Instance, "instance")
	timeout := flag.Duration("timeout", time.Minute, "for the whole command")
	flag.Usage = func() {
		for _, c := range commands {
			fmt.Fprintf(os.Stderr, "payctl %s %s\n", c.name, c.usage)
		}
	}
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), *timeout)
	defer cancel()
	client, err := bigtable.NewClient(ctx, cfg.Bigtable.Project, cfg.Bigtable.Instance)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	e := &env{cfg: cfg, client: client, out: os.Stdout, log: slog.Default()}
	for _, c := range commands {
		if c.name == flag.Arg(0) {
			if err := c.run(ctx, e, flag.Args()[1:]); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			return
		}
	}
	flag.Usage()
	os.Exit(2)
}

func need(args []string, n int) error {
	if len(args) < n {
		return fmt.Errorf("need %d arguments, got %d", n, len(args))
	}
	return nil
}

func runMigrate(ctx context.Context, e *env, args []string) error {
	if err := need(args, 1); err != nil {
		return err
	}
	from, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	admin, err := bigtable.NewAdminClient(ctx, e.cfg.Bigtable.Project, e.cfg.Bigtable.Instance)
	if err != nil {
		return err
	}
	defer admin.Close()
	return migrate.NewRunner(admin, e.log).Run(ctx, from)
}

func runNightly(ctx context.Context, e *env, _ []string) error {
	admin, err := bigtable.NewAdminClient(ctx, e.cfg.Bigtable.Project, e.cfg.Bigtable.Instance)
	if err != nil {
		return err
	}
	defer admin.Close()
	if err := migrate.Nightly(ctx, admin); err != nil {
		return err
	}
	if err := admin.CreateColumnFamily(ctx, string(schema.TableQuotes), string(schema.FamFX)); err != nil { // want ttlgc/no-policy
		return err
	}
	return admin.CreateColumnFamily(ctx, string(schema.TableQuotes), string(schema.FamSource)) // ok ttlgc/no-policy
}

// otpSet sets a token by hand.
func otpSet(ctx context.Context, e *env, args []string) error {
	if err := need(args, 2); err != nil {
		return err
	}
	tbl := e.client.Open(string(schema.TableOneTime))
	mut := bigtable.NewMutation()
	mut.Set("token", "hash", bigtable.Now(), []byte(args[1]))         // want ttlwrite/write-time
	mut.Set("contact", "set-by", bigtable.Now(), []byte("payctl"))    // ok ttlwrite/write-time
	mut.Set("token", "set-by", bigtable.ServerTime, []byte("payctl")) // want ttlwrite/server-timestamp
	mut.Set("token", "reason", bigtable.Timestamp(-1), []byte("ops")) // want ttlwrite/server-timestamp
	return tbl.Apply(ctx, "subj#"+args[0], mut)
}

// otpExtend sets a token for as long as the configuration says.
func otpExtend(ctx context.Context, e *env, args []string) error {
	if err := need(args, 2); err != nil {
		return err
	}
	tbl := e.client.Open(string(schema.TableOneTime))
	expiry := time.Now().Add(e.cfg.OneTime.TTL)
	mut := bigtable.NewMutation()
	mut.Set("token", "hash", bigtable.Time(expiry), []byte(args[1]))               // ok ttlwrite/write-time
	mut.Set("token", "until", bigtable.Timestamp(expiry.UnixMilli()), []byte("1")) // want ttlunit/wrong-unit
	mut.Set("attempts", "manual", 0, nil)                                          // want ttlwrite/already-expired
	return tbl.Apply(ctx, "subj#"+args[0], mut)
}

// otpShow prints a subject's tokens.
func otpShow(ctx context.Context, e *env, args []string) error {
	if err := need(args, 1); err != nil {
		return err
	}
	tbl := e.client.Open(string(schema.TableOneTime))
	row, err := tbl.ReadRow(ctx, "subj#"+args[0]) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, it := range row["token"] {
		fmt.Fprintf(e.out, "%s %q created=%s\n", it.Column, it.Value, it.Timestamp.Time().Format(time.RFC3339)) // want ttlage/not-write-time
	}
	return nil
}

// keysFree frees idempotency keys.
func keysFree(ctx context.Context, e *env, args []string) error {
	tbl := e.client.Open(string(schema.TableIdempotency))
	for _, k := range args {
		mut := bigtable.NewMutation()
		mut.DeleteCellsInFamily("key")
		mut.Set("audit", "freed", bigtable.Now(), []byte("payctl")) // ok ttlwrite/write-time
		mut.Set("key", "freed", bigtable.Now(), []byte("payctl"))   // want ttlwrite/write-time
		if err := tbl.Apply(ctx, k, mut); err != nil {
			return err
		}
	}
	return nil
}

// keysDump prints the keys under a prefix with their owners.
func keysDump(ctx context.Context, e *env, args []string) error {
	if err := need(args, 1); err != nil {
		return err
	}
	tbl := e.client.Open(string(schema.TableIdempotency))
	opts := []bigtable.ReadOption{bigtable.LimitRows(1000)}
	if len(args) > 1 {
		opts = append(opts, bigtable.RowFilter(bigtable.ColumnFilter("owner"))) // want ttlread/missing-filter[keysdump]
	}
	return tbl.ReadRows(ctx, bigtable.PrefixRange(args[0]), func(row bigtable.Row) bool { // want ttlread/missing-filter[keysdump]
		for _, it := range row["key"] {
			fmt.Fprintf(e.out, "%s %s\n", row.Key(), it.Value)
		}
		return true
	}, opts...)
}

// ratesLoad loads rates out of a CSV file: pair, rate.
func ratesLoad(ctx context.Context, e *env, args []string) error {
	if err := need(args, 1); err != nil {
		return err
	}
	recs, err := readCSV(args[0])
	if err != nil {
		return err
	}
	b := store.NewBatch(e.client.Open(string(schema.TableQuotes)), 500)
	loaded := time.Now()
	for _, rec := range recs {
		mut := bigtable.NewMutation()
		mut.Set("fx", "rate", bigtable.Time(loaded), []byte(rec[1]))                       // ok ttlwrite/write-time
		mut.Set("fx", "night", bigtable.Time(loaded.Add(-10*time.Minute)), []byte(rec[1])) // ok ttlwrite/already-expired
		mut.Set("fx", "stale", bigtable.Time(loaded.Add(-20*time.Minute)), []byte(rec[1])) // want ttlwrite/already-expired
		mut.Set("source", "file", bigtable.Time(loaded), []byte(args[0]))
		if err := b.Add(ctx, "fx#"+rec[0], mut); err != nil {
			return err
		}
	}
	return b.Flush(ctx)
}

// ratesShow prints a pair's rate.
func ratesShow(ctx context.Context, e *env, args []string) error {
	if err := need(args, 1); err != nil {
		return err
	}
	tbl := e.client.Open(string(schema.TableQuotes))
	f := bigtable.ChainFilters(bigtable.FamilyFilter("fx"), bigtable.TimestampRangeFilter(time.Now(), time.Time{})) // want ttlread/wrong-bound[ratesshow]
	row, err := tbl.ReadRow(ctx, "fx#"+args[0], bigtable.RowFilter(f))                                              // want ttlread/wrong-bound[ratesshow]
	if err != nil {
		return err
	}
	fmt.Fprintln(e.out, store.Text(row, schema.FXRate))
	return nil
}

// ledgerFix writes an entry by hand; Bigtable takes the newest one.
func ledgerFix(ctx context.Context, e *env, args []string) error {
	if err := need(args, 3); err != nil {
		return err
	}
	tbl := e.client.Open(args[0] + schema.LedgerSuffix)
	mut := bigtable.NewMutation()
	mut.Set("entry", "body", bigtable.ServerTime, []byte(args[2]))  // want ttlwrite/clock-in-sequence
	mut.Set("memo", "fixed", bigtable.ServerTime, []byte("payctl")) // ok ttlwrite/clock-in-sequence
	return tbl.Apply(ctx, "acct#"+args[1], mut)
}

// ledgerLoad loads entries out of a CSV file: account, body.
func ledgerLoad(ctx context.Context, e *env, args []string) error {
	if err := need(args, 2); err != nil {
		return err
	}
	recs, err := readCSV(args[1])
	if err != nil {
		return err
	}
	b := store.NewBatch(e.client.Open(args[0]+schema.LedgerSuffix), 500)
	n := int64(0)
	for i, rec := range recs {
		n++
		mut := bigtable.NewMutation()
		mut.Set("entry", "body", store.Seq(n), []byte(rec[1]))                                     // ok ttlwrite/unscaled-sequence
		mut.Set("entry", "line", bigtable.Timestamp(n), []byte(strconv.Itoa(i)))                   // want ttlwrite/unscaled-sequence
		store.Put(mut, schema.BalanceNow, store.RawSeq(int64(i)), []byte(rec[1]))                  // want ttlwrite/unscaled-sequence
		store.Put(mut, schema.Address{Family: "balance", Column: "src"}, store.Seq(int64(i)), nil) // ok ttlwrite/unscaled-sequence
		if err := b.Add(ctx, "acct#"+rec[0], mut); err != nil {
			return err
		}
	}
	return b.Flush(ctx)
}

// ledgerDump prints a region's books.
func ledgerDump(ctx context.Context, e *env, args []string) error {
	if err := need(args, 1); err != nil {
		return err
	}
	tbl := e.client.Open(args[0] + "-ledger")
	return tbl.ReadRows(ctx, bigtable.PrefixRange("acct#"), func(row bigtable.Row) bool { // want ttlread/missing-filter
		for _, it := range row["entry"] {
			fmt.Fprintf(e.out, "%s #%d %s\n", row.Key(), store.Number(it), it.Value)
		}
		return true
	}, bigtable.LimitRows(10000))
}

// ledgerLast prints an account's newest entry and when it was booked.
func ledgerLast(ctx context.Context, e *env, args []string) error {
	if err := need(args, 1); err != nil {
		return err
	}
	tbl := e.client.Open(string(schema.Ledger("eu")))
	row, err := tbl.ReadRow(ctx, "acct#"+args[0], bigtable.RowFilter(store.LatestOf(schema.FamEntry, 1))) // ok ttlread/version-limit
	if err != nil {
		return err
	}
	it, ok := store.Newest(row, schema.EntryBody)
	if !ok {
		return store.ErrNotFound
	}
	fmt.Fprintf(e.out, "#%d %s, written %s ago\n", store.Number(it), it.Value, time.Since(it.Timestamp.Time())) // want ttlage/not-write-time
	return nil
}

// payoutReset puts a payout back to its start.
func payoutReset(ctx context.Context, e *env, args []string) error {
	if err := need(args, 1); err != nil {
		return err
	}
	tbl := e.client.Open(string(schema.TablePayouts))
	mut := bigtable.NewMutation()
	mut.Set("state", "current", bigtable.Now(), []byte("created"))                              // want ttlwrite/clock-in-sequence
	mut.Set("state", "reset", bigtable.Timestamp(7), []byte("payctl"))                          // want ttlwrite/unscaled-sequence
	mut.Set("lease", "worker", bigtable.Time(time.Now().Add(30*time.Second)), []byte("payctl")) // ok ttlwrite/write-time
	mut.Set("lease", "since", bigtable.Time(time.Now()), []byte("payctl"))                      // want ttlwrite/write-time
	return tbl.Apply(ctx, "payout#"+args[0], mut)
}

// payoutDump prints all that is known of a payout.
func payoutDump(ctx context.Context, e *env, args []string) error {
	if err := need(args, 1); err != nil {
		return err
	}
	tbl := e.client.Open(string(schema.TablePayouts))
	row, err := tbl.ReadRow(ctx, "payout#"+args[0], bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	for fam, items := range row {
		for _, it := range items {
			fmt.Fprintf(e.out, "%s %s %q\n", fam, it.Column, it.Value)
		}
	}
	return nil
}

// setFlag sets a merchant's flag.
func setFlag(ctx context.Context, e *env, args []string) error {
	if err := need(args, 3); err != nil {
		return err
	}
	tbl := e.client.Open(string(schema.TableMerchants))
	mut := bigtable.NewMutation()
	mut.Set("flags", args[1], bigtable.Now(), []byte(args[2])) // want ttlwrite/clock-in-zero
	mut.Set("profile", "flagged", bigtable.Now(), nil)         // ok ttlwrite/clock-in-zero
	return tbl.Apply(ctx, args[0], mut)
}

// archiveCopy loads the archive out of a CSV file: account, unix time, body.
func archiveCopy(ctx context.Context, e *env, args []string) error {
	if err := need(args, 1); err != nil {
		return err
	}
	recs, err := readCSV(args[0])
	if err != nil {
		return err
	}
	b := store.NewBatch(e.client.Open(string(schema.TableArchive)), 500)
	for _, rec := range recs {
		sec, err := strconv.ParseInt(rec[1], 10, 64)
		if err != nil {
			return err
		}
		booked := time.Unix(sec, 0)
		mut := bigtable.NewMutation()
		mut.Set("entry", "body", bigtable.Time(booked), []byte(rec[2]))                   // ok ttlunit/wrong-unit
		mut.Set("entry", "day", bigtable.Timestamp(booked.Unix()), []byte(rec[1]))        // want ttlunit/wrong-unit
		mut.Set("entry", "src", bigtable.Timestamp(booked.UnixNano()/1e3), []byte("csv")) // ok ttlunit/wrong-unit
		if err := b.Add(ctx, "acct#"+rec[0], mut); err != nil {
			return err
		}
	}
	return b.Flush(ctx)
}

// report runs one of the reports.
func report(ctx context.Context, e *env, args []string) error {
	if err := need(args, 1); err != nil {
		return err
	}
	r := reporting.New(e.client)
	show := func(row bigtable.ResultRow) error {
		_, err := fmt.Fprintln(e.out, row)
		return err
	}
	switch args[0] {
	case "tokens":
		return r.Tokens(ctx, show)
	case "rates":
		return r.ValidRates(ctx, show)
	case "windows":
		return r.Windows(ctx, e.out)
	case "endpoints":
		return r.Endpoints(ctx, e.out)
	}
	return fmt.Errorf("no report %q", args[0])
}

func readCSV(name string) ([][]string, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return csv.NewReader(f).ReadAll()
}
