// Package legacy is the old mailbox. Do not add to it.
package legacy

import (
	"context"
	"encoding/json"
	"log"
	"strconv"
	"time"

	bt "cloud.google.com/go/bigtable"

	"example.com/guild/mail"
)

const (
	table = "mailbox"
	fam   = "mail"
	flg   = "flag"
	month = 30 * 24 * time.Hour
)

// Box is the old mailbox. Since it is older than the kit, it has its table in
// a field that everybody uses.
type Box struct {
	Tbl *bt.Table
}

// Open opens the old mailbox.
func Open(c *bt.Client) *Box { return &Box{Tbl: c.Open(table)} }

// Send implements mail.Backend.
func (b *Box) Send(ctx context.Context, msg mail.Message) error {
	v, err := json.Marshal(msg)
	if err != nil {
		return err
	}
	mut := bt.NewMutation()
	mut.Set(fam, msg.ID, bt.Time(time.Now().Add(month)), v) // ok ttlwrite/write-time ttlwrite/server-timestamp
	mut.Set(flg, msg.ID, bt.Now(), []byte("new"))           // ok ttlwrite/write-time
	return b.Tbl.Apply(ctx, mail.RowKey(msg.To), mut)
}

// SendDays sends a message that stays for some days, 0 means for good. What
// is for good got the server's time, until the table got its policy.
func (b *Box) SendDays(ctx context.Context, msg mail.Message, days int) error {
	v, err := json.Marshal(msg)
	if err != nil {
		return err
	}
	var ts bt.Timestamp = bt.ServerTime // strict ttlwrite/server-timestamp[sendDays]
	if days > 0 {
		ts = bt.Time(time.Now().AddDate(0, 0, days))
	}
	mut := bt.NewMutation()
	mut.Set(fam, msg.ID, ts, v) // strict ttlwrite/server-timestamp[sendDays]
	return b.Tbl.Apply(ctx, mail.RowKey(msg.To), mut)
}

// Note writes a line of the support into a mailbox.
func (b *Box) Note(ctx context.Context, to, txt string) error {
	mut := bt.NewMutation()
	mut.Set(fam, "note", bt.ServerTime, []byte(txt)) // want ttlwrite/server-timestamp
	mut.Set(flg, "note", bt.ServerTime, []byte("1")) // ok ttlwrite/server-timestamp
	return b.Tbl.Apply(ctx, mail.RowKey(to), mut)
}

// Banner is mail to all: it ends with the event.
func (b *Box) Banner(ctx context.Context, to []string, txt string, end time.Time) error {
	mut := bt.NewMutation()
	mut.Set(fam, "banner", bt.Timestamp(end.Unix()), []byte(txt)) // want ttlunit/wrong-unit
	for _, p := range to {
		if err := b.Tbl.Apply(ctx, mail.RowKey(p), mut); err != nil {
			log.Printf("banner to %s: %v", p, err)
		}
	}
	return nil
}

// BannerMillis is Banner for the web, whose times are in milliseconds.
func (b *Box) BannerMillis(ctx context.Context, to, txt string, endMs int64) error {
	mut := bt.NewMutation()
	mut.Set(fam, "banner", bt.Timestamp(endMs*1000), []byte(txt))        // ok ttlunit/wrong-unit
	mut.Set(fam, "banner2", bt.Time(time.UnixMilli(endMs)), []byte(txt)) // ok ttlunit/wrong-unit ttlwrite/write-time
	return b.Tbl.Apply(ctx, mail.RowKey(to), mut)
}

// Count counts a player's messages in the mailbox itself.
func (b *Box) Count(ctx context.Context, to string) (int64, error) {
	rmw := bt.NewReadModifyWrite()
	rmw.Increment(fam, "count", 1) // want ttlwrite/read-modify-write
	r, err := b.Tbl.ApplyReadModifyWrite(ctx, mail.RowKey(to), rmw)
	if err != nil {
		return 0, err
	}
	return int64(len(r[fam])), nil
}

// Inbox implements mail.Backend.
func (b *Box) Inbox(ctx context.Context, player string) ([]mail.Message, error) {
	r, err := b.Tbl.ReadRow(ctx, mail.RowKey(player), bt.RowFilter(bt.ChainFilters(bt.FamilyFilter(fam), bt.TimestampRangeFilter(time.Now(), time.Time{})))) // ok ttlread/missing-filter ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return mail.Decode(r)
}

// Raw returns a player's row as it is.
func (b *Box) Raw(ctx context.Context, player string) (bt.Row, error) {
	return b.Tbl.ReadRow(ctx, mail.RowKey(player), bt.RowFilter(bt.LatestNFilter(1))) // want ttlread/missing-filter
}

// Since returns the messages of the last days.
func (b *Box) Since(ctx context.Context, player string, days int) ([]mail.Message, error) {
	to := time.Now()
	r, err := b.Tbl.ReadRow(ctx, mail.RowKey(player), bt.RowFilter(bt.TimestampRangeFilter(time.Unix(0, 0), to))) // want ttlread/expired-only
	if err != nil {
		return nil, err
	}
	ms, err := mail.Decode(r)
	if len(ms) > days*100 {
		ms = ms[:days*100]
	}
	return ms, err
}

// Old lists messages with their age.
func (b *Box) Old(ctx context.Context, player string) (map[string]string, error) {
	now := time.Now()
	r, err := b.Tbl.ReadRow(ctx, mail.RowKey(player), bt.RowFilter(bt.ChainFilters(bt.FamilyFilter(fam), bt.TimestampRangeFilter(now, time.Time{})))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, it := range r[fam] {
		d := now.Sub(it.Timestamp.Time()) // want ttlage/not-write-time
		out[it.Column] = strconv.Itoa(int(d.Hours()/24)) + "d"
	}
	return out, nil
}

// Left lists messages with the days that they have left.
func (b *Box) Left(ctx context.Context, player string) (map[string]string, error) {
	now := time.Now()
	r, err := b.Tbl.ReadRow(ctx, mail.RowKey(player), bt.RowFilter(bt.ChainFilters(bt.FamilyFilter(fam), bt.TimestampRangeFilter(now, time.Time{})))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, it := range r[fam] {
		d := it.Timestamp.Time().Sub(now) // ok ttlage/not-write-time
		out[it.Column] = strconv.Itoa(int(d.Hours()/24)) + "d"
	}
	return out, nil
}

// Forever says whether a message was written without an end.
func (b *Box) Forever(r bt.Row, id string) bool {
	for _, it := range r[fam] {
		if it.Column == fam+":"+id && it.Timestamp == bt.ServerTime { // want ttlage/server-sentinel
			return true
		}
	}
	return false
}

// FlagTimes returns when the flags of a player's mail were written.
func (b *Box) FlagTimes(ctx context.Context, player string) (map[string]time.Duration, error) {
	r, err := b.Tbl.ReadRow(ctx, mail.RowKey(player), bt.RowFilter(bt.FamilyFilter(flg))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]time.Duration{}
	for _, it := range r[flg] {
		if it.Timestamp == 0 { // ok ttlage/server-sentinel
			continue
		}
		out[it.Column] = time.Since(it.Timestamp.Time()) // ok ttlage/not-write-time
	}
	return out, nil
}

// Delete implements mail.Backend.
func (b *Box) Delete(ctx context.Context, player, id string) error {
	mut := bt.NewMutation()
	mut.DeleteCellsInColumn(fam, id)
	mut.DeleteCellsInColumn(flg, id)
	return b.Tbl.Apply(ctx, mail.RowKey(player), mut)
}
