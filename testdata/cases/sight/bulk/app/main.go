// Command app copies.
package main

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/bulk"
	"example.com/cases/sight/bulk/clocks"
)

func main() {
	ctx := context.Background()
	c, _ := bigtable.NewClient(ctx, "p", "i")
	_ = bulk.NewRunner(c, clocks.System{}).Report(ctx)
	_ = bulk.NewRunner(c, clocks.System{}).Both(ctx)
	_ = bulk.NewKeeper(c, clocks.System{}).Copy(ctx)
}
