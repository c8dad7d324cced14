// Package flags keeps what is switched on.
package flags

// A Set is what is switched on, by name and by number.
type Set struct {
	on    map[string]bool
	since map[string]int
	bits  []bool
	debug bool
}

// Enabled reports whether a name is switched on.
func (s *Set) Enabled(name string) bool { return s.on[name] }

// Knows reports whether there is such a name.
func (s *Set) Knows(name string) bool {
	_, ok := s.since[name]
	return ok
}

// Bit reports whether the first is switched on.
func (s *Set) Bit() bool { return s.bits[0] }

// Debug reports whether there is more to see.
func (s *Set) Debug() bool { return s.debug }
