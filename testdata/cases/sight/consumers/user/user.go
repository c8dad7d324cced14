// Package user locks with what it is given.
package user

import (
	"context"
	"time"

	"example.com/cases/sight/consumers/ports"
)

// User has a locker.
type User struct{ l ports.Locker }

// New makes one.
func New(l ports.Locker) *User { return &User{l} }

// Lock locks until now.
func (u *User) Lock(ctx context.Context, user string) error {
	return u.l.Lock(ctx, user, time.Now()) // want `write-time: .*"token"`
}
