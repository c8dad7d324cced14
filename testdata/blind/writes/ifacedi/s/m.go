package s

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
	"example.com/blind/ifacedi/a"
)

type box interface {
	Deliver(ctx context.Context, expires time.Time) error
}

type Svc struct{ b box }

func NewSvc(b box) *Svc { return &Svc{b} }

func (s *Svc) Do(ctx context.Context) error { return s.b.Deliver(ctx, time.Now()) } // want `write-time`

func Main(ctx context.Context, c *bigtable.Client) error {
	return NewSvc(a.NewBox(c)).Do(ctx)
}
