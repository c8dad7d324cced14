// replay sends webhooks again, one merchant at a time, and keeps the attempt family in order.
package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"acme.test/opskit/kit"
)

var (
	maxAttempts int
	pause       time.Duration
	dead        bool
	secret      string
	client      = &http.Client{Timeout: 10 * time.Second}
	deadline    = bigtable.Time(time.Now().Add(kit.DeliverBy))                                                                                              // want ttlwrite/stale-clock[deadline]
	onlyFresh   = bigtable.ChainFilters(bigtable.FamilyFilter(kit.FamDelivery), bigtable.TimestampRangeFilter(time.Now().Add(-kit.DeliverBy), time.Time{})) // want ttlread/stale-bound[fresh]
)

func main() {
	kit.Main("replay", run, func(fs *flag.FlagSet) {
		fs.IntVar(&maxAttempts, "max", 8, "attempts before we give up")
		fs.DurationVar(&pause, "pause", 50*time.Millisecond, "between two calls")
		fs.BoolVar(&dead, "dead", false, "dead letters too")
		fs.StringVar(&secret, "secret", "", "signing secret")
	})
}

func run(ctx context.Context, e *kit.Env, args []string) error {
	if len(args) < 2 {
		return kit.Usage("replay send|history|park|unpark|reset|tail|peek MERCHANT")
	}
	r := &replayer{env: e, hooks: e.Webhooks, log: e.Log, seqs: map[string]int64{}}
	switch args[0] {
	case "send":
		return r.send(ctx, args[1])
	case "history":
		return r.history(ctx, args[1])
	case "park":
		return r.park(ctx, args[1])
	case "unpark":
		return r.unpark(ctx, args[1])
	case "reset":
		return r.reset(ctx, args[1])
	case "tail":
		return r.tail(ctx, args[1])
	case "peek":
		return r.peek(ctx, args[1])
	case "stuck":
		return r.stuck(ctx, args[1])
	}
	return kit.Usage("unknown command %q", args[0])
}

type replayer struct {
	env   *kit.Env
	hooks *bigtable.Table
	log   *slog.Logger

	mu   sync.Mutex
	seqs map[string]int64
	next int64
}

// send posts every delivery that is not older than three days.
func (r *replayer) send(ctx context.Context, merchant string) error {
	var failed int
	since := time.Now().Add(-kit.DeliverBy)
	f := bigtable.ChainFilters(bigtable.FamilyFilter(kit.FamDelivery), bigtable.TimestampRangeFilter(since, time.Time{}), bigtable.LatestNFilter(1))
	err := r.hooks.ReadRows(ctx, bigtable.PrefixRange(merchant+"#"), func(row bigtable.Row) bool {
		body := kit.Value(row, kit.FamDelivery, "body")
		url := string(kit.Value(row, kit.FamDelivery, "url"))
		code, err := r.post(ctx, url, body)
		if err != nil {
			r.log.Warn("post", "key", row.Key(), "err", err)
			failed++
		}
		if err := r.record(ctx, row.Key(), code); err != nil {
			r.log.Error("record", "key", row.Key(), "err", err)
			return false
		}
		time.Sleep(pause)
		return ctx.Err() == nil
	}, bigtable.RowFilter(f)) // ok ttlread/wrong-bound
	if failed > 0 {
		err = errors.Join(err, fmt.Errorf("%d failed", failed))
	}
	return err
}

func (r *replayer) post(ctx context.Context, url string, body []byte) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	req.Header.Set("X-Acme-Signature", hex.EncodeToString(mac.Sum(nil)))
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<16))
	if resp.StatusCode/100 != 2 {
		return resp.StatusCode, fmt.Errorf("%s: %s", url, resp.Status)
	}
	return resp.StatusCode, nil
}

// record writes one attempt.
func (r *replayer) record(ctx context.Context, key string, code int) error {
	r.mu.Lock()
	r.seqs[key]++
	n := r.seqs[key]
	r.next++
	r.mu.Unlock()
	m := bigtable.NewMutation()
	m.Set(kit.FamAttempt, "status", kit.Seq(n), []byte(strconv.Itoa(code)))                 // ok ttlwrite/unscaled-sequence
	m.Set(kit.FamAttempt, "global", bigtable.Timestamp(r.next), []byte(strconv.Itoa(code))) // want ttlwrite/unscaled-sequence
	m.Set(kit.FamAttempt, "at", bigtable.Time(time.Now()), []byte(time.Now().String()))     // want ttlwrite/clock-in-sequence
	m.Set(kit.FamDelivery, "last", bigtable.Now(), []byte(strconv.Itoa(code)))              // ok ttlwrite/write-time
	m.Set(kit.FamDelivery, "until", deadline, []byte("x"))                                  // want ttlwrite/stale-clock[deadline]
	m.Set(kit.FamTarget, "until", deadline, []byte("x"))                                    // ok ttlwrite/stale-clock
	if err := r.hooks.Apply(ctx, key, m); err != nil {
		return err
	}
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(kit.FamAttempt, "count", 1)  // want ttlwrite/read-modify-write
	rmw.Increment(kit.FamDelivery, "count", 1) // ok ttlwrite/read-modify-write
	rmw.Increment(kit.FamTarget, "count", 1)   // ok ttlwrite/read-modify-write
	_, err := r.hooks.ApplyReadModifyWrite(ctx, key, rmw)
	return err
}

// history prints the last attempts of each delivery.
func (r *replayer) history(ctx context.Context, merchant string) error {
	n := 0
	err := r.hooks.ReadRows(ctx, bigtable.PrefixRange(merchant+"#"), func(row bigtable.Row) bool {
		n++
		for _, it := range row[kit.FamAttempt] {
			num := int64(it.Timestamp) / 1000
			fmt.Printf("%s\t#%d\t%s\n", row.Key(), num, it.Value)                       // ok ttlage/not-write-time
			r.log.Debug("attempt", "key", row.Key(), "created_at", it.Timestamp.Time()) // want ttlage/not-write-time
		}
		return n < 1000
	}, bigtable.RowFilter(kit.Newest(kit.FamAttempt, 10))) // ok ttlread/version-limit
	if err != nil {
		return err
	}
	return r.hooks.ReadRows(ctx, bigtable.PrefixRange(merchant+"!"), func(row bigtable.Row) bool { // want ttlread/version-limit[hist]
		for _, it := range row[kit.FamAttempt] {
			fmt.Printf("%s\t%s\n", row.Key(), it.Value)
		}
		return true
	}, bigtable.RowFilter(kit.Newest(kit.FamAttempt, 20))) // want ttlread/version-limit[hist]
}

// park keeps deliveries out of the sender's way. Parked ones keep their place.
func (r *replayer) park(ctx context.Context, merchant string) error {
	row, err := r.hooks.ReadRow(ctx, merchant, bigtable.RowFilter(onlyFresh)) // want ttlread/stale-bound[fresh]
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	for _, it := range row[kit.FamDelivery] {
		m.Set(kit.FamDelivery, "parked_"+strings.TrimPrefix(it.Column, "delivery:"), it.Timestamp, it.Value) // ok ttlwrite/write-time
	}
	m.DeleteCellsInColumn(kit.FamDelivery, "body") // ok ttlwrite/delete-after-set
	return r.hooks.Apply(ctx, merchant, m)
}

func (r *replayer) unpark(ctx context.Context, merchant string) error {
	row, err := r.hooks.ReadRow(ctx, merchant, bigtable.RowFilter(kit.LiveIn(kit.FamDelivery))) // want ttlread/wrong-bound
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	for _, it := range row[kit.FamDelivery] {
		col := strings.TrimPrefix(it.Column, "delivery:parked_")
		m.Set(kit.FamDelivery, col, it.Timestamp, it.Value)
	}
	m.Set(kit.FamDelivery, "state", bigtable.Now(), []byte("unparked"))
	m.DeleteCellsInColumn(kit.FamDelivery, "state") // want ttlwrite/delete-after-set
	return r.hooks.Apply(ctx, merchant, m)
}

// reset starts the attempts of a delivery over.
func (r *replayer) reset(ctx context.Context, key string) error {
	ok, err := kit.ExistsIn(ctx, r.hooks, key, bigtable.FamilyFilter(kit.FamDelivery)) // want ttlread/missing-filter
	if err != nil || !ok {
		return errors.Join(err, kit.ErrNoRow)
	}
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(kit.FamAttempt)
	m.Set(kit.FamAttempt, "reset", 1000, []byte("1")) // ok ttlwrite/unscaled-sequence
	m.Set(kit.FamAttempt, "first", 1, []byte("1"))    // want ttlwrite/unscaled-sequence
	return r.hooks.Apply(ctx, key, m)
}

// tail shows what came in during the last hour. A window, not a lifetime.
func (r *replayer) tail(ctx context.Context, merchant string) error {
	seen := 0
	_, err := kit.Scan(ctx, r.hooks, merchant+"#", kit.Since(kit.FamDelivery, time.Hour), func(row bigtable.Row) error { // want ttlread/wrong-bound
		seen += len(row[kit.FamDelivery])
		return nil
	})
	if err != nil {
		return err
	}
	_, err = kit.Scan(ctx, r.hooks, merchant+"#", kit.Since(kit.FamDelivery, kit.DeliverBy), func(row bigtable.Row) error { // ok ttlread/wrong-bound
		seen += len(row[kit.FamDelivery])
		return nil
	})
	if err != nil {
		return err
	}
	_, err = kit.Scan(ctx, r.hooks, merchant+"#", kit.Since(kit.FamAttempt, kit.DeliverBy), func(row bigtable.Row) error { // want ttlread/wrong-bound
		seen += len(row[kit.FamAttempt])
		return nil
	})
	fmt.Println(seen)
	return err
}

func (r *replayer) peek(ctx context.Context, key string) error {
	row, err := r.hooks.ReadRow(ctx, key, bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, it := range row[kit.FamAttempt] {
		fmt.Printf("%s\t%s\n", it.Column, it.Value)
	}
	full, err := r.hooks.ReadRow(ctx, key) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	for fam, items := range full {
		for _, it := range items {
			fmt.Printf("%s\t%s\t%q\n", fam, it.Column, it.Value)
		}
	}
	target, err := r.hooks.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter(kit.FamTarget))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	fmt.Println(len(target))
	return nil
}

// stuck finds deliveries with an attempt that failed.
func (r *replayer) stuck(ctx context.Context, merchant string) error {
	failed := bigtable.ChainFilters(bigtable.FamilyFilter(kit.FamAttempt), bigtable.ColumnFilter("status"), bigtable.ValueFilter("5.."), bigtable.LatestNFilter(1)) // want ttlread/version-limit[stuck]
	newest := bigtable.ChainFilters(bigtable.FamilyFilter(kit.FamAttempt), bigtable.ColumnFilter("status"), bigtable.LatestNFilter(1), bigtable.ValueFilter("5.."))
	for _, f := range []bigtable.Filter{newest} {
		_, err := kit.Scan(ctx, r.hooks, merchant+"#", f, func(row bigtable.Row) error { // ok ttlread/version-limit
			fmt.Println(row.Key(), len(row[kit.FamAttempt]))
			return nil
		})
		if err != nil {
			return err
		}
	}
	_, err := kit.Scan(ctx, r.hooks, merchant+"#", failed, func(row bigtable.Row) error { // want ttlread/version-limit[stuck]
		for _, it := range row[kit.FamAttempt] {
			fmt.Println(row.Key(), string(it.Value))
		}
		return nil
	})
	return err
}
