package ttl_test

import (
	"context"
	"fmt"

	"cloud.google.com/go/bigtable"
	"github.com/ttlvet/ttlvet/runtime/ttl"
)

// Each setting has one value.
var (
	Setting  = ttl.Zero("setting")
	Settings = ttl.NewTable("settings", Setting)
)

// A table of settings. It had real timestamps before, and needs no migration of
// its data: a write replaces what is there, whatever its timestamp.
func Example_settings() {
	ctx := context.Background()
	client, admin, stop := connect(ctx)
	defer stop()
	must(Settings.Ensure(ctx, admin))
	tbl := client.Open(Settings.Name())

	old := bigtable.NewMutation()
	old.Set("setting", "theme", bigtable.Now(), []byte("dark"))
	old.Set("setting", "language", bigtable.Now(), []byte("en"))
	must(tbl.Apply(ctx, "ada", old))

	mut := bigtable.NewMutation()
	must(Setting.Set(mut, "theme", []byte("light")))
	must(tbl.Apply(ctx, "ada", mut))

	row, err := tbl.ReadRow(ctx, "ada", Settings.Live())
	must(err)
	fmt.Println(values(row))
	// Output: setting:language=en setting:theme=light
}
