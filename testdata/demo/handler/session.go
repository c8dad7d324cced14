package handler

import (
	"fmt"
	"net/http"

	"cloud.google.com/go/bigtable"

	"example.com/shop/schema"
	"example.com/shop/store"
)

func (h *Handler) login(w http.ResponseWriter, r *http.Request) {
	jwt, ok := body(w, r)
	if !ok {
		return
	}
	done(w, h.store.Sessions.PutToken(r.Context(), r.PathValue("user"), jwt, bigtable.ServerTime)) // BAD: ttlwrite/server-timestamp
}

func (h *Handler) loginFixed(w http.ResponseWriter, r *http.Request) {
	jwt, ok := body(w, r)
	if !ok {
		return
	}
	done(w, h.store.Sessions.PutToken(r.Context(), r.PathValue("user"), jwt, store.ExpiresIn(schema.TokenTTL)))
}

func (h *Handler) renew(w http.ResponseWriter, r *http.Request) {
	user := r.PathValue("user")
	jwt, err := h.store.Sessions.TokenFixed(r.Context(), user)
	if err != nil || jwt == nil {
		http.Error(w, "log in first", http.StatusUnauthorized)
		return
	}
	done(w, h.store.Sessions.PutToken(r.Context(), user, jwt, store.Stamp())) // BAD: ttlwrite/write-time
}

func (h *Handler) renewFixed(w http.ResponseWriter, r *http.Request) {
	user := r.PathValue("user")
	jwt, err := h.store.Sessions.TokenFixed(r.Context(), user)
	if err != nil || jwt == nil {
		http.Error(w, "log in first", http.StatusUnauthorized)
		return
	}
	done(w, h.store.Sessions.PutToken(r.Context(), user, jwt, store.ExpiresIn(schema.TokenTTL)))
}

func (h *Handler) whoami(w http.ResponseWriter, r *http.Request) {
	row, err := h.store.Sessions.Row(r.Context(), r.PathValue("user")) // BAD: ttlread/missing-filter
	if err != nil || len(row[schema.Token]) == 0 {
		http.Error(w, "log in first", http.StatusUnauthorized)
		return
	}
	fmt.Fprintln(w, row.Key())
}

func (h *Handler) whoamiFixed(w http.ResponseWriter, r *http.Request) {
	row, err := h.store.Sessions.Row(r.Context(), r.PathValue("user"), bigtable.RowFilter(store.Unexpired()))
	if err != nil || len(row[schema.Token]) == 0 {
		http.Error(w, "log in first", http.StatusUnauthorized)
		return
	}
	fmt.Fprintln(w, row.Key())
}

// profile reads the ordinary family alone, which needs no time range.
func (h *Handler) profile(w http.ResponseWriter, r *http.Request) {
	row, err := h.store.Sessions.Row(r.Context(), r.PathValue("user"), bigtable.RowFilter(bigtable.FamilyFilter(schema.Profile)))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	for _, item := range row[schema.Profile] {
		fmt.Fprintf(w, "%s=%s\n", item.Column, item.Value)
	}
}
