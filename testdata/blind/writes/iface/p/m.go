package p

import (
	"context"
	"time"
)

type Box interface {
	Deliver(ctx context.Context, expires time.Time) error
}
