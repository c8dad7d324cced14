// Package undeclared reads tables whose names callers give, none of which the registry
// has, or one.
package undeclared

import (
	"context"

	"cloud.google.com/go/bigtable"
)

func okItems(ctx context.Context, client *bigtable.Client, name, key string) ([]bigtable.ReadItem, error) {
	row, err := client.Open(name).ReadRow(ctx, key)
	return row["token"], err
}

func through(ctx context.Context, client *bigtable.Client, name string) ([]bigtable.ReadItem, error) {
	return okItems(ctx, client, name, "k")
}

func okOthers(ctx context.Context, client *bigtable.Client) error {
	if _, err := okItems(ctx, client, "drafts", "k"); err != nil {
		return err
	}
	_, err := through(ctx, client, "archive")
	return err
}

func items(ctx context.Context, client *bigtable.Client, name, key string) ([]bigtable.ReadItem, error) {
	row, err := client.Open(name).ReadRow(ctx, key) // want `missing-filter: .*"token"`
	return row["token"], err
}

func one(ctx context.Context, client *bigtable.Client) error {
	if _, err := items(ctx, client, "drafts", "k"); err != nil {
		return err
	}
	_, err := items(ctx, client, "sessions", "k")
	return err
}

func unknown(ctx context.Context, client *bigtable.Client, key string) ([]bigtable.ReadItem, error) {
	row, err := client.Open(key).ReadRow(ctx, key) // want `missing-filter: .*"token" \(table not known\)`
	return row["token"], err
}

func hands(ctx context.Context, client *bigtable.Client, name string) error {
	if _, err := unknown(ctx, client, "drafts"); err != nil {
		return err
	}
	_, err := unknown(ctx, client, name)
	return err
}

var _ = []any{okOthers, one, hands}
