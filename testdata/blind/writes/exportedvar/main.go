package main

import (
	"flag"
	"time"

	"cloud.google.com/go/bigtable"
	"example.com/blind/exportedvar/lib"
)

func main() {
	flag.DurationVar(&lib.TTL, "ttl", time.Hour, "lifetime")
	flag.Parse()
	lib.Put(bigtable.NewMutation())
}
