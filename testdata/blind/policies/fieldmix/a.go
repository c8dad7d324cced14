package fieldmix

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type Config struct{ Age time.Duration }

type Store struct {
	ac  *bigtable.AdminClient
	cfg Config
}

func New(ac *bigtable.AdminClient, cfg Config) *Store { return &Store{ac: ac, cfg: cfg} }

func (s *Store) Setup(ctx context.Context) error {
	return s.ac.SetGCPolicy(ctx, "clickstream", "ev", bigtable.MaxAgePolicy(s.cfg.Age)) // silent
}

func Main(ctx context.Context, ac *bigtable.AdminClient) error {
	return New(ac, Config{Age: 30 * 24 * time.Hour}).Setup(ctx)
}

// Another use of the type, for another table.
func Other(ctx context.Context, ac *bigtable.AdminClient) error {
	c := Config{Age: 24 * time.Hour}
	return ac.SetGCPolicy(ctx, "features", "f", bigtable.MaxAgePolicy(c.Age))
}

func Other2(ctx context.Context, ac *bigtable.AdminClient) error {
	c := Config{Age: time.Hour}
	return ac.SetGCPolicy(ctx, "metrics", "f", bigtable.MaxAgePolicy(c.Age))
}

type S2 struct {
	ac  *bigtable.AdminClient
	tbl string
	fam string
	age time.Duration
}

func (s *S2) Setup(ctx context.Context) error {
	return s.ac.SetGCPolicy(ctx, s.tbl, s.fam, bigtable.MaxAgePolicy(s.age))
}

func NewA(ac *bigtable.AdminClient) *S2 {
	return &S2{ac: ac, tbl: "clickstream", fam: "ev", age: 30 * 24 * time.Hour}
}
func NewB(ac *bigtable.AdminClient) *S2 {
	return &S2{ac: ac, tbl: "features", fam: "f", age: 24 * time.Hour}
}
func NewC(ac *bigtable.AdminClient) *S2 {
	s := &S2{ac: ac}
	s.tbl, s.fam = "telemetry", "m"
	s.age = 90 * 24 * time.Hour
	return s
}
