// Package kit has the tables of commands.
package kit

import "cloud.google.com/go/bigtable"

type Env struct{ History, Cache, Metrics *bigtable.Table }

func Dial(c *bigtable.Client) *Env {
	return &Env{History: c.Open("history"), Cache: c.Open("cache"), Metrics: c.Open("metrics")}
}

// Main runs a command.
func Main(c *bigtable.Client, f func(e *Env, args []string) error) error { return f(Dial(c), nil) }
