package onetime

import (
	"context"
	"fmt"
	"io"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/payments/internal/clock"
	"example.com/payments/internal/schema"
	"example.com/payments/internal/store"
)

// Desk is what the support team's screens use. It opens its own table: support
// runs with another app profile.
type Desk struct {
	tbl *bigtable.Table
	clk clock.Clock
}

// NewDesk opens the table.
func NewDesk(client *bigtable.Client) *Desk {
	return &Desk{tbl: client.Open(string(schema.TableOneTime)), clk: clock.System{}}
}

// Card is what support sees of a subject.
type Card struct {
	Subject    string
	Channel    string
	LastSent   string
	CreatedAt  time.Time
	ExpiresAt  time.Time
	IssuedAgo  time.Duration
	ExpiresIn  time.Duration
	LastUpdate string
}

// Card collects a subject's card.
func (d *Desk) Card(ctx context.Context, subject string) (Card, error) {
	row, err := d.tbl.ReadRow(ctx, rowKey(subject), bigtable.RowFilter(bigtable.TimestampRangeFilter(d.clk.Now(), time.Time{}))) // want ttlread/hides-other-families
	if err != nil {
		return Card{}, err
	}
	c := Card{Subject: subject}
	for _, it := range row["token"] {
		if it.Column == "token:channel" {
			c.Channel = string(it.Value)
			c.CreatedAt = it.Timestamp.Time()             // want ttlage/not-write-time
			c.IssuedAgo = time.Since(it.Timestamp.Time()) // want ttlage/not-write-time
			c.ExpiresAt = it.Timestamp.Time()             // ok ttlage/not-write-time
			c.ExpiresIn = time.Until(it.Timestamp.Time()) // ok ttlage/not-write-time
		}
	}
	for _, it := range row["contact"] {
		if it.Column == "contact:last-sent" {
			c.LastSent = string(it.Value)
			c.LastUpdate = it.Timestamp.Time().Format(time.RFC3339) // ok ttlage/not-write-time
		}
	}
	return c, nil
}

// FullCard is Card with a filter per family.
func (d *Desk) FullCard(ctx context.Context, subject string) (bigtable.Row, error) {
	now := d.clk.Now()
	f := bigtable.InterleaveFilters( // ok ttlread/unfiltered-branch
		bigtable.ChainFilters(bigtable.FamilyFilter("token|attempts"), bigtable.TimestampRangeFilter(now, time.Time{})),
		bigtable.ChainFilters(bigtable.FamilyFilter("contact"), bigtable.LatestNFilter(1)),
	)
	return d.tbl.ReadRow(ctx, rowKey(subject), bigtable.RowFilter(f)) // ok ttlread/missing-filter ttlread/hides-other-families
}

// History shows a subject's tokens and attempts side by side.
func (d *Desk) History(ctx context.Context, subject string, w io.Writer) error {
	live := bigtable.TimestampRangeFilter(d.clk.Now(), time.Time{})
	f := bigtable.InterleaveFilters( // want ttlread/unfiltered-branch[history]
		bigtable.ChainFilters(bigtable.FamilyFilter("token"), live),
		bigtable.FamilyFilter("attempts"), // want ttlread/unfiltered-branch[history]
	)
	row, err := d.tbl.ReadRow(ctx, rowKey(subject), bigtable.RowFilter(f)) // want ttlread/unfiltered-branch[history]
	if err != nil {
		return err
	}
	for fam, items := range row {
		for _, it := range items {
			fmt.Fprintf(w, "%s %s %q\n", fam, it.Column, it.Value)
		}
	}
	return nil
}

// Dump prints everything under a prefix.
func (d *Desk) Dump(ctx context.Context, prefix string, w io.Writer) error {
	return d.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // want ttlread/missing-filter
		for fam, items := range row {
			for _, it := range items {
				fmt.Fprintf(w, "%s %s %s %q\n", row.Key(), fam, it.Column, it.Value)
			}
		}
		return true
	})
}

// Contacts prints how subjects were reached.
func (d *Desk) Contacts(ctx context.Context, prefix string, w io.Writer) error {
	return d.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row["contact"] {
			fmt.Fprintf(w, "%s %s %q %s\n", row.Key(), it.Column, it.Value, it.Timestamp.Time())
		}
		return true
	}, bigtable.RowFilter(bigtable.LatestNFilter(1)))
}

// Expired lists the subjects whose tokens ran out but are still stored.
func (d *Desk) Expired(ctx context.Context) ([]string, error) {
	var out []string
	dead := bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Time{}, d.clk.Now())) // want ttlread/expired-only[deskexpired]
	err := d.tbl.ReadRows(ctx, bigtable.PrefixRange("subj#"), func(row bigtable.Row) bool {                                // want ttlread/expired-only[deskexpired]
		out = append(out, row.Key())
		return true
	}, bigtable.RowFilter(dead)) // want ttlread/expired-only[deskexpired]
	return out, err
}

// Sweep deletes rows whose tokens ran out; GC takes up to a week.
func (d *Desk) Sweep(ctx context.Context) (int, error) {
	var keys []string
	var muts []*bigtable.Mutation
	dead := bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Time{}, d.clk.Now()))
	err := d.tbl.ReadRows(ctx, bigtable.PrefixRange("subj#"), func(row bigtable.Row) bool { // ok ttlread/expired-only
		mut := bigtable.NewMutation()
		mut.DeleteCellsInFamily("token")
		keys = append(keys, row.Key())
		muts = append(muts, mut)
		return true
	}, bigtable.RowFilter(dead))
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	_, err = d.tbl.ApplyBulk(ctx, keys, muts)
	return len(keys), err
}

// Soon lists tokens that are about to run out.
func (d *Desk) Soon(ctx context.Context) ([]Token, error) {
	now := d.clk.Now()
	var out []Token
	err := d.tbl.ReadRows(ctx, bigtable.PrefixRange("subj#"), func(row bigtable.Row) bool { // want ttlread/upper-bound[desksoon]
		if t, err := decode(row.Key(), row); err == nil {
			out = append(out, t)
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(now, now.Add(time.Minute))))) // want ttlread/upper-bound[desksoon]
	return out, err
}

// Outstanding lists all live tokens; none lives longer than the end given.
func (d *Desk) Outstanding(ctx context.Context) ([]Token, error) {
	now := d.clk.Now()
	var out []Token
	f := bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(now, now.Add(time.Hour)))
	err := d.tbl.ReadRows(ctx, bigtable.PrefixRange("subj#"), func(row bigtable.Row) bool { // ok ttlread/upper-bound
		if t, err := decode(row.Key(), row); err == nil {
			out = append(out, t)
		}
		return true
	}, bigtable.RowFilter(f))
	return out, err
}

// Recent lists tokens of the last ten minutes.
func (d *Desk) Recent(ctx context.Context) ([]Token, error) {
	var out []Token
	f := bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(d.clk.Now().Add(-10*time.Minute), time.Time{})) // want ttlread/wrong-bound[deskrecent]
	err := d.tbl.ReadRows(ctx, bigtable.PrefixRange("subj#"), func(row bigtable.Row) bool {                                                  // want ttlread/wrong-bound[deskrecent]
		if t, err := decode(row.Key(), row); err == nil {
			out = append(out, t)
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/wrong-bound[deskrecent]
	return out, err
}

// First returns any one live token of a subject, newest first.
func (d *Desk) First(ctx context.Context, subject string) (bigtable.Row, error) {
	f := bigtable.ChainFilters( // want ttlread/limit-before-filter[deskfirst]
		bigtable.FamilyFilter("token"),
		bigtable.CellsPerRowLimitFilter(1), // want ttlread/limit-before-filter[deskfirst]
		bigtable.TimestampRangeFilter(d.clk.Now(), time.Time{}),
	)
	return d.tbl.ReadRow(ctx, rowKey(subject), bigtable.RowFilter(f)) // want ttlread/limit-before-filter[deskfirst]
}

// Count counts subjects.
func (d *Desk) Count(ctx context.Context) (n int, err error) {
	err = d.tbl.ReadRows(ctx, bigtable.PrefixRange("subj#"), func(bigtable.Row) bool { // ok ttlread/missing-filter
		n++
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())))
	return n, err
}

// Hashes shows the newest hash of a subject; two filters, as the review asked.
func (d *Desk) Hashes(ctx context.Context, subject string) (string, error) {
	row, err := d.tbl.ReadRow(ctx, rowKey(subject), // want ttlread/overridden-filter[deskhashes]
		bigtable.RowFilter(bigtable.ColumnFilter("hash")),                  // want ttlread/overridden-filter[deskhashes]
		bigtable.RowFilter(store.LiveFamily(schema.FamToken, d.clk.Now()))) // want ttlread/overridden-filter[deskhashes]
	if err != nil {
		return "", err
	}
	return store.Text(row, schema.OTPHash), nil
}

// Blocked says whether the subject is locked out, by the attempts' age.
func (d *Desk) Blocked(ctx context.Context, subject string) (bool, error) {
	row, err := d.tbl.ReadRow(ctx, rowKey(subject), bigtable.RowFilter(store.LiveFamily(schema.FamAttempts, d.clk.Now())))
	if err != nil {
		return false, err
	}
	for _, it := range row["attempts"] {
		if d.clk.Now().Sub(it.Timestamp.Time()) < 5*time.Minute { // want ttlage/not-write-time
			return true, nil
		}
	}
	return false, nil
}
