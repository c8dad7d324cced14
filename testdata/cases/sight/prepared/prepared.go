// Package prepared prepares statements through an interface of its own.
package prepared

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type preparer interface {
	PrepareStatement(ctx context.Context, query string, paramTypes map[string]bigtable.SQLType, opts ...bigtable.PrepareOption) (*bigtable.PreparedStatement, error)
}

func tokens(ctx context.Context, db preparer) error {
	_, err := db.PrepareStatement(ctx, "SELECT _key, token['sub'] AS sub FROM `sessions`", nil) // want `sql: .*`
	return err
}

func okProfiles(ctx context.Context, db preparer) error {
	_, err := db.PrepareStatement(ctx, "SELECT _key, profile['name'] AS name FROM `sessions`", nil)
	return err
}

// Another method of that name prepares something else.
type other interface {
	PrepareStatement(ctx context.Context, query string) error
}

func okOther(ctx context.Context, db other) error {
	return db.PrepareStatement(ctx, "SELECT _key, token['sub'] AS sub FROM `sessions`")
}
