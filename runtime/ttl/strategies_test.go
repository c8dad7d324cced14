package ttl_test

import (
	"slices"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"github.com/ttlvet/ttlvet/runtime/strategy"
	"github.com/ttlvet/ttlvet/runtime/ttl"
)

func TestStrategies(t *testing.T) {
	age, versions := bigtable.MaxAgePolicy(time.Hour), bigtable.MaxVersionsPolicy(2)
	got := ttl.NewTable("t", second.Skew(time.Second), standard, sequence, zero, realTime,
		ttl.RealTime("either").MaxAge(time.Hour).MaxVersions(2),
		ttl.RealTime("policy").Policy(bigtable.UnionPolicy(age, versions)),
		ttl.RealTime("both").Policy(bigtable.IntersectionPolicy(age, versions)),
	).Strategies()
	want := []strategy.Family{
		{Name: "second", Strategy: strategy.OneSecond, TTL: ttlOf, MaxAge: time.Second},
		{Name: "default", Strategy: strategy.Default, TTL: ttlOf, MaxAge: ttlOf},
		{Name: "sequence", Strategy: strategy.Sequence, Versions: 2},
		{Name: "zero", Strategy: strategy.Zero},
		{Name: "real.time", Strategy: strategy.Real},
		{Name: "either", Strategy: strategy.Real, MaxAge: time.Hour, Versions: 2},
		{Name: "policy", Strategy: strategy.Real, MaxAge: time.Hour, Versions: 2},
		{Name: "both", Strategy: strategy.Real},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}
