// Harbord is the daemon.
package main

import (
	"context"
	"errors"
	"flag"
	"log"
	"net"
	"net/http"
	"os/signal"
	"syscall"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/harbor/ingest"
	"example.com/harbor/lease"
	"example.com/harbor/notify"
	"example.com/harbor/quote"
	"example.com/harbor/session"
	"example.com/harbor/settings"
)

func main() {
	var (
		project  = flag.String("project", "harbor", "project")
		instance = flag.String("instance", "main", "instance")
		addr     = flag.String("http", ":8080", "address")
		feed     = flag.String("feed", ":9090", "address of the feed")
		workers  = flag.Int("workers", 0, "workers")
		quiet    = flag.Bool("quiet", false, "say nothing")
	)
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	client, err := bigtable.NewClient(ctx, *project, *instance)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	settings.Setup(client)
	leases := lease.NewManager(client, "harbord", 0)
	defer leases.Close()
	if err := leases.Boot(ctx); err != nil {
		log.Printf("boot: %v", err)
	}
	go leases.Heartbeat(ctx, 10*time.Second)

	hub := notify.NewHub(client)
	hub.Start(ctx)
	defer hub.Stop()

	pipe := ingest.New(client, ingest.Config{Workers: *workers, Quiet: *quiet})
	go func() {
		if err := pipe.Run(ctx); err != nil && !errors.Is(err, context.Canceled) {
			log.Print(err)
		}
	}()
	ln, err := net.Listen("tcp", *feed)
	if err != nil {
		log.Fatal(err)
	}
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				if err := pipe.Feed(ctx, conn); err != nil {
					log.Print(err)
				}
			}()
		}
	}()

	sessions := session.New(client, session.WithCacheSize(5000))
	mux := http.NewServeMux()
	mux.Handle("/", quote.NewService(client).Handler())
	mux.HandleFunc("/me", func(w http.ResponseWriter, r *http.Request) {
		c, err := r.Cookie("harbor")
		if err != nil {
			http.Error(w, "login", http.StatusUnauthorized)
			return
		}
		s, err := sessions.Get(r.Context(), c.Value)
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		if settings.Get(r.Context(), "global", "touch", "on") == "on" {
			if err := sessions.Touch(r.Context(), c.Value, []byte(s.JWT), true); err != nil {
				log.Print(err)
			}
		}
		w.Write([]byte(s.JWT))
	})
	srv := &http.Server{Addr: *addr, Handler: mux}
	go func() {
		<-ctx.Done()
		sctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		srv.Shutdown(sctx)
		ln.Close()
	}()
	if err := srv.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
}
