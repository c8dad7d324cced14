package user

import (
	"context"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/fakeuser"
)

type memory map[string]bigtable.Row

func (m memory) ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	return m[row], nil
}

func (m memory) Apply(ctx context.Context, row string, mut *bigtable.Mutation, opts ...bigtable.ApplyOption) error {
	return nil
}

type stub struct{ err error }

func (s stub) ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	return nil, s.err
}

func (s stub) Apply(ctx context.Context, row string, mut *bigtable.Mutation, opts ...bigtable.ApplyOption) error {
	return s.err
}

func TestTokens(t *testing.T) {
	ctx := context.Background()
	at := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, tokens := range []*fakes.Tokens{
		fakes.NewWith(memory{}, func() time.Time { return at }),
		fakes.NewWith(stub{}, func() time.Time { return at }),
	} {
		if err := tokens.Put(ctx, "k", nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := fakes.PutAt(ctx, stub{}, "k", at); err != nil {
		t.Fatal(err)
	}
	if _, err := fakes.Raw(ctx, memory{}, "k", bigtable.LatestNFilter(1)); err != nil {
		t.Fatal(err)
	}
	if _, err := fakes.Raw(ctx, &stub{}, "k", bigtable.PassAllFilter()); err != nil {
		t.Fatal(err)
	}
}
