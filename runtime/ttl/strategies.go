package ttl

import "github.com/ttlvet/ttlvet/runtime/strategy"

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
		for _, c := range ruleOf(f.policy()) { // what is both has no place
			switch {
			case c.versions == 0:
				s.MaxAge = c.age
			case c.age < 0:
				s.Versions = c.versions
			}
		}
	}
	return s
}
