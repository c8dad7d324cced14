package s

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
	"example.com/blind/iface/a"
	"example.com/blind/iface/p"
)

type Svc struct{ b p.Box }

func NewSvc(c *bigtable.Client) *Svc { return &Svc{a.NewBox(c)} }

func (s *Svc) Do(ctx context.Context) error { return s.b.Deliver(ctx, time.Now()) } // want `write-time`

func Direct(ctx context.Context, c *bigtable.Client) error {
	return a.NewBox(c).Deliver(ctx, time.Now()) // want `write-time`
}
