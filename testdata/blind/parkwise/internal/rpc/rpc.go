// Package rpc is the internal API that the gates and the kiosks call; it has the shape of a gRPC service.
package rpc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/parkwise/parkwise/internal/bt"
	"github.com/parkwise/parkwise/internal/clock"
	"github.com/parkwise/parkwise/internal/tenant"
)

// Ticket lets a car in or out.
type Ticket struct {
	ID      string
	Plate   string
	Bay     string
	Expires time.Time
}

// OpenRequest asks for a gate to be opened.
type OpenRequest struct {
	Gate   string
	Plate  string
	Ticket string
}

// OpenResponse says whether it was.
type OpenResponse struct {
	Opened bool
	Reason string
}

// TicketStore keeps tickets.
type TicketStore interface {
	Issue(ctx context.Context, id tenant.ID, t Ticket) error
	Load(ctx context.Context, id tenant.ID, ticket string) (Ticket, error)
}

// Server serves the gates.
type Server struct {
	tickets TicketStore
	grace   time.Duration
	log     *slog.Logger
}

// NewServer makes a Server.
func NewServer(tickets TicketStore, grace time.Duration, log *slog.Logger) *Server {
	return &Server{tickets: tickets, grace: grace, log: log}
}

// UnaryHandler handles a call.
type UnaryHandler func(ctx context.Context, req any) (any, error)

// Interceptor wraps calls.
type Interceptor func(ctx context.Context, req any, next UnaryHandler) (any, error)

// WithTenant reads the tenant from the metadata that the gateway put into the context.
func WithTenant(id tenant.ID) Interceptor {
	return func(ctx context.Context, req any, next UnaryHandler) (any, error) {
		return next(tenant.With(ctx, id), req)
	}
}

// Chain chains interceptors.
func Chain(h UnaryHandler, in ...Interceptor) UnaryHandler {
	for i := len(in) - 1; i >= 0; i-- {
		next, wrap := h, in[i]
		h = func(ctx context.Context, req any) (any, error) { return wrap(ctx, req, next) }
	}
	return h
}

// Open opens a gate.
func (s *Server) Open(ctx context.Context, req *OpenRequest) (*OpenResponse, error) {
	id, err := tenant.From(ctx)
	if err != nil {
		return nil, status.Error(codes.Unauthenticated, err.Error())
	}
	t, err := s.tickets.Load(ctx, id, req.Ticket)
	if errors.Is(err, bt.ErrNotFound) {
		return &OpenResponse{Reason: "no ticket"}, nil
	}
	if err != nil {
		return nil, status.Error(codes.Internal, err.Error())
	}
	if t.Plate != req.Plate {
		return &OpenResponse{Reason: "other plate"}, nil
	}
	return &OpenResponse{Opened: true}, nil
}

// Issue issues a ticket for a drive in.
func (s *Server) Issue(ctx context.Context, plate, bay string) (Ticket, error) {
	id, err := tenant.From(ctx)
	if err != nil {
		return Ticket{}, status.Error(codes.Unauthenticated, err.Error())
	}
	now := clock.Now(ctx)
	t := Ticket{ID: fmt.Sprintf("%s-%d", plate, now.UnixNano()), Plate: plate, Bay: bay, Expires: now.Add(s.grace + 20*time.Minute)}
	if err := s.tickets.Issue(ctx, id, t); err != nil { // ok ttlwrite/write-time
		return Ticket{}, status.Error(codes.Internal, err.Error())
	}
	return t, nil
}

// Exit issues a ticket for the way out.
func (s *Server) Exit(ctx context.Context, plate string) (Ticket, error) {
	id, err := tenant.From(ctx)
	if err != nil {
		return Ticket{}, status.Error(codes.Unauthenticated, err.Error())
	}
	t := newTicket(plate, clock.Now(ctx))               // want ttlwrite/write-time[exit]
	if err := s.tickets.Issue(ctx, id, t); err != nil { // want ttlwrite/write-time[exit]
		return Ticket{}, status.Error(codes.Internal, err.Error())
	}
	return t, nil
}

func newTicket(plate string, expires time.Time) Ticket {
	return Ticket{ID: plate, Plate: plate, Expires: expires}
}

// Tickets implements TicketStore on a table that the caller opened.
type Tickets struct {
	tbl    bt.Table
	family string
}

// NewTickets makes Tickets.
func NewTickets(tbl bt.Table, family string) *Tickets { return &Tickets{tbl: tbl, family: family} }

func ticketKey(id tenant.ID, ticket string) string { return tenant.Key(id, "tic", ticket) }

// Issue implements TicketStore.
func (t *Tickets) Issue(ctx context.Context, id tenant.ID, tk Ticket) error {
	ts := bigtable.Time(tk.Expires)
	return bt.Build().
		PutAt(t.family, "plate", ts, []byte(tk.Plate)).
		PutAt(t.family, "bay", ts, []byte(tk.Bay)).
		Apply(ctx, t.tbl, ticketKey(id, tk.ID))
}

// Load implements TicketStore.
func (t *Tickets) Load(ctx context.Context, id tenant.ID, ticket string) (Ticket, error) {
	row, err := t.tbl.ReadRow(ctx, ticketKey(id, ticket), bigtable.RowFilter(bt.In(t.family, bt.Live(clock.Now(ctx)))))
	if err != nil {
		return Ticket{}, err
	}
	it, ok := bt.First(row, t.family, "plate")
	if !ok {
		return Ticket{}, bt.ErrNotFound
	}
	tk := Ticket{ID: ticket, Plate: string(it.Value), Expires: it.Timestamp.Time()}
	if b, ok := bt.First(row, t.family, "bay"); ok {
		tk.Bay = string(b.Value)
	}
	return tk, nil
}
