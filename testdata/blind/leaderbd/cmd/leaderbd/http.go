package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"studio.example/leaderbd/internal/board"
	"studio.example/leaderbd/internal/feed"
	"studio.example/leaderbd/internal/guard"
	"studio.example/leaderbd/internal/kit"
	"studio.example/leaderbd/internal/match"
	"studio.example/leaderbd/internal/players"
	"studio.example/leaderbd/internal/vault"
)

// none is the body of requests that have none.
type none struct{}

// handler is a typed endpoint.
type handler[In, Out any] func(ctx context.Context, r *http.Request, in In) (Out, error)

// handle adapts a typed endpoint.
func handle[In, Out any](a *app, h handler[In, Out]) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), a.cfg.Timeout)
		defer cancel()
		var in In
		if r.ContentLength != 0 {
			if err := json.NewDecoder(io.LimitReader(r.Body, 1<<20)).Decode(&in); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
		}
		out, err := h(ctx, r, in)
		if err != nil {
			a.fail(w, r, err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(out); err != nil {
			a.log.Warn("encode", "path", r.URL.Path, "err", err)
		}
	})
}

// statuses maps errors to HTTP.
var statuses = []struct {
	err  error
	code int
}{
	{kit.ErrNotFound, http.StatusNotFound},
	{errReplay, http.StatusConflict},
	{context.DeadlineExceeded, http.StatusGatewayTimeout},
}

func (a *app) fail(w http.ResponseWriter, r *http.Request, err error) {
	code := http.StatusInternalServerError
	if i := slices.IndexFunc(statuses, func(s struct {
		err  error
		code int
	}) bool {
		return errors.Is(err, s.err)
	}); i >= 0 {
		code = statuses[i].code
	}
	kit.Metrics.Inc("http." + strconv.Itoa(code))
	a.log.Warn("request", "path", r.URL.Path, "code", code, "err", err)
	http.Error(w, http.StatusText(code), code)
}

// logged logs requests.
func logged(log *slog.Logger, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t := time.Now()
		h.ServeHTTP(w, r)
		log.Debug("request", "method", r.Method, "path", r.URL.Path, "took", time.Since(t))
	})
}

func (a *app) later(f func(context.Context) error) {
	select {
	case a.bg <- f:
	default:
		kit.Metrics.Inc("bg.dropped")
	}
}

func (a *app) routes() http.Handler {
	mux := http.NewServeMux()
	for pattern, h := range maps.All(map[string]http.Handler{
		"POST /players/{player}/login":    handle(a, a.login),
		"POST /players/{player}/touch":    handle(a, a.touch),
		"POST /players/{player}/remember": handle(a, a.remember),
		"POST /players/{player}/guest":    handle(a, a.guest),
		"POST /players/{player}/pin":      handle(a, a.pin),
		"POST /players/{player}/coins":    a.nonces.guarded(handle(a, a.coins)),
		"POST /players/{player}/nonce":    handle(a, a.nonce),
		"PUT /players/{player}/name":      handle(a, a.rename),
		"DELETE /players/{player}/login":  handle(a, a.logout),
		"GET /players/{player}":           handle(a, a.player),
		"GET /players/{player}/support":   handle(a, a.support),
		"POST /friends":                   handle(a, a.friends),
		"POST /match/tickets":             handle(a, a.enqueue),
		"DELETE /match/tickets":           handle(a, a.cancel),
		"GET /match/{region}/{mode}":      handle(a, a.lobby),
		"POST /match/{region}/{mode}":     handle(a, a.pair),
		"GET /rooms/{room}":               handle(a, a.room),
		"GET /rooms":                      handle(a, a.rooms),
		"POST /boards/{board}/scores":     handle(a, a.submit),
		"POST /boards/{board}/match":      handle(a, a.submitAll),
		"GET /boards/{board}":             handle(a, a.top),
		"GET /boards/{board}/{player}":    handle(a, a.standing),
		"POST /boards/{board}/admin":      handle(a, a.boardAdmin),
		"POST /vault/{player}/claim":      handle(a, a.claim),
		"GET /vault/{player}/claims":      handle(a, a.claims),
		"POST /vault/{player}/items":      a.nonces.guarded(handle(a, a.items)),
		"GET /vault/{player}/revisions":   handle(a, a.revisions),
		"GET /shop":                       handle(a, a.shop),
		"POST /shop":                      handle(a, a.stock),
		"POST /locks/{name}":              handle(a, a.lock),
		"POST /guard/flags":               handle(a, a.flag),
		"GET /guard/{player}":             handle(a, a.caseOf),
		"POST /guard/{player}/hold":       handle(a, a.hold),
		"POST /guard/{player}/samples":    handle(a, a.samples),
		"GET /events/{region}":            handle(a, a.events),
		"POST /events/{region}/{kind}":    handle(a, a.publish),
		"GET /metrics":                    handle(a, a.metrics),
	}) {
		mux.Handle(pattern, h)
	}
	return logged(a.log, mux)
}

func (a *app) metrics(context.Context, *http.Request, none) (map[string]int64, error) {
	return kit.Metrics.Snapshot(), nil
}

type loginRequest struct {
	Session players.Session `json:"session"`
	Device  players.Device  `json:"device"`
}

func (a *app) login(ctx context.Context, r *http.Request, in loginRequest) (players.Profile, error) {
	player := r.PathValue("player")
	if held, err := a.guard.IsHeld(ctx, player); err != nil || held {
		return players.Profile{}, errors.Join(err, fmt.Errorf("held: %v", held))
	}
	if err := a.players.Login(ctx, player, in.Session, in.Device); err != nil {
		return players.Profile{}, err
	}
	a.later(func(ctx context.Context) error {
		return errors.Join(a.players.Track(ctx, player, in.Session), a.players.CountRequest(ctx, player, "login"))
	})
	if err := a.players.Named(ctx, player, player); err != nil {
		return players.Profile{}, err
	}
	return a.players.Profile(ctx, player)
}

func (a *app) touch(ctx context.Context, r *http.Request, in players.Session) (bool, error) {
	player := r.PathValue("player")
	cur, err := a.players.Current(ctx, player)
	if err != nil {
		return false, err
	}
	if ses, ok := cur.Get(); !ok || ses.Token != in.Token {
		return false, kit.ErrNotFound
	}
	return true, a.players.Touch(ctx, player, in.Token)
}

type rememberRequest struct {
	Token string    `json:"token"`
	Until time.Time `json:"until"`
	Swap  bool      `json:"swap"`
}

func (a *app) remember(ctx context.Context, r *http.Request, in rememberRequest) (bool, error) {
	player := r.PathValue("player")
	switch {
	case in.Swap:
		return true, a.players.Swap(ctx, player, in.Token)
	case !in.Until.IsZero():
		return true, a.players.Extend(ctx, player, in.Token, in.Until)
	}
	return true, a.players.Remember(ctx, player, in.Token)
}

type guestRequest struct {
	Profile kit.Option[players.Profile] `json:"-"`
	Name    string                      `json:"name"`
	Device  bool                        `json:"device"`
	Drop    bool                        `json:"drop"`
}

func (a *app) guest(ctx context.Context, r *http.Request, in guestRequest) (bool, error) {
	id := r.PathValue("player")
	p := players.Profile{Name: in.Name}
	switch {
	case in.Drop:
		return false, a.players.DropGuest(ctx, id)
	case in.Name == "":
		return true, a.players.Guest(ctx, id)
	case in.Device:
		return a.players.AdoptDevice(ctx, id, p)
	default:
		return a.players.Adopt(ctx, id, p)
	}
}

func (a *app) pin(ctx context.Context, r *http.Request, in string) (bool, error) {
	player := r.PathValue("player")
	old, err := a.players.PIN(ctx, player)
	if err != nil {
		return false, err
	}
	if old == in {
		return false, nil
	}
	return true, a.players.SetPIN(ctx, player, in)
}

type coinsRequest struct {
	N   int64  `json:"n"`
	Why string `json:"why"`
	Set bool   `json:"set"`
}

func (a *app) coins(ctx context.Context, r *http.Request, in coinsRequest) (bool, error) {
	player := r.PathValue("player")
	switch {
	case in.Set:
		return true, a.players.SetCoins(ctx, player, in.N)
	case in.N < 0:
		return true, a.players.Spend(ctx, player, -in.N)
	default:
		return true, a.players.Grant(ctx, player, in.N, in.Why)
	}
}

func (a *app) nonce(ctx context.Context, r *http.Request, _ none) (string, error) {
	return a.nonces.issue(ctx, r.PathValue("player"))
}

func (a *app) rename(ctx context.Context, r *http.Request, in string) (bool, error) {
	return true, a.players.Rename(ctx, r.PathValue("player"), func(p *players.Profile) { p.Name = in })
}

func (a *app) logout(ctx context.Context, r *http.Request, _ none) (bool, error) {
	return true, a.players.Revoke(ctx, r.PathValue("player"))
}

func (a *app) player(ctx context.Context, r *http.Request, _ none) (players.Summary, error) {
	return a.players.Summarize(ctx, r.PathValue("player"))
}

func (a *app) support(ctx context.Context, r *http.Request, _ none) (map[string]any, error) {
	player := r.PathValue("player")
	out := map[string]any{}
	var errs []error
	put := func(name string, v any, err error) {
		out[name] = v
		errs = append(errs, err)
	}
	audit, err := a.players.Audit(ctx, player)
	put("audit", audit, err)
	tokens, err := a.players.Tokens(ctx, player)
	put("tokens", tokens, err)
	card, err := a.players.Card(ctx, player)
	put("card", card, err)
	online, err := a.players.Online(ctx, player)
	put("online", online, err)
	now, err := a.players.OnlineNow(ctx, player)
	put("now", now, err)
	dev, err := a.players.DeviceOf(ctx, player)
	put("device", dev.Or(players.Device{}), err)
	soon, err := a.players.ExpiringSoon(ctx, player, time.Minute)
	put("soon", soon, err)
	stale, err := a.players.Stale(ctx, player)
	put("stale", stale, err)
	logins, err := a.players.Tracked(ctx, player)
	put("logins", logins, err)
	return out, errors.Join(errs...)
}

func (a *app) friends(ctx context.Context, _ *http.Request, ids []string) ([]players.Summary, error) {
	if len(ids) > 100 {
		return nil, errors.New("too many friends")
	}
	return a.players.Friends(ctx, ids)
}

func (a *app) enqueue(ctx context.Context, _ *http.Request, t match.Ticket) (bool, error) {
	if held, err := a.guard.IsHeldNow(ctx, t.Player); err != nil || held {
		return false, err
	}
	if queued, err := a.match.Queued(ctx, t); err != nil || queued {
		return false, err
	}
	return true, a.match.Enqueue(ctx, t)
}

func (a *app) cancel(ctx context.Context, _ *http.Request, t match.Ticket) (bool, error) {
	return true, a.match.Cancel(ctx, t)
}

func (a *app) lobby(ctx context.Context, r *http.Request, _ none) ([]match.Ticket, error) {
	region, mode := r.PathValue("region"), r.PathValue("mode")
	switch r.FormValue("view") {
	case "fast":
		return kit.Collect(a.match.WaitingFast(ctx, region))
	case "all":
		return kit.Collect(a.match.WaitingAll(ctx, 1000))
	case "long":
		return kit.Collect(a.match.WaitingLong(ctx, region))
	case "expired":
		return a.match.Expired(ctx, region)
	case "closing":
		return kit.Collect(a.match.Closing(ctx, region))
	case "sane":
		return kit.Collect(a.match.Sane(ctx, region))
	case "first":
		t, err := a.match.First(ctx, region)
		return []match.Ticket{t.Or(match.Ticket{})}, err
	case "first-of-mode":
		t, err := a.match.FirstOf(ctx, region, mode)
		return []match.Ticket{t.Or(match.Ticket{})}, err
	}
	return kit.Collect(a.match.Waiting(ctx, region, mode))
}

func (a *app) pair(ctx context.Context, r *http.Request, m match.Mode) ([]match.Room, error) {
	groups, err := a.match.Pair(ctx, r.PathValue("region"), m)
	if err != nil {
		return nil, err
	}
	var rooms []match.Room
	for _, g := range groups {
		room, err := a.match.OpenRoom(ctx, "server-1", m, g)
		if err != nil {
			return rooms, errors.Join(err, a.match.Requeue(ctx, g...))
		}
		if ok, err := a.match.ClaimLive(ctx, room.ID, room.Server); err != nil || !ok {
			return rooms, err
		}
		rooms = append(rooms, room)
	}
	n, err := a.match.Depth(ctx, r.PathValue("region"))
	a.log.Info("paired", "rooms", len(rooms), "depth", n)
	return rooms, err
}

func (a *app) room(ctx context.Context, r *http.Request, _ none) (any, error) {
	id := r.PathValue("room")
	reads := map[string]func(context.Context, string) (kit.Option[match.Room], error){
		"":       a.match.Room,
		"join":   a.match.RoomOf,
		"link":   a.match.RoomSince,
		"cached": a.match.RoomCached,
	}
	views := map[string]func(context.Context, string) (map[string]string, error){
		"overview": a.match.Overview,
		"debug":    a.match.Debug,
		"marked":   a.match.Marked,
		"meta":     a.match.MarkedMeta,
	}
	view := r.FormValue("view")
	if f, ok := views[view]; ok {
		return f(ctx, "room#"+id)
	}
	f, ok := reads[view]
	if !ok {
		return nil, kit.ErrNotFound
	}
	room, err := f(ctx, id)
	if err != nil {
		return nil, err
	}
	a.later(func(ctx context.Context) error { return a.match.Players(ctx, id, 1) })
	return room.Or(match.Room{}), nil
}

func (a *app) rooms(ctx context.Context, _ *http.Request, _ none) (any, error) {
	rooms, err := a.match.Rooms(ctx)
	if err != nil {
		return nil, err
	}
	opened, err := a.match.Opened(ctx)
	if err != nil {
		return nil, err
	}
	type line struct {
		match.RoomInfo
		OpenedAgo time.Duration
	}
	var out []line
	for _, r := range rooms {
		out = append(out, line{r, opened["room#"+r.ID]})
	}
	return out, nil
}

func (a *app) submit(ctx context.Context, r *http.Request, e board.Entry) (bool, error) {
	e.Board = r.PathValue("board")
	ways := map[string]func(context.Context, board.Entry) error{
		"":       a.boards.Submit,
		"local":  a.boards.SubmitLocal,
		"turn":   a.boards.SubmitTurn,
		"first":  a.boards.FirstScore,
		"double": a.boards.Double,
	}
	f, ok := ways[r.FormValue("how")]
	if !ok {
		return false, kit.ErrNotFound
	}
	a.later(func(ctx context.Context) error { return a.boards.CountGames(ctx, e.Board, e.Player) })
	a.later(func(ctx context.Context) error { return a.boards.History(ctx, e.Player, e) })
	return true, f(ctx, e)
}

func (a *app) submitAll(ctx context.Context, r *http.Request, es []board.Entry) (bool, error) {
	b := r.PathValue("board")
	return true, errors.Join(
		a.boards.SubmitAll(ctx, b, es),
		a.boards.Replay(ctx, b, es),
		a.boards.Archive(ctx, b, es),
		a.boards.Totals(ctx, b, int64(len(es)), 1),
	)
}

func (a *app) top(ctx context.Context, r *http.Request, _ none) ([]board.Standing, error) {
	b, mode := r.PathValue("board"), r.FormValue("mode")
	switch r.FormValue("view") {
	case "history":
		return a.boards.TopHistory(ctx, b, 100)
	case "day":
		return a.boards.TopSince(ctx, b, 24*time.Hour, 100)
	case "mode":
		return a.boards.TopOf(ctx, b, mode, 100)
	case "exact":
		return a.boards.TopExact(ctx, b, mode, 100)
	}
	return a.boards.Top(ctx, b, 100)
}

func (a *app) standing(ctx context.Context, r *http.Request, _ none) (any, error) {
	b, p := r.PathValue("board"), r.PathValue("player")
	switch r.FormValue("view") {
	case "all":
		return a.boards.Player(ctx, b, p)
	case "family":
		return a.boards.PlayerFamily(ctx, b, p)
	case "fresh":
		return a.boards.Freshness(ctx, b, p)
	case "archive":
		return a.boards.Archived(ctx, b, 30*24*time.Hour)
	case "turn":
		n, err := strconv.ParseInt(r.FormValue("n"), 10, 64)
		if err != nil {
			return nil, err
		}
		return a.boards.Turn(ctx, b, p, n)
	}
	return a.boards.PlayerLatest(ctx, b, p)
}

type adminRequest struct {
	Do     string       `json:"do"`
	Player string       `json:"player"`
	To     string       `json:"to"`
	Text   string       `json:"text"`
	Entry  board.Entry  `json:"entry"`
	Season board.Season `json:"season"`
}

func (a *app) boardAdmin(ctx context.Context, r *http.Request, in adminRequest) (any, error) {
	b := r.PathValue("board")
	switch in.Do {
	case "reset":
		return true, a.boards.Reset(ctx, b, in.Player)
	case "merge":
		return true, a.boards.Merge(ctx, b, in.Player, in.To)
	case "correct":
		return true, a.boards.Correct(ctx, in.Entry, time.Now())
	case "describe":
		return true, a.boards.Describe(ctx, b, in.Text)
	case "season":
		return true, a.boards.SetSeason(ctx, in.Season)
	}
	text, err := a.boards.Description(ctx, b)
	if err != nil {
		return nil, err
	}
	age, err := a.boards.Described(ctx, b)
	if err != nil {
		return nil, err
	}
	season, err := a.boards.Season(ctx)
	return map[string]any{"text": text, "age": age, "season": season}, err
}

type claimRequest struct {
	Kind   string       `json:"kind"`
	Streak int          `json:"streak"`
	Reward vault.Reward `json:"reward"`
}

func (a *app) claim(ctx context.Context, r *http.Request, in claimRequest) (vault.Reward, error) {
	player := r.PathValue("player")
	switch in.Kind {
	case "":
		if _, err := a.vault.Streak(ctx, player); err != nil {
			return vault.Reward{}, err
		}
		return a.vault.ClaimDaily(ctx, player, in.Streak)
	case "bonus":
		return a.vault.Bonus(ctx, player)
	}
	had, err := a.vault.HasClaimed(ctx, player, in.Kind)
	if err != nil || had {
		return vault.Reward{}, err
	}
	return in.Reward, a.vault.Claim(ctx, player, in.Kind, in.Reward)
}

func (a *app) claims(ctx context.Context, r *http.Request, _ none) (any, error) {
	player := r.PathValue("player")
	switch r.FormValue("view") {
	case "today":
		return a.vault.ClaimsToday(ctx, player)
	case "night":
		return a.vault.ClaimedBetween(ctx, player)
	case "forgotten":
		return a.vault.Forgotten(ctx, player)
	case "purge":
		return true, a.vault.Purge(ctx, player)
	}
	return a.vault.Claims(ctx, player)
}

type itemsRequest struct {
	Do      string         `json:"do"`
	Changes []vault.Change `json:"changes"`
	Gift    string         `json:"gift"`
}

func (a *app) items(ctx context.Context, r *http.Request, in itemsRequest) (vault.Inventory, error) {
	player := r.PathValue("player")
	if in.Gift != "" {
		return vault.Inventory{}, a.vault.Gift(ctx, player, in.Gift, 1)
	}
	if in.Do == "seed" {
		return vault.Inventory{}, a.vault.Seed(ctx, []string{player}, map[string]int{"sword": 1})
	}
	return a.vault.Do(ctx, player, in.Do, in.Changes...)
}

func (a *app) revisions(ctx context.Context, r *http.Request, _ none) (any, error) {
	player := r.PathValue("player")
	switch r.FormValue("view") {
	case "all":
		return kit.Collect(a.vault.RevisionsAll(ctx, player))
	case "day":
		return a.vault.Since(ctx, player, 24*time.Hour)
	case "between":
		return a.vault.Between(ctx, player, 1, 10)
	}
	return kit.Collect(a.vault.Revisions(ctx, player))
}

func (a *app) shop(ctx context.Context, r *http.Request, _ none) ([]vault.Offer, error) {
	if sku := r.FormValue("sku"); sku != "" {
		o, err := a.vault.OfferOf(ctx, sku)
		return []vault.Offer{o}, err
	}
	return a.vault.Offers(ctx)
}

func (a *app) stock(ctx context.Context, _ *http.Request, in map[string]vault.Offer) (int, error) {
	return len(in), a.vault.Stock(ctx, in)
}

type lockRequest struct {
	Owner string `json:"owner"`
	Do    string `json:"do"`
}

func (a *app) lock(ctx context.Context, r *http.Request, in lockRequest) (any, error) {
	name := r.PathValue("name")
	switch in.Do {
	case "steal":
		return a.vault.Steal(ctx, name, in.Owner)
	case "unlock":
		return true, a.vault.Unlock(ctx, name, in.Owner)
	case "renew":
		return true, errors.Join(a.vault.Renew(ctx, name, in.Owner), a.vault.Renewals(ctx, name))
	case "list":
		return a.vault.Locks(ctx, name)
	}
	return a.vault.TryLock(ctx, name, in.Owner, 10*time.Second)
}

func (a *app) flag(ctx context.Context, _ *http.Request, in []guard.Flag) (int, error) {
	if len(in) == 1 {
		return 1, errors.Join(a.guard.Flag(ctx, in[0]), a.guard.Score(ctx, in[0].Player, in[0].Rule, 1))
	}
	err := a.guard.FlagAll(ctx, func(yield func(guard.Flag, error) bool) {
		for _, f := range in {
			if !yield(f, nil) {
				return
			}
		}
	})
	return len(in), err
}

func (a *app) caseOf(ctx context.Context, r *http.Request, _ none) (any, error) {
	player := r.PathValue("player")
	switch r.FormValue("view") {
	case "fast":
		return a.guard.CaseFast(ctx, player)
	case "recent":
		return a.guard.Recent(ctx, player)
	case "standing":
		return a.guard.Standing(ctx, player)
	case "reviewed":
		return a.guard.Reviewed(ctx, player)
	case "rules":
		return a.guard.Rules(ctx, player)
	case "samples":
		return a.guard.Samples(ctx, player)
	case "samples-of":
		return a.guard.SamplesOf(ctx, player)
	case "evidence":
		return a.guard.Evidence(ctx, player)
	case "report":
		return a.guard.Report(ctx)
	case "held":
		why, err := a.guard.Held(ctx, player)
		return why.Or("not held"), err
	}
	return a.guard.Case(ctx, player)
}

type holdRequest struct {
	Do     string `json:"do"`
	Reason string `json:"reason"`
	By     string `json:"by"`
}

func (a *app) hold(ctx context.Context, r *http.Request, in holdRequest) (any, error) {
	player := r.PathValue("player")
	switch in.Do {
	case "escalate":
		return true, a.guard.Escalate(ctx, player)
	case "pardon":
		return true, a.guard.Pardon(ctx, player, in.By)
	case "release":
		return a.guard.Release(ctx, player, in.By)
	}
	return true, a.guard.Hold(ctx, player, in.Reason)
}

func (a *app) samples(ctx context.Context, r *http.Request, in []guard.Sample) (int, error) {
	player := r.PathValue("player")
	for _, x := range in {
		if err := a.guard.Tally(ctx, player, x.Rule, int64(x.Value)); err != nil {
			return 0, err
		}
	}
	return len(in), a.guard.Sampled(ctx, player, in)
}

func (a *app) events(ctx context.Context, r *http.Request, _ none) (any, error) {
	f, ok := a.feeds[r.PathValue("region")]
	if !ok {
		return nil, kit.ErrNotFound
	}
	type body = json.RawMessage
	switch r.FormValue("view") {
	case "all":
		return kit.Collect(feed.All[body](ctx, f))
	case "today":
		return kit.Collect(feed.Today[body](ctx, f))
	case "both":
		return kit.Collect(feed.Both[body](ctx, f))
	case "after":
		n, err := f.Cursor(ctx, r.FormValue("reader"))
		if err != nil {
			return nil, err
		}
		return kit.Collect(feed.After[body](ctx, f, n))
	case "holder":
		who, err := f.Holder(ctx)
		now, left, err2 := f.HolderNow(ctx)
		return map[string]any{"who": who, "now": now, "left": left}, errors.Join(err, err2)
	case "missed":
		return f.Missed(ctx)
	case "soon":
		return f.Soon(ctx)
	case "lag":
		return f.Lag(ctx)
	}
	return kit.Collect(feed.Latest[body](ctx, f))
}

func (a *app) publish(ctx context.Context, r *http.Request, in []json.RawMessage) (int64, error) {
	f, ok := a.feeds[r.PathValue("region")]
	if !ok {
		return 0, kit.ErrNotFound
	}
	kind := r.PathValue("kind")
	if len(in) != 1 {
		return 0, feed.PublishAll(ctx, f, kind, in)
	}
	n, err := feed.Publish(ctx, f, kind, in[0])
	if err != nil {
		return 0, err
	}
	return n, errors.Join(f.Advance(ctx, "leaderbd", n), f.Ack(ctx, kind))
}
