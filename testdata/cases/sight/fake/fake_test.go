package fake

import (
	"context"
	"testing"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/fake/testkit"
)

type fakeTable struct{ n int }

func (fakeTable) Apply(context.Context, string, *bigtable.Mutation, ...bigtable.ApplyOption) error {
	return nil
}

// What records for a table is none.
type spy struct {
	*bigtable.Table
	n int
}

func (s *spy) Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error {
	s.n++
	return s.Table.Apply(ctx, row, m, opts...)
}

func TestLiteral(t *testing.T) {
	m := bigtable.NewMutation()
	m.Set("token", "jwt", 1000, nil)
	_ = fakeTable{}.Apply(t.Context(), "k", m)
}

func TestOtherPackage(t *testing.T) {
	fake := &testkit.Fake{Rows: map[string]bigtable.Row{"k": nil}}
	m := bigtable.NewMutation()
	m.Set("token", "jwt", 1000, nil)
	if err := fake.Apply(t.Context(), "k", m); err != nil {
		t.Fatal(err)
	}
}

func fill(t *testing.T, fake *testkit.Fake) {
	for range 3 {
		m := bigtable.NewMutation()
		m.Set("token", "jwt", 1000, nil)
		_ = fake.Apply(t.Context(), "k", m)
	}
}

func TestSpy(t *testing.T) {
	var c *bigtable.Client
	s := &spy{Table: c.Open("sessions")}
	m := bigtable.NewMutation()
	m.Set("token", "jwt", 1000, nil) // want `already-expired`
	_ = s.Apply(t.Context(), "k", m)
}

func TestBoth(t *testing.T) {
	var c *bigtable.Client
	m := bigtable.NewMutation()
	m.Set("token", "jwt", 1000, nil) // want `already-expired`
	_ = fakeTable{}.Apply(t.Context(), "k", m)
	_ = c.Open("sessions").Apply(t.Context(), "k", m)
}
