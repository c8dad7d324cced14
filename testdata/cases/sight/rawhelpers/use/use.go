// Package use sends raw messages.
package use

import (
	"context"
	"time"

	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"

	"example.com/cases/sight/rawhelpers/msg"
)

type client struct {
	c  btpb.BigtableClient
	in msg.Instance
}

func (c *client) token(ctx context.Context, key string) error {
	_, err := c.c.MutateRow(ctx, msg.Row(c.in.Table("sessions"), key,
		msg.Cell("token", "jwt", -1, nil), // want `server-timestamp: .*"token"`
		msg.Cell("profile", "name", time.Now().UnixMicro(), nil),
	))
	return err
}

func (c *client) body(ctx context.Context, key string) error {
	_, err := c.c.MutateRow(ctx, msg.Row(c.in.Table("history"), key,
		msg.Cell("val", "v", time.Now().UnixMicro(), nil), // want `clock-in-sequence: .*"val" of table "history"`
		msg.Cell("val", "n", 7000, nil),
	))
	return err
}

func (c *client) read(ctx context.Context, key string) (btpb.Bigtable_ReadRowsClient, error) {
	return c.c.ReadRows(ctx, msg.Read(c.in.Table("otp"), key)) // want `missing-filter: .*"code"`
}

func (c *client) readOther(ctx context.Context, key string) (btpb.Bigtable_ReadRowsClient, error) {
	return c.c.ReadRows(ctx, msg.Read(c.in.Table("unregistered"), key))
}
