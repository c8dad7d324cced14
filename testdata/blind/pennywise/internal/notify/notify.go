// Package notify is the bell in the corner, and push.
//
// Table notify: what is to be shown (pend) has the moment after which nobody
// should see it as timestamp, GC one second. seen is for thirty days. seq has a
// counter per channel as timestamp, three versions. item is what was sent, an
// ordinary family; it has nothing to do with the item of the carts.
package notify

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"pennywise.example/shop/internal/bt"
	"pennywise.example/shop/internal/clock"
	"pennywise.example/shop/internal/keys"
	"pennywise.example/shop/internal/login"
	"pennywise.example/shop/internal/web"
)

// table is what this package needs of a table. The fake in the tests has it too.
type table interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
	ApplyReadModifyWrite(ctx context.Context, row string, m *bigtable.ReadModifyWrite) (bigtable.Row, error)
}

// tbl is bt.Notify.
var tbl table

// Init is called after bt.Init.
func Init() {
	tbl = bt.Notify
}

// Default lifetimes by kind.
var ttls = map[string]time.Duration{
	"order":  48 * time.Hour,
	"price":  6 * time.Hour,
	"coupon": 7 * 24 * time.Hour,
}

const pendTTL = 48 * time.Hour

// Message is a notification.
type Message struct {
	ID    string    `json:"id"`
	Kind  string    `json:"kind"`
	Title string    `json:"title"`
	Link  string    `json:"link,omitempty"`
	Sent  time.Time `json:"sent,omitzero"`
	Until time.Time `json:"until,omitzero"`
}

// counters are the numbers of the channels.
type counters struct {
	mu    sync.Mutex
	push  int64
	mail  int64
	total atomic.Uint64
}

var count counters

// Send puts a message into a user's inbox.
func Send(ctx context.Context, user string, m Message) error {
	if m.ID == "" {
		m.ID = keys.NewToken()
	}
	ttl, ok := ttls[m.Kind]
	if !ok {
		ttl = pendTTL
	}
	m.Sent = clock.Now()
	m.Until = m.Sent.Add(ttl)
	raw, err := json.Marshal(m)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set(bt.FamPend, m.ID, bigtable.Time(m.Until), raw)  // ok ttlwrite/write-time
	mut.Set(bt.FamItem, m.ID, bigtable.Now(), raw)          // ok ttlwrite/write-time
	mut.Set(bt.FamItem, "newest", bigtable.ServerTime, raw) // ok ttlwrite/server-timestamp
	return tbl.Apply(ctx, keys.Inbox(user), mut)
}

// SendNow is Send for messages that are for the open browser only.
func SendNow(ctx context.Context, user string, m Message) error {
	raw, err := json.Marshal(m)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set(bt.FamPend, m.ID, bigtable.ServerTime, raw)             // want ttlwrite/server-timestamp
	mut.Set(bt.FamSeen, m.ID, bigtable.ServerTime, []byte("popup")) // ok ttlwrite/server-timestamp
	return tbl.Apply(ctx, keys.Inbox(user), mut)
}

// Push numbers a push message, so that the phones can tell what they missed.
func Push(ctx context.Context, user string, m Message) error {
	count.mu.Lock()
	count.push++
	n := count.push
	count.mu.Unlock()
	raw, err := json.Marshal(m)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set(bt.FamSeq, "push", bigtable.Timestamp(n*1000), raw)                 // ok ttlwrite/unscaled-sequence
	mut.Set(bt.FamSeq, "push_kind", bigtable.Timestamp(n)*1000, []byte(m.Kind)) // ok ttlwrite/unscaled-sequence
	mut.Set(bt.FamPend, m.ID, clock.In(pendTTL), raw)                           // ok ttlwrite/write-time
	return tbl.Apply(ctx, keys.Inbox(user), mut)
}

// Mail does the same for mail. Nobody noticed for a year.
func Mail(ctx context.Context, user string, m Message) error {
	count.mu.Lock()
	count.mail++
	n := count.mail
	count.mu.Unlock()
	raw, err := json.Marshal(m)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set(bt.FamSeq, "mail", bigtable.Timestamp(n), raw)                      // want ttlwrite/unscaled-sequence
	mut.Set(bt.FamSeq, "all", bigtable.Timestamp(count.total.Add(1)), raw)      // want ttlwrite/unscaled-sequence
	mut.Set(bt.FamSeq, "any", bigtable.Timestamp(count.total.Load())*1000, raw) // ok ttlwrite/unscaled-sequence
	mut.Set(bt.FamSeq, "sent", bigtable.Now(), nil)                             // want ttlwrite/clock-in-sequence
	mut.Set(bt.FamItem, "mail", bigtable.Now(), raw)                            // ok ttlwrite/clock-in-sequence
	if err := tbl.Apply(ctx, keys.Inbox(user), mut); err != nil {
		return err
	}
	return login.SendMail(user, m.Title, m.Link)
}

// Broadcast sends to many. A goroutine each, sixteen at a time.
func Broadcast(ctx context.Context, users []string, m Message) {
	sem := make(chan struct{}, 16)
	var wg sync.WaitGroup
	for _, u := range users {
		sem <- struct{}{}
		wg.Go(func() {
			defer func() { <-sem }()
			mut := bigtable.NewMutation()
			mut.Set(bt.FamPend, "broadcast", clock.TS(), []byte(m.Title)) // want ttlwrite/write-time
			mut.Set(bt.FamSeen, "broadcast", clock.TS(), nil)             // ok ttlwrite/write-time
			if err := tbl.Apply(ctx, keys.Inbox(u), mut); err != nil {
				log.Printf("broadcast to %s: %v", u, err)
			}
		})
	}
	wg.Wait()
}

// Inbox shows what waits.
func Inbox(w http.ResponseWriter, r *http.Request) {
	user, err := login.Current(r)
	if err != nil {
		web.Fail(w, err)
		return
	}
	row, err := tbl.ReadRow(r.Context(), keys.Inbox(user), bigtable.RowFilter(bt.LiveIn(bt.FamPend))) // ok ttlread/missing-filter
	if err != nil {
		web.Fail(w, err)
		return
	}
	list := []Message{}
	for _, it := range row[bt.FamPend] {
		var m Message
		if err := json.Unmarshal(it.Value, &m); err != nil {
			continue
		}
		m.Until = it.Timestamp.Time() // ok ttlage/not-write-time
		list = append(list, m)
	}
	web.JSON(w, http.StatusOK, list)
}

// Bell is the number at the bell.
func Bell(w http.ResponseWriter, r *http.Request) {
	user, err := login.Current(r)
	if err != nil {
		web.Fail(w, err)
		return
	}
	row, err := tbl.ReadRow(r.Context(), keys.Inbox(user)) // want ttlread/missing-filter
	if err != nil {
		web.Fail(w, err)
		return
	}
	web.JSON(w, http.StatusOK, len(row[bt.FamPend])-len(row[bt.FamSeen]))
}

// Sent lists what was sent, for support.
func Sent(w http.ResponseWriter, r *http.Request) {
	row, err := tbl.ReadRow(r.Context(), keys.Inbox(r.FormValue("user"))) // ok ttlread/missing-filter
	if err != nil {
		web.Fail(w, err)
		return
	}
	for _, it := range row[bt.FamItem] {
		fmt.Fprintf(w, "%s %s: %s\n", it.Timestamp.Time().Format(time.DateTime), clock.Ago(it.Timestamp.Time()), it.Value) // ok ttlage/not-write-time
	}
}

// SentSince lists what was sent in the last days.
func SentSince(ctx context.Context, user string, days int) ([]string, error) {
	row, err := tbl.ReadRow(ctx, keys.Inbox(user), bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(bt.FamItem),
		bigtable.TimestampRangeFilter(clock.Now().AddDate(0, 0, -days), time.Time{}), // ok ttlread/wrong-bound
	)))
	if err != nil {
		return nil, err
	}
	var res []string
	for _, it := range row[bt.FamItem] {
		res = append(res, string(it.Value))
	}
	return res, nil
}

// Seen marks a message as seen.
func Seen(w http.ResponseWriter, r *http.Request) {
	user, err := login.Current(r)
	if err != nil {
		web.Fail(w, err)
		return
	}
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(bt.FamPend, r.PathValue("id"))
	mut.Set(bt.FamSeen, r.PathValue("id"), bigtable.Now(), nil) // ok ttlwrite/write-time
	if err := tbl.Apply(r.Context(), keys.Inbox(user), mut); err != nil {
		web.Fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// Snooze hides a message and shows it again: it is in pend for another hour.
func Snooze(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	user, err := login.Current(r)
	if err != nil {
		web.Fail(w, err)
		return
	}
	id := r.PathValue("id")
	row, err := tbl.ReadRow(ctx, keys.Inbox(user), bigtable.RowFilter(bigtable.ChainFilters(bt.LiveIn(bt.FamPend), bigtable.ColumnFilter(id)))) // ok ttlread/missing-filter
	if err != nil {
		web.Fail(w, err)
		return
	}
	it := bt.Cell(row, bt.FamPend, id)
	if it == nil {
		web.Fail(w, web.ErrNotFound)
		return
	}
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(bt.FamPend, id)
	mut.Set(bt.FamPend, id, it.Timestamp+bigtable.Timestamp(time.Hour.Microseconds()), it.Value) // ok ttlunit/wrong-unit
	mut.Set(bt.FamPend, "snoozed", it.Timestamp+bigtable.Timestamp(time.Hour), []byte(id))       // want ttlunit/wrong-unit
	if err := tbl.Apply(ctx, keys.Inbox(user), mut); err != nil {
		web.Fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// WasSeen asks for the last thirty days.
func WasSeen(ctx context.Context, user, id string) (bool, error) {
	row, err := tbl.ReadRow(ctx, keys.Inbox(user), bigtable.RowFilter(bigtable.ChainFilters(bt.Within(bt.FamSeen, bt.SeenTTL), bigtable.ColumnFilter(id)))) // ok ttlread/missing-filter ttlread/wrong-bound
	return len(row) > 0, err
}

// WasSeenQuick is WasSeen without the clock.
func WasSeenQuick(ctx context.Context, user, id string) (bool, error) {
	row, err := tbl.ReadRow(ctx, keys.Inbox(user), bigtable.RowFilter(bigtable.ColumnRangeFilter(bt.FamSeen, id, id+"\x00"))) // want ttlread/missing-filter
	return len(row) > 0, err
}

// Missed answers a phone with the pushes after the number it has.
func Missed(w http.ResponseWriter, r *http.Request) {
	have := int64(web.Int(r, "have", 0))
	row, err := tbl.ReadRow(r.Context(), keys.Inbox(r.FormValue("user")), bigtable.RowFilter(bt.Latest(bt.FamSeq, 3))) // ok ttlread/version-limit
	if err != nil {
		web.Fail(w, err)
		return
	}
	var res []string
	for _, it := range row[bt.FamSeq] {
		if it.Column == "seq:push" && it.Timestamp > clock.Seq(have) {
			res = append(res, string(it.Value))
		}
	}
	web.JSON(w, http.StatusOK, res)
}

// MissedMail is Missed for mail.
func MissedMail(w http.ResponseWriter, r *http.Request) {
	row, err := tbl.ReadRow(r.Context(), keys.Inbox(r.FormValue("user")), bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/version-limit[missedmail]
		bigtable.FamilyFilter(bt.FamSeq), // want ttlread/version-limit[missedmail]
		bigtable.ColumnFilter("mail"),
	)))
	if err != nil {
		web.Fail(w, err)
		return
	}
	type mail struct {
		Text   string
		SentAt string
		Age    string
	}
	var res []mail
	for _, it := range row[bt.FamSeq] {
		res = append(res, mail{
			Text: string(it.Value),
			Age:  time.Since(it.Timestamp.Time()).String(), // want ttlage/not-write-time
		})
	}
	web.JSON(w, http.StatusOK, res)
}

// Resend takes the number of the newest push from the row.
func Resend(ctx context.Context, user string) error {
	key := keys.Inbox(user)
	row, err := tbl.ReadRow(ctx, key, bigtable.RowFilter(bt.Latest(bt.FamSeq, 1))) // ok ttlread/version-limit
	if err != nil {
		return err
	}
	it := bt.Cell(row, bt.FamSeq, "push")
	if it == nil {
		return nil
	}
	mut := bigtable.NewMutation()
	mut.Set(bt.FamSeq, "push", it.Timestamp+1000, it.Value) // ok ttlwrite/unscaled-sequence
	mut.Set(bt.FamSeq, "re", it.Timestamp, []byte("push"))  // ok ttlwrite/unscaled-sequence
	return tbl.Apply(ctx, key, mut)
}

// Unread counts with the server.
func Unread(ctx context.Context, user string, n int64) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(bt.FamPend, "unread", n) // want ttlwrite/read-modify-write
	rmw.Increment(bt.FamItem, "unread", n) // ok ttlwrite/read-modify-write
	rmw.Increment(bt.FamSeq, "unread", n)  // want ttlwrite/read-modify-write
	row, err := tbl.ApplyReadModifyWrite(ctx, keys.Inbox(user), rmw)
	if err != nil {
		return 0, err
	}
	return bt.Int(row, bt.FamItem, "unread"), nil
}

// Expire is the cron that mails what nobody has looked at, an hour before it
// goes.
func Expire(ctx context.Context) error {
	now := clock.Now()
	return tbl.ReadRows(ctx, bigtable.PrefixRange("in"+keys.Sep), func(row bigtable.Row) bool {
		_, user := keys.Split(row.Key())
		for _, it := range row[bt.FamPend] {
			left := it.Timestamp.Time().Sub(now) // ok ttlage/not-write-time
			if left > time.Hour || strings.HasPrefix(it.Column, "pend:mail") {
				continue
			}
			if err := login.SendMail(user, "You have a message", string(it.Value)); err != nil {
				log.Printf("expire: %s: %v", user, err)
			}
		}
		return true
	}, bigtable.RowFilter(bt.LiveIn(bt.FamPend))) // ok ttlread/missing-filter
}

// Digest is the weekly mail: what was sent and what still waits.
func Digest(ctx context.Context, user string) (string, error) {
	row, err := tbl.ReadRow(ctx, keys.Inbox(user), bigtable.RowFilter(bigtable.ConditionFilter( // want ttlread/unfiltered-branch[digest]
		bt.LiveIn(bt.FamPend),
		bigtable.FamilyFilter(bt.FamPend+"|"+bt.FamItem), // want ttlread/unfiltered-branch[digest]
		bigtable.FamilyFilter(bt.FamItem),                // ok ttlread/unfiltered-branch
	)))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, it := range row[bt.FamItem] {
		fmt.Fprintf(&b, "- %s\n", it.Value)
	}
	for _, it := range row[bt.FamPend] {
		fmt.Fprintf(&b, "! %s\n", it.Value)
	}
	return b.String(), nil
}
