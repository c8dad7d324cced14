package testclock

import (
	"testing"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/testclock/clock"
)

func swap(now *func() time.Time, f func() time.Time) func() {
	old := *now
	*now = f
	return func() { *now = old }
}

func TestKick(t *testing.T) {
	defer func() { clock.Now = time.Now }()
	clock.Now = func() time.Time { return time.Unix(1600000000, 0) }
	kick(bigtable.NewMutation())
}

func TestSwapped(t *testing.T) {
	defer swap(&clock.Now, func() time.Time { return time.Unix(1600000000, 0) })()
	kick(bigtable.NewMutation())
}
