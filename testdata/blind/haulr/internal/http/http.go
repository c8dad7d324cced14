// Package http serves the API.
package http

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"haulr.dev/backend/internal/feature"
	"haulr.dev/backend/internal/service"
	"haulr.dev/backend/internal/store"
)

// Limiter says whether a subject may go on.
type Limiter interface {
	HitCell(ctx context.Context, subject, request string) (int, error)
	Blocked(ctx context.Context, subject string) (bool, error)
}

// Responses keeps what requests were answered with.
type Responses interface {
	BeginNow(ctx context.Context, idem string) (bool, error)
	Finish(ctx context.Context, idem string, r store.Response) error
	LookupLive(ctx context.Context, idem string) (*store.Response, error)
}

// Server is the API.
type Server struct {
	Auth     *service.Auth
	Chat     *service.Chat
	Receipts *service.Receipts
	Dispatch *service.Dispatch
	Stores   *store.Stores
	Flags    *feature.Set
	Limiter  Limiter
	Idem     Responses
	Log      *slog.Logger
}

type ctxKey int

const userKey ctxKey = 1

func user(ctx context.Context) string {
	u, _ := ctx.Value(userKey).(string)
	return u
}

// Handler returns the routes.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "ok\n") })
	mux.HandleFunc("POST /v1/login/start", s.loginStart)
	mux.HandleFunc("POST /v1/login/finish", s.loginFinish)
	mux.Handle("POST /v1/logout", s.authed(s.logout))
	mux.Handle("GET /v1/settings", s.authed(s.getSettings))
	mux.Handle("PUT /v1/settings", s.authed(s.putSettings))
	mux.Handle("GET /v1/chats/{chat}", s.authed(s.history))
	mux.Handle("POST /v1/chats/{chat}", s.authed(s.idempotent(s.send)))
	mux.Handle("PUT /v1/chats/{chat}/draft", s.authed(s.draft))
	mux.Handle("PUT /v1/chats/{chat}/read/{seq}", s.authed(s.markRead))
	mux.Handle("PUT /v1/drivers/me/position", s.authed(s.ping))
	mux.Handle("GET /v1/drivers/{id}/track", s.authed(s.track))
	mux.Handle("POST /v1/orders", s.authed(s.idempotent(s.order)))
	mux.Handle("GET /v1/orders/{id}", s.authed(s.getOrder))
	mux.Handle("GET /v1/cart", s.authed(s.cart))
	mux.Handle("POST /v1/cart/{sku}", s.authed(s.addToCart))
	return s.limited(mux)
}

func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	code := http.StatusInternalServerError
	switch {
	case errors.Is(err, store.ErrNotFound):
		code = http.StatusNotFound
	case errors.Is(err, store.ErrConflict):
		code = http.StatusConflict
	case errors.Is(err, service.ErrDenied):
		code = http.StatusForbidden
	case errors.Is(err, context.DeadlineExceeded):
		code = http.StatusGatewayTimeout
	}
	if code >= 500 {
		s.Log.Error("request", "path", r.URL.Path, "err", err)
	}
	http.Error(w, http.StatusText(code), code)
}

func respond(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

func decode[T any](r *http.Request) (T, error) {
	var v T
	err := json.NewDecoder(http.MaxBytesReader(nil, r.Body, 1<<20)).Decode(&v)
	return v, err
}

// authed checks the session's token.
func (s *Server) authed(next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tok, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		parts := strings.SplitN(tok, ".", 3)
		if len(parts) != 3 {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		sess, err := s.Stores.Sessions.Get(r.Context(), parts[0], parts[1])
		if err != nil || sess.Token != parts[2] {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		if time.Until(sess.ExpiresAt) < 5*time.Minute { // ok ttlage/not-write-time
			if err := s.Auth.Keep(r.Context(), parts[0], parts[1], parts[2]); err != nil {
				s.Log.Warn("keep", "err", err)
			}
		}
		next(w, r.WithContext(context.WithValue(r.Context(), userKey, parts[0])))
	})
}

func (s *Server) limited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.Limiter == nil {
			next.ServeHTTP(w, r)
			return
		}
		subject, _, _ := strings.Cut(r.RemoteAddr, ":")
		if blocked, err := s.Limiter.Blocked(r.Context(), subject); err == nil && blocked {
			http.Error(w, "later", http.StatusTooManyRequests)
			return
		}
		n, err := s.Limiter.HitCell(r.Context(), subject, r.Header.Get("X-Request-Id"))
		if err == nil && n > 600 {
			http.Error(w, "later", http.StatusTooManyRequests)
			return
		}
		next.ServeHTTP(w, r)
	})
}

type recorder struct {
	http.ResponseWriter
	code int
	body []byte
}

func (r *recorder) WriteHeader(code int) { r.code = code; r.ResponseWriter.WriteHeader(code) }

func (r *recorder) Write(b []byte) (int, error) {
	r.body = append(r.body, b...)
	return r.ResponseWriter.Write(b)
}

// idempotent answers the same request with the same response.
func (s *Server) idempotent(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		idem := r.Header.Get("Idempotency-Key")
		if idem == "" || s.Idem == nil {
			next(w, r)
			return
		}
		idem = user(r.Context()) + "#" + idem
		if old, err := s.Idem.LookupLive(r.Context(), idem); err == nil && old.Status != 0 {
			w.WriteHeader(old.Status)
			w.Write(old.Body)
			return
		}
		first, err := s.Idem.BeginNow(r.Context(), idem)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		if !first {
			s.fail(w, r, store.ErrConflict)
			return
		}
		rec := &recorder{ResponseWriter: w, code: http.StatusOK}
		next(rec, r)
		if err := s.Idem.Finish(r.Context(), idem, store.Response{Status: rec.code, Body: rec.body}); err != nil {
			s.Log.Warn("idempotency", "err", err)
		}
	}
}

func (s *Server) loginStart(w http.ResponseWriter, r *http.Request) {
	req, err := decode[struct{ User, Channel string }](r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if err := s.Auth.Start(r.Context(), req.User, store.Channel(req.Channel)); err != nil {
		s.fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

func (s *Server) loginFinish(w http.ResponseWriter, r *http.Request) {
	req, err := decode[struct{ User, Code, Device string }](r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	sess, err := s.Auth.Finish(r.Context(), req.User, req.Code, req.Device)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	respond(w, map[string]any{
		"token":      sess.UserID + "." + sess.ID + "." + sess.Token,
		"refresh":    sess.Refresh,
		"expires_in": int(service.TokenLife().Seconds()),
	})
}

func (s *Server) logout(w http.ResponseWriter, r *http.Request) {
	n, err := s.Auth.LogoutAll(r.Context(), user(r.Context()))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	respond(w, map[string]int{"sessions": n})
}

func (s *Server) getSettings(w http.ResponseWriter, r *http.Request) {
	get := s.Stores.Settings.Effective
	if s.Flags.On("settings-fast", user(r.Context())) {
		get = s.Stores.Settings.EffectiveFast
	}
	kv, err := get(r.Context(), user(r.Context()))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	respond(w, kv)
}

func (s *Server) putSettings(w http.ResponseWriter, r *http.Request) {
	kv, err := decode[map[string]string](r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if err := s.Stores.Settings.Put(r.Context(), user(r.Context()), kv); err != nil {
		s.fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *Server) history(w http.ResponseWriter, r *http.Request) {
	n, _ := strconv.Atoi(r.URL.Query().Get("n"))
	ms, err := s.Chat.History(r.Context(), r.PathValue("chat"), n)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	respond(w, ms)
}

func (s *Server) send(w http.ResponseWriter, r *http.Request) {
	req, err := decode[struct{ Text string }](r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	seq, err := s.Chat.Send(r.Context(), r.PathValue("chat"), user(r.Context()), req.Text)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	respond(w, map[string]int64{"seq": seq})
}

func (s *Server) draft(w http.ResponseWriter, r *http.Request) {
	b, err := io.ReadAll(io.LimitReader(r.Body, 1<<16))
	if err == nil {
		err = s.Chat.Type(r.Context(), store.Draft{Chat: r.PathValue("chat"), User: user(r.Context()), Text: string(b)})
	}
	if err != nil {
		s.fail(w, r, err)
	}
}

func (s *Server) markRead(w http.ResponseWriter, r *http.Request) {
	chat, u := r.PathValue("chat"), user(r.Context())
	var err error
	if seq, perr := strconv.ParseInt(r.PathValue("seq"), 10, 64); perr == nil {
		err = s.Receipts.Mark(r.Context(), chat, u, seq)
	} else {
		err = s.Receipts.MarkAll(r.Context(), chat, u)
	}
	if err != nil {
		s.fail(w, r, err)
	}
}

func (s *Server) ping(w http.ResponseWriter, r *http.Request) {
	p, err := decode[store.Position](r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	p.Driver, p.At = user(r.Context()), time.Now()
	if err := s.Dispatch.Ping(r.Context(), p); err != nil {
		s.fail(w, r, err)
	}
}

func (s *Server) track(w http.ResponseWriter, r *http.Request) {
	ps, err := s.Stores.Drivers.TrackOpen(r.Context(), r.PathValue("id"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	respond(w, ps)
}

func (s *Server) order(w http.ResponseWriter, r *http.Request) {
	req, err := decode[struct{ Quote, Driver string }](r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	id, err := s.Dispatch.Place(r.Context(), req.Quote, req.Driver)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	respond(w, map[string]string{"order": id})
}

func (s *Server) getOrder(w http.ResponseWriter, r *http.Request) {
	state, evs, err := s.Stores.Orders.Load(r.Context(), r.PathValue("id"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	respond(w, map[string]any{"state": json.RawMessage(state), "events": evs})
}

func (s *Server) cart(w http.ResponseWriter, r *http.Request) {
	lines, err := s.Stores.Carts.Lines(r.Context(), user(r.Context()))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	respond(w, lines)
}

func (s *Server) addToCart(w http.ResponseWriter, r *http.Request) {
	u := user(r.Context())
	add := s.Stores.Carts.Add
	if strings.HasPrefix(u, "guest") {
		add = s.Stores.Carts.AddGuest
	}
	if err := add(r.Context(), u, r.PathValue("sku"), 1); err != nil {
		s.fail(w, r, err)
	}
}
