// Package server holds the handlers of the API. Requests and responses are
// written by hand after the protos.
package server

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/northgate/identity/internal/grants"
	"github.com/northgate/identity/internal/platform/bt"
	"github.com/northgate/identity/internal/quota"
	"github.com/northgate/identity/internal/tokens"
)

// Handler answers a request.
type Handler[Req, Resp any] func(ctx context.Context, req Req) (Resp, error)

// Interceptor wraps handlers.
type Interceptor func(ctx context.Context, method string, next func(context.Context) error) error

// Chain makes one interceptor of several.
func Chain(list ...Interceptor) Interceptor {
	return func(ctx context.Context, method string, next func(context.Context) error) error {
		for i := len(list) - 1; i >= 0; i-- {
			ic, inner := list[i], next
			next = func(ctx context.Context) error { return ic(ctx, method, inner) }
		}
		return next(ctx)
	}
}

// Unary puts a handler behind an interceptor.
func Unary[Req, Resp any](method string, ic Interceptor, h Handler[Req, Resp]) Handler[Req, Resp] {
	return func(ctx context.Context, req Req) (resp Resp, err error) {
		err = ic(ctx, method, func(ctx context.Context) error {
			resp, err = h(ctx, req)
			return err
		})
		return resp, err
	}
}

// Logging logs calls.
func Logging(log *slog.Logger) Interceptor {
	return func(ctx context.Context, method string, next func(context.Context) error) error {
		start := time.Now()
		err := next(ctx)
		log.InfoContext(ctx, "call", "method", method, "took", time.Since(start), "code", status.Code(err)) // ok ttlage/not-write-time
		return err
	}
}

// Timeout bounds calls.
func Timeout(d time.Duration) Interceptor {
	return func(ctx context.Context, _ string, next func(context.Context) error) error {
		ctx, cancel := context.WithTimeout(ctx, d)
		defer cancel()
		return next(ctx)
	}
}

// Recover turns panics into errors.
func Recover(log *slog.Logger) Interceptor {
	return func(ctx context.Context, method string, next func(context.Context) error) (err error) {
		defer func() {
			if v := recover(); v != nil {
				log.ErrorContext(ctx, "panic", "method", method, "value", v)
				err = status.Error(codes.Internal, "internal")
			}
		}()
		return next(ctx)
	}
}

// Errors maps errors to codes.
func Errors() Interceptor {
	table := []struct {
		err  error
		code codes.Code
	}{
		{bt.ErrNotFound, codes.NotFound},
		{tokens.ErrRevoked, codes.PermissionDenied},
		{quota.ErrExceeded, codes.ResourceExhausted},
		{context.DeadlineExceeded, codes.DeadlineExceeded},
	}
	return func(ctx context.Context, _ string, next func(context.Context) error) error {
		err := next(ctx)
		if err == nil || status.Code(err) != codes.Unknown {
			return err
		}
		for _, row := range table {
			if errors.Is(err, row.err) {
				return status.Error(row.code, err.Error())
			}
		}
		return status.Error(codes.Internal, "internal")
	}
}

// TokenStore is what the token handlers use.
type TokenStore interface {
	Load(ctx context.Context, id string) (tokens.Claims, error)
	Exists(ctx context.Context, id string) (bool, error)
	Save(ctx context.Context, c tokens.Claims, jwt []byte) error
	Revoke(ctx context.Context, id, by string) error
	IssueRefresh(ctx context.Context, subject, client string) (tokens.Grant, error)
	Rotate(ctx context.Context, g tokens.Grant) (tokens.Grant, error)
}

// GrantRepo is what the grant handlers use.
type GrantRepo interface {
	Get(ctx context.Context, resource, subject string) (*grants.Grant, error)
	Save(ctx context.Context, g grants.Grant) (grants.Revision, error)
	Revoke(ctx context.Context, key, by string) error
}

// Meter is what meters calls.
type Meter interface {
	Take(ctx context.Context, subject string, n int64) error
}

// Signer signs claims.
type Signer interface {
	Sign(ctx context.Context, c tokens.Claims) ([]byte, error)
}

// Tokens are the token handlers.
type Tokens struct {
	store  TokenStore
	meter  Meter
	signer Signer
	now    bt.Clock
}

// NewTokens makes the token handlers.
func NewTokens(store TokenStore, meter Meter, signer Signer, now bt.Clock) *Tokens {
	return &Tokens{store: store, meter: meter, signer: signer, now: now}
}

// IssueRequest asks for a token.
type IssueRequest struct {
	Subject  string
	Client   string
	Scope    string
	Lifetime time.Duration
}

// IssueResponse answers IssueRequest.
type IssueResponse struct {
	AccessToken  string
	RefreshToken string
	ExpiresIn    int64
}

// Issue issues a token.
func (t *Tokens) Issue(ctx context.Context, req *IssueRequest) (*IssueResponse, error) {
	if req.Subject == "" {
		return nil, status.Error(codes.InvalidArgument, "subject is required")
	}
	if err := t.meter.Take(ctx, req.Subject, 1); err != nil {
		return nil, err
	}
	life := min(max(req.Lifetime, time.Minute), time.Hour)
	c := tokens.Claims{ID: newID(), Subject: req.Subject, Scope: req.Scope, Issued: t.now(), Expires: t.now().Add(life)}
	jwt, err := t.signer.Sign(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := t.store.Save(ctx, c, jwt); err != nil { // ok ttlwrite/write-time
		return nil, err
	}
	g, err := t.store.IssueRefresh(ctx, req.Subject, req.Client)
	if err != nil {
		return nil, err
	}
	return &IssueResponse{AccessToken: string(jwt), RefreshToken: g.Secret, ExpiresIn: int64(life.Seconds())}, nil
}

// IntrospectRequest asks about a token.
type IntrospectRequest struct{ Token string }

// IntrospectResponse answers IntrospectRequest.
type IntrospectResponse struct {
	Active  bool
	Subject string
	Expires time.Time
}

// Introspect tells about a token.
func (t *Tokens) Introspect(ctx context.Context, req *IntrospectRequest) (*IntrospectResponse, error) {
	c, err := t.store.Load(ctx, req.Token)
	switch {
	case errors.Is(err, bt.ErrNotFound):
		return &IntrospectResponse{}, nil
	case err != nil:
		return nil, err
	}
	return &IntrospectResponse{Active: t.now().Before(c.Expires), Subject: c.Subject, Expires: c.Expires}, nil
}

// RevokeRequest takes a token back.
type RevokeRequest struct{ Token, By string }

// RevokeResponse answers RevokeRequest.
type RevokeResponse struct{ Known bool }

// Revoke takes a token back.
func (t *Tokens) Revoke(ctx context.Context, req *RevokeRequest) (*RevokeResponse, error) {
	known, err := t.store.Exists(ctx, req.Token)
	if err != nil {
		return nil, err
	}
	if err := t.store.Revoke(ctx, req.Token, req.By); err != nil {
		return nil, err
	}
	return &RevokeResponse{Known: known}, nil
}

// Grants are the grant handlers.
type Grants struct {
	repo GrantRepo
	now  bt.Clock
}

// NewGrants makes the grant handlers.
func NewGrants(repo GrantRepo, now bt.Clock) *Grants { return &Grants{repo: repo, now: now} }

// CheckRequest asks whether a subject may do something.
type CheckRequest struct{ Subject, Resource, Action string }

// CheckResponse answers CheckRequest.
type CheckResponse struct {
	Allowed  bool
	Revision grants.Revision
}

// Check tells whether a subject may do something.
func (g *Grants) Check(ctx context.Context, req *CheckRequest) (*CheckResponse, error) {
	gr, err := g.repo.Get(ctx, req.Resource, req.Subject)
	if errors.Is(err, bt.ErrNotFound) {
		return &CheckResponse{}, nil
	}
	if err != nil {
		return nil, err
	}
	for _, a := range gr.Actions {
		if a == req.Action || a == "*" {
			return &CheckResponse{Allowed: true, Revision: gr.Revision}, nil
		}
	}
	return &CheckResponse{Revision: gr.Revision}, nil
}

// PutRequest stores a grant.
type PutRequest struct {
	Grant grants.Grant
	By    string
}

// PutResponse answers PutRequest.
type PutResponse struct{ Revision grants.Revision }

// Put stores a grant.
func (g *Grants) Put(ctx context.Context, req *PutRequest) (*PutResponse, error) {
	gr := req.Grant
	gr.By, gr.At = req.By, g.now()
	rev, err := g.repo.Save(ctx, gr)
	if err != nil {
		return nil, err
	}
	return &PutResponse{Revision: rev}, nil
}

// API is all handlers behind their interceptors.
type API struct {
	Issue      Handler[*IssueRequest, *IssueResponse]
	Introspect Handler[*IntrospectRequest, *IntrospectResponse]
	Revoke     Handler[*RevokeRequest, *RevokeResponse]
	Check      Handler[*CheckRequest, *CheckResponse]
	PutGrant   Handler[*PutRequest, *PutResponse]
	Admin      *Admin
}

// NewAPI puts the handlers together.
func NewAPI(ic Interceptor, t *Tokens, g *Grants, a *Admin) *API {
	return &API{
		Issue:      Unary("Issue", ic, t.Issue),
		Introspect: Unary("Introspect", ic, t.Introspect),
		Revoke:     Unary("Revoke", ic, t.Revoke),
		Check:      Unary("Check", ic, g.Check),
		PutGrant:   Unary("PutGrant", ic, g.Put),
		Admin:      a,
	}
}
