// Package use keeps its entities in another package's repositories.
package use

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/generic/repo"
)

type Token struct{ JWT string }

func (Token) Table() string      { return "sessions" }
func (Token) Family() string     { return "token" }
func (Token) TTL() time.Duration { return 30 * time.Minute }

type Profile struct{ Name string }

func (Profile) Table() string      { return "sessions" }
func (Profile) Family() string     { return "profile" }
func (Profile) TTL() time.Duration { return 0 }

type Code struct{ N int }

func (*Code) Table() string      { return "otp" }
func (*Code) Family() string     { return "code" }
func (*Code) TTL() time.Duration { return -time.Minute }

type svc struct {
	tokens   *repo.Repo[Token]
	profiles *repo.Repo[Profile]
	codes    *repo.Repo[*Code]
}

func newSvc(c *bigtable.Client) *svc {
	return &svc{repo.New[Token](c), repo.New[Profile](c), repo.New[*Code](c)}
}

func (s *svc) okProfile(ctx context.Context) (Profile, error) {
	if err := s.profiles.PutNow(ctx, "k", Profile{"x"}); err != nil {
		return Profile{}, err
	}
	return s.profiles.Get(ctx, "k")
}

func (s *svc) token(ctx context.Context) (Token, error) {
	return s.tokens.Get(ctx, "k") // want `read of one-second-expiration family "token" of table "sessions"`
}

func (s *svc) put(ctx context.Context) error {
	return s.tokens.PutNow(ctx, "k", Token{"x"}) // want `write to one-second-expiration family "token" of table "sessions" uses the current time`
}

func (s *svc) putTS(ctx context.Context) error {
	if err := s.tokens.Put(ctx, "k", Token{"x"}, bigtable.Time(time.Now().Add(time.Hour))); err != nil {
		return err
	}
	return s.tokens.Put(ctx, "k", Token{"x"}, bigtable.ServerTime) // want `write to one-second-expiration family "token" of table "sessions" uses the server timestamp`
}

func (s *svc) code(ctx context.Context) error {
	if err := s.codes.Put(ctx, "k", &Code{}, bigtable.Time(time.Now().Add(time.Minute))); err != nil {
		return err
	}
	return s.codes.PutNow(ctx, "k", &Code{}) // want `write to one-second-expiration family "code" of table "otp" uses the current time`
}

func (s *svc) codeGet(ctx context.Context) (*Code, error) {
	return s.codes.Get(ctx, "k") // want `read of one-second-expiration family "code" of table "otp"`
}

func direct(ctx context.Context, c *bigtable.Client) error {
	tbl := c.Open("sessions")
	if err := repo.Stamp[Profile](ctx, tbl, "k"); err != nil {
		return err
	}
	if err := repo.Stamp[Token](ctx, tbl, "k"); err != nil { // want `write to one-second-expiration family "token" of table "sessions" uses the current time`
		return err
	}
	if err := repo.Save(ctx, tbl, "k", Token{}); err != nil {
		return err
	}
	return repo.Save(ctx, c.Open("otp"), "k", &Code{}) // want `write to one-second-expiration family "code" of table "otp"`
}
