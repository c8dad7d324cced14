// Package flags are the feature flags, as in flags.json.
package flags

import (
	"os"
	"strings"
	"sync"
)

type Name string

const (
	NewTimeline   Name = "new-timeline"
	StickyDigest  Name = "sticky-digest"
	SlowRevisions Name = "slow-revisions"
	PresenceV2    Name = "presence-v2"
)

// Set is the flags that are on.
type Set struct {
	mu sync.RWMutex
	on map[Name]bool
}

// FromEnv reads CHIRP_FLAGS=a,b,c.
func FromEnv() *Set {
	s := &Set{on: map[Name]bool{}}
	for _, f := range strings.Split(os.Getenv("CHIRP_FLAGS"), ",") {
		if f = strings.TrimSpace(f); f != "" {
			s.on[Name(f)] = true
		}
	}
	return s
}

func (s *Set) Enabled(n Name) bool {
	if s == nil {
		return false
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.on[n]
}

func (s *Set) Toggle(n Name, on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.on[n] = on
}
