// Command btctl is for the people on call.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"sort"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"haulr.dev/backend/internal/tables"
	"haulr.dev/backend/pkg/bigtablex"
)

type command struct {
	usage string
	run   func(ctx context.Context, c *bigtable.Client, args []string) error
}

var commands = map[string]command{
	"session":   {"session USER ID", showSession},
	"sessions":  {"sessions USER", listSessions},
	"kill":      {"kill USER ID", kill},
	"grant":     {"grant USER ID TOKEN", grant},
	"driver":    {"driver ID", showDriver},
	"override":  {"override USER KEY VALUE", override},
	"setting":   {"setting USER KEY VALUE", setting},
	"flag":      {"flag NAME VALUE", setFlag},
	"chat":      {"chat ID", dumpChat},
	"post":      {"post CHAT TEXT", post},
	"trust":     {"trust USER DEVICE", trust},
	"dead":      {"dead USER", dead},
	"audit":     {"audit USER", audit},
	"cart":      {"cart ID", showCart},
	"positions": {"positions ID SINCE", positions},
}

func main() {
	project := flag.String("project", os.Getenv("GOOGLE_CLOUD_PROJECT"), "Google Cloud project")
	instance := flag.String("instance", "prod", "Bigtable instance")
	flag.Usage = func() {
		names := make([]string, 0, len(commands))
		for n := range commands {
			names = append(names, n)
		}
		sort.Strings(names)
		for _, n := range names {
			fmt.Fprintln(os.Stderr, "  ", commands[n].usage)
		}
	}
	flag.Parse()
	cmd, ok := commands[flag.Arg(0)]
	if !ok {
		flag.Usage()
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	client, err := bigtable.NewClient(ctx, *project, *instance)
	if err == nil {
		defer client.Close()
		err = cmd.run(ctx, client, flag.Args()[1:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "btctl:", err)
		os.Exit(1)
	}
}

func printRow(row bigtable.Row) {
	for fam, items := range row {
		for _, it := range items {
			fmt.Printf("%s %s @%d %q\n", fam, it.Column, it.Timestamp, it.Value)
		}
	}
}

func showSession(ctx context.Context, c *bigtable.Client, args []string) error {
	row, err := c.Open(tables.Sessions).ReadRow(ctx, "s#"+strings.Join(args, "#")) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	printRow(row)
	return nil
}

func listSessions(ctx context.Context, c *bigtable.Client, args []string) error {
	tbl := c.Open(tables.Sessions)
	return tbl.ReadRows(ctx, bigtable.PrefixRange("s#"+args[0]+"#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		fmt.Println(row.Key())
		return true
	})
}

func kill(ctx context.Context, c *bigtable.Client, args []string) error {
	tbl := c.Open(tables.Sessions)
	mut := bigtable.NewMutation()
	mut.Set("meta", "revoked", bigtable.ServerTime, []byte("btctl")) // ok ttlwrite/server-timestamp
	mut.DeleteCellsInFamily("tok")                                   // ok ttlwrite/delete-after-set
	return tbl.Apply(ctx, "s#"+strings.Join(args, "#"), mut)
}

func grant(ctx context.Context, c *bigtable.Client, args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("usage: %s", "grant USER ID TOKEN")
	}
	tbl := c.Open(tables.Sessions)
	mut := bigtable.NewMutation()
	mut.Set("tok", "jwt", bigtable.Now(), []byte(args[2])) // want ttlwrite/write-time
	mut.Set("meta", "granted", bigtable.Now(), nil)        // ok ttlwrite/write-time
	return tbl.Apply(ctx, "s#"+args[0]+"#"+args[1], mut)
}

func showDriver(ctx context.Context, c *bigtable.Client, args []string) error {
	tbl := c.Open(tables.Drivers)
	row, err := tbl.ReadRow(ctx, "d#"+args[0], bigtable.RowFilter(bigtablex.LiveFamily(tables.FamPresence))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, it := range row[tables.FamPresence] {
		fmt.Printf("%s written %s\n", it.Column, it.Timestamp.Time().Format(time.RFC3339)) // maybe ttlage/not-write-time
		fmt.Printf("%s until %s\n", it.Column, it.Timestamp.Time().Format(time.RFC3339))   // ok ttlage/not-write-time
	}
	row, err = tbl.ReadRow(ctx, "d#"+args[0], bigtable.RowFilter(bigtablex.Latest(tables.FamLocation, 1))) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, it := range row[tables.FamLocation] {
		age := time.Since(it.Timestamp.Time()) // want ttlage/not-write-time
		fmt.Printf("%s: %s, %s old\n", it.Column, it.Value, age.Round(time.Second))
	}
	row, err = tbl.ReadRow(ctx, "d#"+args[0], bigtable.RowFilter(bigtablex.Latest(tables.FamProfile, 1))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, it := range row[tables.FamProfile] {
		age := time.Since(it.Timestamp.Time()) // ok ttlage/not-write-time
		fmt.Printf("%s: %s, %s old\n", it.Column, it.Value, age.Round(time.Second))
	}
	return nil
}

func override(ctx context.Context, c *bigtable.Client, args []string) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamOverride, args[1], bigtable.ServerTime, []byte(args[2])) // want ttlwrite/server-timestamp
	return c.Open(tables.Settings).Apply(ctx, args[0], mut)
}

func setting(ctx context.Context, c *bigtable.Client, args []string) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamPreference, args[1], bigtable.ServerTime, []byte(args[2])) // want ttlwrite/clock-in-zero
	return c.Open(tables.Settings).Apply(ctx, args[0], mut)
}

func setFlag(ctx context.Context, c *bigtable.Client, args []string) error {
	tbl := c.Open(tables.Flags)
	for _, fam := range []string{tables.FamFlagValue, tables.FamFlagHistory} {
		ts := bigtable.Now()
		if fam == tables.FamFlagValue {
			ts = 0
		}
		mut := bigtable.NewMutation()
		mut.Set(fam, "json", ts, []byte(args[1])) // ok ttlwrite/clock-in-zero
		if err := tbl.Apply(ctx, args[0], mut); err != nil {
			return err
		}
	}
	return nil
}

func dumpChat(ctx context.Context, c *bigtable.Client, args []string) error {
	row, err := c.Open(tables.Inbox).ReadRow(ctx, args[0], // ok ttlread/version-limit
		bigtable.RowFilter(bigtablex.Latest(tables.FamMessage, 20)))
	if err != nil {
		return err
	}
	printRow(row)
	return nil
}

func post(ctx context.Context, c *bigtable.Client, args []string) error {
	mut := bigtable.NewMutation()
	mut.Set("msg", "notice", bigtable.Now(), []byte(strings.Join(args[1:], " "))) // want ttlwrite/clock-in-sequence
	if err := c.Open(tables.Inbox).Apply(ctx, args[0], mut); err != nil {
		return err
	}
	ev := bigtable.NewMutation()
	ev.Set("msg", "notice", bigtable.Now(), []byte(args[0])) // ok ttlwrite/clock-in-sequence
	return c.Open(tables.Events).Apply(ctx, "btctl", ev)
}

func trust(ctx context.Context, c *bigtable.Client, args []string) error {
	until := time.Now().AddDate(0, 1, 0)
	mut := bigtable.NewMutation()
	mut.Set(tables.FamTrust, args[1], bigtable.Time(until), []byte("btctl")) // ok ttlwrite/write-time
	return c.Open(tables.Devices).Apply(ctx, args[0], mut)
}

// dead shows what GC has not taken yet, on purpose; the label is what the
// rules say all the same.
func dead(ctx context.Context, c *bigtable.Client, args []string) error {
	now := time.Now()
	return c.Open(tables.Sessions).ReadRows(ctx, bigtable.PrefixRange("s#"+args[0]), func(row bigtable.Row) bool { // want ttlread/expired-only[dead]
		printRow(row)
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter("tok"),
		bigtable.TimestampRangeFilter(time.Time{}, now), // want ttlread/expired-only[dead]
	)))
}

func audit(ctx context.Context, c *bigtable.Client, args []string) error {
	return c.Open(tables.AuditLog).ReadRows(ctx, bigtable.PrefixRange(args[0]), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		printRow(row)
		return true
	})
}

func showCart(ctx context.Context, c *bigtable.Client, args []string) error {
	row, err := c.Open(tables.Carts).ReadRow(ctx, args[0], // want ttlread/limit-before-filter[cart]
		bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/limit-before-filter[cart]
			bigtable.CellsPerRowLimitFilter(50), // want ttlread/limit-before-filter[cart]
			bigtablex.Within(tables.CartTTL),
		)))
	if err != nil {
		return err
	}
	printRow(row)
	return nil
}

func positions(ctx context.Context, c *bigtable.Client, args []string) error {
	since, err := time.ParseDuration(args[1])
	if err != nil {
		return err
	}
	row, err := c.Open(tables.Drivers).ReadRow(ctx, "d#"+args[0], bigtable.RowFilter(bigtablex.Family(tables.FamLocation, // maybe ttlread/wrong-bound
		bigtablex.Within(since)))) // maybe ttlread/wrong-bound
	if err != nil {
		return err
	}
	printRow(row)
	return nil
}
