// Command guildd is the guild's server.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"log/slog"
	"net/http"
	"os"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/guild/chat"
	"example.com/guild/internal/kit"
	"example.com/guild/inventory"
	"example.com/guild/ladder"
	"example.com/guild/lobby"
	"example.com/guild/mail"
	"example.com/guild/mail/shim"
	"example.com/guild/match"
	"example.com/guild/presence"
	"example.com/guild/profile"
	"example.com/guild/session"
	"example.com/guild/telemetry"
)

// server holds the stores.
type server struct {
	client   *bigtable.Client
	sessions *session.Store
	presence *presence.Tracker
	lobbies  *lobby.Store
	matches  *match.Store
	mail     mail.Backend
	profiles *profile.Store
	ladder   *ladder.Ladder
	sink     *telemetry.Sink
	room     *chat.Room
}

// newServer connects the stores.
func newServer(client *bigtable.Client, season string, flags shim.Flags) *server {
	clock := kit.SystemClock{}
	return &server{
		client:   client,
		sessions: session.New(client, session.WithNow(clock.Now), session.WithTTL(session.DefaultTTL)),
		presence: presence.Open(client, clock),
		lobbies:  lobby.New(client, lobby.Options{Clock: clock}),
		matches:  match.New(client),
		mail:     shim.New(client, flags, clock),
		profiles: profile.New(client),
		ladder:   ladder.Open(client, season),
		sink:     telemetry.New(client),
		room:     chat.Enter(client, "lobby", chat.RoomOptions{Shard: "main"}),
	}
}

// routes returns the handlers.
func (s *server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/session/{player}", handle(func(r *http.Request) (any, error) {
		return s.sessions.GetLive(r.Context(), r.PathValue("player"))
	}))
	mux.HandleFunc("POST /v1/session/{player}/{device}", handle(func(r *http.Request) (any, error) {
		sess, err := s.sessions.Create(r.Context(), r.PathValue("player"), r.PathValue("device"), r.FormValue("jwt"))
		if err == nil {
			err = s.sink.Token(r.Context(), sess.Player, "created")
		}
		return sess, err
	}))
	mux.HandleFunc("GET /v1/where/{player}", handle(func(r *http.Request) (any, error) {
		return s.presence.Where(r.Context(), r.PathValue("player")).Get()
	}))
	mux.HandleFunc("GET /v1/profile/{player}", handle(func(r *http.Request) (any, error) {
		return s.profiles.Get(r.Context(), r.PathValue("player")).Get()
	}))
	mux.HandleFunc("GET /v1/mail/{player}", handle(func(r *http.Request) (any, error) {
		return s.mail.Inbox(r.Context(), r.PathValue("player"))
	}))
	mux.HandleFunc("GET /v1/bag/{player}", handle(func(r *http.Request) (any, error) {
		return inventory.ForShard(r.Context(), s.client).Get(r.Context(), r.PathValue("player"))
	}))
	mux.HandleFunc("GET /v1/match/{id}", handle(func(r *http.Request) (any, error) {
		return s.matches.Current(r.Context(), r.PathValue("id"))
	}))
	mux.HandleFunc("POST /v1/lobby/{id}/{player}", handle(func(r *http.Request) (any, error) {
		return s.lobbies.Ready(r.Context(), r.PathValue("id"), r.PathValue("player"))
	}))
	mux.HandleFunc("GET /v1/top", handle(func(r *http.Request) (any, error) {
		return s.ladder.Top(r.Context(), 100)
	}))
	mux.HandleFunc("POST /v1/chat/{player}", handle(func(r *http.Request) (any, error) {
		return s.room.Say(r.Context(), r.PathValue("player"), r.FormValue("text"))
	}))
	return mux
}

// handle writes what f returns as JSON.
func handle(f func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r = r.WithContext(kit.WithShard(r.Context(), r.Header.Get("Guild-Shard")))
		v, err := f(r)
		switch {
		case errors.Is(err, kit.ErrNotFound), errors.Is(err, session.ErrNoSession):
			http.Error(w, err.Error(), http.StatusNotFound)
		case errors.Is(err, kit.ErrConflict):
			http.Error(w, err.Error(), http.StatusConflict)
		case err != nil:
			slog.Error("request failed", "path", r.URL.Path, "err", err)
			http.Error(w, "internal error", http.StatusInternalServerError)
		default:
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(v)
		}
	}
}

func main() {
	addr := flag.String("addr", ":8080", "address to listen on")
	project := flag.String("project", "guild-prod", "project")
	instance := flag.String("instance", "main", "instance")
	season := flag.String("season", "s12", "season of the ladder")
	mode := flag.Int("mail-mode", int(shim.DualWriteReadNew), "how far the migration of mail is")
	flag.Parse()

	client, err := bigtable.NewClient(context.Background(), *project, *instance)
	if err != nil {
		slog.Error("no client", "err", err)
		os.Exit(1)
	}
	defer client.Close()
	srv := &http.Server{
		Addr:              *addr,
		Handler:           newServer(client, *season, shim.Flags{Mode: shim.Mode(*mode), ReadOld: true}).routes(),
		ReadHeaderTimeout: 10 * time.Second,
	}
	if err := srv.ListenAndServe(); err != nil {
		slog.Error("server ended", "err", err)
	}
}
