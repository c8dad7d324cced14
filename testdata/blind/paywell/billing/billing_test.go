package billing

import (
	"context"
	"errors"
	"testing"
	"time"

	"example.com/paywell/clock"
	"example.com/paywell/domain"
)

type fakeSubs struct {
	subs  map[string]domain.Subscription
	saved []domain.Subscription
}

func (f *fakeSubs) Get(_ context.Context, id string) (domain.Subscription, error) {
	s, ok := f.subs[id]
	if !ok {
		return s, domain.ErrNotFound
	}
	return s, nil
}

func (f *fakeSubs) Save(_ context.Context, s *domain.Subscription) error {
	s.Revision++
	f.saved = append(f.saved, *s)
	f.subs[s.ID] = *s
	return nil
}

type fakeInvoices struct {
	issued []domain.Invoice
	locked map[string]string
	paid   map[string]time.Time
}

func (f *fakeInvoices) Issue(_ context.Context, inv domain.Invoice) error {
	f.issued = append(f.issued, inv)
	return nil
}

func (f *fakeInvoices) AcquireLive(_ context.Context, id, owner string) error {
	if _, held := f.locked[id]; held {
		return domain.ErrLocked
	}
	f.locked[id] = owner
	return nil
}

func (f *fakeInvoices) Unlock(_ context.Context, id string) error {
	delete(f.locked, id)
	return nil
}

func (f *fakeInvoices) Pay(_ context.Context, id string, at time.Time) error {
	f.paid[id] = at
	return nil
}

type fakeAttempts map[string][]domain.Attempt

func (f fakeAttempts) Add(_ context.Context, a domain.Attempt) error {
	f[a.Invoice] = append(f[a.Invoice], a)
	return nil
}

func (f fakeAttempts) Attempts(_ context.Context, invoice string) ([]domain.Attempt, error) {
	return f[invoice], nil
}

type fakeJournal struct{ posted []domain.Entry }

func (f *fakeJournal) Post(_ context.Context, e domain.Entry) (domain.Entry, error) {
	e.Number = int64(len(f.posted) + 1)
	f.posted = append(f.posted, e)
	return e, nil
}

type chargeFunc func(account string, amount domain.Money) error

func (f chargeFunc) Charge(_ context.Context, account string, amount domain.Money, _ string) error {
	return f(account, amount)
}

var (
	now   = time.Date(2024, 6, 1, 9, 0, 0, 0, time.UTC)
	basic = domain.Plan{ID: "basic", Name: "Basic", Price: domain.Money{Amount: 900, Currency: "eur"}, Interval: domain.Monthly}
)

func TestRenew(t *testing.T) {
	declined := errors.New("declined")
	tests := []struct {
		name       string
		sub        domain.Subscription
		charge     error
		locked     bool
		wantStatus domain.Status
		wantEnd    time.Time
		wantIssued int
		wantPosted int
	}{
		{
			name:       "period over",
			sub:        domain.Subscription{ID: "s1", Plan: "basic", Status: domain.Active, PeriodEnd: now},
			wantStatus: domain.Active,
			wantEnd:    now.AddDate(0, 1, 0),
			wantIssued: 1,
			wantPosted: 1,
		},
		{
			name:       "period not over",
			sub:        domain.Subscription{ID: "s1", Plan: "basic", Status: domain.Active, PeriodEnd: now.Add(time.Hour)},
			wantStatus: domain.Active,
			wantEnd:    now.Add(time.Hour),
		},
		{
			name:       "canceled",
			sub:        domain.Subscription{ID: "s1", Plan: "basic", Status: domain.Canceled, PeriodEnd: now},
			wantStatus: domain.Canceled,
			wantEnd:    now,
		},
		{
			name:       "declined",
			sub:        domain.Subscription{ID: "s1", Plan: "basic", Status: domain.Active, PeriodEnd: now},
			charge:     declined,
			wantStatus: domain.PastDue,
			wantEnd:    now,
			wantIssued: 1,
		},
		{
			name:       "somebody else collects",
			sub:        domain.Subscription{ID: "s1", Plan: "basic", Status: domain.PastDue, PeriodEnd: now},
			locked:     true,
			wantStatus: domain.PastDue,
			wantEnd:    now,
			wantIssued: 1,
		},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			subs := &fakeSubs{subs: map[string]domain.Subscription{"s1": tc.sub}}
			invoices := &fakeInvoices{locked: map[string]string{}, paid: map[string]time.Time{}}
			if tc.locked {
				invoices.locked["s1-20240601"] = "other"
			}
			journal := &fakeJournal{}
			svc, err := New(Deps{
				Subscriptions: subs,
				Invoices:      invoices,
				Attempts:      fakeAttempts{},
				Charger:       chargeFunc(func(string, domain.Money) error { return tc.charge }),
				Clock:         clock.Func(func() time.Time { return now }),
				Plans:         []domain.Plan{basic},
				Journal:       func(string) Journal { return journal },
			})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := svc.Renew(t.Context(), "acme", "s1"); err != nil {
				t.Fatal(err)
			}
			got := subs.subs["s1"]
			if got.Status != tc.wantStatus {
				t.Errorf("status %s, want %s", got.Status, tc.wantStatus)
			}
			if !got.PeriodEnd.Equal(tc.wantEnd) {
				t.Errorf("period ends %v, want %v", got.PeriodEnd, tc.wantEnd)
			}
			if len(invoices.issued) != tc.wantIssued {
				t.Errorf("%d invoices, want %d", len(invoices.issued), tc.wantIssued)
			}
			if len(journal.posted) != tc.wantPosted {
				t.Errorf("%d entries, want %d", len(journal.posted), tc.wantPosted)
			}
		})
	}
}

func TestCollectGivesUp(t *testing.T) {
	attempts := fakeAttempts{"i1": make([]domain.Attempt, 4)}
	invoices := &fakeInvoices{locked: map[string]string{}, paid: map[string]time.Time{}}
	charged := 0
	svc, err := New(Deps{
		Subscriptions: &fakeSubs{},
		Invoices:      invoices,
		Attempts:      attempts,
		Charger:       chargeFunc(func(string, domain.Money) error { charged++; return nil }),
		Clock:         clock.Func(func() time.Time { return now }),
	})
	if err != nil {
		t.Fatal(err)
	}
	inv := domain.Invoice{ID: "i1", Lines: []domain.Line{{Text: "x", Amount: basic.Price}}}
	if err := svc.Collect(t.Context(), "acme", domain.Subscription{}, inv); !errors.Is(err, domain.ErrOverBudget) {
		t.Errorf("got %v", err)
	}
	if charged != 0 || len(invoices.locked) != 0 {
		t.Errorf("charged %d times, locks %v", charged, invoices.locked)
	}
}

func TestNewRejects(t *testing.T) {
	full := Deps{Subscriptions: &fakeSubs{}, Invoices: &fakeInvoices{}, Attempts: fakeAttempts{}, Charger: chargeFunc(nil)}
	tests := map[string]func(*Deps){
		"no subscriptions": func(d *Deps) { d.Subscriptions = nil },
		"no invoices":      func(d *Deps) { d.Invoices = nil },
		"no attempts":      func(d *Deps) { d.Attempts = nil },
		"no charger":       func(d *Deps) { d.Charger = nil },
		"plan twice":       func(d *Deps) { d.Plans = []domain.Plan{basic, basic} },
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			d := full
			change(&d)
			if _, err := New(d); err == nil {
				t.Error("accepted")
			}
		})
	}
}
