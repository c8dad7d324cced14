// Command fleetd serves the fleet's API.
package main

import (
	"context"
	"flag"
	"net/http"
	"os"
	"os/signal"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/fleetio/internal/command"
	"example.com/fleetio/internal/config"
	"example.com/fleetio/internal/firmware"
	"example.com/fleetio/internal/gateway"
	"example.com/fleetio/internal/geofence"
	"example.com/fleetio/internal/heartbeat"
	"example.com/fleetio/internal/keys"
	"example.com/fleetio/internal/logx"
	"example.com/fleetio/internal/metrics"
	"example.com/fleetio/internal/session"
	"example.com/fleetio/internal/shadow"
)

func main() {
	path := flag.String("config", "", "settings")
	flag.Parse()
	if err := run(*path); err != nil {
		println(err.Error())
		os.Exit(1)
	}
}

func run(path string) error {
	cfg, err := config.Load(path)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	log, met := logx.New("fleetd", cfg.Debug), metrics.New()
	c, err := bigtable.NewClient(ctx, cfg.Project, cfg.Instance)
	if err != nil {
		return err
	}
	defer c.Close()
	s := &gateway.Stores{
		Beats:    heartbeat.New(c, time.Duration(cfg.BeatTTL), cfg.BatchSize, met, log),
		Shadows:  shadow.Open(c, log),
		Queue:    command.NewQueue(c, log, met),
		Depot:    firmware.NewDepot(c, log),
		Fences:   geofence.Open(c, log),
		Sessions: session.Open(c),
		State:    c.Open(keys.TableDeviceState),
	}
	go s.Beats.Flusher(ctx, time.Second)
	srv := &http.Server{Addr: cfg.Listen, Handler: gateway.New(s, log), ReadHeaderTimeout: 5 * time.Second} // want ttlread/missing-filter[device]
	go func() {
		<-ctx.Done()
		srv.Shutdown(context.Background())
	}()
	return srv.ListenAndServe()
}
