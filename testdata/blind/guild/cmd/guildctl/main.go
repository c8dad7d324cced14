// Command guildctl is the operators' tool. It works on the tables directly,
// since the stores have no methods for what operators do.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/guild/internal/kit"
	"example.com/guild/schema"
)

// env is what commands work with.
type env struct {
	client *bigtable.Client
	admin  *bigtable.AdminClient
	shard  string
}

// command is one command.
type command struct {
	name string
	args int
	run  func(ctx context.Context, e *env, args []string) error
}

// commands are all commands.
var commands = []command{
	{"logout", 1, logout},
	{"peek", 1, peek},
	{"live", 1, live},
	{"give", 2, give},
	{"unlock", 2, unlock},
	{"rewind", 2, rewind},
	{"close-lobby", 1, closeLobby},
	{"keep-chat", 1, keepChat},
	{"reports", 1, reports},
}

// logout ends a player's sessions and tells the device.
func logout(ctx context.Context, e *env, args []string) error {
	tbl := e.client.Open(schema.Sessions)
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(schema.FamToken)                                     // ok ttlwrite/delete-after-set
	m.Set(schema.FamToken, "status", bigtable.ServerTime, []byte("operator"))  // want ttlwrite/server-timestamp
	m.Set(schema.FamDevice, "status", bigtable.ServerTime, []byte("operator")) // ok ttlwrite/server-timestamp
	return tbl.Apply(ctx, "p#"+args[0], m)
}

// peek prints what is stored of a player's session.
func peek(ctx context.Context, e *env, args []string) error {
	row, err := e.client.Open(schema.Sessions).ReadRow(ctx, "p#"+args[0]) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, item := range row[schema.FamToken] {
		fmt.Printf("%s\t%s ago\n", item.Column, time.Since(item.Timestamp.Time())) // want ttlage/not-write-time
	}
	for _, item := range row[schema.FamDevice] {
		fmt.Printf("%s\t%s ago\n", item.Column, time.Since(item.Timestamp.Time())) // ok ttlage/not-write-time
	}
	return nil
}

// live prints what has not ended of a player's session.
func live(ctx context.Context, e *env, args []string) error {
	row, err := e.client.Open(schema.Sessions).ReadRow(ctx, "p#"+args[0], bigtable.RowFilter(kit.OfFamily(schema.FamToken, kit.UnexpiredAt(time.Now())))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, item := range row[schema.FamToken] {
		fmt.Printf("%s\tfor %s\n", item.Column, time.Until(item.Timestamp.Time())) // ok ttlage/not-write-time
	}
	return nil
}

// give stores an item.
func give(ctx context.Context, e *env, args []string) error {
	tbl := e.client.Open(schema.InventoryTable(e.shard))
	m := bigtable.NewMutation()
	m.Set(schema.FamStack, args[1], 0, []byte("1"))                            // ok ttlwrite/already-expired ttlwrite/clock-in-zero
	m.Set(schema.FamStack, "last", bigtable.Time(time.Now()), []byte(args[1])) // want ttlwrite/clock-in-zero
	m.Set(schema.FamAudit, args[1], bigtable.Now(), []byte("operator"))        // ok ttlwrite/write-time ttlwrite/clock-in-zero
	return tbl.Apply(ctx, "inv#"+args[0], m)
}

// unlock marks an item as free in its trade.
func unlock(ctx context.Context, e *env, args []string) error {
	tbl := e.client.Open(schema.InventoryTable(e.shard))
	m := bigtable.NewMutation()
	m.Set(schema.FamLease, args[1], bigtable.ServerTime, []byte("free")) // want ttlwrite/server-timestamp
	return tbl.Apply(ctx, "inv#"+args[0], m)
}

// rewind stores a state again, as the newest.
func rewind(ctx context.Context, e *env, args []string) error {
	tbl := e.client.Open(schema.Matches)
	m := bigtable.NewMutation()
	m.Set(schema.FamState, "cur", bigtable.Timestamp(time.Now().UnixMilli()*1000), []byte(args[1])) // want ttlwrite/clock-in-sequence
	m.Set(schema.FamMeta, "rewound", bigtable.Timestamp(time.Now().UnixMilli()*1000), nil)          // ok ttlwrite/clock-in-sequence ttlunit/wrong-unit
	return tbl.Apply(ctx, "m#"+args[0], m)
}

// closeLobby closes a lobby, from now on.
func closeLobby(ctx context.Context, e *env, args []string) error {
	tbl := e.client.Open(schema.Lobbies)
	row, err := tbl.ReadRow(ctx, "l#"+args[0], bigtable.RowFilter(bigtable.FamilyFilter(schema.FamState))) // want ttlread/missing-filter
	if err != nil || len(row) == 0 {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamState, "phase", bigtable.ServerTime, []byte("closed"))                  // want ttlwrite/server-timestamp
	m.Set(schema.FamState, "why", bigtable.Time(time.Now().Add(time.Minute)), []byte("op")) // ok ttlwrite/write-time ttlwrite/server-timestamp
	return tbl.Apply(ctx, "l#"+args[0], m)
}

// keepChat changes how long a shard's chat is kept.
func keepChat(ctx context.Context, e *env, args []string) error {
	tbl := schema.ChatTable(args[0])
	if err := e.admin.SetGCPolicy(ctx, tbl, schema.FamSeen, bigtable.MaxVersionsPolicy(1)); err != nil { // ok ttlgc/policy-mismatch
		return err
	}
	return e.admin.SetGCPolicy(ctx, tbl, schema.FamMsg, bigtable.MaxAgePolicy(14*24*time.Hour)) // want ttlgc/age-mismatch
}

// reports prints the reports of a client.
func reports(ctx context.Context, e *env, args []string) error {
	row, err := e.client.Open(schema.Telemetry).ReadRow(ctx, args[0], bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter ttlread/version-limit
	if err != nil {
		return err
	}
	for fam, items := range row {
		for _, item := range items {
			fmt.Printf("%s %s\t%s ago\n", fam, item.Column, time.Since(item.Timestamp.Time())) // ok ttlage/not-write-time
		}
	}
	return nil
}

func main() {
	project := flag.String("project", "guild-prod", "project")
	shard := flag.String("shard", "main", "shard")
	flag.Parse()
	ctx := context.Background()
	client, err := bigtable.NewClient(ctx, *project, "main")
	if err != nil {
		log.Fatal(err)
	}
	admin, err := bigtable.NewAdminClient(ctx, *project, "main")
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range commands {
		if c.name != flag.Arg(0) || flag.NArg() != c.args+1 {
			continue
		}
		if err := c.run(ctx, &env{client: client, admin: admin, shard: *shard}, flag.Args()[1:]); err != nil {
			log.Fatal(err)
		}
		return
	}
	fmt.Fprintln(os.Stderr, "usage: guildctl [flags] command arguments")
	os.Exit(2)
}
