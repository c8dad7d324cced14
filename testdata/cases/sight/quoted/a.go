// Package quoted has statements with column families in backquotes.
package quoted

import (
	"context"

	"cloud.google.com/go/bigtable"
)

func prepare(ctx context.Context, c *bigtable.Client) (list []*bigtable.PreparedStatement, err error) {
	add := func(ps *bigtable.PreparedStatement, more error) {
		list = append(list, ps)
		if more != nil {
			err = more
		}
	}
	add(c.PrepareStatement(ctx, "SELECT _key, `ticket` FROM `tickets`", nil))  // want `sql: .*"ticket"`
	add(c.PrepareStatement(ctx, "SELECT `ticket`['owner'] FROM tickets", nil)) // want `sql: .*"ticket"`
	add(c.PrepareStatement(ctx, "SELECT `profile`['owner'] FROM sessions", nil))
	add(c.PrepareStatement(ctx, "SELECT `ticket` FROM tickets(with_history => TRUE, after_or_equal => CURRENT_TIMESTAMP())", nil))
	return list, err
}
