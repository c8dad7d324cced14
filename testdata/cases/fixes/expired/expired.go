// Package expired writes cells that have expired before: to revoke, to bury,
// to import. No fix brings them back to life.
package expired

import (
	"time"

	"cloud.google.com/go/bigtable"
)

func zero(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", 0, nil) // want `already-expired: .*"token"`
}

func local(mut *bigtable.Mutation) {
	ts := bigtable.Time(time.Now().Add(-time.Hour)) // the only use is below
	mut.Set("ticket", "seat", ts, nil)              // want `already-expired: .*"ticket"`
}

func defaultZero(mut *bigtable.Mutation) {
	mut.Set("event", "url", bigtable.Timestamp(0), nil) // want `already-expired: .*"event"`
}

type service struct{ clock func() time.Time }

func open() *service { return &service{clock: time.Now} }

func (s *service) revoke(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(s.clock().Add(-time.Hour)), nil) // want `already-expired: .*"token"`
}
