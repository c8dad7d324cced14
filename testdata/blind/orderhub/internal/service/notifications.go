package service

import (
	"context"
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/meridian/orderhub/internal/constants"
	"example.com/meridian/orderhub/internal/dao"
	"example.com/meridian/orderhub/internal/domain"
	"example.com/meridian/orderhub/internal/filter"
	"example.com/meridian/orderhub/internal/platform/bt"
	"example.com/meridian/orderhub/internal/platform/clock"
	"example.com/meridian/orderhub/internal/timestamp"
)

// NotificationService tells customers things.
type NotificationService interface {
	OrderChanged(ctx context.Context, customer, order string, state domain.OrderState) error
	Digest(ctx context.Context, customer string) (string, error)
}

// DefaultNotificationService implements NotificationService.
type DefaultNotificationService struct {
	dao   dao.NotificationDAO
	clock clock.Clock
	texts map[domain.OrderState]string
}

var _ NotificationService = (*DefaultNotificationService)(nil)

// NewDefaultNotificationService returns a DefaultNotificationService.
func NewDefaultNotificationService(d dao.NotificationDAO, c clock.Clock) *DefaultNotificationService {
	return &DefaultNotificationService{dao: d, clock: c, texts: map[domain.OrderState]string{
		domain.StatePlaced:    "We have your order.",
		domain.StatePaid:      "Thank you for paying.",
		domain.StateShipped:   "It is on its way.",
		domain.StateDelivered: "Enjoy.",
		domain.StateCancelled: "Your order was cancelled.",
	}}
}

// OrderChanged implements NotificationService.
func (s *DefaultNotificationService) OrderChanged(ctx context.Context, customer, order string, state domain.OrderState) error {
	muted, err := s.dao.Muted(ctx, customer)
	if err != nil || muted {
		return err
	}
	n, err := domain.NewNotificationBuilder().
		WithID(fmt.Sprintf("%s-%s", order, strings.ToLower(string(state)))).
		WithSubject("Order " + order).
		WithBody(s.texts[state]).
		Build()
	if err != nil {
		return err
	}
	if state.Terminal() {
		n.Lifetime = 7 * 24 * time.Hour
	}
	return s.dao.Push(ctx, customer, n)
}

// Digest implements NotificationService.
func (s *DefaultNotificationService) Digest(ctx context.Context, customer string) (string, error) {
	ns, err := s.dao.Inbox(ctx, customer)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, n := range ns {
		fmt.Fprintf(&b, "* %s\n", n.Subject)
	}
	return b.String(), nil
}

// Event is what the bus carries.
type Event struct {
	Kind     string
	Customer string
	Order    string
	Number   int64
	At       time.Time
	Payload  []byte
}

// Handler handles events of a kind.
type Handler interface {
	Kind() string
	Handle(ctx context.Context, e Event) (row string, m *bigtable.Mutation)
}

// Projector writes what handlers make of events. Its tables have the names of the domain.
type Projector struct {
	orders, sessions, notifications bt.TableGateway
	handlers                        map[string]Handler
}

// NewProjector returns a Projector.
func NewProjector(tables bt.TableFactory, handlers ...Handler) *Projector {
	p := &Projector{
		orders:        tables.CreateTable(constants.TableOrders),
		sessions:      tables.CreateTable(constants.TableSessions),
		notifications: tables.CreateTable(constants.TableNotifications),
		handlers:      map[string]Handler{},
	}
	for _, h := range handlers {
		p.handlers[h.Kind()] = h
	}
	return p
}

// Project handles one event.
func (p *Projector) Project(ctx context.Context, e Event) error {
	h, ok := p.handlers[e.Kind]
	if !ok {
		return fmt.Errorf("no handler for %q", e.Kind)
	}
	row, m := h.Handle(ctx, e)
	switch {
	case strings.HasPrefix(e.Kind, "order."):
		return p.orders.Apply(ctx, row, m)
	case strings.HasPrefix(e.Kind, "session."):
		return p.sessions.Apply(ctx, row, m)
	}
	return p.notifications.Apply(ctx, row, m)
}

// OrderEdited handles edits.
type OrderEdited struct{}

// Kind implements Handler.
func (OrderEdited) Kind() string { return "order.edited" }

// Handle implements Handler.
func (OrderEdited) Handle(_ context.Context, e Event) (string, *bigtable.Mutation) {
	m := bigtable.NewMutation()
	m.Set(constants.FamilyRevision, constants.ColPayload, timestamp.Sequence(e.Number), e.Payload) // ok ttlwrite/clock-in-sequence
	m.Set(constants.FamilyRevision, constants.ColAuthor, bigtable.Time(e.At), []byte(e.Customer))  // want ttlwrite/clock-in-sequence
	m.Set(constants.FamilyHeader, "edited", bigtable.Time(e.At), nil)                              // ok ttlwrite/clock-in-sequence
	return e.Order, m
}

// OrderHeld handles reservations.
type OrderHeld struct{ Clock clock.Clock }

// Kind implements Handler.
func (OrderHeld) Kind() string { return "order.held" }

// Handle implements Handler.
func (h OrderHeld) Handle(_ context.Context, e Event) (string, *bigtable.Mutation) {
	m := bigtable.NewMutation()
	m.Set(constants.FamilyHold, string(e.Payload), bigtable.Time(h.Clock.Now().Add(constants.HoldTTL)), nil) // ok ttlwrite/write-time
	m.Set(constants.FamilyHold, "by", bigtable.ServerTime, []byte(e.Customer))                               // want ttlwrite/server-timestamp
	m.Set(constants.FamilyState, constants.ColStatus, 0, []byte("HELD"))                                     // ok ttlwrite/clock-in-zero
	return e.Order, m
}

// SessionSeen handles logins.
type SessionSeen struct{}

// Kind implements Handler.
func (SessionSeen) Kind() string { return "session.seen" }

// Handle implements Handler.
func (SessionSeen) Handle(_ context.Context, e Event) (string, *bigtable.Mutation) {
	m := bigtable.NewMutation()
	m.Set(constants.FamilyDevice, "seen", bigtable.Now(), nil)  // want ttlwrite/write-time
	m.Set(constants.FamilyProfile, "seen", bigtable.Now(), nil) // ok ttlwrite/write-time
	return e.Customer, m
}

// MessageSent handles messages.
type MessageSent struct{}

// Kind implements Handler.
func (MessageSent) Kind() string { return "message.sent" }

// Handle implements Handler.
func (MessageSent) Handle(_ context.Context, e Event) (string, *bigtable.Mutation) {
	m := bigtable.NewMutation()
	m.Set(constants.FamilyInbox, e.Order, bigtable.Time(e.At), e.Payload) // ok ttlwrite/write-time
	m.Set(constants.FamilyPref, "last", bigtable.Now(), []byte(e.Order))  // want ttlwrite/clock-in-zero
	return e.Customer, m
}

// Watcher reads what changes, across tables.
type Watcher struct {
	sessions, orders bt.TableGateway
	filters          filter.Factory
}

// NewWatcher returns a Watcher.
func NewWatcher(tables bt.TableFactory, f filter.Factory) *Watcher {
	return &Watcher{
		sessions: tables.CreateTable(constants.TableSessions),
		orders:   tables.CreateTable(constants.TableOrders),
		filters:  f,
	}
}

// tokensOf returns the tokens of a session that was read.
func tokensOf(row bigtable.Row) []string {
	var out []string
	for _, item := range row[constants.FamilyToken] {
		out = append(out, string(item.Value))
	}
	return out
}

// Tokens reads tokens with a filter of the factory.
func (w *Watcher) Tokens(ctx context.Context, id string) ([]string, error) {
	row, err := w.sessions.ReadRow(ctx, id, bigtable.RowFilter(bigtable.ChainFilters(w.filters.Family(constants.FamilyToken), w.filters.LiveOnly()))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return tokensOf(row), nil
}

// TokensLatest reads tokens with another.
func (w *Watcher) TokensLatest(ctx context.Context, id string) ([]string, error) {
	row, err := w.sessions.ReadRow(ctx, id, bigtable.RowFilter(bigtable.ChainFilters(w.filters.Family(constants.FamilyToken), w.filters.Latest(1)))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return tokensOf(row), nil
}

// TokensBuilt reads tokens with a filter that was built.
func (w *Watcher) TokensBuilt(ctx context.Context, id string) ([]string, error) {
	row, err := w.sessions.ReadRow(ctx, id, bigtable.RowFilter(filter.NewBuilder().Family(constants.FamilyToken).Column(constants.Session.JWT).Latest(1).Build())) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return tokensOf(row), nil
}

// TokensBuiltLive reads tokens with one that was built better.
func (w *Watcher) TokensBuiltLive(ctx context.Context, id string) ([]string, error) {
	row, err := w.sessions.ReadRow(ctx, id, bigtable.RowFilter(filter.NewBuilder().Family(constants.FamilyToken).Live(time.Now()).Latest(1).Build())) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return tokensOf(row), nil
}

// RevisionsBuilt reads revisions.
func (w *Watcher) RevisionsBuilt(ctx context.Context, id string) ([]byte, error) {
	row, err := w.orders.ReadRow(ctx, id, bigtable.RowFilter(filter.NewBuilder().Family(constants.FamilyRevision).Latest(1).Build())) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return bt.Column(row, constants.FamilyRevision, constants.ColPayload), nil
}

// RevisionsMany reads too many.
func (w *Watcher) RevisionsMany(ctx context.Context, id string) (int, error) {
	row, err := w.orders.ReadRow(ctx, id, bigtable.RowFilter(filter.NewBuilder().Family(constants.FamilyRevision).Latest(50).Build())) // want ttlread/version-limit
	return len(row[constants.FamilyRevision]), err
}

// RevisionsLive asks a sequence for what lives.
func (w *Watcher) RevisionsLive(ctx context.Context, id string) (int, error) {
	row, err := w.orders.ReadRow(ctx, id, bigtable.RowFilter(bigtable.ChainFilters(w.filters.Family(constants.FamilyRevision), w.filters.LiveOnly()))) // want ttlread/wrong-bound
	return len(row[constants.FamilyRevision]), err
}

// filterFor chooses a filter by what is wanted.
func (w *Watcher) filterFor(live bool) bigtable.Filter {
	if live {
		return filter.LiveFamily(constants.FamilyHold)
	}
	return bigtable.FamilyFilter(constants.FamilyHold)
}

// Holds reads the holds that stand.
func (w *Watcher) Holds(ctx context.Context, id string) (int, error) {
	row, err := w.orders.ReadRow(ctx, id, bigtable.RowFilter(w.filterFor(true))) // ok ttlread/missing-filter
	return len(row[constants.FamilyHold]), err
}

// HoldsEver reads all holds.
func (w *Watcher) HoldsEver(ctx context.Context, id string) (int, error) {
	row, err := w.orders.ReadRow(ctx, id, bigtable.RowFilter(w.filterFor(false))) // want ttlread/missing-filter
	return len(row[constants.FamilyHold]), err
}

// Expiring calls back for sessions that will end soon, and checks by hand.
func (w *Watcher) Expiring(ctx context.Context, prefix string, within time.Duration, each func(string)) error {
	now := time.Now()
	return w.sessions.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, item := range r[constants.FamilyToken] {
			if t := item.Timestamp.Time(); t.After(now) && t.Before(now.Add(within)) {
				each(r.Key())
			}
		}
		return true
	})
}

// Conditional reads with the live filter where it does nothing.
func (w *Watcher) Conditional(ctx context.Context, id string) ([]string, error) {
	f := bigtable.ConditionFilter(filter.LiveFamily(constants.FamilyToken), bigtable.FamilyFilter(constants.FamilyToken), nil) // want ttlread/unfiltered-branch[cond]
	row, err := w.sessions.ReadRow(ctx, id, bigtable.RowFilter(f))                                                             // want ttlread/unfiltered-branch[cond]
	if err != nil {
		return nil, err
	}
	return tokensOf(row), nil
}

// ConditionalLive reads with the live filter where it counts.
func (w *Watcher) ConditionalLive(ctx context.Context, id string) ([]string, error) {
	f := bigtable.ConditionFilter(bigtable.ColumnFilter("jwt"), filter.LiveFamily(constants.FamilyToken), bigtable.BlockAllFilter())
	row, err := w.sessions.ReadRow(ctx, id, bigtable.RowFilter(f)) // ok ttlread/unfiltered-branch
	if err != nil {
		return nil, err
	}
	return tokensOf(row), nil
}
