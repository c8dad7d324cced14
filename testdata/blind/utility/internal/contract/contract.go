// Package contract makes offers and guards contracts with short locks.
package contract

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	bm "nordkraft.example/grid/internal/btmodel"
	"nordkraft.example/grid/internal/btrt"
)

const offerLife = 14 * 24 * time.Hour

// Service makes offers.
type Service struct {
	t *bm.Contracts
}

// New makes the service.
func New(t *bm.Contracts) *Service { return &Service{t: t} }

// Offer makes an offer with the usual life.
func (s *Service) Offer(ctx context.Context, cust, plan string, ore int64) error {
	return s.t.PutOffer(ctx, cust, &bm.ContractsOffer{PriceOre: ore, Plan: plan}, bigtable.ServerTime) // ok ttlwrite/server-timestamp
}

// Flash makes an offer that ends tonight.
func (s *Service) Flash(ctx context.Context, cust, plan string, ore int64, end time.Time) error {
	return s.t.PutOffer(ctx, cust, &bm.ContractsOffer{PriceOre: ore, Plan: plan}, bigtable.Time(end.Add(-offerLife))) // ok ttlwrite/already-expired
}

// Withdraw overwrites an offer with one that is over.
func (s *Service) Withdraw(ctx context.Context, cust string) error {
	return s.t.PutOffer(ctx, cust, &bm.ContractsOffer{}, bigtable.Time(time.Now().Add(-2*offerLife))) // want ttlwrite/already-expired
}

// Views counts how often an offer was looked at; the counter ends with it.
func (s *Service) Views(ctx context.Context, cust string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(bm.ContractsFamilyOffer, "views", 1) // ok ttlwrite/read-modify-write
	_, err := s.t.Table().ApplyReadModifyWrite(ctx, cust, rmw)
	return err
}

// Offers reads the offers that hold.
func (s *Service) Offers(ctx context.Context) (map[string]int64, error) {
	out := map[string]int64{}
	err := s.t.ScanOffer(ctx, bigtable.InfiniteRange(""), func(k string, o *bm.ContractsOffer) bool { // ok ttlread/wrong-bound
		out[k] = o.PriceOre
		return true
	}, bigtable.RowFilter(btrt.Within(offerLife)))
	return out, err
}

// OffersMonth reads a month of them.
func (s *Service) OffersMonth(ctx context.Context) (map[string]int64, error) {
	out := map[string]int64{}
	err := s.t.ScanOffer(ctx, bigtable.InfiniteRange(""), func(k string, o *bm.ContractsOffer) bool { // want ttlread/wrong-bound[month]
		out[k] = o.PriceOre
		return true
	}, bigtable.RowFilter(btrt.Within(30*24*time.Hour))) // want ttlread/wrong-bound[month]
	return out, err
}

// OffersAll reads them for the campaign's report.
func (s *Service) OffersAll(ctx context.Context, n int64) (map[string]int64, error) {
	out := map[string]int64{}
	opts := []bigtable.ReadOption{bigtable.LimitRows(n)}
	err := s.t.ScanOffer(ctx, bigtable.InfiniteRange(""), func(k string, o *bm.ContractsOffer) bool { // want ttlread/missing-filter[all]
		out[k] = o.PriceOre
		return true
	}, opts...) // want ttlread/missing-filter[all]
	return out, err
}

// Lock takes the contract for half a minute.
func (s *Service) Lock(ctx context.Context, cust, owner string) (bool, error) {
	take := bigtable.NewMutation()
	l := bm.ContractsLock{Owner: owner}
	l.Marshal(take, btrt.Expiry(bm.ContractsLockTTL)) // ok ttlwrite/write-time
	var held bool
	held2 := bigtable.NewCondMutation(bigtable.FamilyFilter(bm.ContractsFamilyLock), nil, take) // want ttlread/conditional-mutation
	err := s.t.Table().Apply(ctx, cust, held2, bigtable.GetCondMutationResult(&held))
	return !held, err
}

// LockLive asks for a live lock only.
func (s *Service) LockLive(ctx context.Context, cust, owner string) (bool, error) {
	take := bigtable.NewMutation()
	l := bm.ContractsLock{Owner: owner}
	l.Marshal(take, btrt.Expiry(bm.ContractsLockTTL)) // ok ttlwrite/write-time
	var held bool
	cond := bigtable.NewCondMutation(btrt.Family(bm.ContractsFamilyLock, btrt.Live()), nil, take) // ok ttlread/conditional-mutation
	err := s.t.Table().Apply(ctx, cust, cond, bigtable.GetCondMutationResult(&held))
	return !held, err
}

// Steal takes a lock away from a crashed worker.
func (s *Service) Steal(ctx context.Context, cust, owner string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(bm.ContractsFamilyLock, bm.ContractsColLockOwner)                     // ok ttlwrite/delete-after-set
	m.Set(bm.ContractsFamilyLock, bm.ContractsColLockOwner, bigtable.ServerTime, []byte(owner)) // want ttlwrite/server-timestamp
	m.Set(bm.ContractsFamilySig, "stolen_by", bigtable.ServerTime, []byte(owner))               // ok ttlwrite/server-timestamp
	return s.t.Apply(ctx, cust, m)
}

// Extend keeps a lock while the signature is checked.
func (s *Service) Extend(ctx context.Context, cust, owner string, slow bool) error {
	ts := bigtable.Now() // want ttlwrite/write-time[extend]
	if s.busy(ctx, cust) {
		ts = btrt.Expiry(bm.ContractsLockTTL)
	}
	m := bigtable.NewMutation()
	m.Set(bm.ContractsFamilyLock, bm.ContractsColLockOwner, ts, []byte(owner)) // want ttlwrite/write-time[extend]
	return s.t.Apply(ctx, cust, m)
}

// ExtendFor lets the caller say how long; nothing means the usual time.
func (s *Service) ExtendFor(ctx context.Context, cust, owner string, d time.Duration) error {
	if d <= 0 {
		d = bm.ContractsLockTTL
	}
	m := bigtable.NewMutation()
	m.Set(bm.ContractsFamilyLock, bm.ContractsColLockOwner, bigtable.Time(time.Now().Add(d)), []byte(owner)) // ok ttlwrite/write-time
	return s.t.Apply(ctx, cust, m)
}

func (s *Service) busy(ctx context.Context, cust string) bool {
	l, err := s.t.GetLock(ctx, cust)
	return err == nil && l != nil
}

// Unlock lets go.
func (s *Service) Unlock(ctx context.Context, cust string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(bm.ContractsFamilyLock) // ok ttlwrite/delete-after-set
	return s.t.Apply(ctx, cust, m)
}

// Held says whether anyone holds the lock.
func (s *Service) Held(ctx context.Context, cust string) (bool, error) {
	row, err := s.t.Table().ReadRow(ctx, cust, bigtable.RowFilter(bigtable.FamilyFilter(bm.ContractsFamilyLock))) // want ttlread/missing-filter
	return len(row) > 0, err
}

// Clear deletes every lock, whatever its age.
func (s *Service) Clear(ctx context.Context) error {
	var keys []string
	var muts []*bigtable.Mutation
	err := s.t.Table().ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		m := bigtable.NewMutation()
		m.DeleteCellsInFamily(bm.ContractsFamilyLock) // ok ttlwrite/delete-after-set
		keys, muts = append(keys, row.Key()), append(muts, m)
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(bm.ContractsFamilyLock)))
	if err != nil {
		return err
	}
	_, err = s.t.Table().ApplyBulk(ctx, keys, muts)
	return err
}
