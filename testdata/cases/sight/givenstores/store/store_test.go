package store

import (
	"testing"

	"cloud.google.com/go/bigtable"
)

func TestRepo(t *testing.T) {
	var c *bigtable.Client
	if NewRepo(c.Open("history")) == nil {
		t.Fatal("no Repo")
	}
	s, _ := New(c.Open("cache"))
	_, _ = s.Export(t.Context(), "k")
}
