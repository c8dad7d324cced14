// Command departd serves departures.
package main

import (
	"context"
	"flag"
	"log"
	"net/http"
	"os"

	"example.com/datalib/datalib/tables"
	"example.com/datalib/departures/api"
	"example.com/datalib/departures/feed"
	"example.com/datalib/departures/jobs"
)

func main() {
	project := flag.String("project", "", "project")
	instance := flag.String("instance", "", "instance")
	region := flag.String("region", "north", "region")
	line := flag.String("archive", "", "line to archive")
	flag.Parse()
	ctx := context.Background()
	set, err := tables.Open(ctx, *project, *instance, *region)
	if err != nil {
		log.Fatal(err)
	}
	defer set.Close()
	if *line != "" {
		if err := jobs.New(set).Archive(ctx, *line); err != nil {
			log.Fatal(err)
		}
		return
	}
	f := feed.New(set)
	go func() {
		if err := f.Decode(os.Stdin); err != nil {
			log.Print(err)
		}
	}()
	go func() {
		if err := f.Run(ctx); err != nil {
			log.Print(err)
		}
	}()
	mux := http.NewServeMux()
	api.New(set).Register(mux)
	log.Fatal(http.ListenAndServe(":8081", mux))
}
