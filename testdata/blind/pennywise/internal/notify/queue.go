package notify

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"time"

	"cloud.google.com/go/bigtable"

	"pennywise.example/shop/internal/bt"
	"pennywise.example/shop/internal/clock"
	"pennywise.example/shop/internal/keys"
	"pennywise.example/shop/internal/web"
)

// write is a row that waits to be written.
type write struct {
	key string
	mut *bigtable.Mutation
}

// queue is drained by Drain. Handlers put things in that need not be there when
// they answer.
var queue = make(chan write, 1000)

// later puts a mutation into the queue, or drops it.
func later(key string, mut *bigtable.Mutation) {
	select {
	case queue <- write{key, mut}:
	default:
		log.Printf("notify: queue is full, dropped %s", key)
	}
}

// Drain writes what is in the queue, in batches, until ctx ends.
func Drain(ctx context.Context) {
	t := time.NewTicker(100 * time.Millisecond)
	defer t.Stop()
	var rows []string
	var muts []*bigtable.Mutation
	for {
		select {
		case w := <-queue:
			rows, muts = append(rows, w.key), append(muts, w.mut)
			if len(rows) < 100 {
				continue
			}
		case <-t.C:
		case <-ctx.Done():
			return
		}
		if len(rows) == 0 {
			continue
		}
		errs, err := bt.Notify.ApplyBulk(ctx, rows, muts)
		if err != nil {
			log.Printf("notify: drain: %v", err)
		}
		for i, err := range errs {
			if err != nil {
				log.Printf("notify: drain %s: %v", rows[i], err)
			}
		}
		rows, muts = nil, nil
	}
}

// Opened is called by the mail programs of our customers: the picture in a mail.
func Opened(w http.ResponseWriter, r *http.Request) {
	user, id := r.PathValue("user"), r.PathValue("id")
	mut := bigtable.NewMutation()
	mut.Set(bt.FamSeen, id, bigtable.ServerTime, []byte("mail"))   // ok ttlwrite/server-timestamp
	mut.Set(bt.FamItem, "opened", bigtable.ServerTime, []byte(id)) // ok ttlwrite/server-timestamp
	later(keys.Inbox(user), mut)
	w.WriteHeader(http.StatusNoContent)
}

// Import takes what the old system had sent.
func Import(w http.ResponseWriter, r *http.Request) {
	var list []Message
	if !web.Read(w, r, &list) {
		return
	}
	user := r.PathValue("user")
	for i, m := range list {
		raw, err := json.Marshal(m)
		if err != nil {
			web.Fail(w, err)
			return
		}
		mut := bigtable.NewMutation()
		mut.Set(bt.FamItem, m.ID, clock.In(-20*24*time.Hour), raw)          // ok ttlwrite/already-expired
		mut.Set(bt.FamSeen, m.ID, clock.In(-20*24*time.Hour), nil)          // ok ttlwrite/already-expired
		mut.Set(bt.FamSeen, "import", clock.In(-40*24*time.Hour), nil)      // want ttlwrite/already-expired
		mut.Set(bt.FamPend, m.ID, bigtable.Time(m.Until), raw)              // ok ttlwrite/write-time
		mut.Set(bt.FamPend, "import", bigtable.ServerTime, []byte(m.ID))    // want ttlwrite/server-timestamp
		mut.Set(bt.FamSeq, "import", bigtable.Timestamp(i+1), raw)          // want ttlwrite/unscaled-sequence
		mut.Set(bt.FamSeq, "import_n", bigtable.Timestamp((i+1)*1000), nil) // ok ttlwrite/unscaled-sequence
		later(keys.Inbox(user), mut)
	}
	w.WriteHeader(http.StatusAccepted)
}

// Remind puts a message back into pend. The job that did it by hand wrote the
// channel's number, too.
func Remind(user, id string, in time.Duration) {
	mut := bigtable.NewMutation()
	defer later(keys.Inbox(user), mut)
	mut.Set(bt.FamPend, id, clock.In(in+time.Hour), nil)                                // ok ttlwrite/write-time
	mut.Set(bt.FamSeq, "remind", bigtable.Timestamp(time.Now().UnixMilli()*1000), nil)  // want ttlwrite/clock-in-sequence
	mut.Set(bt.FamItem, "remind", bigtable.Timestamp(time.Now().UnixMilli()*1000), nil) // ok ttlunit/wrong-unit ttlwrite/clock-in-sequence
}

// pair is for merging.
type pair struct {
	fam string
	ts  bigtable.Timestamp
}

// Merge marks two users as one, in every family.
func Merge(ctx context.Context, from, to string) error {
	mut := bigtable.NewMutation()
	for _, p := range []pair{
		{bt.FamPend, clock.In(pendTTL)}, // ok ttlwrite/write-time
		{bt.FamSeen, bigtable.Now()},    // ok ttlwrite/write-time
		{bt.FamItem, bigtable.Now()},    // ok ttlwrite/write-time
		{bt.FamSeq, clock.Seq(1)},       // ok ttlwrite/unscaled-sequence ttlwrite/clock-in-sequence
	} {
		mut.Set(p.fam, "merged", p.ts, []byte(from)) // ok ttlwrite/write-time ttlwrite/clock-in-sequence
	}
	return bt.Notify.Apply(ctx, keys.Inbox(to), mut)
}

// Split is the inverse of Merge.
func Split(ctx context.Context, user, other string) error {
	mut := bigtable.NewMutation()
	for _, p := range []pair{
		{bt.FamPend, bigtable.Now()}, // want ttlwrite/write-time[split]
		{bt.FamSeen, bigtable.Now()}, // ok ttlwrite/write-time
		{bt.FamSeq, bigtable.Now()},  // want ttlwrite/clock-in-sequence[split]
	} {
		mut.Set(p.fam, "split", p.ts, []byte(other)) // want ttlwrite/write-time[split] ttlwrite/clock-in-sequence[split]
	}
	return bt.Notify.Apply(ctx, keys.Inbox(user), mut)
}

// Peek answers with the whole inbox, for the app's offline mode.
func Peek(w http.ResponseWriter, r *http.Request) {
	key := keys.Inbox(r.PathValue("user"))
	now := clock.Now()
	f := bigtable.InterleaveFilters( // ok ttlread/unfiltered-branch
		bt.LiveIn(bt.FamPend),
		bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamSeen), bigtable.TimestampRangeFilter(now.Add(-bt.SeenTTL), time.Time{})), // ok ttlread/wrong-bound
		bt.Latest(bt.FamSeq, 3), // ok ttlread/version-limit
		bigtable.FamilyFilter(bt.FamItem),
	)
	row, err := bt.Notify.ReadRow(r.Context(), key, bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		web.Fail(w, err)
		return
	}
	web.JSON(w, http.StatusOK, row)
}

// PeekV1 is Peek for the first version of the app. It was faster, they said.
func PeekV1(w http.ResponseWriter, r *http.Request) {
	key := keys.Inbox(r.PathValue("user"))
	f := bigtable.InterleaveFilters( // want ttlread/wrong-bound[peekv1] ttlread/unfiltered-branch|ttlread/version-limit[peekv1]
		bt.LiveIn(bt.FamPend),
		bt.Within(bt.FamSeen, 7*24*time.Hour), // want ttlread/wrong-bound[peekv1]
		bigtable.FamilyFilter(bt.FamSeq),      // want ttlread/unfiltered-branch|ttlread/version-limit[peekv1]
		bigtable.FamilyFilter(bt.FamItem),     // ok ttlread/unfiltered-branch
	)
	row, err := bt.Notify.ReadRow(r.Context(), key, bigtable.RowFilter(f)) // want ttlread/wrong-bound[peekv1] ttlread/unfiltered-branch|ttlread/version-limit[peekv1]
	if err != nil {
		web.Fail(w, err)
		return
	}
	web.JSON(w, http.StatusOK, row)
}
