package services

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"time"

	"example.com/chirpnest/internal/dto"
	"example.com/chirpnest/internal/events"
	"example.com/chirpnest/internal/utils/async"
	"example.com/chirpnest/internal/utils/result"
	"example.com/chirpnest/internal/utils/strutil"
	"example.com/chirpnest/internal/validate"
)

// ErrUnauthorized is for everything that the client may not know more about.
var ErrUnauthorized = errors.New("unauthorized")

// AuthService logs in, refreshes, logs out.
type AuthService struct {
	Login   func(ctx context.Context, in dto.CreateSessionInput) result.Result[dto.Session]
	Refresh func(ctx context.Context, token string) result.Result[dto.Session]
	Logout  func(ctx context.Context, userID, id string) error
	Resolve func(ctx context.Context, token string) (string, error)
	List    func(ctx context.Context, userID string) ([]dto.Session, error)
}

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// NewAuthService wires it.
func NewAuthService(deps Deps) *AuthService {
	check := func(in dto.CreateSessionInput) error {
		return validate.Check(in,
			validate.Field("user", func(in dto.CreateSessionInput) string { return in.UserID }, validate.ID),
			validate.Field("device", func(in dto.CreateSessionInput) string { return in.Device }, validate.MaxLen(200)),
		)
	}
	create := func(ctx context.Context, in dto.CreateSessionInput) (dto.Session, error) {
		now := deps.Clock()
		s := dto.Session{
			ID:        strutil.NanoID(),
			UserID:    in.UserID,
			JWT:       strutil.NanoID() + "." + hash(in.UserID),
			Device:    in.Device,
			UserAgent: in.UserAgent,
			CreatedAt: now,
			ExpiresAt: now.Add(deps.Config.Auth.AccessTTL),
		}
		if err := deps.Repos.Sessions.Upsert(ctx, s); err != nil { // ok ttlwrite/write-time
			return dto.Session{}, err
		}
		return s, nil
	}
	return &AuthService{
		Login: func(ctx context.Context, in dto.CreateSessionInput) result.Result[dto.Session] {
			if err := check(in); err != nil {
				return result.Err[dto.Session](err)
			}
			s, err := create(ctx, in)
			if err != nil {
				return result.Err[dto.Session](err)
			}
			if in.Remember {
				t := dto.RefreshToken{
					ID:        s.ID,
					Hash:      hash(s.JWT),
					UserID:    s.UserID,
					ExpiresAt: deps.Clock().Add(deps.Config.Auth.RefreshTTL),
				}
				if err := deps.Repos.Refresh.Insert(ctx, t); err != nil {
					return result.Err[dto.Session](err)
				}
			}
			if in.Device != "" {
				if err := deps.Repos.Sessions.UpsertDevice(ctx, s.UserID, s.ID, in.Device); err != nil {
					deps.Log.Warn("device not stored", "err", err)
				}
			}
			return result.Ok(s)
		},
		Refresh: func(ctx context.Context, token string) result.Result[dto.Session] {
			id, _, ok := strings.Cut(token, ".")
			if !ok {
				return result.Err[dto.Session](ErrUnauthorized)
			}
			found := deps.Repos.Refresh.FindOne(ctx, id)
			return result.AndThen(found, func(o result.Option[dto.RefreshToken]) result.Result[dto.Session] {
				t, ok := o.Get()
				if !ok || t.Hash != hash(token) {
					return result.Err[dto.Session](ErrUnauthorized)
				}
				if err := deps.Repos.Refresh.Spend(ctx, id); err != nil {
					_ = deps.Events.Emit(ctx, events.SessionRevoked, t.UserID)
					return result.Err[dto.Session](err)
				}
				return result.From(create(ctx, dto.CreateSessionInput{UserID: t.UserID}))
			})
		},
		Logout: func(ctx context.Context, userID, id string) error {
			drop := async.Go(func() (struct{}, error) { return struct{}{}, deps.Repos.Sessions.Remove(ctx, userID, id) })
			spend := async.Go(func() (struct{}, error) { return struct{}{}, deps.Repos.Refresh.MarkSpent(ctx, id) })
			_, err := async.All(ctx, drop, spend)
			return err
		},
		Resolve: func(ctx context.Context, token string) (string, error) {
			user, id, ok := strings.Cut(token, ":")
			if !ok {
				return "", ErrUnauthorized
			}
			o, err := deps.Repos.Sessions.FindOne(ctx, user, id).Unpack()
			if err != nil {
				return "", err
			}
			s, ok := o.Get()
			if !ok {
				return "", ErrUnauthorized
			}
			go func() {
				ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
				defer cancel()
				_ = deps.Repos.Sessions.Touch(ctx, s.UserID, s.ID)
			}()
			return s.UserID, nil
		},
		List: func(ctx context.Context, userID string) ([]dto.Session, error) {
			return deps.Repos.Sessions.FindActiveByUser(ctx, userID).Unpack()
		},
	}
}
