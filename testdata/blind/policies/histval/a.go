package histval

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func F(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := ac.SetGCPolicy(ctx, "history", "val", bigtable.MaxAgePolicy(time.Hour)); err != nil { // want `age-on-sequence: .*"val"`
		return err
	}
	return ac.SetGCPolicy(ctx, "history", "val", bigtable.NoGcPolicy()) // want `no-policy: .*"val"`
}
func G(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "cache", "val", bigtable.NoGcPolicy()) // want `no-policy: .*"val"`
}
