package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/apiv2/bigtablepb"

	"haulr.dev/backend/internal/store"
	"haulr.dev/backend/internal/tables"
	"haulr.dev/backend/pkg/bigtablex"
)

type worker struct {
	stores *store.Stores
	log    *slog.Logger

	sessions, inbox, orders, drivers, carts, events, feed *bigtable.Table

	tick int64
}

func newWorker(client *bigtable.Client, stores *store.Stores, log *slog.Logger) *worker {
	return &worker{
		stores:   stores,
		log:      log,
		sessions: client.Open(tables.Sessions),
		inbox:    client.Open(tables.Inbox),
		orders:   client.Open(tables.OrderBook),
		drivers:  client.Open(tables.Drivers),
		carts:    client.Open(tables.Carts),
		events:   client.Open(tables.Events),
		feed:     client.Open(tables.PartnerFeed),
	}
}

func (w *worker) jobs() []job {
	return []job{
		{"reap", time.Hour, w.reap},
		{"active", time.Minute, w.active},
		{"positions", time.Minute, w.positions},
		{"carts", 6 * time.Hour, w.cartMails},
		{"orders", 10 * time.Minute, w.compact},
		{"heartbeat", 10 * time.Second, w.heartbeat},
		{"feed", time.Minute, w.feedCounts},
		{"inbox", time.Hour, w.inboxDigest},
	}
}

// reap deletes the rows of sessions that have been dead for a long time.
func (w *worker) reap(ctx context.Context) error {
	var keys []string
	var muts []*bigtable.Mutation
	err := w.sessions.ReadRows(ctx, bigtable.PrefixRange("s#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		mut := bigtable.NewMutation()
		mut.DeleteRow()
		keys, muts = append(keys, row.Key()), append(muts, mut)
		return len(keys) < 10_000
	}, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(tables.FamMeta),
		bigtable.ColumnFilter("revoked"),
		bigtable.TimestampRangeFilter(time.Time{}, time.Now().Add(-30*24*time.Hour)), // ok ttlread/expired-only
	)))
	if err != nil || len(keys) == 0 {
		return err
	}
	errs, err := w.sessions.ApplyBulk(ctx, keys, muts)
	return errors.Join(append(errs, err)...)
}

// active counts live tokens for the dashboards.
func (w *worker) active(ctx context.Context) error {
	n := 0
	if err := w.sessions.ReadRows(ctx, bigtable.PrefixRange("s#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		n += len(row[tables.FamToken])
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(tables.FamToken),
		bigtable.ColumnFilter("jwt"),
		bigtablex.Live(),
		bigtable.StripValueFilter(),
	))); err != nil {
		return err
	}
	m := 0
	if err := w.sessions.ReadRows(ctx, bigtable.PrefixRange("s#"), func(row bigtable.Row) bool { // want ttlread/missing-filter[act]
		for _, it := range row[tables.FamRefresh] {
			if len(it.Value) > 0 {
				m++
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(tables.FamRefresh))); err != nil { // want ttlread/missing-filter[act]
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set(tables.FamAggregate, "tokens", bigtable.Now(), []byte(strconv.Itoa(n)))  // ok ttlwrite/write-time
	mut.Set(tables.FamAggregate, "refresh", bigtable.Now(), []byte(strconv.Itoa(m))) // ok ttlwrite/write-time
	return w.events.Apply(ctx, "agg#active", mut)
}

// positions copies the positions of the last day into the events.
func (w *worker) positions(ctx context.Context) error {
	type out struct {
		driver string
		at     time.Time
		v      []byte
	}
	ch := make(chan out, 256)
	var wg sync.WaitGroup
	wg.Add(1)
	var werr error
	go func() {
		defer wg.Done()
		for o := range ch {
			mut := bigtable.NewMutation()
			mut.Set(tables.FamMessage, "pos", bigtable.Time(o.at), o.v) // ok ttlwrite/clock-in-sequence
			if err := w.events.Apply(ctx, o.driver+"#"+o.at.UTC().Format("20060102"), mut); err != nil {
				werr = err
			}
		}
	}()
	err := w.drivers.ReadRows(ctx, bigtable.PrefixRange("d#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[tables.FamLocation] {
			var p store.Position
			if json.Unmarshal(it.Value, &p) == nil {
				ch <- out{strings.TrimPrefix(row.Key(), "d#"), p.At, it.Value}
			}
		}
		return true
	}, bigtable.RowFilter(bigtablex.Family(tables.FamLocation, bigtablex.Within(tables.LocationTTL))))
	close(ch)
	wg.Wait()
	return errors.Join(err, werr)
}

// cartMails finds carts that somebody forgot.
func (w *worker) cartMails(ctx context.Context) error {
	ids, err := w.stores.Carts.Abandoned(ctx, 3)
	if err != nil {
		return err
	}
	for _, id := range ids {
		row, err := w.carts.ReadRow(ctx, id, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
		if err != nil {
			return err
		}
		if err := w.mail(ctx, id, row); err != nil {
			return err
		}
	}
	return nil
}

func (w *worker) mail(ctx context.Context, id string, row bigtable.Row) error {
	var b strings.Builder
	for _, it := range row[tables.FamItem] {
		fmt.Fprintf(&b, "%s: %s\n", it.Column, it.Value)
	}
	w.log.Info("mail", "cart", id, "text", b.String())
	mut := bigtable.NewMutation()
	mut.Set(tables.FamItem, "_mailed", bigtable.ServerTime, nil) // ok ttlwrite/server-timestamp
	return w.carts.Apply(ctx, id, mut)
}

// compact folds the events of orders into their snapshots.
func (w *worker) compact(ctx context.Context) error {
	recent, err := w.stores.Orders.RecentInfo(ctx)
	if err != nil {
		return err
	}
	for _, id := range recent {
		state, evs, err := w.stores.Orders.Load(ctx, id)
		if err != nil {
			return err
		}
		for _, e := range evs {
			state = append(state, e.Kind...)
		}
		mut := bigtable.NewMutation()
		mut.Set(tables.FamSnapshot, "state", bigtable.Timestamp(len(evs)), state) // want ttlwrite/unscaled-sequence
		mut.Set(tables.FamInfo, "compacted", bigtable.Now(), nil)                 // ok ttlwrite/clock-in-sequence
		if err := w.orders.Apply(ctx, id, mut); err != nil {
			return err
		}
	}
	return nil
}

// compactLast is the same with the number of the last event.
func (w *worker) compactLast(ctx context.Context, id string) error {
	state, evs, err := w.stores.Orders.Load(ctx, id)
	if err != nil || len(evs) == 0 {
		return err
	}
	last := evs[len(evs)-1].Seq
	mut := bigtable.NewMutation()
	mut.Set(tables.FamSnapshot, "state", bigtable.Timestamp(last*1000), state) // ok ttlwrite/unscaled-sequence
	return w.orders.Apply(ctx, id, mut)
}

// heartbeat shows that the worker lives: presence of a driver called worker.
func (w *worker) heartbeat(ctx context.Context) error {
	w.tick++
	host := strconv.FormatInt(w.tick, 10)
	mut := bigtable.NewMutation()
	mut.Set(tables.FamPresence, "worker", bigtable.Time(time.Now()), []byte(host)) // want ttlwrite/write-time
	mut.Set(tables.FamProfile, "worker", bigtable.Time(time.Now()), []byte(host))  // ok ttlwrite/write-time
	if err := w.drivers.Apply(ctx, "worker", mut); err != nil {
		return err
	}
	seq := bigtable.NewMutation()
	seq.Set(tables.FamEvent, "worker", bigtable.Timestamp(w.tick), nil) // want ttlwrite/unscaled-sequence
	return w.orders.Apply(ctx, "worker", seq)
}

// feedCounts adds to the aggregates of the partner's feed.
func (w *worker) feedCounts(ctx context.Context) error {
	mut := bigtable.NewMutation()
	mut.AddIntToCell("counts", "minutes", bigtable.ServerTime, 1)                          // want ttlwrite/aggregate-server-time
	mut.AddIntToCell("counts", "total", 0, 1)                                              // ok ttlwrite/aggregate-server-time
	mut.AddIntToCell("counts", "day", bigtable.Time(time.Now().Truncate(24*time.Hour)), 1) // ok ttlwrite/aggregate-server-time
	return w.feed.Apply(ctx, "feed", mut)
}

// inboxDigest makes the digest of chats that nobody reads.
func (w *worker) inboxDigest(ctx context.Context) error {
	var rows []bigtable.Row
	err := w.inbox.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/version-limit[dig]
		rows = append(rows, row)
		return len(rows) < 1000
	}, bigtable.RowFilter(bigtable.FamilyFilter(tables.FamMessage))) // want ttlread/version-limit[dig]
	if err != nil {
		return err
	}
	for _, row := range rows {
		w.log.Info("digest", "chat", row.Key(), "messages", len(row[tables.FamMessage]))
	}
	return nil
}

// inboxDigestState makes it of the state, which needs no filter.
func (w *worker) inboxDigestState(ctx context.Context) error {
	return w.inbox.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[tables.FamState] {
			w.log.Info("digest", "chat", row.Key(), "state", it.Column)
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(tables.FamState)))
}

// rawDeadline builds the mutation for the replay tool, which speaks protos.
func rawDeadline(token []byte) []*bigtablepb.Mutation {
	return []*bigtablepb.Mutation{
		{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{ // want ttlwrite/unset-timestamp[rd]
			FamilyName:      tables.FamRefresh, // want ttlwrite/unset-timestamp[rd]
			ColumnQualifier: []byte("rt"),
			Value:           token,
		}}},
		{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{ // ok ttlwrite/unset-timestamp
			FamilyName:      tables.FamRefresh,
			ColumnQualifier: []byte("rt2"),
			TimestampMicros: time.Now().Add(tables.RefreshTTL).UnixMilli() * 1000, // ok ttlwrite/write-time
			Value:           token,
		}}},
		{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{ // want ttlwrite/server-timestamp[rds]
			FamilyName:      tables.FamRefresh,
			ColumnQualifier: []byte("rt3"),
			TimestampMicros: -1, // want ttlwrite/server-timestamp[rds]
			Value:           token,
		}}},
		{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{ // ok ttlwrite/unset-timestamp
			FamilyName:      tables.FamPreference,
			ColumnQualifier: []byte("theme"),
			Value:           []byte("dark"),
		}}},
	}
}

// rawRequest reads the refresh tokens of a user for the replay tool.
func rawRequest(table, user string) *bigtablepb.ReadRowsRequest {
	return &bigtablepb.ReadRowsRequest{
		TableName: table,
		Rows:      &bigtablepb.RowSet{RowKeys: [][]byte{[]byte("s#" + user)}},
		Filter: &bigtablepb.RowFilter{Filter: &bigtablepb.RowFilter_Chain_{Chain: &bigtablepb.RowFilter_Chain{Filters: []*bigtablepb.RowFilter{
			{Filter: &bigtablepb.RowFilter_FamilyNameRegexFilter{FamilyNameRegexFilter: tables.FamRefresh}},
			{Filter: &bigtablepb.RowFilter_TimestampRangeFilter{TimestampRangeFilter: &bigtablepb.TimestampRange{ // ok ttlread/missing-filter
				StartTimestampMicros: time.Now().UnixMilli() * 1000,
			}}},
		}}}},
	}
}

var _, _, _, _ = rawDeadline, rawRequest, (*worker).compactLast, (*worker).inboxDigestState
