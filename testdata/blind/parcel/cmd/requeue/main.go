// Requeue makes messages be handled again.
package main

import (
	"bufio"
	"context"
	"flag"
	"log"
	"os"
	"time"

	"cloud.google.com/go/bigtable"

	"northlane.example/parcel/internal/config"
	"northlane.example/parcel/internal/store/dedupe"
	"northlane.example/parcel/internal/store/hold"
	"northlane.example/parcel/internal/store/ledger"
	"northlane.example/parcel/internal/store/session"
)

const noKeep = 0 * time.Second

func main() {
	flag.Parse()
	cfg, err := config.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	c, err := bigtable.NewClient(ctx, cfg.Project, cfg.Instance)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	seen := dedupe.Open(c, dedupe.WithNode("requeue"), dedupe.WithKeep(noKeep)) // want ttlwrite/write-time
	holds := hold.New(c)
	books := ledger.Open(c, cfg.Regions[0])
	sessions := session.New(c)
	sc := bufio.NewScanner(os.Stdin)
	for sc.Scan() {
		id := sc.Text()
		if err := seen.Add(ctx, id); err != nil {
			log.Print(err)
		}
		if err := holds.Mark(ctx, id, "requeued", bigtable.ServerTime, []byte("1")); err != nil { // want ttlwrite/server-timestamp
			log.Print(err)
		}
		if err := holds.AcquireUntil(ctx, id, "requeue", time.Now().Add(time.Minute)); err != nil { // ok ttlwrite/write-time
			log.Print(err)
		}
		if err := holds.AcquireUntil(ctx, id, "requeue", time.Now()); err != nil { // want ttlwrite/write-time
			log.Print(err)
		}
		if err := sessions.IssueUntil(ctx, session.Grant{Courier: id, JWT: "x", Expires: time.Now().UTC()}); err != nil { // want ttlwrite/write-time
			log.Print(err)
		}
		if err := books.MoveCursor(ctx, id, 0); err != nil { // ok ttlwrite/clock-in-zero
			log.Print(err)
		}
	}
}
