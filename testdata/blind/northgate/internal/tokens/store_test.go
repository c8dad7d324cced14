package tokens

import (
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/northgate/identity/internal/platform/bt"
	"github.com/northgate/identity/internal/schema"
	"github.com/northgate/identity/internal/testkit"
)

func TestLoad(t *testing.T) {
	in := testkit.Start(t)
	tbl := in.Table(schema.Tokens)
	s := NewStore(tbl)
	for _, tc := range []struct {
		name string
		life time.Duration
		want error
	}{
		{"live", time.Minute, nil},
		{"expired", -time.Minute, bt.ErrNotFound}, // want ttlwrite/already-expired[tload]
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := Claims{ID: tc.name, Subject: "u1", Expires: time.Now().Add(tc.life)}
			m := bigtable.NewMutation()
			m.Set(string(schema.Access), "aud", bigtable.Time(c.Expires), marshal(c)) // ok ttlwrite/write-time // want ttlwrite/already-expired[tload]
			if err := tbl.Apply(t.Context(), accessKey(c.ID), m); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Load(t.Context(), c.ID); !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
		})
	}
}

func TestSaveWrites(t *testing.T) {
	in := testkit.Start(t)
	s := NewStore(in.Table(schema.Tokens), WithClock(testkit.Fixed(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)))) // ok ttlwrite/already-expired
	c := Claims{ID: "x", Subject: "u1", Expires: time.Now().Add(time.Hour)}
	if err := s.Save(t.Context(), c, []byte("jwt")); err != nil {
		t.Fatal(err)
	}
	row, err := in.Client.Open("identity-tokens").ReadRow(t.Context(), accessKey("x")) // want ttlread/missing-filter
	if err != nil {
		t.Fatal(err)
	}
	if got := len(row[string(schema.Access)]); got != 3 {
		t.Errorf("%d access cells", got)
	}
}

func TestAuditIsKept(t *testing.T) {
	in := testkit.Start(t)
	s := NewStore(in.Table(schema.Tokens))
	if err := s.Save(t.Context(), Claims{ID: "y", Expires: time.Now().Add(time.Hour)}, nil); err != nil {
		t.Fatal(err)
	}
	row, err := in.Client.Open("identity-tokens").ReadRow(t.Context(), accessKey("y")) // ok ttlread/missing-filter
	if err != nil {
		t.Fatal(err)
	}
	if len(row["audit"]) != 2 {
		t.Errorf("audit: %v", row["audit"])
	}
}

// seed writes tokens directly.
func seed(t *testing.T, tbl bt.Table, ids ...string) {
	t.Helper()
	for _, id := range ids {
		m := bigtable.NewMutation()
		m.Set("access", "sub", bigtable.Now(), []byte("u1"))                             // want ttlwrite/write-time
		m.Set("access", "aud", bigtable.Time(time.Now().Add(time.Minute)), []byte("{}")) // ok ttlwrite/write-time
		if err := tbl.Apply(t.Context(), accessKey(id), m); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRevokeAll(t *testing.T) {
	in := testkit.Start(t)
	tbl := in.Table(schema.Tokens)
	seed(t, tbl, "a", "b", "c")
	n, err := NewStore(tbl).RevokeAll(t.Context(), "u1")
	if err != nil || n != 3 {
		t.Errorf("revoked %d, %v", n, err)
	}
}

func TestSaveAllWithFake(t *testing.T) {
	fake := &testkit.Fake{}
	s := NewStore(fake)
	list := map[Claims2]string{{"a"}: "1", {"b"}: "2"}
	err := s.SaveAll(t.Context(), func(yield func(Claims, []byte) bool) {
		for _, k := range slices.SortedFunc(maps.Keys(list), func(a, b Claims2) int { return len(a.id) - len(b.id) }) {
			if !yield(Claims{ID: k.id}, []byte(list[k])) {
				return
			}
		}
	})
	if err != nil || len(fake.Keys) != 2 {
		t.Errorf("%v, %v", fake.Keys, err)
	}
}

// Claims2 is a comparable stand-in for Claims.
type Claims2 struct{ id string }

func TestFakeReads(t *testing.T) {
	fake := &testkit.Fake{Rows: map[string]bigtable.Row{
		"a#x": {"access": {{Row: "a#x", Column: "access:sub", Timestamp: 1000, Value: []byte("u1")}}},
	}}
	if _, err := fake.ReadRow(t.Context(), "a#x"); err != nil { // ok ttlread/missing-filter
		t.Fatal(err)
	}
	m := bigtable.NewMutation()
	m.Set("access", "sub", 1000, []byte("u1")) // ok ttlwrite/already-expired
	if err := fake.Apply(t.Context(), "a#x", m); err != nil {
		t.Fatal(err)
	}
	if sub, err := NewStore(fake).Subject(t.Context(), "x"); err != nil || sub != "u1" {
		t.Errorf("%q, %v", sub, err)
	}
}

func TestPolicies(t *testing.T) {
	in := testkit.Start(t)
	for _, tc := range []struct {
		family string
		gc     bigtable.GCPolicy
	}{
		{"access", bigtable.MaxAgePolicy(time.Second)},     // ok ttlgc/age-mismatch
		{"refresh", bigtable.MaxAgePolicy(24 * time.Hour)}, // want ttlgc/age-mismatch
		{"audit", bigtable.MaxAgePolicy(24 * time.Hour)},   // ok ttlgc/age-mismatch
	} {
		if err := in.Admin.SetGCPolicy(t.Context(), schema.Tokens.String(), tc.family, tc.gc); err != nil {
			t.Errorf("%s: %v", tc.family, err)
		}
	}
}
