package svc

import (
	"context"

	"example.com/cases/sight/testfakes"
)

type Service struct {
	sessions *fakes.Sessions
	clk      fakes.Clock
}

func New(s *fakes.Sessions, clk fakes.Clock) *Service { return &Service{s, clk} }

func (s *Service) Resume(ctx context.Context) error {
	if _, err := s.sessions.Get(ctx); err != nil {
		return err
	}
	return s.sessions.Put(ctx)
}
