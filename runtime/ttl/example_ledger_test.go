package ttl_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"cloud.google.com/go/bigtable"
	"github.com/ttlvet/ttlvet/runtime/ttl"
)

// An account's row has the balance after each of the last three entries, which
// are numbered.
var (
	Balance = ttl.Sequence("balance", 3)
	Ledger  = ttl.NewTable("ledger", Balance)
)

var errConflict = errors.New("another entry was first")

// post adds an amount to the balance and returns the number of the entry.
// Numbers must not decrease, so it fails where another entry has come between.
func post(ctx context.Context, tbl *bigtable.Table, account string, cents int64) (int64, error) {
	row, err := tbl.ReadRow(ctx, account, Ledger.Latest())
	if err != nil {
		return 0, err
	}
	var number int64 = 1
	for _, item := range row["balance"] {
		before, err := strconv.ParseInt(string(item.Value), 10, 64)
		if err != nil {
			return 0, err
		}
		number, cents = Balance.Number(item)+1, before+cents
	}

	mut := bigtable.NewMutation()
	if err := Balance.Set(mut, "cents", strconv.AppendInt(nil, cents, 10), number); err != nil {
		return 0, err
	}
	later := bigtable.ChainFilters(Balance.LiveFilter(), bigtable.TimestampRangeFilterMicros(ttl.SequenceNumber(number), 0))
	var conflict bool
	cond := bigtable.NewCondMutation(later, nil, mut)
	if err := tbl.Apply(ctx, account, cond, bigtable.GetCondMutationResult(&conflict)); err != nil {
		return 0, err
	}
	if conflict {
		return 0, errConflict
	}
	return number, nil
}

// A ledger, whose entries are numbered without gaps.
func Example_ledger() {
	ctx := context.Background()
	client, admin, stop := connect(ctx)
	defer stop()
	must(Ledger.Ensure(ctx, admin))
	tbl := client.Open(Ledger.Name())

	for _, cents := range []int64{10000, -2500, 1, -1} {
		number, err := post(ctx, tbl, "account#1", cents)
		must(err)
		fmt.Println("entry", number)
	}
	row, err := tbl.ReadRow(ctx, "account#1", Ledger.Live())
	must(err)
	for _, item := range row["balance"] {
		fmt.Printf("after %d: %s\n", Balance.Number(item), item.Value)
	}
	// Output:
	// entry 1
	// entry 2
	// entry 3
	// entry 4
	// after 4: 7500
	// after 3: 7501
	// after 2: 7500
}
