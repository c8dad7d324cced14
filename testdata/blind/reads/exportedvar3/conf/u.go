package conf

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// Open makes the package reach Bigtable.
func Open(ctx context.Context, p, i string) (*bigtable.Client, error) {
	return bigtable.NewClient(ctx, p, i)
}
