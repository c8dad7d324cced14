package handler

import (
	"bytes"
	"net/http"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/shop/schema"
)

// importBookings fills the account from a file, one amount per line.
func (h *Handler) importBookings(w http.ResponseWriter, r *http.Request) {
	data, ok := body(w, r)
	if !ok {
		return
	}
	for i, amount := range bytes.Split(data, []byte("\n")) {
		if err := h.store.Ledger.Book(r.Context(), r.PathValue("account"), bigtable.Timestamp(i), amount); err != nil { // BAD: ttlwrite/unscaled-sequence
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
	}
}

func (h *Handler) importBookingsFixed(w http.ResponseWriter, r *http.Request) {
	data, ok := body(w, r)
	if !ok {
		return
	}
	for i, amount := range bytes.Split(data, []byte("\n")) {
		if err := h.store.Ledger.Book(r.Context(), r.PathValue("account"), bigtable.Timestamp(i)*1000, amount); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
	}
}

// cancel books a reversal.
func (h *Handler) cancel(w http.ResponseWriter, r *http.Request) {
	done(w, h.store.Ledger.Book(r.Context(), r.PathValue("account"), bigtable.Now(), []byte("reversal"))) // BAD: ttlwrite/clock-in-sequence
}

func (h *Handler) cancelFixed(w http.ResponseWriter, r *http.Request) {
	number, err := strconv.ParseInt(r.FormValue("number"), 10, 64)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	done(w, h.store.Ledger.Book(r.Context(), r.PathValue("account"), bigtable.Timestamp(number*1000), []byte("reversal")))
}

// putArticle stores an article's price.
func (h *Handler) putArticle(w http.ResponseWriter, r *http.Request) {
	price, ok := body(w, r)
	if !ok {
		return
	}
	done(w, h.store.Catalog.Put(r.Context(), r.PathValue("article"), "price", bigtable.Now(), price)) // BAD: ttlwrite/clock-in-zero
}

func (h *Handler) putArticleFixed(w http.ResponseWriter, r *http.Request) {
	price, ok := body(w, r)
	if !ok {
		return
	}
	done(w, h.store.Catalog.Put(r.Context(), r.PathValue("article"), "price", 0, price))
}

// preview stores a click that an editor made: it should be gone in an hour.
func (h *Handler) preview(w http.ResponseWriter, r *http.Request) {
	done(w, h.store.Clicks.Put(r.Context(), r.PathValue("visitor"), r.FormValue("page"), time.Now().Add(-schema.ClickAge))) // BAD: ttlwrite/already-expired
}

func (h *Handler) previewFixed(w http.ResponseWriter, r *http.Request) {
	done(w, h.store.Clicks.Put(r.Context(), r.PathValue("visitor"), r.FormValue("page"), time.Now().Add(time.Hour-schema.ClickAge)))
}
