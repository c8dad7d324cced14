// Command mailfill copies mail from the old table to the new one.
package main

import (
	"context"
	"flag"
	"log"

	"cloud.google.com/go/bigtable"

	"example.com/guild/mail/backfill"
)

func main() {
	project := flag.String("project", "guild-prod", "project")
	prefix := flag.String("prefix", "", "prefix of the players")
	dry := flag.Bool("n", false, "copy nothing")
	flag.Parse()
	ctx := context.Background()
	client, err := bigtable.NewClient(ctx, *project, "main")
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	var done int
	job := backfill.New(client, backfill.Options{
		Prefix:   *prefix,
		DryRun:   *dry,
		Progress: func(n int) { done += n; log.Printf("%d rows", done) },
	})
	st, err := job.Copy(ctx)
	if err != nil {
		log.Fatalf("after %d rows: %v", st.Rows, err)
	}
	log.Printf("%+v", st)
}
