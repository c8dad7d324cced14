// Command api serves bookings.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/hotelbook/gen/availbt"
	"example.com/hotelbook/gen/btrt"
	"example.com/hotelbook/gen/guestsbt"
	"example.com/hotelbook/gen/holdsbt"
	"example.com/hotelbook/gen/offersbt"
	"example.com/hotelbook/gen/ratesbt"
	"example.com/hotelbook/gen/reviewsbt"
	"example.com/hotelbook/internal/avail"
	"example.com/hotelbook/internal/btx"
	"example.com/hotelbook/internal/config"
	"example.com/hotelbook/internal/guests"
	"example.com/hotelbook/internal/holds"
	"example.com/hotelbook/internal/metrics"
	"example.com/hotelbook/internal/offers"
	"example.com/hotelbook/internal/rates"
)

// repo reads rows of one generated type.
type repo[T any, P interface {
	*T
	btrt.Unmarshaler
}] struct {
	tbl    *bigtable.Table
	filter func() bigtable.Filter
}

func newRepo[T any, P interface {
	*T
	btrt.Unmarshaler
}](tbl *bigtable.Table, filter func() bigtable.Filter) *repo[T, P] {
	return &repo[T, P]{tbl: tbl, filter: filter}
}

func (r *repo[T, P]) get(ctx context.Context, key string) (*T, error) {
	v := new(T)
	return v, btrt.ReadInto(ctx, r.tbl, key, P(v), bigtable.RowFilter(r.filter()))
}

func newest() bigtable.Filter { return bigtable.LatestNFilter(1) }

func quotes() bigtable.Filter { return btx.In(ratesbt.FamilyQuote, btx.Within(6*time.Hour)) }

type server struct {
	log    *slog.Logger
	m      *metrics.Set
	holds  *holds.Service
	guests *guests.Store
	rates  *rates.Cache
	avail  *avail.Calendar
	offers *offers.Shop

	holdRepo    *repo[holdsbt.Row, *holdsbt.Row]
	deskRepo    *repo[holdsbt.Row, *holdsbt.Row]
	quoteRepo   *repo[ratesbt.Quote, *ratesbt.Quote]
	partnerRepo *repo[ratesbt.Quote, *ratesbt.Quote]
	reviewRepo  *repo[reviewsbt.Row, *reviewsbt.Row]
	deltaRepo   *repo[availbt.Delta, *availbt.Delta]
	sessionTbl  *guestsbt.Table
	offerTbl    *offersbt.Table
}

func newServer(c *bigtable.Client, log *slog.Logger) *server {
	m := metrics.New()
	return &server{
		log:    log,
		m:      m,
		holds:  holds.New(c, log, m),
		guests: guests.NewStore(c, log),
		rates:  rates.NewCache(c, log),
		avail:  avail.NewCalendar(c, log),
		offers: offers.NewShop(c),

		holdRepo:    newRepo[holdsbt.Row](holdsbt.Open(c).Raw(), btx.Live),   // ok ttlread/missing-filter
		deskRepo:    newRepo[holdsbt.Row](holdsbt.Open(c).Raw(), newest),     // want ttlread/missing-filter
		quoteRepo:   newRepo[ratesbt.Quote](ratesbt.Open(c).Raw(), quotes),   // ok ttlread/missing-filter
		partnerRepo: newRepo[ratesbt.Quote](ratesbt.Open(c).Raw(), newest),   // want ttlread/missing-filter
		reviewRepo:  newRepo[reviewsbt.Row](reviewsbt.Open(c).Raw(), newest), // ok ttlread/missing-filter
		deltaRepo:   newRepo[availbt.Delta](availbt.Open(c).Raw(), newest),   // ok ttlread/version-limit
		sessionTbl:  guestsbt.Open(c),
		offerTbl:    offersbt.Open(c),
	}
}

func (s *server) fail(w http.ResponseWriter, err error) {
	code := http.StatusInternalServerError
	switch {
	case errors.Is(err, btrt.ErrNotFound):
		code = http.StatusNotFound
	case errors.Is(err, holds.ErrTaken):
		code = http.StatusConflict
	}
	s.m.Inc("errors")
	s.log.Error("request", "err", err, "code", code)
	http.Error(w, err.Error(), code)
}

func (s *server) reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		s.log.Warn("encode", "err", err)
	}
}

func (s *server) getHold(w http.ResponseWriter, r *http.Request) {
	repo := s.holdRepo
	if r.Header.Get("X-Desk") != "" {
		repo = s.deskRepo
	}
	row, err := repo.get(r.Context(), r.PathValue("key"))
	if err != nil {
		s.fail(w, err)
		return
	}
	s.reply(w, row)
}

func (s *server) postHold(w http.ResponseWriter, r *http.Request) {
	var h holdsbt.Hold
	if err := json.NewDecoder(r.Body).Decode(&h); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var err error
	switch minutes, _ := strconv.Atoi(r.FormValue("minutes")); {
	case minutes > 0:
		err = s.holds.PlaceUntil(r.Context(), r.PathValue("key"), &h, time.Now().Add(time.Duration(minutes)*time.Minute)) // ok ttlwrite/write-time
	case r.FormValue("until") == "now":
		err = s.holds.PlaceUntil(r.Context(), r.PathValue("key"), &h, time.Now()) // want ttlwrite/write-time
	default:
		err = s.holds.Place(r.Context(), r.PathValue("key"), &h)
	}
	if err != nil {
		s.fail(w, err)
		return
	}
	w.WriteHeader(http.StatusCreated)
}

func (s *server) getQuote(w http.ResponseWriter, r *http.Request) {
	k := r.PathValue("key")
	q, err := s.quoteRepo.get(r.Context(), k)
	if errors.Is(err, btrt.ErrNotFound) {
		q, err = s.partnerRepo.get(r.Context(), k)
	}
	if err != nil {
		s.fail(w, err)
		return
	}
	s.reply(w, q)
}

func (s *server) getReview(w http.ResponseWriter, r *http.Request) {
	row, err := s.reviewRepo.get(r.Context(), r.PathValue("key"))
	if err != nil {
		s.fail(w, err)
		return
	}
	s.reply(w, row)
}

func (s *server) getDelta(w http.ResponseWriter, r *http.Request) {
	d, err := s.deltaRepo.get(r.Context(), r.PathValue("key"))
	if err != nil {
		s.fail(w, err)
		return
	}
	s.reply(w, d)
}

// auth lets requests with a session pass.
func (s *server) auth(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		row, err := s.sessionTbl.Raw().ReadRow(r.Context(), r.Header.Get("X-Guest"), bigtable.RowFilter(bigtable.FamilyFilter(guestsbt.FamilySession))) // want ttlread/missing-filter
		if err != nil || len(row) == 0 {
			http.Error(w, "no session", http.StatusUnauthorized)
			return
		}
		next(w, r)
	}
}

// authLive lets requests with a live session pass.
func (s *server) authLive(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		f := btx.In(guestsbt.FamilySession, btx.Live())
		row, err := s.sessionTbl.Raw().ReadRow(r.Context(), r.Header.Get("X-Guest"), bigtable.RowFilter(f)) // ok ttlread/missing-filter
		if err != nil || len(row) == 0 {
			http.Error(w, "no session", http.StatusUnauthorized)
			return
		}
		next(w, r)
	}
}

// feature writes an offer to the front page.
func (s *server) feature(w http.ResponseWriter, r *http.Request) {
	mut := bigtable.NewMutation()
	offersbt.SetOfferCode(mut, bigtable.Now(), r.FormValue("code"))                                 // ok ttlwrite/write-time
	offersbt.SetOfferHotel(mut, bigtable.Time(time.Now().Add(-48*time.Hour)), r.FormValue("hotel")) // want ttlwrite/already-expired
	if err := s.offerTbl.Apply(r.Context(), r.PathValue("key"), mut); err != nil {
		s.fail(w, err)
	}
}

// impersonate gives support a session.
func (s *server) impersonate(w http.ResponseWriter, r *http.Request) {
	mut := bigtable.NewMutation()
	for _, c := range []struct {
		set func(*bigtable.Mutation, bigtable.Timestamp, string)
		ts  bigtable.Timestamp
		val string
	}{
		{guestsbt.SetSessionToken, btx.ExpireIn(5 * time.Minute), r.FormValue("token")},
		{guestsbt.SetSessionDevice, bigtable.Now(), "support"}, // want ttlwrite/write-time[imp]
		{guestsbt.SetPrefRoomType, bigtable.Now(), "none"},
	} {
		c.set(mut, c.ts, c.val) // want ttlwrite/write-time[imp]
	}
	if err := s.sessionTbl.Apply(r.Context(), r.PathValue("key"), mut); err != nil {
		s.fail(w, err)
	}
}

func (s *server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /holds/{key}", s.getHold)
	mux.HandleFunc("POST /holds/{key}", s.auth(s.postHold))
	mux.HandleFunc("GET /quotes/{key}", s.getQuote)
	mux.HandleFunc("GET /reviews/{key}", s.getReview)
	mux.HandleFunc("GET /deltas/{key}", s.getDelta)
	mux.HandleFunc("POST /featured/{key}", s.authLive(s.feature))
	mux.HandleFunc("POST /support/{key}", s.authLive(s.impersonate))
	mux.Handle("GET /offers/{id}", s.offers)
	mux.Handle("GET /metrics", s.m)
	return mux
}

func main() {
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	cfg, err := config.FromEnv()
	if err != nil {
		log.Error("config", "err", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	c, err := bigtable.NewClient(ctx, cfg.Project, cfg.Instance)
	if err != nil {
		log.Error("client", "err", err)
		os.Exit(1)
	}
	defer c.Close()
	srv := &http.Server{Addr: cfg.Addr, Handler: newServer(c, log).routes(), ReadTimeout: cfg.Timeout}
	go func() {
		<-ctx.Done()
		_ = srv.Shutdown(context.Background())
	}()
	if err := srv.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Error("serve", "err", err)
	}
}
