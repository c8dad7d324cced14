// Package app calls them.
package app

import (
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/abstractports/dao"
	"example.com/cases/sight/abstractports/impl"
)

func local(c *bigtable.Client) error {
	s := impl.NewSaver(c)
	if err := s.SaveUntil("k", time.Now().Add(time.Hour)); err != nil {
		return err
	}
	return s.SaveUntil("k", time.Now()) // want `write-time`
}

func okMemory() error { return impl.NewMemory().SaveUntil("k", time.Now()) }

type field struct{ s dao.Saver }

func newField(c *bigtable.Client) *field { return &field{impl.NewSaver(c)} }

func (f *field) logout() error  { return f.s.SaveUntil("k", time.Now()) } // want `write-time`
func (f *field) okLogin() error { return f.s.SaveUntil("k", time.Now().Add(time.Minute)) }

// What a constructor is given, its callers say.
type given struct{ s dao.Saver }

func newGiven(s dao.Saver) *given { return &given{s: s} }

func (g *given) logout() error { return g.s.SaveUntil("k", time.Now()) } // want `write-time`

type config struct{ savers, others dao.Saver }

type configured struct{ cfg config }

func newConfigured(cfg config) *configured { return &configured{cfg} }

func (d *configured) logout() error   { return d.cfg.savers.SaveUntil("k", time.Now()) } // want `write-time`
func (d *configured) okOthers() error { return d.cfg.others.SaveUntil("k", time.Now()) }

// Nobody in view says what this is given.
type unknown struct{ s dao.Saver }

func NewUnknown(s dao.Saver) *unknown { return &unknown{s} }

func (u *unknown) okLogout() error { return u.s.SaveUntil("k", time.Now()) }

// Callers disagree: what is right for one of them is wrong for the other, at whose
// call it is reported.
type keeper struct{ k dao.Keeper }

func newKeeper(k dao.Keeper) keeper { return keeper{k} }

func (k keeper) okKeep() error { return k.k.Keep("k", time.Now()) }

func run(c *bigtable.Client) error {
	if err := newGiven(impl.NewSaver(c)).logout(); err != nil {
		return err
	}
	if err := newConfigured(config{savers: impl.NewSaver(c), others: impl.NewMemory()}).logout(); err != nil {
		return err
	}
	if err := newKeeper(impl.NewDated(c)).okKeep(); err != nil {
		return err
	}
	return newKeeper(impl.NewExpiring(c)).okKeep() // want `write-time: .*"token" of table "sessions"`
}
