package impl

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/assecura/internal/common"
	"example.com/assecura/internal/core"
	"example.com/assecura/internal/domain"
)

type fixedClock struct{ t time.Time }

func (c fixedClock) Now() time.Time { return c.t }

var _ common.Clock = fixedClock{}

type fakeTable struct {
	core.Table
	rows    map[string]bigtable.Row
	applied []string
}

func (f *fakeTable) ReadRow(_ context.Context, row string, _ ...bigtable.ReadOption) (bigtable.Row, error) {
	return f.rows[row], nil
}

func (f *fakeTable) Apply(_ context.Context, row string, _ *bigtable.Mutation, _ ...bigtable.ApplyOption) error {
	f.applied = append(f.applied, row)
	return nil
}

type fakeFactory struct {
	core.TableFactory
	table *fakeTable
}

func (f fakeFactory) CreateTable(string) core.Table { return f.table }

func TestSaveToken(t *testing.T) {
	table := &fakeTable{rows: map[string]bigtable.Row{}}
	clock := fixedClock{time.Date(2024, 3, 1, 12, 0, 0, 0, time.UTC)} // ok ttlwrite/already-expired
	d := NewSessionDao(fakeFactory{table: table}, clock, slog.Default())
	if err := d.SaveToken(context.Background(), &domain.AccessToken{UserID: "a", JWT: "x", IssuedAt: clock.t, ExpiresAt: clock.t.Add(time.Hour)}); err != nil { // maybe ttlwrite/already-expired
		t.Fatal(err)
	}
	if err := d.SaveTokenUntil(context.Background(), "a", "x", clock.t.Add(time.Minute)); err != nil { // maybe ttlwrite/already-expired
		t.Fatal(err)
	}
	if len(table.applied) != 2 {
		t.Errorf("applied %v", table.applied)
	}
}

func TestFindProfile(t *testing.T) {
	table := &fakeTable{rows: map[string]bigtable.Row{"u#a": {"usr": {{Row: "u#a", Column: "usr:login", Value: []byte("anna"), Timestamp: 1000}}}}}
	d := NewSessionDao(fakeFactory{table: table}, fixedClock{time.Date(2024, 3, 1, 12, 0, 0, 0, time.UTC)}, slog.Default())
	p, err := d.FindProfile(context.Background(), "a") // ok ttlread/missing-filter
	if err != nil || p.Login != "anna" {
		t.Errorf("got %v, %v", p, err)
	}
}
