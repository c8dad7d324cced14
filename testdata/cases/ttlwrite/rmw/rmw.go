// Package rmw uses read-modify-write, in which the server chooses the
// timestamp.
package rmw

import (
	"context"

	"cloud.google.com/go/bigtable"
)

func increment(ctx context.Context, client *bigtable.Client) (bigtable.Row, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment("token", "uses", 1) // want `read-modify-write: .*"token"`
	return client.Open("sessions").ApplyReadModifyWrite(ctx, "k", rmw)
}

func appendValue(ctx context.Context, client *bigtable.Client) (bigtable.Row, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue("token", "trail", []byte("x")) // want `read-modify-write: .*"token"`
	return client.Open("sessions").ApplyReadModifyWrite(ctx, "k", rmw)
}

func sequence(ctx context.Context, client *bigtable.Client) (bigtable.Row, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment("entry", "balance", 10) // want `read-modify-write: .*"entry"`
	return client.Open("bank-ledger").ApplyReadModifyWrite(ctx, "k", rmw)
}

func timestampZero(ctx context.Context, client *bigtable.Client) (bigtable.Row, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment("latest", "stock", -1) // want `read-modify-write: .*"latest"`
	return client.Open("catalog").ApplyReadModifyWrite(ctx, "k", rmw)
}

func okDefaultExpiration(ctx context.Context, client *bigtable.Client) (bigtable.Row, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment("event", "count", 1)
	return client.Open("clicks").ApplyReadModifyWrite(ctx, "k", rmw)
}

func okReal(ctx context.Context, client *bigtable.Client) (bigtable.Row, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment("profile", "logins", 1)
	return client.Open("sessions").ApplyReadModifyWrite(ctx, "k", rmw)
}

// The same family name in a table that nobody registered.
func okUnregisteredTable(ctx context.Context, client *bigtable.Client) (bigtable.Row, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment("token", "uses", 1)
	return client.Open("plain").ApplyReadModifyWrite(ctx, "k", rmw)
}

func mixed(rmw *bigtable.ReadModifyWrite) {
	rmw.Increment("profile", "logins", 1)
	rmw.Increment("token", "uses", 1) // want `read-modify-write: .*"token"`
}

func bump(rmw *bigtable.ReadModifyWrite, family, column string) {
	rmw.Increment(family, column, 1)
}

func viaHelper(rmw *bigtable.ReadModifyWrite) {
	bump(rmw, "profile", "logins")
	bump(rmw, "token", "uses") // want `read-modify-write: .*"token"`
}

type counter struct {
	tbl    *bigtable.Table
	family string
}

func newCounter(client *bigtable.Client) *counter {
	return &counter{tbl: client.Open("metrics"), family: "sample"}
}

func (c *counter) okField(ctx context.Context) (bigtable.Row, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(c.family, "n", 1)
	return c.tbl.ApplyReadModifyWrite(ctx, "k", rmw)
}

// incrementer is what a test double implements.
type incrementer interface {
	Increment(family, column string, delta int64)
}

func okUnrelatedInterface(i incrementer) {
	i.Increment("profile", "n", 1)
}
