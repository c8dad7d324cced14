// Command lumenctl is for operators.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/lumen/internal/bt"
	"example.com/lumen/internal/jobs"
	"example.com/lumen/internal/names"
	"example.com/lumen/internal/schema"
)

var (
	project  = flag.String("project", "dev", "project")
	instance = flag.String("instance", "dev", "instance")
	forTime  = flag.Duration("for", time.Hour, "how long")
)

type command func(ctx context.Context, c *bigtable.Client, key string) error

var commands = map[string]command{
	"mute": mute, "unmute": unmute, "beat": beat, "warm": warm, "peek": peek, "alert": showAlert, "pin": pin, "cursor": cursor,
	"copy": func(ctx context.Context, c *bigtable.Client, _ string) error { return jobs.Copy(ctx, c) },
}

func mute(ctx context.Context, c *bigtable.Client, key string) error {
	t := c.Open(names.TableSilences)
	m := bigtable.NewMutation()
	m.Set(names.FamSilence, "s", bt.ExpiresIn(*forTime), []byte("{}"))            // ok ttlwrite/write-time
	m.Set(names.FamSilence, "by", bigtable.ServerTime, []byte(os.Getenv("USER"))) // want ttlwrite/server-timestamp
	return t.Apply(ctx, key, m)
}

func unmute(ctx context.Context, c *bigtable.Client, key string) error {
	return bt.Put(ctx, c.Open(names.TableSilences), key, names.FamSilence, "s", bt.ExpiresIn(-time.Second), nil) // want ttlwrite/already-expired
}

func beat(ctx context.Context, c *bigtable.Client, key string) error {
	ts := bigtable.Now()
	m := bigtable.NewMutation()
	m.Set(names.FamLease, "beat", ts, nil)                                                    // want ttlwrite/write-time
	m.Set(names.FamLease, "ctl", ts+bigtable.Timestamp(30*time.Second/time.Microsecond), nil) // ok ttlwrite/write-time
	return c.Open(names.TableCursors).Apply(ctx, key, m)
}

func warm(ctx context.Context, c *bigtable.Client, key string) error {
	m := bigtable.NewMutation()
	now := time.Now()
	m.Set(names.FamResult, "r", bigtable.Timestamp(now.UnixNano()/1000), nil)               // want ttlwrite/write-time
	m.Set(names.FamResult, "etag", bigtable.Time(now.Add(names.ResultTTL)), nil)            // ok ttlwrite/write-time
	m.Set(names.FamResult, "ttl", bigtable.Timestamp(now.Add(time.Minute).UnixNano()), nil) // want ttlunit/wrong-unit
	return c.Open(names.TableQueryCache).Apply(ctx, key, m)
}

// pin keeps a state for the demo.
func pin(ctx context.Context, c *bigtable.Client, key string) error {
	m := bigtable.NewMutation()
	m.Set(names.FamState, "body", -1, nil) // want ttlwrite/server-timestamp
	return c.Open(names.TableAlertState).Apply(ctx, key, m)
}

func cursor(ctx context.Context, c *bigtable.Client, key string) error {
	t := c.Open(names.TableCursors)
	row, err := t.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter(names.FamPos))) // want ttlread/version-limit
	if err != nil {
		return err
	}
	for _, it := range row[names.FamPos] {
		fmt.Println(it.Column, bt.SeqOf(it.Timestamp)) // ok ttlage/not-write-time
	}
	return nil
}

// peek reads any table.
func peek(ctx context.Context, c *bigtable.Client, key string) error {
	row, err := c.Open(flag.Arg(2)).ReadRow(ctx, key) // ok ttlread/missing-filter
	for fam, items := range row {
		fmt.Println(fam, len(items))
	}
	return err
}

func showAlert(ctx context.Context, c *bigtable.Client, key string) error {
	row, err := c.Open(names.TableAlertState).ReadRow(ctx, key) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, it := range row[names.FamState] {
		lastUpdated := it.Timestamp.Time() // want ttlage/not-write-time
		fmt.Println(it.Column, string(it.Value), lastUpdated)
	}
	return nil
}

func main() {
	flag.Parse()
	ctx := context.Background()
	c, err := bigtable.NewClient(ctx, *project, *instance)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	if flag.Arg(0) == "schema" {
		ac, err := bigtable.NewAdminClient(ctx, *project, *instance)
		if err == nil {
			err = schema.ApplyProduction(ctx, ac)
		}
		log.Print(err)
		return
	}
	cmd, ok := commands[flag.Arg(0)]
	if !ok {
		log.Fatalf("unknown command %q", flag.Arg(0))
	}
	if err := cmd(ctx, c, flag.Arg(1)); err != nil {
		log.Fatal(err)
	}
}
