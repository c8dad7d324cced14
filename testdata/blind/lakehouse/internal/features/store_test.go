package features

import (
	"context"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/lakehouse/internal/conf"
	"example.com/lakehouse/internal/schema"
)

type fakeTable struct {
	Table
	rows    map[string]bigtable.Row
	applied int
}

func (f *fakeTable) ReadRow(_ context.Context, key string, _ ...bigtable.ReadOption) (bigtable.Row, error) {
	return f.rows[key], nil
}

func (f *fakeTable) Apply(context.Context, string, *bigtable.Mutation, ...bigtable.ApplyOption) error {
	f.applied++
	return nil
}

type fixedClock time.Time

func (c fixedClock) Now() time.Time { return time.Time(c) }

var noon = fixedClock(time.Date(2024, time.March, 1, 12, 0, 0, 0, time.UTC))

func TestPut(t *testing.T) {
	f := &fakeTable{}
	s := NewStore(f, conf.Default().Features, noon)
	if err := s.Put(context.Background(), "g", "e", map[string]float64{"x": 1}); err != nil { // ok ttlwrite/already-expired
		t.Fatal(err)
	}
	if f.applied != 1 {
		t.Errorf("%d mutations", f.applied)
	}
}

func TestGet(t *testing.T) {
	end := noon.Now().Add(time.Hour)
	f := &fakeTable{rows: map[string]bigtable.Row{"e": {schema.FamOnline: {
		{Row: "e", Column: "online:x", Timestamp: bigtable.Time(end), Value: encode(2.5)},
	}}}}
	s := NewStore(f, conf.Default().Features, noon)
	v, err := s.Get(context.Background(), "e") // ok ttlread/missing-filter
	if err != nil {
		t.Fatal(err)
	}
	if v.Values["x"] != 2.5 || !v.ValidTo.Equal(end) {
		t.Errorf("%+v", v)
	}
}

func TestLifetime(t *testing.T) {
	s := NewStore(&fakeTable{}, conf.Features{OnlineTTL: time.Hour, PerGroup: map[string]time.Duration{"fast": time.Minute}}, noon)
	for group, want := range map[string]time.Duration{"fast": time.Minute, "slow": time.Hour} {
		if got := s.expiry(group).Time().Sub(noon.Now()); got != want {
			t.Errorf("%s: %v", group, got)
		}
	}
}
