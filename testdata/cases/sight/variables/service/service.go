// Package service is a command whose functions use what main has set.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"

	"cloud.google.com/go/bigtable"
)

var (
	client  *bigtable.Client
	history *bigtable.Table
	cache   *bigtable.Table
	named   *bigtable.Table
	srv     *server
)

type server struct {
	bt       *bigtable.Client
	sessions *bigtable.Table
}

func main() {
	ctx := context.Background()
	project := flag.String("project", "", "")
	flag.Parse()
	if err := setup(ctx, *project, "history"); err != nil {
		log.Fatal(err)
	}
	fmt.Println(put(ctx, history, "k", "val")) // want `clock-in-sequence: .*"val" of table "history"`
	fmt.Println(put(ctx, cache, "k", "val"))   // want `write-time: .*"val" of table "cache"`
	fmt.Println(putHistory(ctx, "k", "val"))   // want `clock-in-sequence: .*"val" of table "history"`
	fmt.Println(putNamed(ctx, "k", "val"))     // want `clock-in-sequence: .*"val" of table "history"`
	fmt.Println(putTo(ctx, "cache", "k"))
	fmt.Println(putTo(ctx, "metrics", "k"))
	fmt.Println(get(ctx, "k"), srv.get(ctx, "k"))
}

func setup(ctx context.Context, project, name string) (err error) {
	if client, err = bigtable.NewClient(ctx, project, "i"); err != nil {
		return err
	}
	history, cache = client.Open("history"), client.Open("cache")
	named = client.Open(name)
	srv = &server{bt: client, sessions: client.Open("sessions")}
	return nil
}

func put(ctx context.Context, t *bigtable.Table, key, family string) error {
	m := bigtable.NewMutation()
	m.Set(family, "n", bigtable.Now(), nil)
	return t.Apply(ctx, key, m)
}

func putHistory(ctx context.Context, key, family string) error {
	m := bigtable.NewMutation()
	m.Set(family, "n", bigtable.Now(), nil)
	return history.Apply(ctx, key, m)
}

func putNamed(ctx context.Context, key, family string) error {
	m := bigtable.NewMutation()
	m.Set(family, "n", bigtable.Now(), nil)
	return named.Apply(ctx, key, m)
}

func putTo(ctx context.Context, table, key string) error {
	m := bigtable.NewMutation()
	m.Set("val", "n", bigtable.Now(), nil) // want `write-time: .*"val" of table "cache"`
	return client.Open(table).Apply(ctx, key, m)
}

func get(ctx context.Context, key string) error {
	row, err := srv.bt.Open("sessions").ReadRow(ctx, key) // want `missing-filter: .*"token"`
	fmt.Println(row)
	return err
}

func (s *server) get(ctx context.Context, key string) error {
	row, err := s.sessions.ReadRow(ctx, key) // want `missing-filter: .*"token"`
	fmt.Println(row)
	return err
}
