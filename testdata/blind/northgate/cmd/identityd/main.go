// Command identityd serves the identity API.
package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"flag"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/northgate/identity/internal/app"
	"github.com/northgate/identity/internal/server"
	"github.com/northgate/identity/internal/tokens"
)

// hs256 signs claims with a shared key.
type hs256 struct{ key []byte }

func (h hs256) Sign(_ context.Context, c tokens.Claims) ([]byte, error) {
	body, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	mac := hmac.New(sha256.New, h.key)
	mac.Write(body)
	enc := base64.RawURLEncoding
	return []byte(enc.EncodeToString(body) + "." + enc.EncodeToString(mac.Sum(nil))), nil
}

func main() {
	var cfg app.Config
	flag.StringVar(&cfg.Project, "project", os.Getenv("GOOGLE_CLOUD_PROJECT"), "project")
	flag.StringVar(&cfg.Instance, "instance", "identity", "instance")
	flag.DurationVar(&cfg.Slow, "slow", 50*time.Millisecond, "log calls that take longer")
	addr := flag.String("addr", ":8080", "address")
	flag.Parse()
	cfg.Node, _ = os.Hostname()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, cfg, *addr); err != nil {
		slog.Error("identityd", "err", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, cfg app.Config, addr string) error {
	api, cleanup, err := app.InjectAPI(ctx, cfg, hs256{[]byte(os.Getenv("SIGNING_KEY"))})
	if err != nil {
		return err
	}
	defer cleanup()
	mux := http.NewServeMux()
	mux.Handle("POST /v1/token", serve(api.Issue))
	mux.Handle("POST /v1/introspect", serve(api.Introspect))
	mux.Handle("POST /v1/revoke", serve(api.Revoke))
	mux.Handle("POST /v1/check", serve(api.Check))
	mux.Handle("POST /v1/grants", serve(api.PutGrant))
	srv := &http.Server{Addr: addr, Handler: mux, ReadHeaderTimeout: time.Second}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(srv.ListenAndServe)
	g.Go(func() error {
		<-ctx.Done()
		return srv.Shutdown(context.WithoutCancel(ctx))
	})
	return g.Wait()
}

// serve answers a handler's requests as JSON.
func serve[Req, Resp any](h server.Handler[*Req, Resp]) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		req := new(Req)
		if err := json.NewDecoder(r.Body).Decode(req); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		resp, err := h(r.Context(), req)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		_ = json.NewEncoder(w).Encode(resp)
	})
}
