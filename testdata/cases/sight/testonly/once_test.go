package testonly

import (
	"context"
	"testing"

	"cloud.google.com/go/bigtable"
)

type fake struct{ rows []string }

func (f *fake) Apply(_ context.Context, row string, _ *bigtable.Mutation, _ ...bigtable.ApplyOption) error {
	f.rows = append(f.rows, row)
	return nil
}

func TestClaim(t *testing.T) {
	f := &fake{}
	if _, err := newKeeper(f).claim(context.Background(), "u"); err != nil || len(f.rows) != 1 {
		t.Fatal(err, f.rows)
	}
}
