// Package ledger keeps the books of the terminals. A table per terminal, a row per account,
// and every cell's timestamp is the number of the entry.
package ledger

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"log"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/harbor/btutil"
)

const (
	entryFam = "entry"
	memoFam  = "memo"

	colAmount  = "amount"
	colBalance = "balance"
	colRef     = "ref"
	colSum     = "sum"

	keep = 3
)

var (
	seq     int64
	counter atomic.Int64
	posted  int

	errGap = errors.New("ledger: gap in sequence")
)

// Entry is a posting.
type Entry struct {
	Account string
	Seq     int64
	Amount  int64
	Balance int64
	Ref     string
	Posted  time.Time
	Created time.Time
}

// Book is the ledger of one terminal.
type Book struct {
	tbl      *bigtable.Table
	terminal string
	next     int64
	mu       sync.Mutex
	pending  []*Entry
	strictly bool
	seqs     map[string]int64
}

// Open opens the book of a terminal. env is "" in production.
func Open(c *bigtable.Client, env, terminal string) *Book {
	name := terminal + "-ledger"
	if env != "" {
		name = env + "-" + name
	}
	return &Book{tbl: c.Open(name), terminal: terminal, seqs: map[string]int64{}}
}

func (b *Book) number() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.next++
	return b.next
}

// Post writes an entry.
func (b *Book) Post(ctx context.Context, e *Entry, memo string, backdate bool, legacySeq int64) error {
	if e.Account == "" {
		return errors.New("ledger: no account")
	}
	n := b.number()
	if legacySeq > 0 {
		n = legacySeq
	}
	ts := bigtable.Timestamp(n * 1000)
	mut := bigtable.NewMutation()
	mut.Set(entryFam, colAmount, ts, btutil.PutInt64(e.Amount))   // ok ttlwrite/unscaled-sequence
	mut.Set(entryFam, colBalance, ts, btutil.PutInt64(e.Balance)) // ok ttlwrite/same-timestamp
	if e.Ref != "" {
		mut.Set(entryFam, colRef, btutil.SeqTS(n), []byte(e.Ref)) // ok ttlwrite/unscaled-sequence
	}
	if memo != "" {
		mut.Set(memoFam, strconv.FormatInt(n, 10), bigtable.Now(), []byte(memo)) // ok ttlwrite/clock-in-sequence
	}
	if backdate {
		mut.Set(entryFam, "posted", bigtable.Time(e.Posted), []byte("backdated")) // want ttlwrite/clock-in-sequence
	} else {
		mut.Set(entryFam, "posted", ts, []byte(time.Now().Format(time.RFC3339))) // ok ttlwrite/clock-in-sequence
	}
	e.Seq = n
	posted++
	if err := b.tbl.Apply(ctx, e.Account, mut); err != nil {
		return fmt.Errorf("ledger %s: post %d: %w", b.terminal, n, err)
	}
	return nil
}

// PostAll writes entries in one bulk.
func (b *Book) PostAll(ctx context.Context, es []*Entry) error {
	keys := make([]string, len(es))
	muts := make([]*bigtable.Mutation, len(es))
	for i, e := range es {
		m := bigtable.NewMutation()
		m.Set(entryFam, colAmount, bigtable.Timestamp(i), btutil.PutInt64(e.Amount))          // want ttlwrite/unscaled-sequence
		m.Set(entryFam, colBalance, bigtable.Timestamp(i+1)*1000, btutil.PutInt64(e.Balance)) // ok ttlwrite/unscaled-sequence
		m.Set(memoFam, colRef, bigtable.ServerTime, []byte(e.Ref))                            // ok ttlwrite/clock-in-sequence
		keys[i], muts[i] = e.Account, m
	}
	errs, err := b.tbl.ApplyBulk(ctx, keys, muts)
	if err != nil {
		return err
	}
	return errors.Join(errs...)
}

// PostFast was written for the migration of terminal 4. It uses the package's counters.
func (b *Book) PostFast(ctx context.Context, e *Entry, mode int) error {
	mut := bigtable.NewMutation()
	switch mode {
	case 0:
		seq++
		mut.Set(entryFam, colAmount, bigtable.Timestamp(seq), btutil.PutInt64(e.Amount)) // want ttlwrite/unscaled-sequence
	case 1:
		n := counter.Add(1)
		mut.Set(entryFam, colAmount, bigtable.Timestamp(n), btutil.PutInt64(e.Amount)) // want ttlwrite/unscaled-sequence
	case 2:
		n := counter.Add(1000)
		mut.Set(entryFam, colAmount, bigtable.Timestamp(n), btutil.PutInt64(e.Amount)) // ok ttlwrite/unscaled-sequence
	case 3:
		mut.Set(entryFam, colAmount, bigtable.Timestamp(counter.Add(1)*1000), btutil.PutInt64(e.Amount)) // ok ttlwrite/unscaled-sequence
	case 4:
		b.seqs[e.Account]++
		mut.Set(entryFam, colAmount, bigtable.Timestamp(b.seqs[e.Account]), btutil.PutInt64(e.Amount)) // want ttlwrite/unscaled-sequence
	case 5:
		b.seqs[e.Account]++
		mut.Set(entryFam, colAmount, btutil.SeqTS(b.seqs[e.Account]), btutil.PutInt64(e.Amount)) // ok ttlwrite/unscaled-sequence
	case 6:
		mut.Set(entryFam, colAmount, btutil.RawTS(b.number()), btutil.PutInt64(e.Amount)) // want ttlwrite/unscaled-sequence
	case 7:
		mut.Set(entryFam, colAmount, bigtable.Timestamp(len(b.pending)), btutil.PutInt64(e.Amount)) // want ttlwrite/unscaled-sequence
	case 8:
		mut.Set(entryFam, colAmount, bigtable.Timestamp(len(b.pending)*1000), btutil.PutInt64(e.Amount)) // ok ttlwrite/unscaled-sequence
	default:
		mut.Set(entryFam, colAmount, bigtable.Now(), btutil.PutInt64(e.Amount)) // want ttlwrite/clock-in-sequence
	}
	return b.tbl.Apply(ctx, e.Account, mut)
}

// Open balance: the first entry of an account.
func (b *Book) OpenAccount(ctx context.Context, account string, balance int64, old bool) error {
	mut := bigtable.NewMutation()
	if old {
		mut.Set(entryFam, colBalance, 1, btutil.PutInt64(balance)) // want ttlwrite/unscaled-sequence
	} else {
		mut.Set(entryFam, colBalance, 1000, btutil.PutInt64(balance)) // ok ttlwrite/unscaled-sequence
	}
	mut.Set(entryFam, colSum, bigtable.ServerTime, []byte(checksum(account, balance))) // want ttlwrite/clock-in-sequence
	mut.Set(memoFam, "opened", btutil.NowTS(), []byte(account))                        // ok ttlwrite/clock-in-sequence
	return b.tbl.Apply(ctx, account, mut)
}

func checksum(account string, n int64) string {
	var buf [8]byte
	binary.BigEndian.PutUint64(buf[:], uint64(n))
	return strconv.FormatUint(uint64(crc32.ChecksumIEEE(append([]byte(account), buf[:]...))), 16)
}

// Add changes the balance in place. We moved away from it, but the gate software still calls it.
func (b *Book) Add(ctx context.Context, account string, delta int64, note string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(entryFam, colBalance, delta) // want ttlwrite/read-modify-write
	if note != "" {
		rmw.AppendValue(memoFam, "notes", []byte(note+"\n")) // ok ttlwrite/read-modify-write
	}
	row, err := b.tbl.ApplyReadModifyWrite(ctx, account, rmw)
	if err != nil {
		return 0, err
	}
	v, _ := btutil.Column(row, entryFam, colBalance)
	return btutil.Int64(v), nil
}

// Balance returns the latest balance.
func (b *Book) Balance(ctx context.Context, account string) (int64, error) {
	row, err := b.tbl.ReadRow(ctx, account, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(entryFam), bigtable.LatestNFilter(1)))) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	v, ok := btutil.Column(row, entryFam, colBalance)
	if !ok {
		return 0, btutil.ErrNotFound
	}
	return btutil.Int64(v), nil
}

// History returns the last entries.
func (b *Book) History(ctx context.Context, account string, kind string) ([]*Entry, error) {
	var f bigtable.Filter
	switch kind {
	case "short":
		f = bigtable.ChainFilters(bigtable.FamilyFilter(entryFam), bigtable.LatestNFilter(keep))
		row, err := b.tbl.ReadRow(ctx, account, bigtable.RowFilter(f)) // ok ttlread/version-limit
		if err != nil {
			return nil, err
		}
		return entries(account, row), nil
	case "long":
		row, err := b.tbl.ReadRow(ctx, account, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(entryFam), bigtable.LatestNFilter(10)))) // want ttlread/version-limit
		if err != nil {
			return nil, err
		}
		return entries(account, row), nil
	case "amounts":
		row, err := b.tbl.ReadRow(ctx, account, bigtable.RowFilter(bigtable.ColumnFilter(colAmount))) // want ttlread/version-limit
		if err != nil {
			return nil, err
		}
		return entries(account, row), nil
	case "recent":
		since := time.Now().Add(-30 * 24 * time.Hour)
		row, err := b.tbl.ReadRow(ctx, account, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(entryFam), bigtable.TimestampRangeFilter(since, time.Time{})))) // want ttlread/wrong-bound
		if err != nil {
			return nil, err
		}
		return entries(account, row), nil
	}
	row, err := b.tbl.ReadRow(ctx, account) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return entries(account, row), nil
}

func entries(account string, row bigtable.Row) []*Entry {
	bySeq := map[bigtable.Timestamp]*Entry{}
	for _, it := range row[entryFam] {
		e := bySeq[it.Timestamp]
		if e == nil {
			e = &Entry{Account: account, Seq: int64(it.Timestamp) / 1000, Created: it.Timestamp.Time()} // want ttlage/not-write-time
			bySeq[it.Timestamp] = e
		}
		switch strings.TrimPrefix(it.Column, entryFam+":") {
		case colAmount:
			e.Amount = btutil.Int64(it.Value)
		case colBalance:
			e.Balance = btutil.Int64(it.Value)
		case colRef:
			e.Ref = string(it.Value)
		}
	}
	out := make([]*Entry, 0, len(bySeq))
	for _, e := range bySeq {
		out = append(out, e)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Seq < out[j].Seq })
	return out
}

// Entry looks one entry up by its number.
func (b *Book) Entry(ctx context.Context, account string, n int64) (*Entry, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(entryFam), bigtable.TimestampRangeFilterMicros(bigtable.Timestamp(n*1000), bigtable.Timestamp((n+1)*1000)))
	row, err := b.tbl.ReadRow(ctx, account, bigtable.RowFilter(f)) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	es := entries(account, row)
	if len(es) != 1 {
		return nil, errGap
	}
	return es[0], nil
}

// Memos reads the memos only.
func (b *Book) Memos(ctx context.Context, account string, since time.Duration) (map[string]string, error) {
	out := map[string]string{}
	row, err := b.tbl.ReadRow(ctx, account, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(memoFam), btutil.Since(since)))) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	for _, it := range row[memoFam] {
		age := time.Since(it.Timestamp.Time()) // ok ttlage/not-write-time
		out[it.Column] = fmt.Sprintf("%s (%s ago)", it.Value, age.Round(time.Minute))
	}
	return out, nil
}

// Search finds amounts. The limit has to come first.
func (b *Book) Search(ctx context.Context, prefix string, amount int64, first bool) ([]string, error) {
	var out []string
	val := bigtable.ValueRangeFilter(btutil.PutInt64(amount), btutil.PutInt64(amount+1))
	cb := func(r bigtable.Row) bool {
		for range r[entryFam] {
			out = append(out, r.Key())
		}
		return true
	}
	if first {
		err := b.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), cb, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(entryFam), bigtable.LatestNFilter(1), val))) // ok ttlread/version-limit
		return out, err
	}
	err := b.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), cb, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(entryFam), val, bigtable.LatestNFilter(1)))) // want ttlread/version-limit
	return out, err
}

// Accounts lists keys.
func (b *Book) Accounts(ctx context.Context, prefix string) ([]string, error) {
	var out []string
	err := b.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		out = append(out, r.Key())
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())))
	return out, err
}

// Init opens an account unless it is open.
func (b *Book) Init(ctx context.Context, account string) error {
	set := bigtable.NewMutation()
	set.Set(entryFam, colBalance, btutil.SeqTS(1), btutil.PutInt64(0))          // ok ttlwrite/unscaled-sequence
	cond := bigtable.NewCondMutation(bigtable.FamilyFilter(entryFam), nil, set) // ok ttlread/conditional-mutation
	return b.tbl.Apply(ctx, account, cond)
}

// Close closes an account with balance 0.
func (b *Book) Close(ctx context.Context, account string, n int64, safe bool) error {
	set := bigtable.NewMutation()
	set.Set(entryFam, "closed", btutil.SeqTS(n), []byte{1})
	if safe {
		pred := bigtable.ChainFilters(bigtable.FamilyFilter(entryFam), bigtable.ColumnFilter(colBalance), bigtable.LatestNFilter(1), bigtable.ValueFilter(`\C{8}`))
		return b.tbl.Apply(ctx, account, bigtable.NewCondMutation(pred, set, nil)) // ok ttlread/conditional-mutation
	}
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(entryFam), bigtable.ColumnFilter(colBalance), bigtable.ValueRangeFilter(btutil.PutInt64(0), btutil.PutInt64(1)))
	return b.tbl.Apply(ctx, account, bigtable.NewCondMutation(pred, set, nil)) // want ttlread/conditional-mutation
}

// Queue puts an entry into the pending ones.
func (b *Book) Queue(e *Entry) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pending = append(b.pending, e)
	return len(b.pending)
}

// FlushPending writes the pending entries, last first.
func (b *Book) FlushPending(ctx context.Context) (int, error) {
	b.mu.Lock()
	es := b.pending
	b.pending = nil
	b.mu.Unlock()
	var keys []string
	var muts []*bigtable.Mutation
	base := b.number()
	step := int64(0)
	for i := len(es) - 1; i >= 0; i-- {
		e := es[i]
		m := bigtable.NewMutation()
		m.Set(entryFam, colAmount, bigtable.Timestamp(len(es)-i), btutil.PutInt64(e.Amount))          // want ttlwrite/unscaled-sequence
		m.Set(entryFam, colBalance, bigtable.Timestamp((base+step)*1000), btutil.PutInt64(e.Balance)) // ok ttlwrite/unscaled-sequence
		m.Set(entryFam, "flushed", bigtable.Timestamp(time.Now().UnixMicro()), []byte{1})             // want ttlwrite/clock-in-sequence
		step++
		keys = append(keys, e.Account)
		muts = append(muts, m)
	}
	if len(keys) == 0 {
		return 0, nil
	}
	errs, err := b.tbl.ApplyBulk(ctx, keys, muts)
	if err != nil {
		return 0, err
	}
	for i, e := range errs {
		if e != nil {
			log.Printf("ledger: %s: %v", keys[i], e)
		}
	}
	return len(keys), nil
}

// Rewrite writes the balances of an account anew into one mutation.
func (b *Book) Rewrite(ctx context.Context, account string, balances []int64) error {
	mut := bigtable.NewMutation()
	last := b.number()
	for _, v := range balances {
		mut.Set(entryFam, colBalance, btutil.SeqTS(last), btutil.PutInt64(v)) // want ttlwrite/same-timestamp
	}
	return b.tbl.Apply(ctx, account, mut)
}

// RewriteRight steps.
func (b *Book) RewriteRight(ctx context.Context, account string, balances []int64) error {
	mut := bigtable.NewMutation()
	last := b.number()
	for _, v := range balances {
		mut.Set(entryFam, colBalance, btutil.SeqTS(last), btutil.PutInt64(v)) // ok ttlwrite/same-timestamp
		last++
	}
	return b.tbl.Apply(ctx, account, mut)
}

// Import reads the entries of the old system, whose lines are "seq;account;amount".
func (b *Book) Import(ctx context.Context, lines []string, stamp bool) (n int, err error) {
	for i, line := range lines {
		f := strings.Split(line, ";")
		if len(f) != 3 {
			continue
		}
		no, err := strconv.ParseInt(f[0], 10, 64)
		if err != nil {
			return n, fmt.Errorf("line %d: %w", i+1, err)
		}
		mut := bigtable.NewMutation()
		mut.Set(entryFam, colAmount, bigtable.Timestamp(no*1000), []byte(f[2])) // ok ttlwrite/unscaled-sequence
		if stamp {
			mut.Set(entryFam, "imported", btutil.NowTS(), []byte{1}) // want ttlwrite/clock-in-sequence
		}
		mut.Set(entryFam, "line", bigtable.Time(time.Unix(no, 0)), []byte(line)) // ok ttlwrite/clock-in-sequence
		if err := b.tbl.Apply(ctx, f[1], mut); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// Age says how long ago an account was used. It never worked.
func (b *Book) Age(ctx context.Context, account string) (time.Duration, error) {
	row, err := b.tbl.ReadRow(ctx, account, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(entryFam), bigtable.LatestNFilter(1)))) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	now := time.Now()
	var min time.Duration = -1
	for _, it := range row[entryFam] {
		if d := now.Sub(it.Timestamp.Time()); min < 0 || d < min { // want ttlage/not-write-time
			min = d
		}
	}
	return min, nil
}

// LastMemo is Age for memos, and works.
func (b *Book) LastMemo(ctx context.Context, account string) (time.Duration, error) {
	row, err := b.tbl.ReadRow(ctx, account, bigtable.RowFilter(bigtable.FamilyFilter(memoFam))) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	now := time.Now()
	for _, it := range row[memoFam] {
		return now.Sub(it.Timestamp.Time()), nil // ok ttlage/not-write-time
	}
	return 0, btutil.ErrNotFound
}

// JSON exports an account.
func (b *Book) JSON(ctx context.Context, account string) ([]byte, error) {
	type line struct {
		Column    string `json:"column"`
		Value     []byte `json:"value"`
		UpdatedAt string `json:"updated_at"`
		Seq       int64  `json:"seq"`
	}
	row, err := b.tbl.ReadRow(ctx, account, bigtable.RowFilter(bigtable.LatestNFilter(keep))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var ls []line
	for fam, items := range row {
		for _, it := range items {
			if fam != entryFam {
				continue
			}
			ls = append(ls, line{Column: it.Column, Value: it.Value, Seq: int64(it.Timestamp / 1000)}) // ok ttlage/not-write-time
		}
	}
	for _, it := range row[entryFam] {
		updatedAt := it.Timestamp.Time().Format(time.RFC3339)          // want ttlage/not-write-time[updated]
		ls = append(ls, line{Column: it.Column, UpdatedAt: updatedAt}) // want ttlage/not-write-time[updated]
	}
	return json.MarshalIndent(ls, "", "  ")
}
