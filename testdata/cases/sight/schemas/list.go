package schemas

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/schemas/schema"
)

// all creates what is in a list: what others made wrong is wrong there.
func all(ctx context.Context, a *bigtable.AdminClient) error {
	for _, t := range []*bigtable.TableConf{
		{TableID: "eu-ledger", ColumnFamilies: map[string]bigtable.Family{
			"entry": {GCPolicy: bigtable.MaxAgePolicy(time.Hour)}, // want `age-on-sequence: .*"entry"`
		}},
		schema.Ledger("us"),
		schema.Sessions(),
		schema.Of("sessions", time.Second),
	} {
		if err := a.CreateTableFromConf(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

func create(ctx context.Context, a *bigtable.AdminClient, conf *bigtable.TableConf) error {
	_ = a.DeleteTable(ctx, conf.TableID)
	return a.CreateTableFromConf(ctx, conf)
}

func handed(ctx context.Context, a *bigtable.AdminClient) error {
	if err := create(ctx, a, schema.Sessions()); err != nil {
		return err
	}
	otp := schema.Otp()
	if err := create(ctx, a, &otp); err != nil {
		return err
	}
	confs := map[string]*bigtable.TableConf{"l": schema.Ledger("x")}
	for _, c := range confs {
		if err := create(ctx, a, c); err != nil {
			return err
		}
	}
	return create(ctx, a, schema.Of("sessions", time.Minute)) // want `age-mismatch: .*"token"`
}
