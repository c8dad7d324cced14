// Package handler answers the shop's HTTP requests.
package handler

import (
	"io"
	"net/http"

	"example.com/shop/store"
)

// A Handler answers from a store.
type Handler struct{ store *store.Store }

// New returns the routes.
func New(s *store.Store) http.Handler {
	h := &Handler{s}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /login/{user}", h.login)
	mux.HandleFunc("POST /login/{user}/fixed", h.loginFixed)
	mux.HandleFunc("POST /renew/{user}", h.renew)
	mux.HandleFunc("POST /renew/{user}/fixed", h.renewFixed)
	mux.HandleFunc("GET /whoami/{user}", h.whoami)
	mux.HandleFunc("GET /whoami/{user}/fixed", h.whoamiFixed)
	mux.HandleFunc("GET /profile/{user}", h.profile)
	mux.HandleFunc("POST /accounts/{account}", h.importBookings)
	mux.HandleFunc("POST /accounts/{account}/fixed", h.importBookingsFixed)
	mux.HandleFunc("POST /accounts/{account}/cancel", h.cancel)
	mux.HandleFunc("POST /accounts/{account}/cancel/fixed", h.cancelFixed)
	mux.HandleFunc("PUT /articles/{article}", h.putArticle)
	mux.HandleFunc("PUT /articles/{article}/fixed", h.putArticleFixed)
	mux.HandleFunc("POST /preview/{visitor}", h.preview)
	mux.HandleFunc("POST /preview/{visitor}/fixed", h.previewFixed)
	return mux
}

// body reads the request's body and answers the request when it cannot.
func body(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
	return data, err == nil
}

// done answers with nothing, or with the error.
func done(w http.ResponseWriter, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
