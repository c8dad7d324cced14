// Package repos makes the repositories, which main hands to a service.
package repos

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/wiredinmain/bt"
)

type Repos struct{ Notes, Phases *bt.Repo }

// NewRepos says which family each has: what is wrong with one stands here.
func NewRepos(c *bigtable.Client) Repos {
	return Repos{
		Notes:  bt.NewRepo(c.Open("catalog"), "latest"), // want `clock-in-zero`
		Phases: bt.NewRepo(c.Open("users"), "profile"),
	}
}

// Of makes them of a family that its callers say.
func Of(c *bigtable.Client, family string) Repos {
	return Repos{Notes: bt.NewRepo(c.Open("catalog"), family), Phases: bt.NewRepo(c.Open("users"), "profile")}
}

type Service struct{ repos Repos }

func New(r Repos) *Service { return &Service{r} }

func (s *Service) Note(ctx context.Context) error  { return s.repos.Notes.Put(ctx, "k") }
func (s *Service) Phase(ctx context.Context) error { return s.repos.Phases.Put(ctx, "k") }

// Filled returns what nobody's constructor made.
func Filled(c *bigtable.Client) *bt.Open { return &bt.Open{Tbl: c.Open("catalog"), Family: "latest"} }

type Keeper struct{ open *bt.Open }

func NewKeeper(o *bt.Open) *Keeper { return &Keeper{o} }

func (k *Keeper) Keep(ctx context.Context) error { return k.open.Put(ctx, "k") }
