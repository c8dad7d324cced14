// Command ops has the tools of the people on duty.
package main

import (
	"context"
	"fmt"
	"os"

	"cloud.google.com/go/bigtable"

	"example.com/saga/clock"
	"example.com/saga/config"
	"example.com/saga/ops"
)

func main() {
	ctx := context.Background()
	conf, err := config.FromEnv()
	if err == nil {
		err = run(ctx, conf)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "ops:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, conf config.Config) error {
	client, err := bigtable.NewClient(ctx, conf.Project, conf.Instance)
	if err != nil {
		return err
	}
	defer client.Close()
	ac, err := bigtable.NewAdminClient(ctx, conf.Project, conf.Instance)
	if err != nil {
		return err
	}
	defer ac.Close()
	return ops.Main(ctx, &ops.App{Client: client, Admin: ac, Conf: conf, Clock: clock.System{}, Out: os.Stdout}, os.Args[1:])
}
