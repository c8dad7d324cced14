package fixshared

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

var names = [2]string{"tok", "prof"}

var policies = [2]bigtable.GCPolicy{
	bigtable.MaxAgePolicy(time.Second),
	bigtable.MaxVersionsPolicy(1),
}

func Indexed(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := ac.SetGCPolicy(ctx, "sessions", "prof", policies[1]); err != nil {
		return err
	}
	return ac.SetGCPolicy(ctx, "sessions", "tok", policies[1]) // want `no-policy: .*"tok"`
}

var hour = bigtable.MaxAgePolicy(time.Hour)

func Shared(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := ac.SetGCPolicy(ctx, "blocks", "seen", hour); err != nil {
		return err
	}
	return ac.SetGCPolicy(ctx, "features", "f", hour) // want `age-mismatch: .*"f"`
}

func helper() bigtable.GCPolicy { return bigtable.MaxAgePolicy(2 * time.Hour) }

func Shared2(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := ac.SetGCPolicy(ctx, "blocks", "seen", helper()); err != nil {
		return err
	}
	return ac.SetGCPolicy(ctx, "features", "f", helper()) // want `age-mismatch: .*"f"`
}

func Shared3(ctx context.Context, ac *bigtable.AdminClient) error {
	p := bigtable.MaxAgePolicy(3 * time.Hour)
	if err := ac.SetGCPolicy(ctx, "blocks", "seen", p); err != nil {
		return err
	}
	return ac.SetGCPolicy(ctx, "features", "f", p) // want `age-mismatch: .*"f"`
}

var shared4 = map[string]bigtable.GCPolicy{"short": bigtable.MaxAgePolicy(4 * time.Hour)}

func Shared4(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := ac.SetGCPolicy(ctx, "blocks", "seen", shared4["short"]); err != nil {
		return err
	}
	return ac.SetGCPolicy(ctx, "features", "f", shared4["short"]) // want `age-mismatch: .*"f"`
}

func Shared5(ctx context.Context, ac *bigtable.AdminClient) error {
	for _, f := range []struct{ t, f string }{{"blocks", "seen"}, {"features", "f"}} {
		if err := ac.SetGCPolicy(ctx, f.t, f.f, bigtable.MaxAgePolicy(5*time.Hour)); err != nil { // want `age-mismatch: .*"f"`
			return err
		}
	}
	return nil
}

const retention = 6 * time.Hour

func Shared6(ctx context.Context, ac *bigtable.AdminClient) error {
	conf := &bigtable.TableConf{TableID: "features", Families: map[string]bigtable.GCPolicy{}}
	for _, f := range []string{"f", "other"} {
		conf.Families[f] = bigtable.MaxAgePolicy(retention)
	}
	return ac.CreateTableFromConf(ctx, conf) // want `age-mismatch: .*"f"`
}

type spec struct {
	t, f string
	age  time.Duration
}

func (s spec) policy() bigtable.GCPolicy { return bigtable.MaxAgePolicy(s.age) }

func Shared7(ctx context.Context, ac *bigtable.AdminClient) error {
	for _, s := range []spec{{"blocks", "seen", 7 * time.Hour}, {"features", "f", 8 * time.Hour}} {
		if err := ac.SetGCPolicy(ctx, s.t, s.f, s.policy()); err != nil { // want `age-mismatch: .*"f"`
			return err
		}
	}
	return nil
}
