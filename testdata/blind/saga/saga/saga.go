// Package saga runs the checkout: steps, each with what takes it back.
package saga

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"example.com/saga/bt"
	"example.com/saga/clock"
	"example.com/saga/domain/event"
	"example.com/saga/domain/order"
	"example.com/saga/domain/payment"
	"example.com/saga/policy"
	"example.com/saga/store"
	"example.com/saga/vo"
)

// Provider takes the money.
type Provider interface {
	Charge(ctx context.Context, key vo.IdemKey, amount vo.Money) (ref string, err error)
	Refund(ctx context.Context, ref string) error
}

// Carrier makes quotes.
type Carrier interface {
	Name() string
	Ask(ctx context.Context, o *order.Order) (store.Quote, error)
}

// Env is what the steps work with.
type Env struct {
	Clock    clock.Clock
	Carts    *store.CartRepo
	Stock    *store.StockRepo
	Orders   *store.OrderRepo
	Payments *store.PaymentRepo
	Coupons  *store.CouponRepo
	Quotes   *store.QuoteRepo
	Outbox   *store.Outbox
	Journal  *Journal
	Provider Provider
	Carriers []Carrier
	Retry    policy.Retry
}

// State is what the steps know.
type State struct {
	Cart    vo.CartID
	Order   *order.Order
	Payment *payment.Payment
	Coupon  vo.CouponCode
	Key     vo.IdemKey
	Carrier string
	Ref     string
	undo    []Step
}

// Step is a step of a saga.
type Step struct {
	Name     string
	Timeout  time.Duration
	Optional bool
	Do       func(ctx context.Context, e *Env, s *State) error
	Undo     func(ctx context.Context, e *Env, s *State) error
}

// ErrStep is wrapped by the error of a saga that was taken back.
var ErrStep = errors.New("step failed")

// Checkout is the saga of an order.
var Checkout = []Step{
	{
		Name: "claim", Timeout: 2 * time.Second,
		Do: func(ctx context.Context, e *Env, s *State) error { return e.Orders.Claim(ctx, s.Order) },
		Undo: func(ctx context.Context, e *Env, s *State) error {
			if err := s.Order.Cancel("checkout failed"); err != nil {
				return err
			}
			u := bt.Begin(e.Retry)
			e.Orders.Save(u, s.Order)
			return u.Commit(ctx)
		},
	},
	{
		Name: "reserve", Timeout: 3 * time.Second,
		Do: func(ctx context.Context, e *Env, s *State) error {
			for _, l := range s.Order.Lines {
				free, err := e.Stock.Available(ctx, l.SKU)
				if err != nil {
					return err
				}
				if free < int64(l.Qty) {
					return fmt.Errorf("%s: %d of %d: %w", l.SKU, free, l.Qty, bt.ErrConflict)
				}
				if err := e.Stock.Reserve(ctx, s.Order.ID, l.SKU, l.Qty); err != nil {
					return err
				}
			}
			return nil
		},
		Undo: func(ctx context.Context, e *Env, s *State) error {
			var errs []error
			for _, l := range s.Order.Lines {
				errs = append(errs, e.Stock.Release(ctx, s.Order.ID, l.SKU))
			}
			return errors.Join(errs...)
		},
	},
	{
		Name: "coupon", Optional: true,
		Do: func(ctx context.Context, e *Env, s *State) error {
			if s.Coupon == "" {
				return nil
			}
			g, err := e.Coupons.Usable(ctx, s.Coupon)
			if err != nil {
				return err
			}
			if err := e.Coupons.Hold(ctx, s.Coupon, s.Order.ID); err != nil {
				return err
			}
			return s.Order.Apply(g.Code, g.Percent)
		},
		Undo: func(ctx context.Context, e *Env, s *State) error {
			if s.Coupon == "" {
				return nil
			}
			return e.Coupons.Drop(ctx, s.Coupon, s.Order.ID)
		},
	},
	{Name: "quote", Timeout: 5 * time.Second, Do: askCarriers},
	{
		Name: "pay", Timeout: 20 * time.Second,
		Do: pay,
		Undo: func(ctx context.Context, e *Env, s *State) error {
			if s.Ref == "" {
				return nil
			}
			if err := e.Provider.Refund(ctx, s.Ref); err != nil {
				return err
			}
			return e.Payments.RememberFor(ctx, s.Key, []byte("refunded"), 0) // want ttlwrite/already-expired
		},
	},
	{
		Name: "confirm", Timeout: 3 * time.Second,
		Do: func(ctx context.Context, e *Env, s *State) error {
			for _, l := range s.Order.Lines {
				if err := e.Stock.Confirm(ctx, s.Order.ID, l.SKU); err != nil {
					return err
				}
			}
			if s.Coupon != "" {
				return e.Coupons.Use(ctx, s.Coupon, s.Order.ID)
			}
			return nil
		},
	},
	{Name: "announce", Do: announce},
}

func askCarriers(ctx context.Context, e *Env, s *State) error {
	now := e.Clock.Now()
	pickup := store.Quote{Carrier: "pickup", Asked: now, Until: now}
	if err := e.Quotes.Save(ctx, s.Order.ID, pickup); err != nil { // want ttlwrite/write-time
		return err
	}
	locker := store.Quote{Carrier: "locker", Asked: now, Until: now.Add(time.Hour)}
	if err := e.Quotes.Save(ctx, s.Order.ID, locker); err != nil { // ok ttlwrite/write-time
		return err
	}
	for _, c := range e.Carriers {
		asked, err := e.Quotes.IsAsked(ctx, s.Order.ID, c.Name())
		if err != nil || asked {
			continue
		}
		if err := e.Quotes.AskedUntil(ctx, s.Order.ID, c.Name()); err != nil {
			return err
		}
		q, err := c.Ask(ctx, s.Order)
		if err != nil {
			slog.Warn("carrier", "carrier", c.Name(), "err", err)
			continue
		}
		if err := e.Quotes.Save(ctx, s.Order.ID, q); err != nil { // ok ttlwrite/write-time
			return err
		}
	}
	qs, err := e.Quotes.Binding(ctx, s.Order.ID)
	if err != nil {
		return err
	}
	best := -1
	for i, q := range qs {
		if best < 0 || q.Price.Minor < qs[best].Price.Minor {
			best = i
		}
	}
	if best < 0 {
		return fmt.Errorf("no carrier for %s: %w", s.Order.ID, bt.ErrNotFound)
	}
	s.Carrier = qs[best].Carrier
	return nil
}

func pay(ctx context.Context, e *Env, s *State) error {
	old, err := e.Payments.Attempts(ctx, s.Order.ID)
	if err != nil {
		return err
	}
	p := payment.New(s.Order.ID, s.Order.Total, s.Key, 3).With(old)
	s.Payment = p
	ref, err := e.Provider.Charge(ctx, s.Key, p.Amount)
	out := payment.Authorized
	if err != nil {
		out = payment.Failed
	}
	if terr := p.Try(out, ref); terr != nil {
		return terr
	}
	u := bt.Begin(e.Retry)
	e.Payments.Save(u, p) // want ttlwrite/unscaled-sequence[ref]
	if cerr := u.Commit(ctx); cerr != nil {
		return cerr
	}
	if err != nil {
		return fmt.Errorf("charge: %w", errors.Join(err, e.Payments.RememberFor(ctx, s.Key, []byte("failed"), time.Hour))) // ok ttlwrite/already-expired
	}
	s.Ref = ref
	return s.Order.Pay(ref)
}

func announce(ctx context.Context, e *Env, s *State) error {
	u := bt.Begin(e.Retry)
	e.Orders.Save(u, s.Order)
	m := event.Message{ID: vo.NewID("msg"), Topic: "order.paid", Key: string(s.Order.ID), Seq: int64(s.Order.Revision()), Payload: map[string]string{
		"total": s.Order.Total.String(), "carrier": s.Carrier,
	}}
	if err := e.Outbox.Append(u, "orders", m); err != nil {
		return err
	}
	e.Journal.Finished(u, s.Order.ID, s.Order.Revision())
	return u.Commit(ctx)
}

// Run runs the steps, and takes them back if one fails.
func Run(ctx context.Context, e *Env, s *State, steps []Step) error {
	for i, st := range steps {
		if err := runStep(ctx, e, s, st); err != nil {
			if st.Optional {
				slog.Warn("optional step", "step", st.Name, "err", err)
				continue
			}
			return errors.Join(fmt.Errorf("%w: %s: %w", ErrStep, st.Name, err), compensate(context.WithoutCancel(ctx), e, s))
		}
		if err := e.Journal.Step(ctx, s.Order.ID, i, st.Name); err != nil {
			slog.Warn("journal", "step", st.Name, "err", err)
		}
		s.undo = append(s.undo, st)
	}
	return nil
}

func runStep(ctx context.Context, e *Env, s *State, st Step) error {
	if st.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, st.Timeout)
		defer cancel()
	}
	return st.Do(ctx, e, s)
}

func compensate(ctx context.Context, e *Env, s *State) error {
	var errs []error
	for i := len(s.undo) - 1; i >= 0; i-- {
		st := s.undo[i]
		if st.Undo == nil {
			continue
		}
		if err := st.Undo(ctx, e, s); err != nil {
			errs = append(errs, fmt.Errorf("undo %s: %w", st.Name, err))
		}
		if err := e.Journal.Undone(ctx, s.Order.ID, i, st.Name); err != nil {
			slog.Warn("journal", "step", st.Name, "err", err)
		}
	}
	return errors.Join(errs...)
}
