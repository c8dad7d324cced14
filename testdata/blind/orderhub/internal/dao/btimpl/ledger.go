package btimpl

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/meridian/orderhub/internal/constants"
	"example.com/meridian/orderhub/internal/dao"
	"example.com/meridian/orderhub/internal/domain"
	"example.com/meridian/orderhub/internal/platform/bt"
	"example.com/meridian/orderhub/internal/platform/clock"
	"example.com/meridian/orderhub/internal/timestamp"
)

// LedgerDAOFactory makes the DAOs of merchants.
type LedgerDAOFactory interface {
	ForMerchant(merchant string) dao.LedgerDAO
}

// BigtableLedgerDAOFactory implements LedgerDAOFactory.
type BigtableLedgerDAOFactory struct {
	tables bt.TableFactory
	clock  clock.Clock

	mu    sync.Mutex
	cache map[string]*BigtableLedgerDAO
}

var _ LedgerDAOFactory = (*BigtableLedgerDAOFactory)(nil)

// NewBigtableLedgerDAOFactory returns a BigtableLedgerDAOFactory.
func NewBigtableLedgerDAOFactory(tables bt.TableFactory, c clock.Clock) *BigtableLedgerDAOFactory {
	return &BigtableLedgerDAOFactory{tables: tables, clock: c, cache: map[string]*BigtableLedgerDAO{}}
}

// ForMerchant implements LedgerDAOFactory.
func (f *BigtableLedgerDAOFactory) ForMerchant(merchant string) dao.LedgerDAO {
	f.mu.Lock()
	defer f.mu.Unlock()
	d, ok := f.cache[merchant]
	if !ok {
		d = newBigtableLedgerDAO(f.tables.CreateTable(merchant+constants.LedgerSuffix), f.clock)
		f.cache[merchant] = d
	}
	return d
}

// BigtableLedgerDAO implements dao.LedgerDAO.
type BigtableLedgerDAO struct {
	table bt.TableGateway
	clock clock.Clock

	mu   sync.Mutex
	next map[string]int64
}

var _ dao.LedgerDAO = (*BigtableLedgerDAO)(nil)

func newBigtableLedgerDAO(t bt.TableGateway, c clock.Clock) *BigtableLedgerDAO {
	return &BigtableLedgerDAO{table: t, clock: c, next: map[string]int64{}}
}

func (d *BigtableLedgerDAO) number(account string) int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.next[account]++
	return d.next[account]
}

// Book implements dao.LedgerDAO.
func (d *BigtableLedgerDAO) Book(ctx context.Context, account string, e domain.Entry) error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set(constants.FamilyEntry, constants.ColAmount, timestamp.Sequence(e.Number), data)           // ok ttlwrite/unscaled-sequence
	mut.Set(constants.FamilyAudit, constants.ColActor, bigtable.Time(d.clock.Now()), []byte(e.Actor)) // ok ttlwrite/clock-in-sequence
	return d.table.Apply(ctx, account, mut)
}

// BookNext numbers by itself.
func (d *BigtableLedgerDAO) BookNext(ctx context.Context, account string, data []byte) error {
	mut := bigtable.NewMutation()
	n := d.number(account)
	mut.Set(constants.FamilyEntry, constants.ColAmount, bigtable.Timestamp(n*1000), data) // ok ttlwrite/unscaled-sequence
	return d.table.Apply(ctx, account, mut)
}

// BookUnscaled is BookNext of the release before.
func (d *BigtableLedgerDAO) BookUnscaled(ctx context.Context, account string, data []byte) error {
	d.mu.Lock()
	d.next[account]++
	n := d.next[account]
	d.mu.Unlock()
	mut := bigtable.NewMutation()
	mut.Set(constants.FamilyEntry, constants.ColAmount, bigtable.Timestamp(n), data) // want ttlwrite/unscaled-sequence
	return d.table.Apply(ctx, account, mut)
}

// Correct stores a correction at the time it was made.
func (d *BigtableLedgerDAO) Correct(ctx context.Context, account string, data []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(constants.FamilyEntry, constants.ColAmount, bigtable.Now(), data)              // want ttlwrite/clock-in-sequence
	mut.Set(constants.FamilyAudit, constants.ColAction, bigtable.Now(), []byte("correct")) // ok ttlwrite/clock-in-sequence
	return d.table.Apply(ctx, account, mut)
}

// CorrectServer leaves both to the server.
func (d *BigtableLedgerDAO) CorrectServer(ctx context.Context, account string, data []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(constants.FamilyEntry, constants.ColAmount, bigtable.ServerTime, data)              // want ttlwrite/clock-in-sequence
	mut.Set(constants.FamilyAudit, constants.ColAction, bigtable.ServerTime, []byte("correct")) // ok ttlwrite/clock-in-sequence
	return d.table.Apply(ctx, account, mut)
}

// Adjust adds to the balance.
func (d *BigtableLedgerDAO) Adjust(ctx context.Context, account string, by int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(constants.FamilyEntry, constants.ColBalance, by) // want ttlwrite/read-modify-write
	rmw.Increment(constants.FamilyAudit, "adjustments", 1)         // ok ttlwrite/read-modify-write
	_, err := d.table.ApplyReadModifyWrite(ctx, account, rmw)
	return err
}

// Balance implements dao.LedgerDAO.
func (d *BigtableLedgerDAO) Balance(ctx context.Context, account string) (int64, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyEntry), bigtable.ColumnFilter(constants.ColAmount), bigtable.LatestNFilter(1))
	row, err := d.table.ReadRow(ctx, account, bigtable.RowFilter(f)) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	var e domain.Entry
	for _, item := range row[constants.FamilyEntry] {
		if err := json.Unmarshal(item.Value, &e); err != nil {
			return 0, err
		}
	}
	return e.Balance, nil
}

// Sum adds up what it sees, superseded entries included.
func (d *BigtableLedgerDAO) Sum(ctx context.Context, account string) (int64, error) {
	row, err := d.table.ReadRow(ctx, account, bigtable.RowFilter(bigtable.FamilyFilter(constants.FamilyEntry))) // want ttlread/version-limit
	if err != nil {
		return 0, err
	}
	var sum int64
	for _, item := range row[constants.FamilyEntry] {
		var e domain.Entry
		if err := json.Unmarshal(item.Value, &e); err != nil {
			return 0, err
		}
		sum += e.Amount
	}
	return sum, nil
}

// Entries implements dao.LedgerDAO.
func (d *BigtableLedgerDAO) Entries(ctx context.Context, account string) ([]domain.Entry, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyEntry), bigtable.LatestNFilter(constants.EntryVersions))
	row, err := d.table.ReadRow(ctx, account, bigtable.RowFilter(f)) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return decodeEntries(row)
}

// EntriesWide wants ten of five.
func (d *BigtableLedgerDAO) EntriesWide(ctx context.Context, account string) ([]domain.Entry, error) {
	limit := 2 * constants.EntryVersions
	f := bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyEntry), bigtable.LatestNFilter(limit)) // want ttlread/version-limit[wide]
	row, err := d.table.ReadRow(ctx, account, bigtable.RowFilter(f))                                        // want ttlread/version-limit[wide]
	if err != nil {
		return nil, err
	}
	return decodeEntries(row)
}

// EntriesToday asks for today's.
func (d *BigtableLedgerDAO) EntriesToday(ctx context.Context, account string) ([]domain.Entry, error) {
	today := d.clock.Now().Truncate(24 * time.Hour)
	f := bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyEntry), bigtable.TimestampRangeFilter(today, time.Time{})) // want ttlread/wrong-bound[today]
	row, err := d.table.ReadRow(ctx, account, bigtable.RowFilter(f))                                                            // want ttlread/wrong-bound[today]
	if err != nil {
		return nil, err
	}
	return decodeEntries(row)
}

// AuditToday asks for today's, where that makes sense.
func (d *BigtableLedgerDAO) AuditToday(ctx context.Context, account string) (int, error) {
	today := d.clock.Now().Truncate(24 * time.Hour)
	f := bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyAudit), bigtable.TimestampRangeFilter(today, time.Time{}))
	row, err := d.table.ReadRow(ctx, account, bigtable.RowFilter(f)) // ok ttlread/wrong-bound
	return len(row[constants.FamilyAudit]), err
}

// AuditTrail reads all of the trail.
func (d *BigtableLedgerDAO) AuditTrail(ctx context.Context, account string) (map[time.Time]string, error) {
	row, err := d.table.ReadRow(ctx, account, bigtable.RowFilter(bigtable.FamilyFilter(constants.FamilyAudit))) // strict ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[time.Time]string{}
	for _, item := range row[constants.FamilyAudit] {
		writtenAt := item.Timestamp.Time() // ok ttlage/not-write-time
		out[writtenAt] = string(item.Value)
	}
	return out, nil
}

// Statement reads everything of an account.
func (d *BigtableLedgerDAO) Statement(ctx context.Context, accounts []string, each func(bigtable.Row)) error {
	return d.table.ReadRows(ctx, bigtable.RowList(accounts), func(r bigtable.Row) bool { // want ttlread/missing-filter
		each(r)
		return true
	})
}

// StatementLatest bounds what it reads.
func (d *BigtableLedgerDAO) StatementLatest(ctx context.Context, accounts []string, each func(bigtable.Row)) error {
	return d.table.ReadRows(ctx, bigtable.RowList(accounts), func(r bigtable.Row) bool { // ok ttlread/missing-filter // strict ttlread/missing-filter[stl]
		each(r)
		return true
	}, bigtable.RowFilter(bigtable.LatestNFilter(1))) // strict ttlread/missing-filter[stl]
}

func decodeEntries(row bigtable.Row) ([]domain.Entry, error) {
	var out []domain.Entry
	for _, item := range row[constants.FamilyEntry] {
		var e domain.Entry
		if err := json.Unmarshal(item.Value, &e); err != nil {
			return nil, err
		}
		e.Number = timestamp.Number(item.Timestamp) // ok ttlage/not-write-time
		out = append(out, e)
	}
	return out, nil
}

// BookedAt pretends that numbers are dates.
func (d *BigtableLedgerDAO) BookedAt(ctx context.Context, account string) (time.Time, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyEntry), bigtable.LatestNFilter(1))
	row, err := d.table.ReadRow(ctx, account, bigtable.RowFilter(f)) // ok ttlread/version-limit
	if err != nil {
		return time.Time{}, err
	}
	for _, item := range row[constants.FamilyEntry] {
		lastModified := item.Timestamp.Time() // want ttlage/not-write-time
		return lastModified, nil
	}
	return time.Time{}, bt.ErrNotFound
}
