// Command ledgerd is the inventory ledger.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"

	"example.com/corebase/cmd/ledgerd/ledger"
	"example.com/corebase/pkg/btstore"
)

func main() {
	var (
		project  = flag.String("project", "", "project")
		instance = flag.String("instance", "inventory", "instance")
		site     = flag.String("site", "basel", "warehouse")
		setup    = flag.Bool("setup", false, "create tables and exit")
	)
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	store, err := btstore.Dial(ctx, *project, *instance, nil)
	if err != nil {
		fatal(err)
	}
	defer store.Close()
	if *setup {
		if err := ledger.Setup(ctx, store, *site); err != nil {
			fatal(err)
		}
		return
	}
	l := ledger.Open(store, *site, slog.Default())
	if err := serve(ctx, l, os.Stdin, os.Stdout); err != nil {
		fatal(err)
	}
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, "ledgerd:", err)
	os.Exit(1)
}

type request struct {
	Op      string       `json:"op"`
	Account string       `json:"account"`
	By      string       `json:"by"`
	Entry   ledger.Entry `json:"entry"`
	Hold    ledger.Hold  `json:"hold"`
}

// serve reads requests a line, as the warehouse's message broker sends them.
func serve(ctx context.Context, l *ledger.Ledger, in io.Reader, out io.Writer) error {
	sc := bufio.NewScanner(in)
	enc := json.NewEncoder(out)
	for sc.Scan() {
		var req request
		if err := json.Unmarshal(sc.Bytes(), &req); err != nil {
			slog.Warn("bad request", "err", err)
			continue
		}
		res, err := handle(ctx, l, req)
		if err != nil {
			res = map[string]string{"error": err.Error()}
		}
		if err := enc.Encode(res); err != nil {
			return err
		}
	}
	return sc.Err()
}

func handle(ctx context.Context, l *ledger.Ledger, req request) (any, error) {
	switch req.Op {
	case "post":
		return l.Post(ctx, req.Entry, req.By)
	case "head":
		return l.Head(ctx, req.Account)
	case "latest":
		return l.Latest(ctx, req.Account)
	case "history":
		return l.History(ctx, req.Account)
	case "hold":
		return nil, l.Hold(ctx, req.Hold)
	case "renew":
		return nil, l.Renew(ctx, req.Hold)
	case "release":
		return nil, l.Release(ctx, req.Hold)
	case "holds":
		return l.Holds(ctx, req.Account)
	}
	return nil, fmt.Errorf("unknown operation %q", req.Op)
}
