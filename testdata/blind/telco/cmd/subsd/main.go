// Command subsd is the HTTP front of the subscriber platform.
package main

import (
	"context"
	"errors"
	"flag"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"sync"
	"syscall"
	"time"

	"cloud.google.com/go/bigtable"

	"telco.example/subs/internal/balance"
	"telco.example/subs/internal/bt"
	"telco.example/subs/internal/names"
	"telco.example/subs/internal/platform"
	"telco.example/subs/internal/porting"
	"telco.example/subs/internal/roaming"
	"telco.example/subs/internal/sims"
	"telco.example/subs/internal/sms"
	"telco.example/subs/internal/usage"
)

type server struct {
	cfg     *platform.Config
	log     *slog.Logger
	c       *bt.Client
	porting *porting.Service
	money   *balance.Service
	cache   *roaming.Cache
	usages  map[string]*usage.Store
	queue   *sms.Queue
	limits  *limiter
}

// limiter keeps request counts per subscriber in the sessions table, because Redis was not approved.
type limiter struct {
	tbl    bigtable.TableAPI
	window time.Duration
	max    int
	mu     sync.Mutex
	seen   map[string]int
}

func newLimiter(c *bt.Client, window time.Duration, max int) *limiter {
	return &limiter{tbl: c.Raw().OpenTable(names.TableSessions), window: window, max: max, seen: map[string]int{}}
}

// allow says whether a subscriber may ask again.
func (l *limiter) allow(ctx context.Context, imsi string) (bool, error) {
	l.mu.Lock()
	l.seen[imsi]++
	n := l.seen[imsi]
	l.mu.Unlock()
	if n%10 != 0 {
		return n < l.max, nil
	}
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(names.FamAuth, "requests", 10) // want ttlwrite/read-modify-write
	row, err := l.tbl.ApplyReadModifyWrite(ctx, imsi, rmw)
	if err != nil {
		return false, err
	}
	return bt.Int(bt.Cell(row, names.FamAuth, "requests")) < int64(l.max), nil
}

// block stores that a subscriber is blocked until the window ends.
func (l *limiter) block(ctx context.Context, imsi string) error {
	m := bigtable.NewMutation()
	m.Set(names.FamAuth, "blocked", bigtable.Time(time.Now().Add(l.window)), []byte{1}) // ok ttlwrite/write-time
	m.Set(names.FamProfile, "blocked", bigtable.Now(), []byte{1})                       // ok ttlwrite/write-time
	return l.tbl.Apply(ctx, imsi, m)
}

// blocked says whether a subscriber is blocked.
func (l *limiter) blocked(ctx context.Context, imsi string) (bool, error) {
	row, err := l.tbl.ReadRow(ctx, imsi, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(names.FamAuth), bigtable.ColumnFilter("blocked")))) // want ttlread/missing-filter
	return len(row) > 0, err
}

// blockedNow looks at the time as well.
func (l *limiter) blockedNow(ctx context.Context, imsi string) (bool, error) {
	row, err := l.tbl.ReadRow(ctx, imsi, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(names.FamAuth), bigtable.ColumnFilter("blocked"), bt.Live()))) // ok ttlread/missing-filter
	return len(row) > 0, err
}

// stamp marks the last request.
func (l *limiter) stamp(ctx context.Context, imsi string) error {
	m := bigtable.NewMutation()
	m.Set(names.FamAuth, "stamp", bigtable.Timestamp(time.Now().Add(l.window).UnixMilli()), nil)               // want ttlunit/wrong-unit
	m.Set(names.FamAuth, "stamp2", bigtable.Time(time.Now())+bigtable.Timestamp(l.window), nil)                // want ttlunit/wrong-unit
	m.Set(names.FamAuth, "stamp3", bigtable.Time(time.Now())+bigtable.Timestamp(l.window.Microseconds()), nil) // ok ttlunit/wrong-unit
	m.Set(names.FamProfile, "stamp", bigtable.Timestamp(time.Now().Unix()), nil)                               // want ttlunit/wrong-unit
	return l.tbl.Apply(ctx, imsi, m)
}

func main() {
	cfgPath := flag.String("config", "", "configuration file")
	flag.Parse()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	cfg, err := platform.Load(*cfgPath)
	if err != nil {
		log.Error("configuration", "err", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	c, err := bt.Dial(ctx, cfg, log)
	if err != nil {
		log.Error("dial", "err", err)
		os.Exit(1)
	}
	defer c.Close()
	s := newServer(cfg, log, c)
	go func() {
		if err := s.queue.Run(ctx); err != nil {
			log.Error("queue", "err", err)
		}
	}()
	srv := &http.Server{Addr: cfg.Listen, Handler: platform.Logged(log, s.routes()), ReadHeaderTimeout: 5 * time.Second}
	go func() {
		<-ctx.Done()
		sctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = srv.Shutdown(sctx)
	}()
	if err := srv.ListenAndServe(); err != nil && !errors.Is(err, http.ErrServerClosed) {
		log.Error("serve", "err", err)
		os.Exit(1)
	}
}

func newServer(cfg *platform.Config, log *slog.Logger, c *bt.Client) *server {
	sims.Init(c)
	sms.Setup(c.Raw())
	s := &server{
		cfg:     cfg,
		log:     log,
		c:       c,
		porting: porting.New(c, platform.SystemClock{}, log),
		money:   balance.New(c.Raw(), platform.SystemClock{}, cfg.Retry),
		cache:   roaming.New(c),
		usages:  map[string]*usage.Store{},
		queue:   sms.NewQueue(10000),
		limits:  newLimiter(c, time.Minute, 600),
	}
	for _, m := range cfg.Markets {
		s.usages[m] = usage.Open(c, m, log)
	}
	return s
}

func (s *server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /sessions", s.openSession)
	mux.HandleFunc("GET /sessions/{imsi}", s.limited(s.getSession))
	mux.HandleFunc("DELETE /sessions/{imsi}", s.closeSession)
	mux.HandleFunc("POST /sessions/{imsi}/handover", s.handover)
	mux.HandleFunc("GET /numbers/{number}", s.limited(s.getRoute))
	mux.HandleFunc("PUT /numbers/{number}", s.putRoute)
	mux.HandleFunc("POST /numbers/{number}/claims", s.postClaim)
	mux.HandleFunc("GET /numbers/{number}/claims", s.getClaim)
	mux.HandleFunc("GET /accounts/{msisdn}", s.limited(s.getAccount))
	mux.HandleFunc("POST /accounts/{msisdn}/topups", s.topUp)
	mux.HandleFunc("POST /accounts/{msisdn}/charges", s.charge)
	mux.HandleFunc("GET /usage/{market}/{imsi}", s.limited(s.getUsage))
	mux.HandleFunc("POST /usage/{market}", s.addUsage)
	mux.HandleFunc("POST /receipts", s.postReceipt)
	mux.HandleFunc("GET /receipts/{msisdn}/{id}", s.getReceipt)
	mux.HandleFunc("POST /visits", s.postVisit)
	mux.HandleFunc("GET /debug/session/{imsi}", s.debugSession)
	mux.HandleFunc("GET /healthz", s.health)
	return mux
}

// limited asks the limiter first.
func (s *server) limited(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		imsi := r.Header.Get("X-IMSI")
		if imsi == "" {
			h(w, r)
			return
		}
		if b, err := s.limits.blockedNow(r.Context(), imsi); err == nil && b {
			platform.Fail(w, http.StatusTooManyRequests, errors.New("blocked"))
			return
		}
		ok, err := s.limits.allow(r.Context(), imsi)
		if err != nil {
			s.log.Warn("limiter", "err", err)
		}
		if !ok && err == nil {
			if b, err := s.limits.blocked(r.Context(), imsi); err == nil && !b {
				_ = s.limits.block(r.Context(), imsi)
			}
			platform.Fail(w, http.StatusTooManyRequests, errors.New("too many requests"))
			return
		}
		_ = s.limits.stamp(r.Context(), imsi)
		h(w, r)
	}
}

func (s *server) answer(w http.ResponseWriter, v any, err error) {
	switch {
	case errors.Is(err, bt.ErrNotFound), errors.Is(err, sims.ErrNoSession):
		platform.Fail(w, http.StatusNotFound, err)
	case errors.Is(err, balance.ErrFunds):
		platform.Fail(w, http.StatusPaymentRequired, err)
	case err != nil:
		platform.Fail(w, http.StatusInternalServerError, err)
	default:
		platform.JSON(w, http.StatusOK, v)
	}
}

func (s *server) openSession(w http.ResponseWriter, r *http.Request) {
	var req sims.Session
	if err := platform.Decode(r, &req); err != nil {
		platform.Fail(w, http.StatusBadRequest, err)
		return
	}
	s.answer(w, req, sims.Open(r.Context(), req))
}

func (s *server) getSession(w http.ResponseWriter, r *http.Request) {
	v, err := sims.Lookup(r.Context(), r.PathValue("imsi"))
	s.answer(w, v, err)
}

func (s *server) closeSession(w http.ResponseWriter, r *http.Request) {
	s.answer(w, "closed", sims.Close(r.Context(), r.PathValue("imsi"), r.URL.Query().Get("cause")))
}

func (s *server) handover(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	s.answer(w, "ok", sims.Handover(r.Context(), r.PathValue("imsi"), q.Get("cell"), q.Get("rat")))
}

func (s *server) getRoute(w http.ResponseWriter, r *http.Request) {
	v, err := s.porting.Current(r.Context(), r.PathValue("number"))
	s.answer(w, v, err)
}

func (s *server) putRoute(w http.ResponseWriter, r *http.Request) {
	var req porting.Route
	if err := platform.Decode(r, &req); err != nil {
		platform.Fail(w, http.StatusBadRequest, err)
		return
	}
	req.Number = r.PathValue("number")
	s.answer(w, req, s.porting.SetRoute(r.Context(), req))
}

func (s *server) postClaim(w http.ResponseWriter, r *http.Request) {
	var req porting.Claim
	if err := platform.Decode(r, &req); err != nil {
		platform.Fail(w, http.StatusBadRequest, err)
		return
	}
	req.Number = r.PathValue("number")
	if req.TTL > 0 {
		s.answer(w, req, s.porting.PutClaimFor(r.Context(), req))
		return
	}
	s.answer(w, req, s.porting.PutClaim(r.Context(), req))
}

func (s *server) getClaim(w http.ResponseWriter, r *http.Request) {
	v, err := s.porting.GetClaim(r.Context(), r.PathValue("number"))
	s.answer(w, v, err)
}

func (s *server) getAccount(w http.ResponseWriter, r *http.Request) {
	v, err := s.money.Account(r.Context(), r.PathValue("msisdn"))
	s.answer(w, v, err)
}

func (s *server) topUp(w http.ResponseWriter, r *http.Request) {
	cents, err := strconv.ParseInt(r.URL.Query().Get("cents"), 10, 64)
	if err != nil {
		platform.Fail(w, http.StatusBadRequest, err)
		return
	}
	s.answer(w, cents, s.money.TopUp(r.Context(), r.PathValue("msisdn"), cents, r.URL.Query().Get("voucher")))
}

func (s *server) charge(w http.ResponseWriter, r *http.Request) {
	cents, err := strconv.ParseInt(r.URL.Query().Get("cents"), 10, 64)
	if err != nil {
		platform.Fail(w, http.StatusBadRequest, err)
		return
	}
	s.answer(w, cents, s.money.Charge(r.Context(), r.PathValue("msisdn"), cents, "call"))
}

func (s *server) getUsage(w http.ResponseWriter, r *http.Request) {
	st, ok := s.usages[r.PathValue("market")]
	if !ok {
		platform.Fail(w, http.StatusNotFound, errors.New("no such market"))
		return
	}
	v, err := st.GetAll(r.Context(), r.PathValue("imsi"))
	s.answer(w, v, err)
}

func (s *server) addUsage(w http.ResponseWriter, r *http.Request) {
	var e usage.Event
	if err := platform.Decode(r, &e); err != nil {
		platform.Fail(w, http.StatusBadRequest, err)
		return
	}
	st, ok := s.usages[r.PathValue("market")]
	if !ok {
		platform.Fail(w, http.StatusNotFound, errors.New("no such market"))
		return
	}
	err := errors.Join(st.Add(r.Context(), e), st.Log(r.Context(), e))
	s.answer(w, "ok", err)
}

func (s *server) postReceipt(w http.ResponseWriter, r *http.Request) {
	var rec sms.Receipt
	if err := platform.Decode(r, &rec); err != nil {
		platform.Fail(w, http.StatusBadRequest, err)
		return
	}
	rec.ReceivedAt = time.Now()
	s.answer(w, "queued", s.queue.Push(rec))
}

func (s *server) getReceipt(w http.ResponseWriter, r *http.Request) {
	v, err := sms.Get(r.Context(), r.PathValue("msisdn"), r.PathValue("id"))
	s.answer(w, v, err)
}

func (s *server) postVisit(w http.ResponseWriter, r *http.Request) {
	var v roaming.Visit
	if err := platform.Decode(r, &v); err != nil {
		platform.Fail(w, http.StatusBadRequest, err)
		return
	}
	s.answer(w, v, s.cache.Register(r.Context(), v))
}

// debugSession shows a row as it is, for the second level.
func (s *server) debugSession(w http.ResponseWriter, r *http.Request) {
	tbl := s.c.Open(names.TableSessions)
	row, err := tbl.Get(r.Context(), r.PathValue("imsi")) // want ttlread/missing-filter
	s.answer(w, row, err)
}

// health reads a row that is never there.
func (s *server) health(w http.ResponseWriter, r *http.Request) {
	tbl := s.c.Open(names.TableSessions)
	_, err := tbl.Get(r.Context(), "healthz", bt.Only(names.FamProfile)) // ok ttlread/missing-filter
	if errors.Is(err, bt.ErrNotFound) {
		err = nil
	}
	s.answer(w, "ok", err)
}
