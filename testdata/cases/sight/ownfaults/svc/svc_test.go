package svc

import (
	"context"
	"testing"

	"cloud.google.com/go/bigtable"
)

func TestService(t *testing.T) {
	s := newService(&bigtable.Client{})
	if err := s.save(context.Background(), "1"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.any(context.Background(), "1"); err != nil {
		t.Fatal(err)
	}
}
