// Package billing renews subscriptions, issues invoices and collects them.
package billing

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"example.com/paywell/clock"
	"example.com/paywell/domain"
	"example.com/paywell/store"
)

// A Charger takes money. It is somebody else's service.
type Charger interface {
	Charge(ctx context.Context, account string, amount domain.Money, key string) error
}

// Subscriptions is what billing needs of the subscriptions' store.
type Subscriptions interface {
	Get(ctx context.Context, id string) (domain.Subscription, error)
	Save(ctx context.Context, sub *domain.Subscription) error
}

// Invoices is what billing needs of the invoices' store.
type Invoices interface {
	Issue(ctx context.Context, inv domain.Invoice) error
	AcquireLive(ctx context.Context, id, owner string) error
	Unlock(ctx context.Context, id string) error
	Pay(ctx context.Context, id string, at time.Time) error
}

// Attempts is what billing needs of dunning's store.
type Attempts interface {
	Add(ctx context.Context, a domain.Attempt) error
	Attempts(ctx context.Context, invoice string) ([]domain.Attempt, error)
}

// Journal is what billing needs of a ledger.
type Journal interface {
	Post(ctx context.Context, e domain.Entry) (domain.Entry, error)
}

// Service bills.
type Service struct {
	subs     Subscriptions
	invoices Invoices
	attempts Attempts
	charger  Charger
	clk      clock.Clock
	plans    map[string]domain.Plan
	journal  func(tenant string) Journal
	maxTries int
}

// Deps is what a service is made of.
type Deps struct {
	Subscriptions Subscriptions
	Invoices      Invoices
	Attempts      Attempts
	Charger       Charger
	Clock         clock.Clock
	Plans         []domain.Plan
	Journal       func(tenant string) Journal
}

// New returns a service.
func New(d Deps) (*Service, error) {
	if d.Subscriptions == nil || d.Invoices == nil || d.Attempts == nil || d.Charger == nil {
		return nil, errors.New("billing: something is missing")
	}
	plans := make(map[string]domain.Plan, len(d.Plans))
	for _, p := range d.Plans {
		if _, twice := plans[p.ID]; twice {
			return nil, fmt.Errorf("billing: plan %s twice", p.ID)
		}
		plans[p.ID] = p
	}
	return &Service{
		subs:     d.Subscriptions,
		invoices: d.Invoices,
		attempts: d.Attempts,
		charger:  d.Charger,
		clk:      clock.Or(d.Clock),
		plans:    plans,
		journal:  d.Journal,
		maxTries: 4,
	}, nil
}

// FromStore is New for the real stores.
func FromStore(st *store.Store, charger Charger, clk clock.Clock, plans []domain.Plan) (*Service, error) {
	return New(Deps{
		Subscriptions: st.Subscriptions,
		Invoices:      st.Invoices,
		Attempts:      st.Dunning,
		Charger:       charger,
		Clock:         clk,
		Plans:         plans,
		Journal: func(tenant string) Journal {
			return st.Ledger(tenant, store.WithNow(clk.Now))
		},
	})
}

// Renew bills the next period of a subscription if the last one is over.
func (s *Service) Renew(ctx context.Context, tenant, id string) (*domain.Invoice, error) {
	sub, err := s.subs.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	now := s.clk.Now()
	if sub.Status == domain.Canceled || now.Before(sub.PeriodEnd) {
		return nil, nil
	}
	plan, ok := s.plans[sub.Plan]
	if !ok {
		return nil, fmt.Errorf("%w: no plan %s", domain.ErrBadInput, sub.Plan)
	}
	inv := domain.Invoice{
		ID:           fmt.Sprintf("%s-%s", sub.ID, sub.PeriodEnd.Format("20060102")),
		Subscription: sub.ID,
		Lines:        []domain.Line{{Text: plan.Name, Amount: plan.Price}},
		IssuedAt:     now,
	}
	if err := s.invoices.Issue(ctx, inv); err != nil {
		return nil, err
	}
	if err := s.Collect(ctx, tenant, sub, inv); err != nil {
		slog.WarnContext(ctx, "not collected", "invoice", inv.ID, "err", err)
		if sub.Status == domain.Active {
			if err := sub.Move(domain.PastDue); err != nil {
				return nil, err
			}
		}
		return &inv, s.subs.Save(ctx, &sub)
	}
	sub.PeriodEnd = plan.Interval.After(sub.PeriodEnd)
	return &inv, s.subs.Save(ctx, &sub)
}

// Collect charges an invoice, once at a time.
func (s *Service) Collect(ctx context.Context, tenant string, sub domain.Subscription, inv domain.Invoice) (err error) {
	total, err := inv.Total()
	if err != nil {
		return err
	}
	if err := s.invoices.AcquireLive(ctx, inv.ID, "collect"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.invoices.Unlock(ctx, inv.ID)) }()
	tries, err := s.attempts.Attempts(ctx, inv.ID)
	if err != nil {
		return err
	}
	if len(tries) >= s.maxTries {
		return fmt.Errorf("%w: %d attempts", domain.ErrOverBudget, len(tries))
	}
	a := domain.Attempt{Invoice: inv.ID, Number: int64(len(tries)), At: s.clk.Now(), Result: "ok"}
	chargeErr := s.charger.Charge(ctx, sub.Account, total, inv.ID)
	if chargeErr != nil {
		a.Result = chargeErr.Error()
	}
	if err := s.attempts.Add(ctx, a); err != nil {
		return errors.Join(chargeErr, err)
	}
	if chargeErr != nil {
		return chargeErr
	}
	if _, err := s.journal(tenant).Post(ctx, domain.Entry{Account: sub.Account, Amount: total.Neg(), Memo: inv.ID}); err != nil {
		return err
	}
	return s.invoices.Pay(ctx, inv.ID, s.clk.Now())
}
