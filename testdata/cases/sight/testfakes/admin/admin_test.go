package admin

import (
	"context"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
)

type fakeAdmin struct{ n int }

func (f *fakeAdmin) SetGCPolicy(context.Context, string, string, bigtable.GCPolicy) error {
	f.n++
	return nil
}

func TestApply(t *testing.T) {
	for _, tc := range []struct {
		tables []Table
	}{
		{tables: []Table{{"sessions", "token", bigtable.MaxAgePolicy(time.Hour)}}},
	} {
		if err := Apply(t.Context(), &fakeAdmin{}, tc.tables); err != nil {
			t.Error(err)
		}
	}
}

// A counting client that hands on is no fake.
type counting struct {
	admin
	n int
}

func (c *counting) SetGCPolicy(ctx context.Context, table, family string, policy bigtable.GCPolicy) error {
	c.n++
	return c.admin.SetGCPolicy(ctx, table, family, policy)
}

func TestDirect(t *testing.T) {
	var fake admin = &fakeAdmin{}
	if err := fake.SetGCPolicy(t.Context(), "sessions", "token", bigtable.MaxAgePolicy(time.Hour)); err != nil {
		t.Error(err)
	}
	if err := Apply(t.Context(), fake, []Table{{"sessions", "token", bigtable.MaxAgePolicy(time.Hour)}}); err != nil {
		t.Error(err)
	}
}

func TestEmulator(t *testing.T) {
	var ac *bigtable.AdminClient
	if err := Apply(t.Context(), ac, []Table{{"sessions", "token", bigtable.MaxAgePolicy(time.Hour)}}); err != nil { // want `age-mismatch`
		t.Error(err)
	}
	for _, tc := range []struct{ tables []Table }{
		{tables: []Table{{"sessions", "token", bigtable.MaxAgePolicy(time.Hour)}}}, // want `age-mismatch`
	} {
		if err := Apply(t.Context(), &counting{admin: ac}, tc.tables); err != nil {
			t.Error(err)
		}
	}
}
