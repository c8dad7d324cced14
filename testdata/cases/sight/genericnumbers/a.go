// Package genericnumbers makes timestamps of numbers by generic conversions.
package genericnumbers

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/genericnumbers/num"
)

func number[N ~int | ~int64](n N) bigtable.Timestamp { return bigtable.Timestamp(n) }

func numberInt[N int](n N) bigtable.Timestamp { return bigtable.Timestamp(n) }

func scaled[N ~int | ~int64](n N) bigtable.Timestamp { return bigtable.Timestamp(n * 1000) }

func plan(ctx context.Context, c *bigtable.Client, steps []string) error {
	m := bigtable.NewMutation()
	for i, p := range steps {
		m.Set("entry", "a", number(i+1), []byte(p)) // want `unscaled-sequence`
		m.Set("entry", "c", scaled(i+1), []byte(p))
		m.Set("entry", "d", numberInt(i+1), []byte(p))   // want `unscaled-sequence`
		m.Set("entry", "e", number[int](i+1), []byte(p)) // want `unscaled-sequence`

		m.Set("entry", "g", num.Number(i+1), []byte(p))                        // want `unscaled-sequence`
		m.Set("entry", "h", bigtable.Timestamp(num.Wide(int32(i))), []byte(p)) // want `unscaled-sequence`
		m.Set("entry", "i", num.Scaled(i+1), []byte(p))
		m.Set("entry", "j", bigtable.Timestamp(num.Micros(i+1)), []byte(p))
	}
	m.Set("entry", "f", number(len(steps)), nil)             // want `unscaled-sequence`
	m.Set("entry", "k", number(7), nil)                      // want `unscaled-sequence`
	m.Set("entry", "l", number(time.Now().UnixMicro()), nil) // want `clock-in-sequence`
	m.Set("latest", "m", num.Number(0), nil)
	return c.Open("a-ledger").Apply(ctx, "r", m)
}

func expiring(ctx context.Context, c *bigtable.Client) error {
	m := bigtable.NewMutation()
	m.Set("ticket", "a", number(time.Now().UnixMicro()), nil) // want `write-time`
	m.Set("ticket", "b", number(time.Now().Add(time.Minute).UnixMilli()*1000), nil)
	m.Set("ticket", "c", num.Number(time.Now().Add(time.Minute).Unix()), nil) // want `wrong-unit`
	return c.Open("tickets").Apply(ctx, "r", m)
}

// What is only known from outside is not known.
func okGiven(ctx context.Context, c *bigtable.Client, rev int64) error {
	m := bigtable.NewMutation()
	m.Set("entry", "a", num.Scaled(rev), nil)
	return c.Open("a-ledger").Apply(ctx, "r", m)
}

func seconds(ctx context.Context, c *bigtable.Client) error {
	m := bigtable.NewMutation()
	m.Set("ticket", "a", number(time.Now().Add(time.Minute).Unix()), nil)    // want `wrong-unit`
	m.Set("ticket", "b", num.Plain(time.Now().Add(time.Minute).Unix()), nil) // want `wrong-unit`
	return c.Open("tickets").Apply(ctx, "r", m)
}
