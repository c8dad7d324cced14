// Command api serves HTTP.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"os/signal"
	"syscall"
	"time"

	"example.com/chirpnest/internal/config"
	"example.com/chirpnest/internal/container"
	"example.com/chirpnest/internal/dto"
	"example.com/chirpnest/internal/middleware"
	"example.com/chirpnest/internal/utils/result"
)

func reply[T any](w http.ResponseWriter, r result.Result[T]) {
	v, err := r.Unpack()
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

func body[T any](r *http.Request, limit int64) (T, error) {
	var v T
	err := json.NewDecoder(http.MaxBytesReader(nil, r.Body, limit)).Decode(&v)
	return v, err
}

func routes(c *container.Container) http.Handler {
	mux := http.NewServeMux()
	private := middleware.Chain(middleware.Auth(c.Auth.Resolve), middleware.Limit(c.Limits.Allow))

	mux.HandleFunc("POST /login", func(w http.ResponseWriter, r *http.Request) {
		in, err := body[dto.CreateSessionInput](r, c.Config.HTTP.BodyLimit)
		if err != nil {
			http.Error(w, "bad body", http.StatusBadRequest)
			return
		}
		in.UserAgent = r.UserAgent()
		reply(w, c.Auth.Login(r.Context(), in))
	})
	mux.Handle("GET /inbox", private(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reply(w, result.From(c.Notify.Page(r.Context(), middleware.UserID(r.Context()), r.URL.Query().Get("after"))))
	})))
	mux.Handle("GET /feed", private(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reply(w, result.From(c.Posts.Feed(r.Context(), middleware.UserID(r.Context()))))
	})))
	mux.Handle("POST /posts", private(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		in, err := body[dto.CreatePostInput](r, c.Config.HTTP.BodyLimit)
		if err != nil {
			http.Error(w, "bad body", http.StatusBadRequest)
			return
		}
		in.AuthorID = middleware.UserID(r.Context())
		reply(w, c.Posts.Create(r.Context(), in))
	})))
	mux.Handle("POST /ping", private(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := c.Presence.Ping(r.Context(), middleware.UserID(r.Context()), r.UserAgent()); err != nil {
			http.Error(w, "try again", http.StatusServiceUnavailable)
		}
	})))
	return middleware.Chain(middleware.Recover(c.Log), middleware.Timing(c.Log))(mux)
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	cfg, err := config.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	c, err := container.New(ctx, cfg)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	srv := &http.Server{Addr: cfg.HTTP.Addr, Handler: routes(c), ReadTimeout: cfg.HTTP.ReadTimeout, WriteTimeout: cfg.HTTP.WriteTimeout}
	go func() {
		<-ctx.Done()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = srv.Shutdown(ctx)
	}()
	if err := srv.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
}
