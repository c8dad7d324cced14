package store

import (
	"context"
	"crypto/subtle"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/paywell/clock"
	"example.com/paywell/domain"
)

// Coupons keeps coupons, and one-time codes sent to redeem them. The codes
// live as long as the campaign says.
type Coupons struct {
	tbl rows
	clk clock.Clock
}

// NewCoupons returns a store on tbl.
func NewCoupons(tbl rows, clk clock.Clock) *Coupons { return &Coupons{tbl: tbl, clk: clk} }

// Define stores a coupon.
func (c *Coupons) Define(ctx context.Context, code string, percent int) error {
	mut := bigtable.NewMutation()
	mut.Set(FamDef, "percent", bigtable.Now(), encode(percent)) // ok ttlwrite/write-time
	return c.tbl.Apply(ctx, code, mut)
}

// Send stores a one-time code.
func (c *Coupons) Send(ctx context.Context, code, user, otp string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(FamOTP, user)
	mut.Set(FamOTP, user, expiresIn(c.clk, domain.OTPTTL), []byte(otp)) // ok ttlwrite/write-time
	return c.tbl.Apply(ctx, code, mut)
}

// Resend stores the same code again.
func (c *Coupons) Resend(ctx context.Context, code, user, otp string) error {
	ts := bigtable.Now()
	mut := bigtable.NewMutation()
	mut.Set(FamOTP, user, ts, []byte(otp))      // want ttlwrite/write-time
	mut.Set(FamDef, "resent", ts, []byte(user)) // ok ttlwrite/write-time
	return c.tbl.Apply(ctx, code, mut)
}

// Fail counts a wrong code.
func (c *Coupons) Fail(ctx context.Context, code, user string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(FamOTP, "failed:"+user, []byte("x")) // want ttlwrite/read-modify-write
	_, err := c.tbl.ApplyReadModifyWrite(ctx, code, rmw)
	return err
}

// Check compares a one-time code.
func (c *Coupons) Check(ctx context.Context, code, user, otp string) (bool, error) {
	row, err := c.tbl.ReadRow(ctx, code, bigtable.RowFilter(only(FamOTP, user))) // want ttlread/missing-filter
	if err != nil {
		return false, err
	}
	item, ok := find(row, FamOTP, user)
	return ok && subtle.ConstantTimeCompare(item.Value, []byte(otp)) == 1, nil
}

// CheckLive compares a one-time code that has not expired.
func (c *Coupons) CheckLive(ctx context.Context, code, user, otp string) (bool, error) {
	row, err := c.tbl.ReadRow(ctx, code, bigtable.RowFilter(bigtable.ChainFilters(only(FamOTP, user), live(c.clk)))) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	item, ok := find(row, FamOTP, user)
	return ok && subtle.ConstantTimeCompare(item.Value, []byte(otp)) == 1, nil
}

// CheckSoon compares a code that ends within a year: codes never live longer.
func (c *Coupons) CheckSoon(ctx context.Context, code, user, otp string) (bool, error) {
	now := c.clk.Now()
	within := bigtable.TimestampRangeFilter(now, now.AddDate(1, 0, 0))                                          // want ttlread/upper-bound[checksoon]
	row, err := c.tbl.ReadRow(ctx, code, bigtable.RowFilter(bigtable.ChainFilters(only(FamOTP, user), within))) // want ttlread/upper-bound[checksoon]
	if err != nil {
		return false, err
	}
	item, ok := find(row, FamOTP, user)
	return ok && subtle.ConstantTimeCompare(item.Value, []byte(otp)) == 1, nil
}

// Percent reads a coupon.
func (c *Coupons) Percent(ctx context.Context, code string) (int, error) {
	row, err := c.tbl.ReadRow(ctx, code, bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, item := range row[FamDef] {
		if column(item) == "percent" {
			return decode[int](item)
		}
	}
	return 0, domain.ErrNotFound
}

// Sent is when a code was sent, which the coupon's own family knows.
func (c *Coupons) Sent(ctx context.Context, code string) (createdAt time.Time, err error) {
	row, err := c.tbl.ReadRow(ctx, code, bigtable.RowFilter(only(FamDef, "resent"))) // ok ttlread/missing-filter
	if err != nil {
		return time.Time{}, err
	}
	if item, ok := find(row, FamDef, "resent"); ok {
		createdAt = item.Timestamp.Time() // ok ttlage/not-write-time
	}
	return createdAt, nil
}
