// Package use makes the objects, of tables and with options that it knows.
package use

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	told "example.com/cases/sight/toldonce"
)

func okKnown(client *bigtable.Client) *told.Trail { return told.New(client.Open("icu-diary")) }

func okWrapped(client *bigtable.Client) *told.Trail { return told.Wrapped(client.Open("icu-diary")) }

func okNamed(client *bigtable.Client, name string) *told.Trail { return told.New(client.Open(name)) }

func okUsed(ctx context.Context, client *bigtable.Client) {
	t := told.New(client.Open("icu-diary"))
	_, _ = t.Seal(ctx, "k"), t.Count(ctx, "k")
	_, _ = t.All(ctx, "k")
}

func unnamed(client *bigtable.Client) *told.Unnamed {
	return told.NewUnnamed(client.Open("icu-diary")) // want `clock-in-sequence: .*"\*-diary"`
}

func okUnnamed(client *bigtable.Client) *told.Unnamed { return told.NewUnnamed(client.Open("diaries")) }

func okOptions(client *bigtable.Client) {
	_ = told.Handler(client, told.Policy{TTL: time.Hour})
	_ = told.Direct(client, told.Policy{TTL: time.Hour})
	_ = told.NewCache(client.Open("mixed"), told.Policy{TTL: time.Hour})
	_ = told.NewCache(client.Open("mixed"), told.Policy{})
	_ = told.NewPlain(client, "")
	_ = told.NewPlain(client, "meta")
}

func okMethods(ctx context.Context, client *bigtable.Client) {
	c := told.Direct(client, told.Policy{})
	_ = c.Keep(ctx, nil)
	_ = told.NewPlain(client, "").Keep(ctx)
}

// Its own family is what the caller supplies.
func supplied(client *bigtable.Client) {
	_ = told.NewPlain(client, "hot")                                    // want `already-expired: .*"hot"`
	_ = told.Handler(client, told.Policy{Family: "hot"})                // want `already-expired: .*"hot"`
	_ = told.NewCache(client.Open("mixed"), told.Policy{Family: "hot"}) // want `already-expired: .*"hot"`
}

// Its own timestamp is too.
func stamped(ctx context.Context, client *bigtable.Client) {
	_ = told.Direct(client, told.Policy{}).KeepAt(ctx, 0) // want `already-expired: .*"log"`
}

// OkHand and Hand are given their tables.
func OkHand(tbl *bigtable.Table) *told.Trail { return told.New(tbl) }

func Hand(tbl *bigtable.Table) *told.Unnamed { return told.NewUnnamed(tbl) }

func OkLogs(client *bigtable.Client, p told.Policy) *told.Cache { return told.Direct(client, p) }
