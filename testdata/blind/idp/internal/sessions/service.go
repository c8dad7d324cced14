package sessions

import (
	"context"
	"fmt"
	"time"

	"example.com/idp/internal/ids"
)

// Repository is what the service needs of the repo.
type Repository interface {
	Create(ctx context.Context, s Session, d Device) error
	Get(ctx context.Context, u ids.UserID, id ids.SessionID) (Session, error)
	Touch(ctx context.Context, u ids.UserID, id ids.SessionID) error
	Extend(ctx context.Context, s Session) error
	Revoke(ctx context.Context, u ids.UserID, id ids.SessionID) error
	ListLive(ctx context.Context, u ids.UserID) ([]Session, error)
}

// Service has the rules about sessions.
type Service struct {
	repo      Repository
	now       func() time.Time
	perUser   int
	renewLeft time.Duration
}

// NewService returns a service.
func NewService(repo Repository, now func() time.Time, perUser int) *Service {
	return &Service{repo: repo, now: now, perUser: perUser, renewLeft: 2 * time.Hour}
}

func (s *Service) Login(ctx context.Context, u ids.UserID, amr []string, d Device) (Session, error) {
	all, err := s.repo.ListLive(ctx, u)
	if err != nil {
		return Session{}, fmt.Errorf("sessions: login: %w", err)
	}
	if len(all) >= s.perUser {
		oldest := all[0]
		for _, x := range all[1:] {
			if x.Began.Before(oldest.Began) {
				oldest = x
			}
		}
		if err := s.repo.Revoke(ctx, u, oldest.ID); err != nil {
			return Session{}, err
		}
	}
	x := Session{ID: ids.NewSession(), User: u, AMR: amr, Began: s.now()}
	return x, s.repo.Create(ctx, x, d)
}

func (s *Service) Use(ctx context.Context, u ids.UserID, id ids.SessionID) (Session, error) {
	x, err := s.repo.Get(ctx, u, id)
	if err != nil {
		return x, err
	}
	if x.Expires.Sub(s.now()) < s.renewLeft {
		return x, s.repo.Extend(ctx, x)
	}
	return x, s.repo.Touch(ctx, u, id)
}

func (s *Service) Logout(ctx context.Context, u ids.UserID, id ids.SessionID) error {
	return s.repo.Revoke(ctx, u, id)
}

func (s *Service) LogoutAll(ctx context.Context, u ids.UserID) (int, error) {
	all, err := s.repo.ListLive(ctx, u)
	if err != nil {
		return 0, err
	}
	for i, x := range all {
		if err := s.repo.Revoke(ctx, u, x.ID); err != nil {
			return i, err
		}
	}
	return len(all), nil
}
