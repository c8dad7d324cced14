// Package billing was a service of its own until 2020. It has its own helpers, which nobody dared to merge.
package billing

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strconv"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/harbor/btutil"
)

// mutations collects what one run writes, per table.
type mutations struct {
	keys []string
	muts []*bigtable.Mutation
}

func (m *mutations) add(key string, mut *bigtable.Mutation) {
	m.keys = append(m.keys, key)
	m.muts = append(m.muts, mut)
}

// writeAll writes the collected ones. fatal: the first error ends it.
func writeAll(ctx context.Context, tbl *bigtable.Table, m *mutations, fatal bool) error {
	if len(m.keys) == 0 {
		return nil
	}
	errs, err := tbl.ApplyBulk(ctx, m.keys, m.muts)
	if err != nil {
		return err
	}
	for i, e := range errs {
		if e == nil {
			continue
		}
		if fatal {
			return fmt.Errorf("%s: %w", m.keys[i], e)
		}
		log.Printf("billing: %s: %v", m.keys[i], e)
	}
	return nil
}

// stampKind says what a timestamp is for. Added when the fifth bool would have come.
type stampKind int

const (
	stampWrite stampKind = iota
	stampExpiry
	stampNumber
	stampZero
	stampServer
)

// stamp makes a timestamp. life is for expiries, n for numbers.
func stamp(k stampKind, life time.Duration, n int64) bigtable.Timestamp {
	switch k {
	case stampExpiry:
		return bigtable.Time(time.Now().Add(life))
	case stampNumber:
		return bigtable.Timestamp(n * 1000)
	case stampZero:
		return 0
	case stampServer:
		return bigtable.ServerTime
	}
	return bigtable.Now()
}

// cell is what put takes.
type cell struct {
	fam, col string
	ts       bigtable.Timestamp
	val      []byte
}

func put(mut *bigtable.Mutation, cells ...cell) {
	for _, c := range cells {
		mut.Set(c.fam, c.col, c.ts, c.val)
	}
}

// readSpec grew for three years.
type readSpec struct {
	family  string
	column  string
	latest  int
	maxAge  time.Duration
	live    bool
	keyOnly bool
	limit   int64
}

func (s readSpec) options() []bigtable.ReadOption {
	fs := []bigtable.Filter{bigtable.FamilyFilter(s.family)}
	if s.column != "" {
		fs = append(fs, bigtable.ColumnFilter(s.column))
	}
	if s.live {
		fs = append(fs, bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	}
	if s.maxAge > 0 {
		fs = append(fs, bigtable.TimestampRangeFilter(time.Now().Add(-s.maxAge), time.Time{}))
	}
	if s.latest > 0 {
		fs = append(fs, bigtable.LatestNFilter(s.latest))
	}
	if s.keyOnly {
		fs = append(fs, bigtable.StripValueFilter())
	}
	f := fs[0]
	if len(fs) > 1 {
		f = bigtable.ChainFilters(fs...)
	}
	opts := []bigtable.ReadOption{bigtable.RowFilter(f)}
	if s.limit > 0 {
		opts = append(opts, bigtable.LimitRows(s.limit))
	}
	return opts
}

// Invoice is a bill.
type Invoice struct {
	Number  int64
	Account string
	Cents   int64
	Quote   string
	Issued  time.Time
	Paid    bool
	Lines   []string
}

// Billing is the service.
type Billing struct {
	ledger   *bigtable.Table
	quotes   *bigtable.Table
	locks    *bigtable.Table
	settings *bigtable.Table
	sessions *bigtable.Table
	number   int64
	mu       sync.Mutex
}

// New opens the tables of a terminal.
func New(c *bigtable.Client, terminal string) *Billing {
	return &Billing{
		ledger:   c.Open(terminal + "-ledger"),
		quotes:   c.Open(btutil.TableQuotes),
		locks:    c.Open(btutil.TableLocks),
		settings: c.Open(btutil.TableSettings),
		sessions: c.Open(btutil.TableSessions),
	}
}

func (b *Billing) next() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.number++
	return b.number
}

// Run bills the invoices. Everything is written at the end, table by table.
func (b *Billing) Run(ctx context.Context, invs []*Invoice, owner string, dry, notifyUsers, closeAfter bool) (total int64, err error) {
	if len(invs) == 0 {
		return 0, errors.New("billing: nothing to do")
	}
	var ledger, quotes, locks, sets, sess mutations

	// 1. lock the accounts
	for _, inv := range invs {
		mut := bigtable.NewMutation()
		put(mut, // want ttlwrite/write-time[bput1]
			cell{"lease", "holder", stamp(stampExpiry, 2*time.Minute, 0), []byte(owner)}, // ok ttlwrite/write-time
			cell{"lease", "since", stamp(stampWrite, 0, 0), []byte(owner)},               // want ttlwrite/write-time[bput1]
		)
		locks.add("billing#"+inv.Account, mut)
	}
	if !dry {
		if err := writeAll(ctx, b.locks, &locks, true); err != nil {
			return 0, fmt.Errorf("billing: lock: %w", err)
		}
	}

	// 2. the entries
	for i, inv := range invs {
		n := b.next()
		inv.Number = n
		mut := bigtable.NewMutation()
		put(mut,
			cell{"entry", "amount", stamp(stampNumber, 0, n), btutil.PutInt64(inv.Cents)},        // ok ttlwrite/unscaled-sequence
			cell{"entry", "invoice", stamp(stampNumber, 0, n), []byte(strconv.FormatInt(n, 10))}, // ok ttlwrite/unscaled-sequence
			cell{"memo", "issued", stamp(stampServer, 0, 0), []byte(inv.Quote)},                  // ok ttlwrite/clock-in-sequence
		)
		if inv.Paid {
			mut.Set("entry", "paid", stamp(stampWrite, 0, 0), []byte{1}) // want ttlwrite/clock-in-sequence
		}
		for j, l := range inv.Lines {
			mut.Set("entry", "line"+strconv.Itoa(j), bigtable.Timestamp(j+1), []byte(l))             // want ttlwrite/unscaled-sequence
			mut.Set("entry", "text"+strconv.Itoa(j), bigtable.Timestamp(int64(j+1)*1000), []byte(l)) // ok ttlwrite/unscaled-sequence
		}
		if i == 0 {
			mut.Set("entry", "run", stamp(stampServer, 0, 0), []byte(owner)) // want ttlwrite/clock-in-sequence
		}
		ledger.add(inv.Account, mut)
		total += inv.Cents
	}

	// 3. the quotes are used up: they stay for a day
	for _, inv := range invs {
		if inv.Quote == "" {
			continue
		}
		mut := bigtable.NewMutation()
		btutil.Put(mut, "quote", "billed", btutil.PutInt64(inv.Number), btutil.ShiftedTS(24*time.Hour, btutil.QuoteTTL)) // ok ttlwrite/already-expired
		btutil.Put(mut, "quote", "state", []byte("billed"), btutil.ExpiresIn(-72*time.Hour))                             // want ttlwrite/already-expired
		btutil.PutString(mut, "src", "billed", owner, true, 0)                                                           // ok ttlwrite/write-time
		quotes.add(inv.Quote, mut)
	}

	// 4. tell the users
	if notifyUsers {
		for _, inv := range invs {
			mut := bigtable.NewMutation()
			btutil.PutString(mut, "token", "bill", strconv.FormatInt(inv.Number, 10), false, time.Hour) // ok ttlwrite/write-time
			btutil.PutString(mut, "token", "billed", owner, true, time.Hour)                            // want ttlwrite/write-time
			btutil.PutString(mut, "profile", "billed", owner, true, 0)                                  // ok ttlwrite/write-time
			btutil.PutTTL(mut, "nonce", "pay", []byte(owner), btutil.NonceTTL)                          // ok ttlwrite/write-time
			btutil.PutTTL(mut, "nonce", "paynow", []byte(owner), 0)                                     // want ttlwrite/write-time
			sess.add("u#"+inv.Account, mut)
		}
	}

	// 5. the state of the run
	mut := bigtable.NewMutation()
	put(mut, // want ttlwrite/clock-in-zero[bput2]
		cell{"kv", "billing.last", stamp(stampZero, 0, 0), []byte(owner)},           // ok ttlwrite/clock-in-zero
		cell{"kv", "billing.total", stamp(stampZero, 0, 0), btutil.PutInt64(total)}, // ok ttlwrite/clock-in-zero
		cell{"kv", "billing.at", stamp(stampServer, 0, 0), nil},                     // want ttlwrite/clock-in-zero[bput2]
	)
	sets.add("global", mut)

	if dry {
		log.Printf("billing: dry run of %d invoices, %d cents", len(invs), total)
		return total, nil
	}
	for _, step := range []struct {
		tbl   *bigtable.Table
		m     *mutations
		fatal bool
	}{
		{b.ledger, &ledger, true},
		{b.quotes, &quotes, false},
		{b.sessions, &sess, false},
		{b.settings, &sets, false},
	} {
		if err := writeAll(ctx, step.tbl, step.m, step.fatal); err != nil {
			return total, err
		}
	}
	if closeAfter {
		for _, inv := range invs {
			mut := bigtable.NewMutation()
			mut.DeleteCellsInFamily("lease")
			cond := bigtable.NewCondMutation(bigtable.ValueFilter(owner), mut, nil) // ok ttlread/conditional-mutation
			if err := b.locks.Apply(ctx, "billing#"+inv.Account, cond); err != nil {
				log.Printf("billing: unlock: %v", err)
			}
		}
	}
	return total, nil
}

// Locked reads who has an account.
func (b *Billing) Locked(ctx context.Context, account string) (string, error) {
	row, err := b.locks.ReadRow(ctx, "billing#"+account, readSpec{family: "lease", column: "holder", live: true}.options()...) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	v, _ := btutil.Column(row, "lease", "holder")
	return string(v), nil
}

// LockedOld forgot live.
func (b *Billing) LockedOld(ctx context.Context, account string) (string, error) {
	row, err := b.locks.ReadRow(ctx, "billing#"+account, readSpec{family: "lease", column: "holder", latest: 1}.options()...) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	v, _ := btutil.Column(row, "lease", "holder")
	return string(v), nil
}

// Quote reads the quote of an invoice.
func (b *Billing) Quote(ctx context.Context, key string) (int64, error) {
	spec := readSpec{family: "quote", column: "cents", latest: 1, maxAge: 72 * time.Hour}
	row, err := b.quotes.ReadRow(ctx, key, spec.options()...) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	v, _ := btutil.Column(row, "quote", "cents")
	return btutil.Int64(v), nil
}

// QuoteOld has the lifetime of 2018.
func (b *Billing) QuoteOld(ctx context.Context, key string) (int64, error) {
	spec := readSpec{family: "quote", column: "cents", latest: 1}
	spec.maxAge = 48 * time.Hour
	row, err := b.quotes.ReadRow(ctx, key, spec.options()...) // want ttlread/wrong-bound
	if err != nil {
		return 0, err
	}
	v, _ := btutil.Column(row, "quote", "cents")
	return btutil.Int64(v), nil
}

// LastInvoice reads the number of the last invoice.
func (b *Billing) LastInvoice(ctx context.Context, account string) (int64, error) {
	row, err := b.ledger.ReadRow(ctx, account, readSpec{family: "entry", column: "invoice", latest: 1}.options()...) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	v, ok := btutil.Column(row, "entry", "invoice")
	if !ok {
		return 0, btutil.ErrNotFound
	}
	return strconv.ParseInt(string(v), 10, 64)
}

// Invoices reads what there is.
func (b *Billing) Invoices(ctx context.Context, account string) ([]string, error) {
	var out []string
	row, err := b.ledger.ReadRow(ctx, account, readSpec{family: "entry", column: "invoice"}.options()...) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	for _, it := range row["entry"] {
		out = append(out, string(it.Value))
	}
	return out, nil
}

// InvoicesSince has a clock where a number belongs.
func (b *Billing) InvoicesSince(ctx context.Context, account string) ([]string, error) {
	var out []string
	row, err := b.ledger.ReadRow(ctx, account, readSpec{family: "entry", column: "invoice", maxAge: 90 * 24 * time.Hour}.options()...) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	for _, it := range row["entry"] {
		out = append(out, string(it.Value))
	}
	return out, nil
}

// Accounts lists accounts with a prefix.
func (b *Billing) Accounts(ctx context.Context, prefix string, max int64) ([]string, error) {
	var out []string
	err := b.ledger.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // ok ttlread/version-limit
		out = append(out, r.Key())
		return true
	}, readSpec{family: "entry", keyOnly: true, limit: max}.options()...)
	return out, err
}

// Aging prints invoices by age. The bookkeepers asked why all are from 1970.
func (b *Billing) Aging(ctx context.Context, prefix string) (map[string]int, error) {
	buckets := map[string]int{}
	now := time.Now()
	err := b.ledger.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // ok ttlread/version-limit
		for _, it := range r["entry"] {
			age := now.Sub(it.Timestamp.Time()) // want ttlage/not-write-time
			switch {
			case age < 30*24*time.Hour:
				buckets["current"]++
			case age < 90*24*time.Hour:
				buckets["late"]++
			default:
				buckets["lost"]++
			}
		}
		for _, it := range r["memo"] {
			if now.Sub(it.Timestamp.Time()) > 365*24*time.Hour { // ok ttlage/not-write-time
				buckets["memo-old"]++
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.LatestNFilter(1)))
	return buckets, err
}

// Count counts bills in the three places that want it.
func (b *Billing) Count(ctx context.Context, account string) error {
	for _, c := range []struct {
		tbl      *bigtable.Table
		key      string
		fam, col string
	}{
		{b.ledger, account, "memo", "bills"},             // ok ttlwrite/read-modify-write
		{b.sessions, "u#" + account, "profile", "bills"}, // ok ttlwrite/read-modify-write
		{b.settings, "global", "kv", "bills"},            // want ttlwrite/read-modify-write[count]
	} {
		rmw := bigtable.NewReadModifyWrite()
		rmw.Increment(c.fam, c.col, 1) // want ttlwrite/read-modify-write[count]
		if _, err := c.tbl.ApplyReadModifyWrite(ctx, c.key, rmw); err != nil {
			return err
		}
	}
	return nil
}

// Statement is the mail at the end of the month; html is for the new mailer.
func (b *Billing) Statement(ctx context.Context, account string, html bool) (string, error) {
	row, err := b.ledger.ReadRow(ctx, account, bigtable.RowFilter(bigtable.InterleaveFilters( // ok ttlread/unfiltered-branch
		bigtable.ChainFilters(bigtable.FamilyFilter("entry"), bigtable.LatestNFilter(3)),
		bigtable.ChainFilters(bigtable.FamilyFilter("memo"), btutil.Since(31*24*time.Hour)),
	)))
	if err != nil {
		return "", err
	}
	var sb strings.Builder
	nl := "\n"
	if html {
		nl = "<br>\n"
	}
	for _, it := range row["entry"] {
		fmt.Fprintf(&sb, "%d %s%s", it.Timestamp/1000, it.Value, nl)
	}
	for _, it := range row["memo"] {
		writtenAt := it.Timestamp.Time() // ok ttlage/not-write-time
		fmt.Fprintf(&sb, "%s %s%s", writtenAt.Format(time.DateOnly), it.Value, nl)
	}
	return sb.String(), nil
}

// StatementAll has forgotten the limit of one branch.
func (b *Billing) StatementAll(ctx context.Context, account string) ([]string, error) {
	var out []string
	row, err := b.ledger.ReadRow(ctx, account, bigtable.RowFilter(bigtable.InterleaveFilters(bigtable.FamilyFilter("entry"), bigtable.ChainFilters(bigtable.FamilyFilter("memo"), bigtable.LatestNFilter(1))))) // want ttlread/unfiltered-branch
	if err != nil {
		return nil, err
	}
	for _, items := range row {
		for _, it := range items {
			out = append(out, string(it.Value))
		}
	}
	return out, nil
}
