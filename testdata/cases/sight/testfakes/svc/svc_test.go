package svc

import (
	"context"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/testfakes"
)

type stopped struct{ t time.Time }

func (c *stopped) Now() time.Time { return c.t }

type memory struct{ row bigtable.Row }

func (m *memory) ReadRow(context.Context, string, ...bigtable.ReadOption) (bigtable.Row, error) {
	return m.row, nil
}

func (m *memory) Apply(context.Context, string, *bigtable.Mutation, ...bigtable.ApplyOption) error {
	return nil
}

func newService(m *memory, clk *stopped) *Service {
	return New(fakes.NewSessions(m, clk), clk)
}

func TestSvc(t *testing.T) {
	begin := time.Date(2024, 3, 1, 8, 0, 0, 0, time.UTC)
	svc := newService(&memory{}, &stopped{begin.Add(time.Minute)})
	if err := svc.Resume(t.Context()); err != nil {
		t.Error(err)
	}
}

// The emulator's table is one: what the test itself decides counts.
func TestReal(t *testing.T) {
	var c *bigtable.Client
	tbl := c.Open("sessions")
	svc := New(fakes.NewSessions(tbl, &stopped{time.Now()}), &stopped{time.Now()})
	if err := svc.Resume(t.Context()); err != nil {
		t.Error(err)
	}
	put(t, tbl, bigtable.ServerTime) // want `server-timestamp: .*"token"`
}

func put(t *testing.T, tbl *bigtable.Table, ts bigtable.Timestamp) {
	mut := bigtable.NewMutation()
	mut.Set("token", "a", ts, nil)
	if err := tbl.Apply(t.Context(), "k", mut); err != nil {
		t.Error(err)
	}
}
