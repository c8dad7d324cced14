// Package gateway is the HTTP side.
package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/arena/internal/board"
	"example.com/arena/internal/chat"
	"example.com/arena/internal/conf"
	"example.com/arena/internal/feed"
	"example.com/arena/internal/inventory"
	"example.com/arena/internal/match"
	"example.com/arena/internal/presence"
	"example.com/arena/internal/schema"
	"example.com/arena/internal/session"
	"example.com/arena/internal/stamp"
	"example.com/arena/internal/telemetry"
)

type playerKey struct{}

// playerOf is the player that the middleware found.
func playerOf(ctx context.Context) string {
	p, _ := ctx.Value(playerKey{}).(string)
	return p
}

// Deps is what the gateway stands on.
type Deps struct {
	Client    *bigtable.Client
	Sessions  *session.Manager
	Presence  *presence.Tracker
	Match     *match.Maker
	Boards    map[string]*board.Board
	Inventory *inventory.Store
	Chat      *chat.Hub
	Feed      *feed.Feed
	Registry  *telemetry.Registry
	Log       *slog.Logger
	Conf      conf.Config
}

// Gateway serves the game's API.
type Gateway struct {
	Deps
	mux      *http.ServeMux
	requests *telemetry.Counter
	times    *telemetry.Timer
}

type handler func(ctx context.Context, w http.ResponseWriter, r *http.Request) error

// New returns a gateway on d.
func New(d Deps) *Gateway {
	g := &Gateway{Deps: d, mux: http.NewServeMux(), requests: d.Registry.Counter("http.requests"), times: d.Registry.Timer("http")}
	for pattern, h := range map[string]handler{
		"POST /login":            g.login,
		"POST /trial":            g.trial,
		"POST /logout":           g.logout,
		"POST /beat":             g.beat,
		"POST /queue":            g.queue,
		"DELETE /queue":          g.unqueue,
		"POST /score/{board}":    g.score,
		"GET /top/{board}":       g.top,
		"GET /bag":               g.bag,
		"POST /say/{room}":       g.say,
		"GET /history/{room}":    g.history,
		"GET /feed":              g.feed,
		"GET /me":                g.me,
		"GET /admin/{player}":    g.inspect,
		"POST /admin/{player}":   g.moderate,
		"GET /admin/ticket/{id}": g.ticket,
	} {
		g.mux.HandleFunc(pattern, g.wrap(h))
	}
	g.mux.Handle("GET /timers", d.Registry)
	g.mux.HandleFunc("GET /healthz", g.healthz)
	return g
}

// ServeHTTP implements http.Handler.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) { g.mux.ServeHTTP(w, r) }

func (g *Gateway) wrap(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		defer g.times.Since(start)
		g.requests.Inc()
		ctx := stamp.WithNow(r.Context(), start)
		if p := r.Header.Get("X-Player"); p != "" {
			ctx = context.WithValue(ctx, playerKey{}, p)
		}
		err := h(ctx, w, r)
		switch {
		case err == nil:
		case errors.Is(err, session.ErrNoSession):
			http.Error(w, "log in first", http.StatusUnauthorized)
		case errors.Is(err, match.ErrNoTicket), errors.Is(err, board.ErrUnknown):
			http.Error(w, "not found", http.StatusNotFound)
		case errors.Is(err, errBad):
			http.Error(w, err.Error(), http.StatusBadRequest)
		default:
			g.Log.ErrorContext(ctx, "request", "path", r.URL.Path, "err", err)
			http.Error(w, "internal error", http.StatusInternalServerError)
		}
	}
}

var errBad = errors.New("bad request")

func decode(r *http.Request, v any) error {
	if err := json.NewDecoder(io.LimitReader(r.Body, 1<<16)).Decode(v); err != nil {
		return fmt.Errorf("%w: %v", errBad, err)
	}
	return nil
}

func reply(w http.ResponseWriter, v any) error {
	w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(v)
}

func (g *Gateway) healthz(w http.ResponseWriter, r *http.Request) {
	_, err := g.Client.Open(schema.TableSessions).ReadRow(r.Context(), "healthz", bigtable.RowFilter(bigtable.FamilyFilter(schema.FamProfile))) // ok ttlread/missing-filter
	if err != nil {
		http.Error(w, "store", http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok")
}

func (g *Gateway) login(ctx context.Context, w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Player string    `json:"player"`
		Secret string    `json:"secret"`
		Device string    `json:"device"`
		Locale string    `json:"locale"`
		Until  time.Time `json:"until"`
	}
	if err := decode(r, &in); err != nil {
		return err
	}
	if err := g.Sessions.Login(ctx, in.Player, []byte(in.Secret)); err != nil {
		return err
	}
	if in.Device != "" {
		if err := g.Sessions.RememberDevice(ctx, in.Player, in.Device); err != nil {
			g.Log.WarnContext(ctx, "device", "err", err)
		}
	}
	if !in.Until.IsZero() {
		if err := g.Sessions.Grant(ctx, in.Player, "asked", in.Until); err != nil { // ok ttlwrite/write-time
			return err
		}
	}
	if err := g.Sessions.Grant(ctx, in.Player, "fresh", time.Now()); err != nil { // want ttlwrite/write-time
		return err
	}
	return g.Sessions.Grant(ctx, in.Player, "login", time.Now().Add(schema.TokenTTL)) // ok ttlwrite/write-time
}

func (g *Gateway) trial(ctx context.Context, w http.ResponseWriter, r *http.Request) error {
	player := playerOf(ctx)
	if err := g.Sessions.GrantFor(ctx, player, "trial", 7*24*time.Hour); err != nil { // ok ttlwrite/write-time
		return err
	}
	if err := g.Sessions.Grant(ctx, player, "open", time.Time{}); err != nil { // want ttlwrite/already-expired
		return err
	}
	return g.Inventory.EnchantFor(ctx, player, "trial", 7*24*time.Hour)
}

func (g *Gateway) logout(ctx context.Context, _ http.ResponseWriter, _ *http.Request) error {
	return g.Sessions.Logout(ctx, playerOf(ctx))
}

func (g *Gateway) beat(ctx context.Context, _ http.ResponseWriter, r *http.Request) error {
	kind := presence.Beat
	if r.URL.Query().Has("away") {
		kind = presence.Away
	}
	return g.Presence.Report(ctx, presence.Event{Kind: kind, Player: playerOf(ctx), Node: r.Header.Get("X-Node"), At: time.Now()})
}

func (g *Gateway) queue(ctx context.Context, _ http.ResponseWriter, r *http.Request) error {
	t := match.Ticket{Player: playerOf(ctx)}
	if err := decode(r, &t); err != nil {
		return err
	}
	return g.Match.Enqueue(ctx, t)
}

func (g *Gateway) unqueue(ctx context.Context, _ http.ResponseWriter, _ *http.Request) error {
	return g.Match.Cancel(ctx, playerOf(ctx))
}

func (g *Gateway) board(r *http.Request) (*board.Board, error) {
	b, ok := g.Boards[r.PathValue("board")]
	if !ok {
		return nil, board.ErrUnknown
	}
	return b, nil
}

func (g *Gateway) score(ctx context.Context, w http.ResponseWriter, r *http.Request) error {
	b, err := g.board(r)
	if err != nil {
		return err
	}
	points, err := strconv.ParseInt(r.FormValue("points"), 10, 64)
	if err != nil {
		return fmt.Errorf("%w: points: %v", errBad, err)
	}
	if late := r.FormValue("late"); late != "" {
		return b.SubmitLate(ctx, playerOf(ctx), points)
	}
	return b.Submit(ctx, playerOf(ctx), points)
}

func (g *Gateway) top(ctx context.Context, w http.ResponseWriter, r *http.Request) error {
	b, err := g.board(r)
	if err != nil {
		return err
	}
	var out []board.Entry
	for e, err := range b.Top(ctx, 100) {
		if err != nil {
			return err
		}
		out = append(out, e)
	}
	return reply(w, out)
}

func (g *Gateway) bag(ctx context.Context, w http.ResponseWriter, _ *http.Request) error {
	items, err := g.Inventory.Load(ctx, playerOf(ctx))
	if err != nil {
		return err
	}
	return reply(w, items)
}

func (g *Gateway) say(ctx context.Context, _ http.ResponseWriter, r *http.Request) error {
	m := chat.Message{From: playerOf(ctx), Room: r.PathValue("room")}
	if err := decode(r, &m); err != nil {
		return err
	}
	room := g.Chat.Room(m.Room)
	if err := room.Muted(ctx, m.From); err != nil {
		return err
	}
	m.ID = strconv.FormatInt(1<<62-time.Now().UnixNano(), 36)
	if m.Keep > 0 {
		return room.Whisper(ctx, m)
	}
	return room.Say(ctx, m)
}

func (g *Gateway) history(ctx context.Context, w http.ResponseWriter, r *http.Request) error {
	var out []chat.Message
	for m, err := range g.Chat.Room(r.PathValue("room")).History(ctx) {
		if err != nil {
			return err
		}
		if out = append(out, m); len(out) == 200 {
			break
		}
	}
	return reply(w, out)
}

func (g *Gateway) feed(ctx context.Context, w http.ResponseWriter, _ *http.Request) error {
	out, err := g.Feed.Build(ctx, playerOf(ctx))
	if err != nil {
		g.Log.WarnContext(ctx, "feed", "err", err)
	}
	return reply(w, out)
}

func (g *Gateway) me(ctx context.Context, w http.ResponseWriter, _ *http.Request) error {
	info, err := g.Sessions.Describe(ctx, playerOf(ctx))
	if err != nil {
		return err
	}
	return reply(w, info)
}

// inspect shows a player's raw cells to a moderator.
func (g *Gateway) inspect(ctx context.Context, w http.ResponseWriter, r *http.Request) error {
	player := r.PathValue("player")
	tables := []struct {
		name   string
		filter bigtable.Filter
	}{
		{schema.TableSessions, bigtable.InterleaveFilters(stamp.Family("token|resume", stamp.Live()), bigtable.FamilyFilter(schema.FamProfile))}, // ok ttlread/missing-filter
		{schema.TablePresence, stamp.Family(schema.FamBeat, stamp.Live())},                                                                       // ok ttlread/missing-filter
		{schema.TableChat, stamp.Family(schema.FamMsg, stamp.Live())},                                                                            // want ttlread/wrong-bound[inspect]
	}
	out := map[string]bigtable.Row{}
	for _, t := range tables {
		row, err := g.Client.Open(t.name).ReadRow(ctx, player, bigtable.RowFilter(t.filter)) // want ttlread/wrong-bound[inspect]
		if err != nil {
			return err
		}
		out[t.name] = row
	}
	return reply(w, out)
}

// moderate does what a moderator asks.
func (g *Gateway) moderate(ctx context.Context, w http.ResponseWriter, r *http.Request) error {
	player := r.PathValue("player")
	actions := map[string]func() error{
		"kick": func() error { return g.Sessions.Kick(ctx, player) },
		"ban":  func() error { return g.Sessions.Ban(ctx, player, r.FormValue("why")) },
		"vip": func() error {
			tbl := g.Client.Open(schema.TableSessions)
			mut := bigtable.NewMutation()
			mut.Set(schema.FamToken, "vip", bigtable.ServerTime, []byte{1})   // want ttlwrite/server-timestamp
			mut.Set(schema.FamProfile, "vip", bigtable.ServerTime, []byte{1}) // ok ttlwrite/server-timestamp
			return tbl.Apply(ctx, "p#"+player, mut)
		},
		"hide": func() error {
			tbl := g.Client.Open(schema.TablePresence)
			mut := bigtable.NewMutation()
			var ts bigtable.Timestamp
			if g.Conf.Season == 0 { // before the first season nobody comes back
				// hidden until the season starts
				ts = bigtable.Time(time.Now().AddDate(50, 0, 0))
			} else {
				ts = bigtable.Now()
			}
			mut.Set(schema.FamBeat, "hidden", ts, []byte{1}) // want ttlwrite/write-time
			mut.Set(schema.FamSeen, "hidden", ts, []byte{1}) // ok ttlwrite/write-time
			return tbl.Apply(ctx, player, mut)
		},
		"mute": func() error {
			return g.Chat.Room("lobby").Mute(ctx, player, time.Now().Add(time.Hour)) // ok ttlwrite/write-time
		},
		"hush": func() error {
			return g.Chat.Room("lobby").Mute(ctx, player, time.Now()) // want ttlwrite/write-time
		},
	}
	do, ok := actions[strings.ToLower(r.FormValue("do"))]
	if !ok {
		return fmt.Errorf("%w: do", errBad)
	}
	return do()
}

// ticket shows one ticket to a moderator.
func (g *Gateway) ticket(ctx context.Context, w http.ResponseWriter, r *http.Request) error {
	row, err := g.Client.Open(schema.TableTickets).ReadRow(ctx, r.PathValue("id")) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	type cell struct {
		Column  string
		Value   string
		Created string
		Number  int64
	}
	var out []cell
	for _, it := range row[schema.FamTicket] {
		out = append(out, cell{Column: it.Column, Value: string(it.Value), Created: it.Timestamp.Time().Format(time.RFC3339)}) // want ttlage/not-write-time
	}
	for _, it := range row[schema.FamState] {
		out = append(out, cell{Column: it.Column, Value: string(it.Value), Number: int64(it.Timestamp / 1000)}) // ok ttlage/not-write-time
	}
	return reply(w, out)
}
