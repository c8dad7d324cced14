// Package deferred sets named results in deferred functions.
package deferred

import (
	"errors"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/deferred/lib"
)

func plain(d time.Duration) (ts bigtable.Timestamp) {
	defer func() { ts = bigtable.Time(time.Now().Add(d)) }()
	return bigtable.ServerTime
}

func overridden(d time.Duration) (ts bigtable.Timestamp) {
	defer func() { ts = bigtable.ServerTime }()
	defer func() { ts = bigtable.Now() }()
	return bigtable.Time(time.Now().Add(d))
}

// sometimes registers it in one branch.
func sometimes(server bool) (ts bigtable.Timestamp) {
	if server {
		defer func() { ts = bigtable.ServerTime }()
	}
	ts = bigtable.Time(time.Now().Add(time.Hour))
	return ts
}

// added moves what is returned.
func added(d time.Duration) (ts bigtable.Timestamp) {
	defer func() { ts += 3600_000_000 }()
	return bigtable.Time(time.Now().Add(d))
}

// recovered sets it only where something panics.
func recovered(f func() time.Time) (ts bigtable.Timestamp) {
	defer func() {
		if r := recover(); r != nil {
			ts = bigtable.Now()
		}
	}()
	return bigtable.Time(f().Add(time.Hour))
}

func two(d time.Duration) (ts bigtable.Timestamp, err error) {
	defer func() {
		if err != nil {
			ts = bigtable.ServerTime
		}
	}()
	if d < 0 {
		return 0, errors.New("negative")
	}
	return bigtable.Time(time.Now().Add(d)), nil
}

func writes(m *bigtable.Mutation) error {
	m.Set("token", "a", plain(time.Hour), nil)
	m.Set("token", "b", plain(0), nil)              // want `write-time: .*"token"`
	m.Set("token", "c", overridden(time.Hour), nil) // want `server-timestamp: .*"token"`
	m.Set("token", "d", sometimes(false), nil)
	m.Set("token", "e", sometimes(true), nil) // want `server-timestamp: .*"token"`
	m.Set("token", "f", added(0), nil)
	m.Set("token", "g", recovered(time.Now), nil)
	ts, err := two(time.Hour)
	if err != nil {
		return err
	}
	m.Set("token", "h", ts, nil)
	m.Set("token", "k", lib.Until(time.Hour), nil)
	m.Set("token", "l", lib.Until(0), nil)          // want `write-time: .*"token"`
	m.Set("token", "m", lib.Server(time.Hour), nil) // want `server-timestamp: .*"token"`
	m.Set("profile", "n", lib.Server(time.Hour), nil)
	return nil
}

var _ = writes
