package sortedkeys

import (
	"context"
	"maps"
	"slices"
	"time"

	"cloud.google.com/go/bigtable"
)

var fams = map[string]bigtable.GCPolicy{
	"tok":  bigtable.MaxAgePolicy(time.Hour), // want `age-mismatch: .*"tok"`
	"prof": bigtable.MaxVersionsPolicy(1),
}

func Range(ctx context.Context, ac *bigtable.AdminClient) error {
	for f, p := range fams {
		if err := ac.SetGCPolicy(ctx, "sessions", f, p); err != nil {
			return err
		}
	}
	return nil
}

var fams2 = map[string]bigtable.GCPolicy{
	"tok":  bigtable.MaxAgePolicy(time.Hour), // want `age-mismatch: .*"tok"`
	"prof": bigtable.MaxVersionsPolicy(1),
}

func Sorted(ctx context.Context, ac *bigtable.AdminClient) error {
	for _, f := range slices.Sorted(maps.Keys(fams2)) {
		if err := ac.SetGCPolicy(ctx, "sessions", f, fams2[f]); err != nil {
			return err
		}
	}
	return nil
}

var fams3 = map[string]bigtable.GCPolicy{
	"tok":  bigtable.MaxAgePolicy(time.Hour), // want `age-mismatch: .*"tok"`
	"prof": bigtable.MaxVersionsPolicy(1),
}

func Keys(ctx context.Context, ac *bigtable.AdminClient) error {
	for f := range fams3 {
		if err := ac.SetGCPolicy(ctx, "sessions", f, fams3[f]); err != nil {
			return err
		}
	}
	return nil
}

var fams4 = map[string]bigtable.GCPolicy{
	"tok":  bigtable.MaxAgePolicy(time.Hour), // want `age-mismatch: .*"tok"`
	"prof": bigtable.MaxVersionsPolicy(1),
}

func Collected(ctx context.Context, ac *bigtable.AdminClient) error {
	var names []string
	for f := range fams4 {
		names = append(names, f)
	}
	slices.Sort(names)
	for _, f := range names {
		if err := ac.SetGCPolicy(ctx, "sessions", f, fams4[f]); err != nil {
			return err
		}
	}
	return nil
}

var fams5 = map[string]map[string]bigtable.GCPolicy{
	"sessions": {
		"tok":  bigtable.MaxAgePolicy(time.Hour), // want `age-mismatch: .*"tok"`
		"prof": bigtable.MaxVersionsPolicy(1),
	},
	"cache": {"val": bigtable.MaxAgePolicy(time.Hour)}, // want `age-mismatch: .*"val"`
}

func Nested(ctx context.Context, ac *bigtable.AdminClient) error {
	for t, fams := range fams5 {
		for f, p := range fams {
			if err := ac.SetGCPolicy(ctx, t, f, p); err != nil {
				return err
			}
		}
	}
	return nil
}
