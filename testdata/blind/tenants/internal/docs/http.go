package docs

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"

	"cloud.google.com/go/bigtable"

	"tenants.example/platform/internal/btx"
	"tenants.example/platform/internal/registry"
)

// Handler serves documents of the request's tenant.
type Handler struct {
	MaxBody int64
}

func (h Handler) store(r *http.Request) *Store { return New(registry.From(r.Context())) }

// Register adds the routes.
func (h Handler) Register(mux *http.ServeMux) {
	mux.HandleFunc("GET /docs/{doc}", h.get)
	mux.HandleFunc("PUT /docs/{doc}", h.put)
	mux.HandleFunc("GET /docs/{doc}/debug", h.debug)
	mux.HandleFunc("POST /docs/{doc}/pin", h.pin)
}

func fail(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, ErrNotFound):
		http.Error(w, err.Error(), http.StatusNotFound)
	case errors.Is(err, ErrConflict):
		http.Error(w, err.Error(), http.StatusConflict)
	default:
		http.Error(w, "internal error", http.StatusInternalServerError)
	}
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

func (h Handler) get(w http.ResponseWriter, r *http.Request) {
	rev, err := h.store(r).Head(r.Context(), r.PathValue("doc"))
	if err != nil {
		fail(w, err)
		return
	}
	w.Header().Set("ETag", strconv.FormatInt(rev.Number, 10))
	reply(w, rev)
}

func (h Handler) put(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.MaxBody))
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	n, _ := strconv.ParseInt(r.Header.Get("If-Match"), 10, 64)
	rev := Revision{Doc: r.PathValue("doc"), Number: n, Author: r.Header.Get("X-User"), Body: body}
	n, err = h.store(r).Save(r.Context(), rev)
	if err != nil {
		fail(w, err)
		return
	}
	w.Header().Set("ETag", strconv.FormatInt(n, 10))
	w.WriteHeader(http.StatusNoContent)
}

// pin remembers who pinned a document, beside the revisions.
func (h Handler) pin(w http.ResponseWriter, r *http.Request) {
	s := h.store(r)
	user := []byte(r.Header.Get("X-User"))
	if err := s.Set(r.Context(), r.PathValue("doc"), "pinned", bigtable.ServerTime, user); err != nil { // want ttlwrite/clock-in-sequence
		fail(w, err)
		return
	}
	if err := s.Set(r.Context(), r.PathValue("doc"), "pins", btx.Sequence(1), user); err != nil { // ok ttlwrite/clock-in-sequence
		fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (h Handler) debug(w http.ResponseWriter, r *http.Request) {
	t := registry.From(r.Context())
	row, err := t.Docs.ReadRow(r.Context(), docKey(r.PathValue("doc"))) // want ttlread/missing-filter
	if err != nil {
		fail(w, err)
		return
	}
	b, err := MarshalRow(row)
	if err != nil {
		fail(w, err)
		return
	}
	_, _ = w.Write(b)
}
