package prefs

import (
	"testing"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/northgate/identity/internal/platform/bt"
	"github.com/northgate/identity/internal/schema"
	"github.com/northgate/identity/internal/testkit"
)

func TestSetGet(t *testing.T) {
	in := testkit.Start(t)
	s := New(in.Table(schema.Prefs), nil)
	for _, lang := range []string{"en", "de"} {
		if err := s.Set(t.Context(), "u", Prefs{"lang": lang}); err != nil {
			t.Fatal(err)
		}
	}
	p, err := s.Get(t.Context(), "u")
	if err != nil || p["lang"] != "de" {
		t.Errorf("%v, %v", p, err)
	}
}

func TestDevices(t *testing.T) {
	in := testkit.Start(t)
	tbl := in.Table(schema.Prefs)
	now := time.Now()
	s := New(tbl, testkit.Fixed(now))
	cases := map[string]struct {
		ts    bigtable.Timestamp
		known bool
	}{
		"fresh":  {bigtable.Time(now), true},                                     // ok ttlwrite/write-time
		"longer": {bigtable.Time(now.Add(24 * time.Hour)), true},                 // ok ttlwrite/write-time
		"old":    {bigtable.Time(now.Add(-schema.DeviceTTL - time.Hour)), false}, // want ttlwrite/already-expired[olddev]
	}
	for name, tc := range cases {
		m := bigtable.NewMutation()
		m.Set(schema.FamDevice, name, tc.ts, []byte(`{"id":"`+name+`"}`)) // want ttlwrite/already-expired[olddev]
		if err := tbl.Apply(t.Context(), "u", m); err != nil {
			t.Fatal(err)
		}
	}
	got := map[string]bool{}
	for d, err := range s.Devices(t.Context(), "u") {
		if err != nil {
			t.Fatal(err)
		}
		got[d.ID] = true
	}
	for name, tc := range cases {
		if got[name] != tc.known {
			t.Errorf("%s: %v", name, got[name])
		}
	}
}

func TestStage(t *testing.T) {
	in := testkit.Start(t)
	if err := Stage(t.Context(), in.Client, "u", Prefs{"lang": "fr"}); err != nil {
		t.Fatal(err)
	}
	row, err := in.Client.Open("import-scratch").ReadRow(t.Context(), "u") // ok ttlread/missing-filter
	if err != nil || len(row["pref"]) != 1 {
		t.Errorf("%v, %v", row, err)
	}
}

func TestOverwriteInPlace(t *testing.T) {
	in := testkit.Start(t)
	tbl := in.Client.Open("user-prefs")
	for _, v := range []string{"1", "2"} {
		m := bigtable.NewMutation()
		m.Set("pref", "n", 0, []byte(v))                         // ok ttlwrite/clock-in-zero
		m.Set("pref", "touched", bigtable.ServerTime, []byte(v)) // want ttlwrite/clock-in-zero
		if err := tbl.Apply(t.Context(), "u", m); err != nil {
			t.Fatal(err)
		}
	}
	row, err := tbl.ReadRow(t.Context(), "u") // want ttlread/missing-filter
	if err != nil {
		t.Fatal(err)
	}
	for fam, items := range row {
		t.Log(fam, len(items))
	}
	row, err = tbl.ReadRow(t.Context(), "u") // want ttlread/missing-filter
	if err != nil {
		t.Fatal(err)
	}
	if it, ok := bt.First(row, "pref", "n"); !ok || string(it.Value) != "2" {
		t.Errorf("%v", row)
	}
}
