// Command brightpost is the whole company in one binary.
package main

import (
	"context"
	"expvar"
	"flag"
	"log"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"time"

	"brightpost.example/monolith/adserve"
	"brightpost.example/monolith/billing"
	"brightpost.example/monolith/bt"
	"brightpost.example/monolith/campaign"
	"brightpost.example/monolith/clicktrack"
	"brightpost.example/monolith/conf"
	"brightpost.example/monolith/mailer"
	"brightpost.example/monolith/newsletter"
	"brightpost.example/monolith/schema"

	"cloud.google.com/go/bigtable"
)

var (
	ensure  = flag.String("ensure", "", "create the schema: v1, v2, v3 (do not ask)")
	workers = flag.Int("workers", conf.Workers, "mail workers")
	verbose = flag.Bool("v", false, "log more")
	reqs    = expvar.NewInt("requests")
)

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := bt.Init(ctx, conf.Project, conf.Instance); err != nil {
		log.Fatal(err)
	}
	if *ensure != "" {
		ac, err := bigtable.NewAdminClient(ctx, conf.Project, conf.Instance)
		if err != nil {
			log.Fatal(err)
		}
		switch *ensure {
		case "v1":
			err = schema.EnsureV1(ctx, ac, flag.Arg(0), conf.DryRun)
		case "v2":
			err = schema.EnsureV2(ctx, ac)
		case "v3":
			err = schema.EnsureV3(ctx, ac)
		}
		if err != nil {
			log.Fatal(err)
		}
		return
	}
	c := bt.Client
	campaign.Setup(c)
	ads := adserve.NewServer(c)
	pacer := adserve.NewPacer(c)
	nl := newsletter.New(c, "https://news.brightpost.example")
	tr := clicktrack.New(c)
	ml := mailer.New(c)
	ml.Run(ctx, *workers, true, *verbose)

	mux := http.NewServeMux()
	mux.Handle("/ad", count(ads))
	mux.HandleFunc("/pace", pacer.Handler)
	mux.HandleFunc("/subscribe", nl.Subscribe)
	mux.HandleFunc("/confirm", nl.Confirm)
	mux.HandleFunc("/open", nl.Opened)
	mux.HandleFunc("/status", nl.Status)
	mux.HandleFunc("/campaign", campaign.Handler)
	mux.HandleFunc("/billing", billing.Handler(c))
	mux.Handle("/click", count(tr))
	mux.HandleFunc("/health", health)
	go beat(ctx, ml)
	srv := &http.Server{Addr: conf.Listen, Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() {
		<-ctx.Done()
		_ = srv.Shutdown(context.Background())
	}()
	if err := srv.ListenAndServe(); err != nil && err != http.ErrServerClosed {
		log.Fatal(err)
	}
}

func count(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reqs.Add(1)
		h.ServeHTTP(w, r)
	})
}

func beat(ctx context.Context, ml *mailer.Mailer) {
	t := time.NewTicker(30 * time.Second)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			if err := ml.Beat(ctx, "main", map[string]string{"v": "1"}); err != nil {
				log.Print(err)
			}
		}
	}
}

// health reads and writes a little.
func health(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	host, _ := os.Hostname()
	var bad []string
	if err := bt.Put(ctx, conf.TblSends, "health#"+host, conf.FamJob, "ping", []byte("1")); err != nil { // want ttlwrite/write-time
		bad = append(bad, err.Error())
	}
	if err := bt.Put(ctx, conf.TblSends, "health#"+host, conf.FamLog, "ping", []byte("1")); err != nil { // ok ttlwrite/write-time
		bad = append(bad, err.Error())
	}
	if _, err := bt.Get(ctx, conf.TblSends, "health#"+host, conf.FamJob); err != nil { // want ttlread/missing-filter
		bad = append(bad, err.Error())
	}
	if _, err := bt.GetLive(ctx, conf.TblSends, "health#"+host, conf.FamJob); err != nil { // ok ttlread/missing-filter
		bad = append(bad, err.Error())
	}
	if err := bt.PutTTL(ctx, conf.TblSends, "health#"+host, conf.FamJob, "ping", nil, 10*time.Second); err != nil { // ok ttlwrite/write-time
		bad = append(bad, err.Error())
	}
	if len(bad) > 0 {
		http.Error(w, strings.Join(bad, "\n"), http.StatusServiceUnavailable)
	}
}
