// Package lib creates families that are missing, and has lists of policies for others.
package lib

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

type Spec struct {
	Table, Family string
	Policy        bigtable.GCPolicy
}

// Schema is applied by others: whether they create the families, they know.
var Schema = []Spec{
	{"sessions", "token", bigtable.MaxAgePolicy(time.Second)},
	{"clicks", "event", bigtable.MaxAgePolicy(720 * time.Hour)},
}

// Ensure creates a family unless it is there, and sets its policy.
func Ensure(ctx context.Context, ac *bigtable.AdminClient, table, family string, gc bigtable.GCPolicy) error {
	if err := ac.CreateColumnFamily(ctx, table, family); err != nil && status.Code(err) != codes.AlreadyExists {
		return err
	}
	return ac.SetGCPolicy(ctx, table, family, gc)
}

// Set sets the policy of a family that is there.
func Set(ctx context.Context, ac *bigtable.AdminClient, table, family string, gc bigtable.GCPolicy) error {
	return ac.SetGCPolicy(ctx, table, family, gc)
}
