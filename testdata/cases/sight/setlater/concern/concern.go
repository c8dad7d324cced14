// Package concern has a struct that others embed.
package concern

import "time"

type Expirable struct{ ExpiresAt time.Time }

func (e *Expirable) ExpireIn(d time.Duration) { e.ExpiresAt = time.Now().Add(d) }
