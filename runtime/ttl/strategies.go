package ttl

import (
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/ttlvet/ttlvet/runtime/strategy"
)

// Strategies returns the families of the table as package strategy describes
// them, in the order of the declaration. It is what ttlguard holds requests
// to.
func (t *Table) Strategies() []strategy.Family {
	all := make([]strategy.Family, len(t.families))
	for i, f := range t.families {
		all[i] = strategyOf(f)
	}
	return all
}

func strategyOf(f Family) strategy.Family {
	s := strategy.Family{Name: f.Name(), Strategy: strategy.Real}
	switch f := f.(type) {
	case OneSecondFamily:
		s.Strategy, s.TTL, s.MaxAge = strategy.OneSecond, f.ttl, f.maxAge
	case DefaultFamily:
		s.Strategy, s.TTL, s.MaxAge = strategy.Default, f.ttl, f.ttl
	case SequenceFamily:
		s.Strategy, s.Versions = strategy.Sequence, f.versions
	case ZeroFamily:
		s.Strategy = strategy.Zero
	case RealTimeFamily:
		if age, ok := f.maxAge.(bigtable.MaxAgeGCPolicy); ok {
			s.MaxAge = time.Duration(age)
		}
		if n, ok := f.maxVersions.(bigtable.MaxVersionsGCPolicy); ok {
			s.Versions = int(n)
		}
	}
	return s
}
