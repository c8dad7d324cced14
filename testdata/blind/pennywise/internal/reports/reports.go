// Package reports is the numbers for the management, in SQL since 2024.
package reports

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"pennywise.example/shop/internal/bt"
	"pennywise.example/shop/internal/clock"
	"pennywise.example/shop/internal/web"
)

// query runs a statement and counts its rows.
func query(ctx context.Context, sql string) (int, error) {
	ps, err := bt.Client.PrepareStatement(ctx, sql, nil)
	if err != nil {
		return 0, fmt.Errorf("prepare: %w", err)
	}
	bs, err := ps.Bind(nil)
	if err != nil {
		return 0, err
	}
	n := 0
	err = bs.Execute(ctx, func(bigtable.ResultRow) bool {
		n++
		return true
	})
	return n, err
}

const (
	sqlSessions = "SELECT _key, sess['user'] FROM `login` WHERE sess['user'] IS NOT NULL" // want ttlread/sql[sessions]

	sqlSessionsLive = "SELECT _key, sess['user'] FROM `login`(with_history => TRUE, after_or_equal => CURRENT_TIMESTAMP())" // ok ttlread/sql

	sqlUsers = "SELECT _key, who['country'] FROM `login`" // ok ttlread/sql

	sqlCarts = "SELECT _key, item FROM carts" // want ttlread/sql[carts]

	sqlCartsLive = "SELECT _key, item FROM carts(with_history => TRUE, after_or_equal => TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 14 DAY))" // ok ttlread/sql

	sqlTicks = "SELECT _key, tick['p'] FROM prices" // ok ttlread/sql

	sqlSearch = "SELECT _key, sess['last'], item FROM search" // ok ttlread/sql
)

// Overview is the page.
func Overview(w http.ResponseWriter, r *http.Request) {
	res := map[string]int{}
	var err error
	if res["sessions"], err = query(r.Context(), sqlSessions); err != nil { // want ttlread/sql[sessions]
		web.Fail(w, err)
		return
	}
	if res["users"], err = query(r.Context(), sqlUsers); err != nil { // ok ttlread/sql
		web.Fail(w, err)
		return
	}
	if res["carts"], err = query(r.Context(), sqlCarts); err != nil { // want ttlread/sql[carts]
		web.Fail(w, err)
		return
	}
	if res["ticks"], err = query(r.Context(), sqlTicks); err != nil { // ok ttlread/sql
		web.Fail(w, err)
		return
	}
	if res["searches"], err = query(r.Context(), sqlSearch); err != nil { // ok ttlread/sql
		web.Fail(w, err)
		return
	}
	web.JSON(w, http.StatusOK, res)
}

// Live is the overview with what is alive only. It is slower.
func Live(w http.ResponseWriter, r *http.Request) {
	res := map[string]int{}
	for name, sql := range map[string]string{"sessions": sqlSessionsLive, "carts": sqlCartsLive} {
		n, err := query(r.Context(), sql) // ok ttlread/sql
		if err != nil {
			web.Fail(w, fmt.Errorf("%s: %w", name, err))
			return
		}
		res[name] = n
	}
	web.JSON(w, http.StatusOK, res)
}

// Waiting counts commands that wait on devices.
func Waiting(ctx context.Context) (int, error) {
	ps, err := bt.Client.PrepareStatement(ctx, "SELECT cmd FROM devices WHERE _key LIKE 'd#%'", nil) // want ttlread/sql
	if err != nil {
		return 0, err
	}
	bs, err := ps.Bind(nil)
	if err != nil {
		return 0, err
	}
	n := 0
	err = bs.Execute(ctx, func(bigtable.ResultRow) bool {
		n++
		return true
	})
	return n, err
}

// Conversion compares carts and orders of a shop. It reads the tables itself,
// because it was there before SQL.
func Conversion(ctx context.Context, shop string) (float64, error) {
	carts, orders := 0, 0
	err := bt.Carts.ReadRows(ctx, bigtable.PrefixRange(shop), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[bt.FamMeta] {
			switch strings.TrimPrefix(it.Column, "meta:") {
			case "touched":
				carts++
			case "order":
				orders++
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.LatestNFilter(1)))
	if err != nil || carts == 0 {
		return 0, err
	}
	return float64(orders) / float64(carts), nil
}

// AverageAge is how old carts are. Marketing puts it on a slide every quarter.
func AverageAge(ctx context.Context, shop string) (time.Duration, error) {
	var sum time.Duration
	n := 0
	now := clock.Now()
	err := bt.Carts.ReadRows(ctx, bigtable.PrefixRange(shop), func(row bigtable.Row) bool {
		for _, it := range row[bt.FamItem] {
			sum += now.Sub(it.Timestamp.Time()) // want ttlage/not-write-time
			n++
		}
		return true
	}, bigtable.RowFilter(bt.Within(bt.FamItem, bt.CartTTL))) // ok ttlread/wrong-bound
	if err != nil || n == 0 {
		return 0, err
	}
	return sum / time.Duration(n), nil
}

// Largest finds the largest cart.
func Largest(ctx context.Context, shop string) (string, int, error) {
	key, most := "", 0
	err := bt.Carts.ReadRows(ctx, bigtable.PrefixRange(shop), func(row bigtable.Row) bool { // want ttlread/missing-filter
		if n := len(row[bt.FamItem]); n > most {
			key, most = row.Key(), n
		}
		return true
	})
	return key, most, err
}

// Stock sums up what is held. The warehouse asked for it.
func Stock(ctx context.Context, shop string) (map[string]int, error) {
	res := map[string]int{}
	err := bt.Carts.ReadRows(ctx, bigtable.PrefixRange(shop), func(row bigtable.Row) bool {
		for _, it := range row[bt.FamHold] {
			res[it.Column]++
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(bt.FamHold),
		bigtable.TimestampRangeFilter(time.Unix(0, 0), clock.Now()), // want ttlread/expired-only
	)))
	return res, err
}
