// Package ages makes policies of ages without a unit, of less than a
// millisecond, of less than nothing.
package ages

import (
	"context"
	"math"
	"time"

	"cloud.google.com/go/bigtable"
)

const (
	secondsPerDay = 86400
	retention     = 30 * 24 * time.Hour
	typed         = time.Duration(3600)
)

func unitless() bigtable.GCPolicy {
	return bigtable.MaxAgePolicy(86400) // want `age-unit: `
}

func unitlessLarge() bigtable.GCPolicy {
	return bigtable.MaxAgePolicy(7776000) // want `age-unit: `
}

func unitlessSmall() bigtable.GCPolicy {
	return bigtable.MaxAgePolicy(30) // want `age-unit: `
}

func unitlessConstant() bigtable.GCPolicy {
	return bigtable.MaxAgePolicy(secondsPerDay) // want `age-unit: `
}

func unitlessProduct() bigtable.GCPolicy {
	return bigtable.MaxAgePolicy(90 * secondsPerDay) // want `age-unit: `
}

func conversion() bigtable.GCPolicy {
	return bigtable.MaxAgeGCPolicy(86400) // want `age-unit: `
}

func convertedDuration() bigtable.GCPolicy {
	return bigtable.MaxAgePolicy(time.Duration(86400)) // want `age-unit: `
}

func typedConstant() bigtable.GCPolicy {
	return bigtable.MaxAgePolicy(typed) // want `age-unit: `
}

func negative() bigtable.GCPolicy {
	return bigtable.MaxAgePolicy(-time.Hour) // want `age-unit: `
}

func microsecond() bigtable.GCPolicy {
	return bigtable.MaxAgePolicy(500 * time.Microsecond) // want `age-unit: `
}

func inUnion() bigtable.GCPolicy {
	return bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(86400)) // want `age-unit: `
}

func set(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "plain", "data", bigtable.MaxAgePolicy(604800)) // want `age-unit: `
}

func okHours() bigtable.GCPolicy { return bigtable.MaxAgePolicy(24 * time.Hour) }

func okSeconds() bigtable.GCPolicy { return bigtable.MaxAgePolicy(secondsPerDay * time.Second) }

func okConstant() bigtable.GCPolicy { return bigtable.MaxAgePolicy(retention) }

func okConversion() bigtable.GCPolicy { return bigtable.MaxAgeGCPolicy(retention) }

func okMillisecond() bigtable.GCPolicy { return bigtable.MaxAgePolicy(time.Millisecond) }

func okParameter(d time.Duration) bigtable.GCPolicy { return bigtable.MaxAgePolicy(d) }

func okDays(days int) bigtable.GCPolicy {
	return bigtable.MaxAgePolicy(time.Duration(days) * 24 * time.Hour)
}

func okVersions() bigtable.GCPolicy { return bigtable.MaxVersionsPolicy(86400) }

func forever() bigtable.GCPolicy { return bigtable.MaxAgePolicy(math.MaxInt64) }

func hours(n int) bigtable.GCPolicy {
	if n < 0 {
		return bigtable.MaxAgePolicy(math.MaxInt64 - time.Hour)
	}
	return bigtable.MaxAgePolicy(time.Duration(n) * time.Hour)
}
