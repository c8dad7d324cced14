package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/saga/bt"
	"example.com/saga/clock"
	"example.com/saga/schema"
	"example.com/saga/vo"
)

// Sessions keeps who is at a cart: a token in the cart's row that runs out, and how the person likes the shop.
type Sessions struct {
	carts *bigtable.Table
	clk   clock.Clock
	ttl   time.Duration
	stamp func(time.Duration) bigtable.Timestamp
}

// NewSessions opens the sessions.
func NewSessions(c *bigtable.Client, clk clock.Clock) *Sessions {
	s := &Sessions{carts: c.Open(schema.Carts), clk: clk, ttl: 45 * time.Minute}
	s.stamp = s.in
	return s
}

func (s *Sessions) in(d time.Duration) bigtable.Timestamp { return bigtable.Time(s.clk.Now().Add(d)) }

func digest(token string) string {
	h := sha256.Sum256([]byte(token))
	return hex.EncodeToString(h[:8])
}

// Start makes a token for a cart.
func (s *Sessions) Start(ctx context.Context, id vo.CartID, agent string) (string, error) {
	token := vo.NewID("tok")
	mut := bigtable.NewMutation()
	mut.Set(schema.FamLine, "token", s.stamp(s.ttl), []byte(digest(token))) // ok ttlwrite/write-time
	mut.Set(schema.FamLine, "csrf", s.stamp(0), []byte(vo.NewID("csrf")))   // want ttlwrite/write-time
	mut.Set(schema.FamLine, "agent", bigtable.ServerTime, []byte(agent))    // want ttlwrite/server-timestamp
	mut.Set(schema.FamProfile, "agent", bigtable.ServerTime, []byte(agent)) // ok ttlwrite/server-timestamp
	mut.Set(schema.FamSeen, "agent", 0, []byte(agent))                      // ok ttlwrite/clock-in-zero
	if err := s.carts.Apply(ctx, string(id), mut); err != nil {
		return "", fmt.Errorf("session of %s: %w", id, err)
	}
	return token, nil
}

// Check tells whether a token is right.
func (s *Sessions) Check(ctx context.Context, id vo.CartID, token string) error {
	row, err := s.carts.ReadRow(ctx, string(id), bigtable.RowFilter(bt.Column(schema.FamLine, "token", bigtable.LatestNFilter(1)))) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, it := range row[schema.FamLine] {
		if string(it.Value) == digest(token) {
			return nil
		}
	}
	return httpError{http.StatusUnauthorized, errors.New("no session")}
}

// CheckLive does it for tokens that are valid.
func (s *Sessions) CheckLive(ctx context.Context, id vo.CartID, token string) error {
	row, err := s.carts.ReadRow(ctx, string(id), bigtable.RowFilter(bt.Column(schema.FamLine, "token", bt.Live(s.clk)))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, it := range row[schema.FamLine] {
		if string(it.Value) == digest(token) {
			return nil
		}
	}
	return httpError{http.StatusUnauthorized, errors.New("no session")}
}

// End ends a session.
func (s *Sessions) End(ctx context.Context, id vo.CartID) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(schema.FamLine, "token")                               // ok ttlwrite/delete-after-set
	mut.Set(schema.FamLine, "ended", s.stamp(time.Hour), []byte("bye"))            // ok ttlwrite/write-time
	mut.Set(schema.FamLine, "agent", s.stamp(-time.Hour), nil)                     // want ttlwrite/already-expired
	mut.Set(schema.FamProfile, "ended", bigtable.Time(s.clk.Now()), []byte("bye")) // ok ttlwrite/write-time
	return s.carts.Apply(ctx, string(id), mut)
}

// Rotate replaces a token.
func (s *Sessions) Rotate(ctx context.Context, id vo.CartID) (string, error) {
	token := vo.NewID("tok")
	mut := bigtable.NewMutation()
	mut.Set(schema.FamLine, "token", s.stamp(s.ttl), []byte(digest(token)))
	mut.DeleteCellsInColumn(schema.FamLine, "token") // want ttlwrite/delete-after-set
	mut.DeleteCellsInColumn(schema.FamLine, "csrf")  // ok ttlwrite/delete-after-set
	return token, s.carts.Apply(ctx, string(id), mut)
}

// Limiter counts the requests of an address.
type Limiter struct {
	box bt.Table
	clk clock.Clock
	max int64
}

// NewLimiter allows max requests per half minute.
func NewLimiter(c *bigtable.Client, clk clock.Clock, max int64) *Limiter {
	return &Limiter{box: c.Open(schema.Outbox), clk: clk, max: max}
}

// Allow counts a request.
func (l *Limiter) Allow(ctx context.Context, addr string) (bool, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamLease, "hits", 1) // want ttlwrite/read-modify-write
	row, err := l.box.ApplyReadModifyWrite(ctx, "ip#"+addr, rmw)
	if err != nil {
		return false, err
	}
	for _, it := range row[schema.FamLease] {
		if len(it.Value) == 8 && it.Value[7] > byte(l.max) {
			return false, nil
		}
	}
	return true, nil
}

// Note stores a request as a cell of its own, which the window forgets.
func (l *Limiter) Note(ctx context.Context, addr, request string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamLease, "req."+request, bt.ExpiresIn(l.clk, schema.LeaseTTL), nil) // ok ttlwrite/write-time
	return l.box.Apply(ctx, "ip#"+addr, mut)
}

// InWindow counts the requests of the window.
func (l *Limiter) InWindow(ctx context.Context, addr string) (int, error) {
	row, err := l.box.ReadRow(ctx, "ip#"+addr, bigtable.RowFilter(bt.In(schema.FamLease, bt.Live(l.clk)))) // ok ttlread/missing-filter
	return len(row[schema.FamLease]), err
}

// Window counts them the way of the first release, when cells had their own time.
func (l *Limiter) Window(ctx context.Context, addr string) (int, error) {
	row, err := l.box.ReadRow(ctx, "ip#"+addr, bigtable.RowFilter(bt.In(schema.FamLease, bt.Since(l.clk, schema.LeaseTTL)))) // want ttlread/wrong-bound
	return len(row[schema.FamLease]), err
}

// Block keeps an address out for a while.
func (l *Limiter) Block(ctx context.Context, addr string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamLease, "block", bigtable.Timestamp(l.clk.Now().Add(10*time.Minute).Unix()), []byte(addr))         // want ttlunit/wrong-unit|ttlwrite/already-expired
	mut.Set(schema.FamLease, "block.raw", bigtable.Timestamp(l.clk.Now().Add(10*time.Minute).Unix()*1e6), []byte(addr)) // ok ttlunit/wrong-unit
	return l.box.Apply(ctx, "ip#"+addr, mut)
}

// Blocked tells whether an address is kept out.
func (l *Limiter) Blocked(ctx context.Context, addr string) (bool, error) {
	return bt.Has(ctx, l.box, "ip#"+addr, bt.Column(schema.FamLease, "block", bigtable.LatestNFilter(1))) // want ttlread/missing-filter
}

// Banned does it for blocks that still hold.
func (l *Limiter) Banned(ctx context.Context, addr string) (bool, error) {
	return bt.Has(ctx, l.box, "ip#"+addr, bt.Column(schema.FamLease, "block", bt.Live(l.clk))) // ok ttlread/missing-filter
}
