// Package httpapi serves the marketplace.
package httpapi

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"cloud.google.com/go/bigtable"

	"marketmap.example/market/internal/cartsvc"
	"marketmap.example/market/internal/listingsvc"
	"marketmap.example/market/internal/mapper"
	"marketmap.example/market/internal/model"
	"marketmap.example/market/internal/offersvc"
	"marketmap.example/market/internal/pricesvc"
	"marketmap.example/market/internal/schema"
	"marketmap.example/market/internal/sessionsvc"
)

// API has the handlers.
type API struct {
	Carts    *cartsvc.Service
	Sessions *sessionsvc.Sessions
	Books    map[string]*offersvc.Book
	Prices   *pricesvc.History
	Catalog  *listingsvc.Catalog
	Audit    *bigtable.Table
	Log      *slog.Logger
}

// Handler routes.
func (a *API) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /cart/{buyer}/{sku}", a.addItem)
	mux.HandleFunc("GET /cart/{buyer}", a.cart)
	mux.HandleFunc("POST /hold/{listing}", a.hold)
	mux.HandleFunc("POST /ask/{region}/{listing}", a.ask)
	mux.HandleFunc("POST /promo/{listing}", a.promo)
	mux.HandleFunc("GET /seen/{buyer}", a.seen)
	return a.withSession(mux)
}

func (a *API) withSession(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := a.Sessions.Check(r.Context(), r.Header.Get("X-Token")); err != nil {
			a.fail(w, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (a *API) fail(w http.ResponseWriter, err error) {
	code := http.StatusInternalServerError
	switch {
	case errors.Is(err, mapper.ErrNotFound), errors.Is(err, cartsvc.ErrEmpty):
		code = http.StatusNotFound
	case errors.Is(err, cartsvc.ErrHeld), errors.Is(err, offersvc.ErrStale):
		code = http.StatusConflict
	case errors.Is(err, model.ErrInvalid):
		code = http.StatusBadRequest
	}
	a.Log.Warn("request failed", "code", code, "err", err)
	http.Error(w, err.Error(), code)
}

func (a *API) addItem(w http.ResponseWriter, r *http.Request) {
	buyer := r.PathValue("buyer")
	if err := a.Carts.AddItem(r.Context(), buyer, r.PathValue("sku"), 1); err != nil {
		a.fail(w, err)
		return
	}
	mut := bigtable.NewMutation()
	mut.Set(schema.FamItem, "last", bigtable.ServerTime, []byte(r.PathValue("sku"))) // want ttlwrite/server-timestamp
	mut.Set(schema.FamMeta, "agent", bigtable.ServerTime, []byte(r.UserAgent()))     // ok ttlwrite/server-timestamp
	if err := a.Audit.Apply(r.Context(), "audit#"+buyer, mut); err != nil {
		a.Log.Warn("audit", "err", err)
	}
}

func (a *API) cart(w http.ResponseWriter, r *http.Request) {
	lines, err := a.Carts.LiveLines(r.Context(), r.PathValue("buyer"))
	if err != nil {
		a.fail(w, err)
		return
	}
	_ = json.NewEncoder(w).Encode(lines)
}

func (a *API) hold(w http.ResponseWriter, r *http.Request) {
	if err := a.Carts.Place(r.Context(), r.PathValue("listing"), r.FormValue("buyer"), 1); err != nil {
		a.fail(w, err)
	}
}

func (a *API) ask(w http.ResponseWriter, r *http.Request) {
	book := a.Books[r.PathValue("region")]
	if book == nil {
		http.NotFound(w, r)
		return
	}
	if err := book.Schedule(r.Context(), r.PathValue("listing"), 100, time.Now().Add(time.Hour)); err != nil {
		a.fail(w, err)
	}
}

func (a *API) promo(w http.ResponseWriter, r *http.Request) {
	if err := a.Catalog.Promote(r.Context(), r.PathValue("listing"), "top", 24*time.Hour); err != nil { // ok ttlwrite/already-expired
		a.fail(w, err)
	}
}

func (a *API) seen(w http.ResponseWriter, r *http.Request) {
	row, err := a.Audit.ReadRow(r.Context(), "audit#"+r.PathValue("buyer")) // want ttlread/missing-filter
	if err != nil {
		a.fail(w, err)
		return
	}
	for _, it := range row[schema.FamItem] {
		_ = json.NewEncoder(w).Encode(map[string]any{"last": string(it.Value), "updated": it.Timestamp.Time()}) // want ttlage/not-write-time
	}
}
