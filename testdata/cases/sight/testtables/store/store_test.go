package store

import (
	"context"
	"testing"

	"cloud.google.com/go/bigtable"
)

func TestStore(t *testing.T) {
	ctx := context.Background()
	client, err := bigtable.NewClient(ctx, "p", "i")
	if err != nil {
		t.Fatal(err)
	}
	s := New(client, "test-table")
	if err := s.Put(ctx, "k"); err != nil {
		t.Error(err)
	}
	if err := s.Count(ctx, "k"); err != nil {
		t.Error(err)
	}

	mut := bigtable.NewMutation()
	mut.Set("token", "v", bigtable.ServerTime, nil) // of no declared table
	if err := client.Open("test-table").Apply(ctx, "k", mut); err != nil {
		t.Error(err)
	}
}
