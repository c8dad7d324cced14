// Package jobs makes batches of mutations.
package jobs

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Item is what is written.
type Item struct {
	Key, Body string
	TTL       time.Duration
}

// Stamped returns mutations with the time of writing.
func Stamped(items []Item) ([]string, []*bigtable.Mutation) {
	keys := make([]string, len(items))
	muts := make([]*bigtable.Mutation, len(items))
	for i, it := range items {
		mut := bigtable.NewMutation()
		mut.Set("val", "body", bigtable.Now(), []byte(it.Body))
		keys[i], muts[i] = it.Key, mut
	}
	return keys, muts
}

// Row is a row to be written.
type Row struct {
	Key string
	Mut *bigtable.Mutation
}

// Rows returns rows with the time of writing.
func Rows(items []Item) []Row {
	var rows []Row
	for _, it := range items {
		mut := bigtable.NewMutation()
		mut.Set("val", "body", bigtable.Now(), []byte(it.Body))
		rows = append(rows, Row{Key: it.Key, Mut: mut})
	}
	return rows
}

// One returns a row with the time of writing.
func One(it Item) Row {
	r := Row{Key: it.Key, Mut: bigtable.NewMutation()}
	r.Mut.Set("val", "body", bigtable.Now(), []byte(it.Body))
	return r
}

// OrNil returns nothing for an empty item.
func OrNil(it Item) (*bigtable.Mutation, error) {
	if it.Body == "" {
		return nil, nil
	}
	mut := bigtable.NewMutation()
	mut.Set("val", "body", bigtable.Now(), []byte(it.Body))
	return mut, nil
}
