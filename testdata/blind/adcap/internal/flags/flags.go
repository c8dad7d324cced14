// Package flags is the feature flag client: a map behind a mutex.
package flags

import "sync"

// Set holds named switches.
type Set struct {
	mu sync.RWMutex
	on map[string]bool
}

// New returns a set in which the given flags are on.
func New(names ...string) *Set {
	s := &Set{on: make(map[string]bool, len(names))}
	for _, n := range names {
		s.on[n] = true
	}
	return s
}

// Enabled reports whether a flag is on.
func (s *Set) Enabled(name string) bool {
	if s == nil {
		return false
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.on[name]
}

// Toggle switches a flag.
func (s *Set) Toggle(name string, on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.on[name] = on
}
