// Package svc serves.
package svc

import (
	"context"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/grpc/btrepo"
	"example.com/cases/sight/grpc/clock"
	"example.com/cases/sight/grpc/provide"
)

type sessions interface {
	Get(ctx context.Context, key string) (provide.Session, error)
	Save(ctx context.Context, key string, v provide.Session) error
}

// Server serves.
type Server struct {
	UnimplementedServer
	sessions sessions
	tbl      btrepo.Table
	clock    clock.Clock

	mu  sync.RWMutex
	rev map[string]int64
}

// UnimplementedServer is generated.
type UnimplementedServer struct{}

// NewServer returns a Server.
func NewServer(s *btrepo.Repo[provide.Session], t provide.SessionTable, c clock.Clock) *Server {
	return &Server{sessions: s, tbl: t, clock: c, rev: map[string]int64{}}
}

// Login implements the service.
func (s *Server) Login(ctx context.Context, user string) error {
	g := group{}
	g.Go(func() error { return s.sessions.Save(ctx, user, provide.Session{User: user}) })
	g.Go(func() error {
		m := bigtable.NewMutation()
		m.Set("token", "login", bigtable.Time(s.clock.Now()), nil) // want "uses the current time"
		m.Set("profile", "login", bigtable.Time(s.clock.Now()), nil)
		return s.tbl.Apply(ctx, user, m)
	})
	return g.Wait()
}

// Names lists the names of those with a session.
func (s *Server) Names(ctx context.Context) (out []string) {
	for row := range btrepo.Rows(ctx, s.tbl, "u#", bigtable.FamilyFilter("token")) { // want "read of one-second-expiration family .token."
		for _, it := range row["token"] {
			out = append(out, string(it.Value))
		}
	}
	for row := range btrepo.Rows(ctx, s.tbl, "u#", bigtable.FamilyFilter("profile")) {
		for _, it := range row["profile"] {
			out = append(out, string(it.Value))
		}
	}
	for row := range btrepo.Rows(ctx, s.tbl, "u#", bigtable.ChainFilters(bigtable.FamilyFilter("token"), btrepo.Live(s.clock)())) {
		out = append(out, row.Key())
	}
	return out
}

// Age says how old a session is.
func (s *Server) Age(ctx context.Context, user string) (time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, user, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), btrepo.Live(s.clock)())))
	if err != nil {
		return 0, err
	}
	for _, it := range row["token"] {
		return s.clock.Now().Sub(it.Timestamp.Time()), nil // want "is when the cell expires"
	}
	for it := range first(row["token"]) {
		return it.Timestamp.Time().Sub(s.clock.Now()), nil
	}
	return 0, nil
}

func first(items []bigtable.ReadItem) func(func(bigtable.ReadItem) bool) {
	return func(yield func(bigtable.ReadItem) bool) {
		for _, it := range items {
			if !yield(it) {
				return
			}
		}
	}
}

type group struct {
	wg  sync.WaitGroup
	err error
}

func (g *group) Go(f func() error) {
	g.wg.Add(1)
	go func() {
		defer g.wg.Done()
		if err := f(); err != nil {
			g.err = err
		}
	}()
}

func (g *group) Wait() error {
	g.wg.Wait()
	return g.err
}
