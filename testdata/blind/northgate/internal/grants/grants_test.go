package grants

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/northgate/identity/internal/platform/bt"
	"github.com/northgate/identity/internal/schema"
	"github.com/northgate/identity/internal/testkit"
)

// counting hands out 1, 2, 3.
type counting struct{ n atomic.Uint64 }

func (c *counting) Next(context.Context, string) (Revision, error) { return Revision(c.n.Add(1)), nil }

func TestSaveGet(t *testing.T) {
	in := testkit.Start(t)
	r := NewRepo(in.Table(schema.Grants), &counting{}, slog.Default())
	for i, action := range []string{"read", "write", "admin"} {
		rev, err := r.Save(t.Context(), Grant{Subject: "u1", Resource: "doc", Actions: []string{action}})
		if err != nil {
			t.Fatal(err)
		}
		if rev != Revision(i+1) {
			t.Errorf("revision %d", rev)
		}
	}
	g, err := r.Get(t.Context(), "doc", "u1")
	if err != nil || g.Actions[0] != "admin" {
		t.Errorf("%+v, %v", g, err)
	}
}

func TestOutOfOrder(t *testing.T) {
	in := testkit.Start(t)
	tbl := in.Table(schema.Grants)
	for _, rev := range []int64{3, 1, 2} {
		m := bigtable.NewMutation()
		m.Set(schema.FamGrant, schema.ColState, bigtable.Timestamp(rev*1000), []byte(`{"act":["x"]}`)) // ok ttlwrite/unscaled-sequence
		if err := tbl.Apply(t.Context(), "doc#u1", m); err != nil {
			t.Fatal(err)
		}
	}
	g, err := NewRepo(tbl, nil, nil).Get(t.Context(), "doc", "u1")
	if err != nil || g.Revision != 3 {
		t.Errorf("%+v, %v", g, err)
	}
}

func TestChanges(t *testing.T) {
	in := testkit.Start(t)
	tbl := in.Table(schema.Grants)
	for i := range 3 {
		m := bigtable.NewMutation()
		m.Set(schema.FamGrant, schema.ColState, bigtable.Timestamp(i+1), []byte(`{}`)) // want ttlwrite/unscaled-sequence
		if err := tbl.Apply(t.Context(), "k", m); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	for _, err := range NewRepo(tbl, nil, nil).Changes(t.Context(), "k") {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	t.Log(n, "changes")
}

func TestCreateTwice(t *testing.T) {
	in := testkit.Start(t)
	r := NewRepo(in.Table(schema.Grants), &counting{}, slog.Default())
	g := Grant{Subject: "u", Resource: "r"}
	if err := r.Create(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	if err := r.Create(t.Context(), g); err == nil {
		t.Error("created twice")
	}
}

func TestRawRow(t *testing.T) {
	in := testkit.Start(t)
	tbl := in.Client.Open(schema.Grants.String())
	m := bigtable.NewMutation()
	m.Set("grant", "state", bigtable.Now(), []byte("{}")) // want ttlwrite/clock-in-sequence
	m.Set("grant", "by", 5000, []byte("me"))              // ok ttlwrite/unscaled-sequence
	m.Set("meta", "by", bigtable.Now(), []byte("me"))     // ok ttlwrite/clock-in-sequence
	if err := tbl.Apply(t.Context(), "k", m); err != nil {
		t.Fatal(err)
	}
	row, err := tbl.ReadRow(t.Context(), "k", bigtable.RowFilter(bigtable.FamilyFilter("grant"))) // want ttlread/version-limit
	if err != nil {
		t.Fatal(err)
	}
	if len(row["grant"]) != 2 {
		t.Errorf("%v", row)
	}
	row, err = tbl.ReadRow(t.Context(), "k", bigtable.RowFilter(bigtable.LatestNFilter(3))) // ok ttlread/version-limit
	if err != nil || len(row) != 2 {
		t.Errorf("%v, %v", row, err)
	}
}

func TestNotFound(t *testing.T) {
	r := NewRepo(&testkit.Fake{}, &counting{}, nil)
	if _, err := r.Get(t.Context(), "r", "s"); !errors.Is(err, bt.ErrNotFound) {
		t.Error(err)
	}
	if _, err := r.Age(t.Context(), "r#s"); !errors.Is(err, bt.ErrNotFound) {
		t.Error(err)
	}
	_ = time.Second
}
