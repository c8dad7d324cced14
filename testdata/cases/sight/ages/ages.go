// Package ages takes ages from numbers that are variables.
package ages

import (
	"time"

	"cloud.google.com/go/bigtable"
)

type legacy struct {
	AuditSeconds int64
	Nanos        int64
	KeepDays     *int32
	Age          int64
}

func (l *legacy) GetTtlHours() int64 { return l.Age }

func (l legacy) audit() bigtable.GCPolicy {
	return bigtable.MaxAgePolicy(time.Duration(l.AuditSeconds)) // want `AuditSeconds is a number of seconds, and a time.Duration counts nanoseconds`
}

func (l legacy) days() bigtable.GCPolicy {
	keep := time.Duration(*l.KeepDays)
	return bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(keep)) // want `KeepDays is a number of days`
}

func (l *legacy) hours() bigtable.GCPolicy {
	return bigtable.MaxAgePolicy(time.Duration(int64(l.GetTtlHours()))) // want `GetTtlHours is a number of hours`
}

func ofParam(seconds int) bigtable.GCPolicy {
	return bigtable.MaxAgePolicy(time.Duration(seconds)) // want `seconds is a number of seconds`
}

func hour() bigtable.GCPolicy { return ofParam(3600) }

var retention = 7776000

var byFamily = map[string]int{"token": 86400, "hot": 7776000}

func ofVariable() bigtable.GCPolicy {
	return bigtable.MaxAgePolicy(time.Duration(retention)) // want `the age 7776000 counts nanoseconds`
}

func ofLocal() bigtable.GCPolicy {
	days := 30
	return bigtable.MaxAgePolicy(time.Duration(days)) // want `the age 30 counts nanoseconds`
}

func each(f func(string, bigtable.GCPolicy)) {
	for family, n := range byFamily {
		f(family, bigtable.MaxAgePolicy(time.Duration(n))) // want `the age 86400 counts nanoseconds`
	}
}

// Right, or not known.

func (l legacy) exact() bigtable.GCPolicy { return bigtable.MaxAgePolicy(time.Duration(l.Nanos)) }

func (l legacy) some() bigtable.GCPolicy { return bigtable.MaxAgePolicy(time.Duration(l.Age)) }

func (l legacy) scaled() bigtable.GCPolicy {
	seconds := time.Duration(l.AuditSeconds)
	return bigtable.IntersectionPolicy(
		bigtable.MaxAgePolicy(seconds*time.Second),
		bigtable.MaxAgePolicy(time.Duration(l.AuditSeconds)*time.Second),
		bigtable.MaxAgePolicy(time.Duration(l.AuditSeconds*int64(time.Second))),
		bigtable.MaxAgePolicy(time.Second*time.Duration(l.AuditSeconds)))
}

// The name is that of a duration.
func spanned(seconds time.Duration) bigtable.GCPolicy {
	return bigtable.MaxAgePolicy(time.Duration(seconds))
}

func plain(n int64) bigtable.GCPolicy { return bigtable.MaxAgePolicy(time.Duration(n)) }

func anHour() bigtable.GCPolicy { return plain(int64(time.Hour)) }

func longer(d time.Duration) bigtable.GCPolicy {
	return bigtable.MaxAgePolicy(time.Duration(float64(d) * 1.5))
}
