// Package builders has embedding, builders, clocks behind interfaces and
// methods of constants; what has no mark is silent.
package builders

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
)

type Base struct{ *bigtable.Table }

type OTP struct {
	Base
	name string
}

func NewOTP(c *bigtable.Client) *OTP { return &OTP{Base: Base{c.Open("otp")}, name: "otp"} }

func (o *OTP) One(ctx context.Context) (bigtable.Row, error) { return o.ReadRow(ctx, "k") } // want `missing-filter: .*"code"`

type wrapped struct{ bigtable.TableAPI }

func (w wrapped) ReadRow(ctx context.Context, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	return w.TableAPI.ReadRow(ctx, key, append(opts, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{})))...)
}

func viaWrapped(ctx context.Context, c *bigtable.Client) {
	w := wrapped{c.OpenTable("otp")}
	r, _ := w.ReadRow(ctx, "k")
	fmt.Println(r["code"])
}

type op int

const (
	opLatest op = iota
	opLive
)

func (o op) filter() bigtable.Filter {
	switch o {
	case opLatest:
		return bigtable.LatestNFilter(1)
	case opLive:
		return bigtable.TimestampRangeFilter(time.Now(), time.Time{})
	}
	return nil
}

func viaMethodOnConst(ctx context.Context, c *bigtable.Client) {
	r, _ := c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(opLive.filter()))
	fmt.Println(r)
	r, _ = c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(opLatest.filter())) // want `missing-filter: .*"code"`
	fmt.Println(r)
}

type builder struct{ fs []bigtable.Filter }

func (b *builder) live() *builder {
	b.fs = append(b.fs, bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	return b
}
func (b *builder) latest() *builder { b.fs = append(b.fs, bigtable.LatestNFilter(1)); return b }
func (b *builder) opt() bigtable.ReadOption {
	if len(b.fs) == 1 {
		return bigtable.RowFilter(b.fs[0])
	}
	return bigtable.RowFilter(bigtable.ChainFilters(b.fs...))
}

func viaBuilder(ctx context.Context, c *bigtable.Client) {
	r, _ := c.Open("otp").ReadRow(ctx, "k", new(builder).live().latest().opt())
	fmt.Println(r)
	r, _ = c.Open("otp").ReadRow(ctx, "k", new(builder).latest().opt()) // want `missing-filter: .*"code"`
	fmt.Println(r)
}

// default timestamp helper with variadic
func ts(opt ...time.Duration) bigtable.Timestamp {
	if len(opt) > 0 {
		return bigtable.Time(time.Now().Add(opt[0]))
	}
	return bigtable.Now()
}

func variadicTS(mut *bigtable.Mutation) {
	mut.Set("token", "a", ts(), nil) // want `write-time: .*"token"`
	mut.Set("token", "a", ts(time.Hour), nil)
}

type Clock interface{ Now() time.Time }
type realClock struct{}

func (realClock) Now() time.Time { return time.Now() }

type svc struct {
	clock Clock
	ttl   time.Duration
}

func newSvc() *svc { return &svc{clock: realClock{}, ttl: time.Minute} }
func (s *svc) put(mut *bigtable.Mutation) {
	mut.Set("token", "a", bigtable.Time(s.clock.Now()), nil) // want `write-time: .*"token"`
	mut.Set("token", "a", bigtable.Time(s.clock.Now().Add(s.ttl)), nil)
}

func labelled(ctx context.Context, c *bigtable.Client, muts map[string]*bigtable.Mutation) {
	tbl := c.Open("bank-ledger")
	var seq int64
	for key := range muts {
		seq++
		m := bigtable.NewMutation()
		m.Set("entry", "v", bigtable.Timestamp(seq), nil) // want `unscaled-sequence: .*"entry"`
		m.Set("entry", "w", bigtable.Timestamp(seq*1000), nil)
		m.Set("entry", "x", bigtable.Timestamp(seq)*1e3, nil)
		tbl.Apply(ctx, key, m)
	}
}

func cas(ctx context.Context, c *bigtable.Client) error {
	set := bigtable.NewMutation()
	set.Set("token", "jwt", bigtable.Time(time.Now().Add(time.Hour)), nil)
	cond := bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.ColumnFilter("jwt")), nil, set) // want `conditional-mutation: .*"token"`
	if err := c.Open("sessions").Apply(ctx, "k", cond); err != nil {
		return err
	}
	del := bigtable.NewMutation()
	del.DeleteRow()
	return c.Open("sessions").Apply(ctx, "k", bigtable.NewCondMutation(bigtable.FamilyFilter("token"), del, nil))
}
