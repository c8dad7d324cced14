package telemetry

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/guild/schema"
)

// keepDays is how long reports are kept.
const keepDays = 14

// Retain sets how long reports are kept.
func Retain(ctx context.Context, admin *bigtable.AdminClient) error {
	const seconds = keepDays * 86400
	if err := admin.SetGCPolicy(ctx, schema.Telemetry, schema.FamEvent, bigtable.MaxAgePolicy(seconds)); err != nil { // want ttlunit/age-unit
		return err
	}
	return admin.SetGCPolicy(ctx, schema.Telemetry, schema.FamState, bigtable.MaxAgePolicy(keepDays*24*time.Hour)) // ok ttlunit/age-unit ttlgc/age-on-sequence
}

// RetainShort is Retain for the environments of developers.
func RetainShort(ctx context.Context, admin *bigtable.AdminClient) error {
	if err := admin.SetGCPolicy(ctx, schema.Telemetry, schema.FamToken, bigtable.MaxAgePolicy(-time.Hour)); err != nil { // want ttlunit/age-unit
		return err
	}
	return admin.SetGCPolicy(ctx, schema.Telemetry, schema.FamCur, bigtable.MaxAgePolicy(time.Hour)) // ok ttlunit/age-unit ttlgc/age-on-zero
}
