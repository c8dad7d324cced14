package store

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/saga/bt"
	"example.com/saga/clock"
	"example.com/saga/schema"
	"example.com/saga/vo"
)

// ErrSpent is returned for coupons that were used.
var ErrSpent = errors.New("coupon was used")

// CouponRepo keeps grants, which live for thirty days unless they say otherwise, and what was used.
type CouponRepo struct {
	tbl *bigtable.Table
	clk clock.Clock
}

// NewCouponRepo opens the coupons.
func NewCouponRepo(c *bigtable.Client, clk clock.Clock) *CouponRepo {
	return &CouponRepo{tbl: c.Open(schema.Coupons), clk: clk}
}

// Grant is a coupon of a customer.
type Grant struct {
	Code    vo.CouponCode
	Percent int
	Until   time.Time
	Created time.Time
}

// write is a cell of a coupon's row.
type write struct {
	family, column string
	ts             bigtable.Timestamp
	value          string
}

func mutation(ws ...write) *bigtable.Mutation {
	mut := bigtable.NewMutation()
	for _, w := range ws {
		mut.Set(w.family, w.column, w.ts, []byte(w.value))
	}
	return mut
}

// Give grants a coupon for the usual time.
func (r *CouponRepo) Give(ctx context.Context, code vo.CouponCode, percent int) error {
	return r.tbl.Apply(ctx, string(code), mutation(
		write{schema.FamGrant, "percent", bigtable.ServerTime, strconv.Itoa(percent)}, // ok ttlwrite/server-timestamp
		write{schema.FamUsage, "uses", 0, "0"},                                        // ok ttlwrite/clock-in-zero
	))
}

// GiveFor grants a coupon for a while.
func (r *CouponRepo) GiveFor(ctx context.Context, code vo.CouponCode, percent int, d time.Duration) error {
	return r.tbl.Apply(ctx, string(code), mutation(
		write{schema.FamGrant, "percent", bt.Shifted(r.clk, d, schema.GrantTTL), strconv.Itoa(percent)}, // ok ttlwrite/already-expired
		write{schema.FamUsage, "uses", 0, "0"},
	))
}

// GiveWelcome grants the coupon of the first order.
func (r *CouponRepo) GiveWelcome(ctx context.Context, code vo.CouponCode) error {
	return r.tbl.Apply(ctx, string(code), mutation(
		write{schema.FamGrant, "percent", bigtable.Now(), "10"},     // ok ttlwrite/write-time
		write{schema.FamUsage, "given", bt.Stamp(r.clk), "welcome"}, // want ttlwrite/clock-in-zero
		write{schema.FamHold, "given", bt.Stamp(r.clk), "welcome"},  // ok ttlwrite/write-time
	))
}

// Revoke ends a coupon.
func (r *CouponRepo) Revoke(ctx context.Context, code vo.CouponCode, why string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(schema.FamGrant)
	mut.Set(schema.FamUsage, "revoked", 0, []byte(why)) // ok ttlwrite/clock-in-zero
	return r.tbl.Apply(ctx, string(code), mut)
}

// RevokeOld ends it the way of the first release.
func (r *CouponRepo) RevokeOld(ctx context.Context, code vo.CouponCode) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamGrant, "percent", 0, []byte("0")) // want ttlwrite/already-expired
	return r.tbl.Apply(ctx, string(code), mut)
}

// Use counts a use.
func (r *CouponRepo) Use(ctx context.Context, code vo.CouponCode, o vo.OrderID) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamUsage, "uses", 1)           // want ttlwrite/read-modify-write
	rmw.AppendValue(schema.FamHold, "trail", []byte(o)) // ok ttlwrite/read-modify-write
	_, err := r.tbl.ApplyReadModifyWrite(ctx, string(code), rmw)
	return err
}

// Hold keeps a coupon for an order. It is a real-time family here: holds are taken away by Drop.
func (r *CouponRepo) Hold(ctx context.Context, code vo.CouponCode, o vo.OrderID) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamHold, string(o), bigtable.Now(), []byte(o)) // ok ttlwrite/write-time
	free := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamHold), bigtable.LatestNFilter(1))
	var held bool
	err := r.tbl.Apply(ctx, string(code), bigtable.NewCondMutation(free, nil, mut), bigtable.GetCondMutationResult(&held)) // ok ttlread/conditional-mutation
	if err == nil && held {
		err = fmt.Errorf("coupon %s: %w", code, bt.ErrConflict)
	}
	return err
}

// Drop is the compensation of Hold.
func (r *CouponRepo) Drop(ctx context.Context, code vo.CouponCode, o vo.OrderID) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(schema.FamHold, string(o))
	return r.tbl.Apply(ctx, string(code), mut)
}

// HeldBy lists the orders that hold a coupon.
func (r *CouponRepo) HeldBy(ctx context.Context, code vo.CouponCode) (map[string]time.Time, error) {
	row, err := r.tbl.ReadRow(ctx, string(code), bigtable.RowFilter(bigtable.FamilyFilter(schema.FamHold))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]time.Time{}
	for _, item := range row[schema.FamHold] {
		created := item.Timestamp.Time() // ok ttlage/not-write-time
		out[item.Column] = created
	}
	return out, nil
}

// RecentHolds lists those of the last hour.
func (r *CouponRepo) RecentHolds(ctx context.Context, code vo.CouponCode) ([]string, error) {
	row, err := r.tbl.ReadRow(ctx, string(code), bigtable.RowFilter(bt.In(schema.FamHold, bt.Since(r.clk, time.Hour)))) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	var out []string
	for _, item := range row[schema.FamHold] {
		out = append(out, item.Column)
	}
	return out, nil
}

// Find reads a grant.
func (r *CouponRepo) Find(ctx context.Context, code vo.CouponCode) (*Grant, error) {
	row, err := r.tbl.ReadRow(ctx, string(code), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	if it := bt.Cell(row, schema.FamUsage, "uses"); it != nil && numberOf(it.Value) > 0 {
		return nil, fmt.Errorf("coupon %s: %w", code, ErrSpent)
	}
	it := bt.Cell(row, schema.FamGrant, "percent")
	if it == nil {
		return nil, fmt.Errorf("coupon %s: %w", code, bt.ErrNotFound)
	}
	p, err := strconv.Atoi(string(it.Value))
	return &Grant{Code: code, Percent: p, Until: it.Timestamp.Time().Add(schema.GrantTTL)}, err // ok ttlage/not-write-time
}

// Usable reads a grant that has not run out.
func (r *CouponRepo) Usable(ctx context.Context, code vo.CouponCode) (*Grant, error) {
	row, err := r.tbl.ReadRow(ctx, string(code), bigtable.RowFilter(r.usable())) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	if it := bt.Cell(row, schema.FamUsage, "uses"); it != nil && numberOf(it.Value) > 0 {
		return nil, fmt.Errorf("coupon %s: %w", code, ErrSpent)
	}
	for _, item := range row[schema.FamGrant] {
		p, err := strconv.Atoi(string(item.Value))
		if err != nil {
			return nil, fmt.Errorf("coupon %s: %w", code, err)
		}
		return &Grant{Code: code, Percent: p, Created: item.Timestamp.Time()}, nil // want ttlage/not-write-time
	}
	return nil, fmt.Errorf("coupon %s: %w", code, bt.ErrNotFound)
}

func (r *CouponRepo) usable() bigtable.Filter {
	return bigtable.InterleaveFilters(
		bt.In(schema.FamGrant, bt.Since(r.clk, schema.GrantTTL)), // ok ttlread/unfiltered-branch
		bt.In(schema.FamUsage, bt.Newest()),
	)
}

// Uses is how often a coupon was used.
func (r *CouponRepo) Uses(ctx context.Context, code vo.CouponCode) (int64, error) {
	row, err := r.tbl.ReadRow(ctx, string(code)) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, item := range row[schema.FamUsage] {
		if item.Column == "usage:uses" {
			return numberOf(item.Value), nil
		}
	}
	return 0, nil
}

// Campaign lists the grants of a campaign.
func (r *CouponRepo) Campaign(ctx context.Context, prefix string) ([]Grant, error) {
	var out []Grant
	err := r.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // want ttlread/wrong-bound[camp]
		for _, item := range row[schema.FamGrant] {
			p, _ := strconv.Atoi(string(item.Value))
			out = append(out, Grant{Code: vo.CouponCode(row.Key()), Percent: p})
		}
		return true
	}, bt.NewQuery(r.clk).Family(schema.FamGrant).Live().Options()...) // want ttlread/wrong-bound[camp]
	return out, err
}

// CampaignOf does it for those granted within the month.
func (r *CouponRepo) CampaignOf(ctx context.Context, prefix string) ([]Grant, error) {
	var out []Grant
	err := r.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // ok ttlread/wrong-bound
		for _, item := range row[schema.FamGrant] {
			p, _ := strconv.Atoi(string(item.Value))
			out = append(out, Grant{Code: vo.CouponCode(row.Key()), Percent: p})
		}
		return true
	}, bt.NewQuery(r.clk).Family(schema.FamGrant).Since(schema.GrantTTL).Latest(1).Options()...)
	return out, err
}

// Report writes the grants of a campaign as lines.
func (r *CouponRepo) Report(ctx context.Context, prefix string) (string, error) {
	var b strings.Builder
	week := bigtable.TimestampRangeFilter(r.clk.Now().AddDate(0, 0, -7), time.Time{})              // want ttlread/wrong-bound[rep]
	opt := bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamGrant), week)) // want ttlread/wrong-bound[rep]
	err := r.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool {         // want ttlread/wrong-bound[rep]
		for _, item := range row[schema.FamGrant] {
			createdOn := item.Timestamp.Time().Format(time.DateOnly) // want ttlage/not-write-time
			fmt.Fprintf(&b, "%s of %s: %s%%\n", row.Key(), createdOn, item.Value)
		}
		return true
	}, opt)
	return b.String(), err
}
