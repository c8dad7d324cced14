// Command cli runs one of its commands by name.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"cloud.google.com/go/bigtable"
)

type command struct {
	help string
	run  func(ctx context.Context, tbl *bigtable.Table, args []string) error
}

var commands = map[string]command{
	"dump":  {"prints all", dump},
	"names": {"prints names", names},
	"live":  {"prints what lives", live},
	"purge": {"deletes what is dead", purge},
}

var checks = map[string]func(context.Context, *bigtable.Table) error{
	"any":  anyToken,
	"name": anyName,
}

func main() {
	ctx := context.Background()
	c, err := bigtable.NewClient(ctx, "p", "i")
	if err != nil {
		panic(err)
	}
	if check, ok := checks[os.Args[1]]; ok {
		if err := check(ctx, c.Open("sessions")); err != nil {
			panic(err)
		}
		return
	}
	cmd, ok := commands[os.Args[1]]
	if !ok {
		fmt.Println("no such command")
		return
	}
	if err := cmd.run(ctx, c.Open("sessions"), os.Args[2:]); err != nil {
		panic(err)
	}
	once := map[string]func(context.Context, *bigtable.Table){"clicks": clicks}
	once[os.Args[2]](ctx, c.Open("clicks"))
}

func dump(ctx context.Context, tbl *bigtable.Table, args []string) error {
	row, err := tbl.ReadRow(ctx, args[0]) // want "read of one-second-expiration family .token. of table .sessions."
	for f, cells := range row {
		fmt.Println(f, len(cells))
	}
	return err
}

func names(ctx context.Context, tbl *bigtable.Table, args []string) error {
	row, err := tbl.ReadRow(ctx, args[0])
	fmt.Println(row["profile"])
	return err
}

func live(ctx context.Context, tbl *bigtable.Table, args []string) error {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	row, err := tbl.ReadRow(ctx, args[0], bigtable.RowFilter(f))
	fmt.Println(row["token"])
	return err
}

func purge(ctx context.Context, tbl *bigtable.Table, args []string) error {
	now := bigtable.Now()
	return tbl.ReadRows(ctx, bigtable.PrefixRange(args[0]), func(r bigtable.Row) bool {
		m := bigtable.NewMutation()
		m.DeleteTimestampRange("token", "jwt", 0, now)
		return tbl.Apply(ctx, r.Key(), m) == nil
	}, bigtable.RowFilter(bigtable.TimestampRangeFilterMicros(0, now)))
}

func anyToken(ctx context.Context, tbl *bigtable.Table) error {
	row, err := tbl.ReadRow(ctx, "k") // want "read of one-second-expiration family .token.."
	fmt.Println(len(row["token"]) > 0)
	return err
}

func anyName(ctx context.Context, tbl *bigtable.Table) error {
	row, err := tbl.ReadRow(ctx, "k")
	fmt.Println(len(row["profile"]) > 0)
	return err
}

func clicks(ctx context.Context, tbl *bigtable.Table) {
	row, err := tbl.ReadRow(ctx, "k") // want "read of default-expiration family .event.."
	fmt.Println(len(row["event"]) > 0, err)
}
