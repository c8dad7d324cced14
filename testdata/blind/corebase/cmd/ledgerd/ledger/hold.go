package ledger

import (
	"context"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/corebase/pkg/btstore"
)

// Hold is stock that somebody is about to buy.
type Hold struct {
	Account, SKU, Holder string
	Qty                  int64
	Until                time.Time
}

// Hold holds stock for a quarter of an hour.
func (l *Ledger) Hold(ctx context.Context, h Hold) error {
	now := l.tbl.Now()
	exp := bigtable.Time(now.Add(holdTTL))
	m := bigtable.NewMutation()
	if err := colHolder.Set(m, exp, h.Holder); err != nil { // ok ttlwrite/write-time
		return err
	}
	if err := colQty.Set(m, exp, h.Qty); err != nil { // ok ttlwrite/same-timestamp
		return err
	}
	taken, err := l.tbl.If(ctx, l.key(h.Account, h.SKU), btstore.LiveAt(famHold, now), nil, m) // ok ttlread/conditional-mutation
	if err != nil {
		return err
	}
	if taken {
		return ErrHeld
	}
	return nil
}

// HoldQuick asks for any cell.
func (l *Ledger) HoldQuick(ctx context.Context, h Hold) error {
	m := bigtable.NewMutation()
	holds.Set(m, "holder", []byte(h.Holder))
	taken, err := l.tbl.If(ctx, l.key(h.Account, h.SKU), bigtable.FamilyFilter(famHold), nil, m) // want ttlread/conditional-mutation
	if err != nil {
		return err
	}
	if taken {
		return ErrHeld
	}
	return nil
}

// HoldUntil holds stock until a time that the shop chose.
func (l *Ledger) HoldUntil(ctx context.Context, h Hold) error {
	m := bigtable.NewMutation()
	holds.SetUntil(m, "holder", h.Until, []byte(h.Holder))                // ok ttlwrite/write-time
	holds.SetUntil(m, "since", l.tbl.Now(), nil)                          // want ttlwrite/write-time
	holds.SetAt(m, "until", btstore.FromMillis(h.Until.UnixMilli()), nil) // ok ttlunit/wrong-unit
	holds.SetAt(m, "ms", bigtable.Timestamp(h.Until.UnixMilli()), nil)    // want ttlunit/wrong-unit
	holds.SetAt(m, "dur", bigtable.Timestamp(holdTTL), nil)               // want ttlunit/wrong-unit|ttlwrite/already-expired
	notes.Set(m, "since", nil)                                            // ok ttlwrite/server-timestamp
	return l.tbl.Apply(ctx, l.key(h.Account, h.SKU), m)
}

// Renew replaces a hold.
func (l *Ledger) Renew(ctx context.Context, h Hold) error {
	m := bigtable.NewMutation()
	holds.Replace(m, "holder", holdTTL, []byte(h.Holder)) // ok ttlwrite/delete-after-set
	return l.tbl.Apply(ctx, l.key(h.Account, h.SKU), m)
}

// Release lets a hold go.
func (l *Ledger) Release(ctx context.Context, h Hold) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(famHold)
	m.Set(famNote, "released", bigtable.Now(), []byte(h.Holder)) // ok ttlwrite/delete-after-set
	return l.raw.Apply(ctx, l.key(h.Account, h.SKU), m)
}

// ReleaseLate lets a hold go after it wrote who held it.
func (l *Ledger) ReleaseLate(ctx context.Context, h Hold) error {
	m := bigtable.NewMutation()
	m.Set(famHold, "released", bigtable.Time(time.Now().Add(time.Minute)), []byte(h.Holder))
	m.DeleteCellsInFamily(famHold) // want ttlwrite/delete-after-set
	return l.raw.Apply(ctx, l.key(h.Account, h.SKU), m)
}

// ReleaseSoft writes a cell that is dead already.
func (l *Ledger) ReleaseSoft(ctx context.Context, h Hold) error {
	return l.tbl.Write(ctx, l.key(h.Account, h.SKU), btstore.Cell{Family: famHold, Column: "holder", TS: 1000}) // want ttlwrite/already-expired
}

// HoldServer forgets the time.
func (l *Ledger) HoldServer(ctx context.Context, h Hold) error {
	return btstore.Retry(ctx, btstore.NoRetry, func(ctx context.Context) error {
		return l.tbl.Write(ctx, l.key(h.Account, h.SKU), btstore.Cell{Family: famHold, Column: "holder", Value: []byte(h.Holder)}) // want ttlwrite/server-timestamp
	})
}

// HoldMany holds a basket.
func (l *Ledger) HoldMany(ctx context.Context, hs []Hold) error {
	b := l.tbl.NewBatch(50)
	for _, h := range hs {
		if err := b.Put(ctx, l.key(h.Account, h.SKU), famHold, "holder", btstore.Expiry(holdTTL), []byte(h.Holder)); err != nil { // ok ttlwrite/write-time
			return err
		}
		if err := b.Put(ctx, l.key(h.Account, h.SKU), famHold, "qty", bigtable.ServerTime, nil); err != nil { // want ttlwrite/server-timestamp
			return err
		}
	}
	return b.Close(ctx)
}

var openHours = sync.OnceValue(func() time.Time { return time.Now().Add(8 * time.Hour) }) // want ttlwrite/stale-clock[open]

// HoldDay holds stock until the shop closes.
func (l *Ledger) HoldDay(ctx context.Context, h Hold) error {
	m := bigtable.NewMutation()
	m.Set(famHold, "day", bigtable.Time(openHours()), []byte(h.Holder)) // want ttlwrite/stale-clock[open]
	return l.raw.Apply(ctx, l.key(h.Account, h.SKU), m)
}

func holdOf(row bigtable.Row) (Hold, error) {
	var h Hold
	parts := strings.SplitN(row.Key(), "#", 3)
	if len(parts) == 3 {
		h.Account, h.SKU = parts[1], parts[2]
	}
	var err error
	if h.Holder, _, err = colHolder.Get(row); err != nil {
		return h, err
	}
	if h.Qty, _, err = colQty.Get(row); err != nil {
		return h, err
	}
	if it, ok := colHolder.Item(row); ok {
		h.Until = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	return h, nil
}

// Holds lists the holds of an account.
func (l *Ledger) Holds(ctx context.Context, account string) ([]Hold, error) {
	return btstore.FetchAll(ctx, l.tbl, l.key(account, ""), holdOf, btstore.Where(holds.Live())) // ok ttlread/missing-filter
}

// HoldsAll lists them for the warehouse's screen.
func (l *Ledger) HoldsAll(ctx context.Context) ([]Hold, error) {
	return btstore.FetchAll(ctx, l.tbl, l.site, holdOf, btstore.Where(bigtable.FamilyFilter(famHold))) // want ttlread/missing-filter
}

// HoldsNewest lists the newest ones.
func (l *Ledger) HoldsNewest(ctx context.Context, account string) ([]Hold, error) {
	return btstore.FetchAll(ctx, l.tbl, l.key(account, ""), holdOf, btstore.Where(btstore.Newest(famHold, 1))) // want ttlread/missing-filter
}

// HoldsYoung lists the ones of the last quarter of an hour, or so.
func (l *Ledger) HoldsYoung(ctx context.Context, account string) ([]Hold, error) {
	return btstore.FetchAll(ctx, l.tbl, l.key(account, ""), holdOf, btstore.Where(btstore.Younger(famHold, holdTTL))) // want ttlread/wrong-bound
}

// HoldsGrace lists them with a second's grace.
func (l *Ledger) HoldsGrace(ctx context.Context, account string) ([]Hold, error) {
	return btstore.FetchAll(ctx, l.tbl, l.key(account, ""), holdOf, btstore.Where(btstore.LiveAt(famHold, time.Now().Add(-time.Second)))) // ok ttlread/wrong-bound
}

// HoldsRaw lists them with the client.
func (l *Ledger) HoldsRaw(ctx context.Context, account string) (int64, error) {
	var sum int64
	err := l.raw.ReadRows(ctx, bigtable.PrefixRange(l.key(account, "")), func(r bigtable.Row) bool { // want ttlread/missing-filter
		n, _, _ := colQty.Get(r)
		sum += n
		return true
	})
	return sum, err
}

// HoldsRawLive lists live ones with the client.
func (l *Ledger) HoldsRawLive(ctx context.Context, account string) (int64, error) {
	var sum int64
	now := time.Now()
	err := l.raw.ReadRows(ctx, bigtable.PrefixRange(l.key(account, "")), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		n, _, _ := colQty.Get(r)
		sum += n
		return true
	}, bigtable.RowFilter(btstore.AllOf(bigtable.FamilyFilter(famHold), bigtable.TimestampRangeFilter(now, time.Time{}))))
	return sum, err
}

// HeldSince is how long a hold has been there, if it were so.
func (l *Ledger) HeldSince(ctx context.Context, account, sku string) (time.Duration, error) {
	row, err := l.tbl.Get(ctx, l.key(account, sku), btstore.Where(holds.Live()))
	if err != nil {
		return 0, err
	}
	it, ok := colHolder.Item(row)
	if !ok {
		return 0, btstore.ErrNotFound
	}
	return l.tbl.Now().Sub(it.Timestamp.Time()), nil // want ttlage/not-write-time
}

// HeldFor is how long it has left.
func (l *Ledger) HeldFor(ctx context.Context, account, sku string) (time.Duration, error) {
	row, err := l.tbl.Get(ctx, l.key(account, sku), btstore.Where(holds.Live()))
	if err != nil {
		return 0, err
	}
	it, ok := colHolder.Item(row)
	if !ok {
		return 0, btstore.ErrNotFound
	}
	return it.Timestamp.Time().Sub(l.tbl.Now()), nil // ok ttlage/not-write-time
}
