package btimpl

import (
	"context"
	"encoding/json"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/meridian/orderhub/internal/constants"
	"example.com/meridian/orderhub/internal/filter"
	"example.com/meridian/orderhub/internal/platform/bt"
	"example.com/meridian/orderhub/internal/platform/clock"
)

// Cart is what is not ordered yet. Carts are kept beside the holds of their orders.
type Cart struct {
	ID    string
	Items map[string]int
	Note  string
}

// CartMapper implements bt.Mapper.
type CartMapper struct {
	Clock clock.Clock
}

var _ bt.Mapper[*Cart] = CartMapper{}

// ToMutation implements bt.Mapper.
func (c CartMapper) ToMutation(cart *Cart) (string, *bigtable.Mutation, error) {
	data, err := json.Marshal(cart.Items)
	if err != nil {
		return "", nil, err
	}
	m := bigtable.NewMutation()
	m.Set(constants.FamilyHold, "cart", bigtable.Time(c.Clock.Now().Add(constants.LongHoldTTL)), data) // ok ttlwrite/write-time
	m.Set(constants.FamilyHold, "note", bigtable.Time(c.Clock.Now()), []byte(cart.Note))               // want ttlwrite/write-time
	m.Set(constants.FamilyHeader, "cart", bigtable.ServerTime, nil)                                    // ok ttlwrite/server-timestamp
	return cart.ID, m, nil
}

// FromRow implements bt.Mapper.
func (c CartMapper) FromRow(row bigtable.Row) (*Cart, error) {
	cart := &Cart{ID: row.Key(), Items: map[string]int{}}
	for _, item := range row[constants.FamilyHold] {
		switch item.Column {
		case constants.FamilyHold + ":cart":
			if err := json.Unmarshal(item.Value, &cart.Items); err != nil {
				return nil, err
			}
		case constants.FamilyHold + ":note":
			cart.Note = string(item.Value)
		}
	}
	return cart, nil
}

// CartDAO stores carts with a Repository.
type CartDAO struct {
	repo  *bt.Repository[*Cart]
	clock clock.Clock
}

// NewCartDAO returns a CartDAO.
func NewCartDAO(tables bt.TableFactory, c clock.Clock) *CartDAO {
	return &CartDAO{repo: bt.NewRepository[*Cart](tables.CreateTable(constants.TableOrders), CartMapper{Clock: c}), clock: c}
}

// Save stores a cart.
func (d *CartDAO) Save(ctx context.Context, c *Cart) error { return d.repo.Save(ctx, c) }

// Find reads a cart that still stands.
func (d *CartDAO) Find(ctx context.Context, id string) (*Cart, error) {
	return d.repo.FindWith(ctx, id, bigtable.RowFilter(filter.LiveFamily(constants.FamilyHold))) // ok ttlread/missing-filter
}

// FindAny reads a cart whether it stands or not.
func (d *CartDAO) FindAny(ctx context.Context, id string) (*Cart, error) {
	return d.repo.FindWith(ctx, id, bigtable.RowFilter(bigtable.FamilyFilter(constants.FamilyHold))) // want ttlread/missing-filter
}

// FindUntil reads carts that end before the shop closes.
func (d *CartDAO) FindUntil(ctx context.Context, id string) (*Cart, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyHold), bigtable.TimestampRangeFilter(d.clock.Now(), d.clock.Now().Add(5*time.Minute))) // want ttlread/upper-bound[until]
	return d.repo.FindWith(ctx, id, bigtable.RowFilter(f))                                                                                                  // want ttlread/upper-bound[until]
}

// FindUntilEvening uses a range that is longer than any life.
func (d *CartDAO) FindUntilEvening(ctx context.Context, id string) (*Cart, error) {
	now := d.clock.Now()
	f := bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyHold), bigtable.TimestampRangeFilter(now, now.Add(12*time.Hour)))
	return d.repo.FindWith(ctx, id, bigtable.RowFilter(f)) // ok ttlread/upper-bound
}
