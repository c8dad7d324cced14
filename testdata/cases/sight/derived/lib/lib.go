// Package lib decides by what it makes of a family's name.
package lib

import (
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
)

func age(fam string) time.Duration {
	switch fam {
	case "token":
		return time.Second
	case "event":
		return 720 * time.Hour
	}
	return 0
}

// Policy is the policy of a family.
func Policy(fam string) bigtable.GCPolicy {
	if a := age(fam); a != 0 {
		return bigtable.MaxAgePolicy(a)
	}
	return bigtable.MaxVersionsPolicy(1)
}

var short = []string{"token", "code"}

// Stamp is the timestamp of a family's cells.
func Stamp(fam string) bigtable.Timestamp {
	if slices.Contains(short, fam) {
		return bigtable.Time(time.Now().Add(time.Minute))
	}
	return bigtable.ServerTime
}

// Prefixed takes what begins with "tok" for short-lived.
func Prefixed(fam string) bigtable.Timestamp {
	if strings.HasPrefix(fam, "tok") {
		return bigtable.Time(time.Now().Add(time.Minute))
	}
	return bigtable.ServerTime
}
