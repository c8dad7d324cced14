package session

import (
	"context"

	"cloud.google.com/go/bigtable"

	"northlane.example/parcel/internal/bt"
)

// ClaimDevice binds a phone to a courier unless a live session does already.
func (s *Store) ClaimDevice(ctx context.Context, courier, model string) (bool, error) {
	bind := bigtable.NewMutation()
	bind.Set(famDevice, colModel, bigtable.Now(), []byte(model))                 // ok ttlwrite/write-time
	cond := bigtable.NewCondMutation(bigtable.FamilyFilter(famToken), nil, bind) // want ttlread/conditional-mutation
	var taken bool
	err := s.tbl.Apply(ctx, rowKey(courier), cond, bigtable.GetCondMutationResult(&taken))
	return !taken, err
}

// ClaimLive is ClaimDevice that does not see dead sessions.
func (s *Store) ClaimLive(ctx context.Context, courier, model string) (bool, error) {
	bind := bigtable.NewMutation()
	bind.Set(famDevice, colModel, bigtable.Now(), []byte(model))                  // ok ttlwrite/write-time
	cond := bigtable.NewCondMutation(bt.LiveFamily(famToken, s.now()), nil, bind) // ok ttlread/conditional-mutation
	var taken bool
	err := s.tbl.Apply(ctx, rowKey(courier), cond, bigtable.GetCondMutationResult(&taken))
	return !taken, err
}

// Forget deletes the row of a phone that was lost.
func (s *Store) Forget(ctx context.Context, courier, model string) error {
	del := bigtable.NewMutation()
	del.DeleteRow()
	lost := bigtable.ChainFilters(bigtable.FamilyFilter(famDevice), bigtable.ColumnFilter(colModel), bigtable.ValueFilter(model))
	return s.tbl.Apply(ctx, rowKey(courier), bigtable.NewCondMutation(lost, del, nil)) // ok ttlread/conditional-mutation
}

// ForgetDead deletes the token cells of couriers with a push address, dead or not.
func (s *Store) ForgetDead(ctx context.Context, courier string) error {
	del := bigtable.NewMutation()
	del.DeleteCellsInFamily(famToken)
	return s.tbl.Apply(ctx, rowKey(courier), bigtable.NewCondMutation(bt.Column(famToken, colPush), del, nil)) // ok ttlread/conditional-mutation
}

// RenewModel updates the phone of a courier who is known by it.
func (s *Store) RenewModel(ctx context.Context, courier, model string) error {
	set := bigtable.NewMutation()
	set.Set(famDevice, colModel, bigtable.ServerTime, []byte(model))                                             // ok ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, rowKey(courier), bigtable.NewCondMutation(bt.Column(famDevice, colModel), set, nil)) // ok ttlread/conditional-mutation
}
