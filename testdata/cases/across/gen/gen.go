// Package gen stands for generated code that no tracing sees through: the
// registry says what it does.
package gen

import (
	"context"
	"reflect"

	"cloud.google.com/go/bigtable"
)

// A Client sends by reflection.
type Client struct{ target any }

// Put amounts to Mutation.Set into the table of sessions.
func (c *Client) Put(family, column string, ts bigtable.Timestamp, value []byte) {
	reflect.ValueOf(c.target).MethodByName("Set").Call([]reflect.Value{
		reflect.ValueOf(family), reflect.ValueOf(column), reflect.ValueOf(ts), reflect.ValueOf(value),
	})
}

// Other is not in the registry.
func (c *Client) Other(family, column string, ts bigtable.Timestamp, value []byte) {
	c.Put(family, column, ts, value)
}

// Scan amounts to Table.ReadRows of the table of codes.
func Scan(ctx context.Context, f bigtable.Filter, target any) {
	reflect.ValueOf(target).MethodByName("ReadRows").Call([]reflect.Value{
		reflect.ValueOf(ctx), reflect.ValueOf(bigtable.RowFilter(f)),
	})
}
