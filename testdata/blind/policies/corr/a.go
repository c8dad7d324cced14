package corr

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func F(ctx context.Context, ac *bigtable.AdminClient) error {
	for _, f := range []string{"tok", "prof"} {
		p := bigtable.MaxVersionsPolicy(1)
		if f == "tok" {
			p = bigtable.MaxAgePolicy(time.Second)
		}
		if err := ac.SetGCPolicy(ctx, "sessions", f, p); err != nil { // silent
			return err
		}
	}
	return nil
}

func G(ctx context.Context, ac *bigtable.AdminClient) error {
	for _, f := range []string{"hdr", "tx", "seen"} {
		var p bigtable.GCPolicy
		switch f {
		case "seen":
			p = bigtable.MaxAgePolicy(time.Hour)
		default:
			p = bigtable.MaxVersionsPolicy(1)
		}
		if err := ac.SetGCPolicy(ctx, "blocks", f, p); err != nil { // silent
			return err
		}
	}
	return nil
}

func policy(family string) bigtable.GCPolicy {
	switch family {
	case "tok", "lease":
		return bigtable.MaxAgePolicy(time.Second)
	case "msg":
		return bigtable.MaxAgePolicy(14 * 24 * time.Hour)
	default:
		return bigtable.MaxVersionsPolicy(1)
	}
}

func H(ctx context.Context, ac *bigtable.AdminClient) error {
	for _, f := range []string{"msg", "lease", "dead"} {
		if err := ac.SetGCPolicy(ctx, "queue", f, policy(f)); err != nil { // silent
			return err
		}
	}
	return ac.SetGCPolicy(ctx, "sessions", "tok", policy("tok"))
}

func I(ctx context.Context, ac *bigtable.AdminClient) error {
	conf := &bigtable.TableConf{TableID: "queue", ColumnFamilies: map[string]bigtable.Family{}}
	for _, f := range []string{"msg", "lease", "dead"} {
		conf.ColumnFamilies[f] = bigtable.Family{GCPolicy: policy(f)}
	}
	return ac.CreateTableFromConf(ctx, conf)
}

func J(ctx context.Context, ac *bigtable.AdminClient, tables ...string) error {
	for _, t := range []string{"queue", "sessions"} {
		fams := []string{"tok", "prof"}
		if t == "queue" {
			fams = []string{"msg", "lease", "dead"}
		}
		for _, f := range fams {
			if err := ac.SetGCPolicy(ctx, t, f, policy(f)); err != nil {
				return err
			}
		}
	}
	return nil
}
