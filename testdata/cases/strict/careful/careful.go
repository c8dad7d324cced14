// Package careful keeps its clock under the strict rules' fixes too.
package careful

import (
	"time"

	"cloud.google.com/go/bigtable"
)

type service struct{ clock func() time.Time }

func open() *service { return &service{clock: time.Now} }

func (s *service) put(mut *bigtable.Mutation) {
	mut.Set("event", "url", bigtable.Time(s.clock().Add(720*time.Hour)), nil) // want `wrong-base: .*"event"`
}

func (s *service) varying(mut *bigtable.Mutation, ttl time.Duration, column func() string) {
	if ttl > 0 {
		mut.Set("token", column(), bigtable.Time(s.clock().Add(ttl)), nil) // want `stale-survivor: .*"token"`
	}
}
