// Package httpapi is the checkout's HTTP interface.
package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"example.com/saga/bt"
	"example.com/saga/clock"
	"example.com/saga/domain/cart"
	"example.com/saga/domain/order"
	"example.com/saga/policy"
	"example.com/saga/saga"
	"example.com/saga/schema"
	"example.com/saga/vo"
)

// API has the handlers.
type API struct {
	Env      *saga.Env
	Sessions *Sessions
	Limiter  *Limiter
	Clock    clock.Clock
	Stats    *Stats
}

type handler func(w http.ResponseWriter, r *http.Request) error

type httpError struct {
	code int
	err  error
}

func (e httpError) Error() string { return e.err.Error() }
func (e httpError) Unwrap() error { return e.err }

func bad(err error) error { return httpError{http.StatusBadRequest, err} }

func statusOf(err error) int {
	var he httpError
	switch {
	case errors.As(err, &he):
		return he.code
	case errors.Is(err, bt.ErrNotFound):
		return http.StatusNotFound
	case errors.Is(err, bt.ErrConflict), errors.Is(err, order.ErrState):
		return http.StatusConflict
	case errors.Is(err, vo.ErrInvalid):
		return http.StatusUnprocessableEntity
	case errors.Is(err, context.DeadlineExceeded):
		return http.StatusGatewayTimeout
	}
	return http.StatusInternalServerError
}

// Routes are the routes of the API.
func (a *API) Routes() http.Handler {
	mux := http.NewServeMux()
	h := func(pattern string, f handler) { mux.Handle(pattern, a.wrap(pattern, f)) }
	h("GET /carts/{id}", a.getCart)
	h("PUT /carts/{id}/lines/{sku}", a.putLine)
	h("POST /carts/{id}/merge", a.mergeCart)
	h("DELETE /carts/{id}", a.clearCart)
	h("POST /orders", a.postOrder)
	h("GET /orders/{id}", a.getOrder)
	h("GET /orders/{id}/history", a.getHistory)
	h("POST /orders/{id}/address", a.moveOrder)
	h("GET /stock/{sku}", a.getStock)
	h("GET /debug/carts/{id}", a.debugCart)
	h("GET /debug/session", a.debugSession)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") })
	mux.Handle("GET /metrics", a.Stats)
	return recovered(logged(a.limited(a.idempotent(mux))))
}

func (a *API) wrap(name string, f handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		err := f(w, r)
		a.Stats.Observe(name, time.Since(began), err)
		if err == nil {
			return
		}
		code := statusOf(err)
		if code >= 500 {
			slog.Error("request", "route", name, "err", err)
		}
		reply(w, code, map[string]string{"error": err.Error()})
	})
}

func reply(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(v)
}

func decode[T any](r *http.Request) (T, error) {
	var v T
	d := json.NewDecoder(io.LimitReader(r.Body, 1<<20))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		return v, bad(err)
	}
	return v, nil
}

var cartLife = policy.Capped{Inner: policy.For(schema.CartTTL), Max: 6 * time.Hour}

func (a *API) getCart(w http.ResponseWriter, r *http.Request) error {
	id := vo.CartID(r.PathValue("id"))
	c, err := a.Env.Carts.Load(r.Context(), id, cartLife)
	if err != nil {
		return err
	}
	left, err := a.Env.Carts.Left(r.Context(), id)
	if err != nil {
		return err
	}
	hello, err := a.Env.Carts.Greeting(r.Context(), id)
	if err != nil {
		return err
	}
	reply(w, http.StatusOK, map[string]any{"lines": c.Lines, "seconds_left": int(left.Seconds()), "greeting": hello})
	return nil
}

func (a *API) putLine(w http.ResponseWriter, r *http.Request) error {
	s, err := vo.NewSKU(r.PathValue("sku"))
	if err != nil {
		return err
	}
	body, err := decode[struct {
		Qty  int    `json:"qty"`
		Gift string `json:"gift"`
		Wrap string `json:"wrap"`
	}](r)
	if err != nil {
		return err
	}
	id := vo.CartID(r.PathValue("id"))
	known, err := a.Env.Carts.Exists(r.Context(), id)
	if err != nil {
		return err
	}
	c := cart.New(a.Clock, id, cartLife) // ok ttlwrite/write-time
	if known {
		if c, err = a.Env.Carts.Load(r.Context(), id, cartLife); err != nil {
			return err
		}
	}
	if c.Lines[s] > 0 {
		err = c.Change(s, body.Qty)
	} else {
		err = c.Add(s, body.Qty)
	}
	if err != nil {
		return err
	}
	u := bt.Begin(a.Env.Retry)
	a.Env.Carts.Save(u, c)
	if body.Gift != "" {
		a.Env.Carts.Gift(u, id, s, body.Gift)
	}
	if body.Wrap != "" {
		a.Env.Carts.Wrap(u, id, s, body.Wrap)
	}
	if err := u.Commit(r.Context()); err != nil {
		return err
	}
	reply(w, http.StatusOK, map[string]any{"lines": c.Lines})
	return nil
}

func (a *API) mergeCart(w http.ResponseWriter, r *http.Request) error {
	body, err := decode[struct {
		Guest vo.CartID `json:"guest"`
	}](r)
	if err != nil {
		return err
	}
	u := bt.Begin(a.Env.Retry)
	if err := a.Env.Carts.Merge(r.Context(), u, body.Guest, vo.CartID(r.PathValue("id"))); err != nil {
		return err
	}
	if err := u.Commit(r.Context()); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (a *API) clearCart(w http.ResponseWriter, r *http.Request) error {
	u := bt.Begin(a.Env.Retry)
	id := vo.CartID(r.PathValue("id"))
	// A tombstone cart, so that the change stream sees it.
	gone := cart.New(a.Clock, id, policy.Instant{}) // want ttlwrite/write-time
	if err := gone.Add("TOMBSTONE", 1); err != nil {
		return err
	}
	a.Env.Carts.Reset(u, id, "by customer")
	a.Env.Carts.Save(u, gone)
	if err := u.Commit(r.Context()); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (a *API) postOrder(w http.ResponseWriter, r *http.Request) error {
	body, err := decode[struct {
		Cart   vo.CartID     `json:"cart"`
		Lines  []order.Line  `json:"lines"`
		Coupon vo.CouponCode `json:"coupon"`
	}](r)
	if err != nil {
		return err
	}
	if ok, err := a.Env.Carts.HasLines(r.Context(), body.Cart); err != nil || !ok {
		return errors.Join(err, bad(errors.New("the cart has run out")))
	}
	o, err := order.New(a.Clock, vo.OrderID(vo.NewID("ord")), body.Lines)
	if err != nil {
		return err
	}
	s := &saga.State{Cart: body.Cart, Order: o, Coupon: body.Coupon, Key: vo.IdemKey(r.Header.Get("Idempotency-Key"))}
	if err := saga.Run(r.Context(), a.Env, s, saga.Checkout); err != nil {
		return err
	}
	reply(w, http.StatusCreated, map[string]any{"id": o.ID, "total": o.Total, "carrier": s.Carrier})
	return nil
}

func (a *API) getOrder(w http.ResponseWriter, r *http.Request) error {
	id := vo.OrderID(r.PathValue("id"))
	o, err := a.Env.Orders.Load(r.Context(), id)
	if err != nil {
		return err
	}
	due, err := a.Env.Journal.Due(r.Context(), id)
	if err != nil && !errors.Is(err, bt.ErrNotFound) {
		return err
	}
	reply(w, http.StatusOK, map[string]any{"id": o.ID, "state": o.State(), "total": o.Total, "revision": o.Revision(), "due": due})
	return nil
}

func (a *API) getHistory(w http.ResponseWriter, r *http.Request) error {
	col := r.URL.Query().Get("column")
	if col == "" {
		col = "total"
	}
	h, err := a.Env.Orders.History(r.Context(), vo.OrderID(r.PathValue("id")), col)
	if err != nil {
		return err
	}
	reply(w, http.StatusOK, h)
	return nil
}

func (a *API) moveOrder(w http.ResponseWriter, r *http.Request) error {
	body, err := decode[struct {
		Address string `json:"address"`
	}](r)
	if err != nil {
		return err
	}
	o, err := a.Env.Orders.Load(r.Context(), vo.OrderID(r.PathValue("id")))
	if err != nil {
		return err
	}
	if err := o.Move(strings.TrimSpace(body.Address)); err != nil {
		return err
	}
	u := bt.Begin(a.Env.Retry)
	a.Env.Orders.Save(u, o)
	if err := u.Commit(r.Context()); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (a *API) getStock(w http.ResponseWriter, r *http.Request) error {
	s, err := vo.NewSKU(r.PathValue("sku"))
	if err != nil {
		return err
	}
	n, err := a.Env.Stock.Available(r.Context(), s)
	if err != nil {
		return err
	}
	res, err := a.Env.Stock.Reservations(r.Context(), s)
	if err != nil {
		return err
	}
	reply(w, http.StatusOK, map[string]any{"available": n, "reservations": len(res)})
	return nil
}
