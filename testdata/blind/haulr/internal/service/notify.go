package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"haulr.dev/backend/internal/store"
	"haulr.dev/backend/internal/tables"
	"haulr.dev/backend/pkg/bigtablex"
)

// Push is one push notification.
type Push struct {
	User  string
	Title string
	Body  string
}

// Pusher talks to the vendors.
type Pusher interface {
	Push(ctx context.Context, token string, p Push) error
}

// ErrGone is what a Pusher returns for tokens that the vendor has dropped.
var ErrGone = errors.New("push: token gone")

// write is a row of the queue between Notify and its writer.
type write struct {
	row string
	mut *bigtable.Mutation
}

// Notify sends push notifications.
type Notify struct {
	devices *store.DeviceStore
	tbl     *bigtable.Table
	pusher  Pusher
	log     *slog.Logger
	queue   chan write
}

// NewNotify makes the service.
func NewNotify(client *bigtable.Client, devices *store.DeviceStore, p Pusher, log *slog.Logger) *Notify {
	return &Notify{
		devices: devices,
		tbl:     client.Open(tables.Devices),
		pusher:  p,
		log:     log,
		queue:   make(chan write, 1024),
	}
}

// Run writes what the others queue.
func (n *Notify) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case w := <-n.queue:
			if err := bigtablex.ApplyRetry(ctx, n.tbl, w.row, w.mut); err != nil {
				n.log.Error("notify", "row", w.row, "err", err)
			}
		}
	}
}

// Send sends to all devices of a user.
func (n *Notify) Send(ctx context.Context, p Push) error {
	toks, err := n.devices.Push(ctx, p.User)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	for dev, tok := range toks {
		err := n.pusher.Push(ctx, tok, p)
		switch {
		case errors.Is(err, ErrGone):
			mut := bigtable.NewMutation()
			mut.DeleteCellsInColumn(tables.FamPush, dev)
			n.queue <- write{p.User, mut}
		case err != nil:
			n.log.Warn("push", "err", err)
		default:
			n.sent(p.User, dev, tok)
		}
	}
	return nil
}

// sent renews the token's life.
func (n *Notify) sent(user, dev, tok string) {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamPush, dev, bigtable.Now(), []byte(tok)) // ok ttlwrite/write-time
	n.queue <- write{user, mut}
}

// Confirm trusts a device whose owner has answered a notification.
func (n *Notify) Confirm(user, dev string) {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamTrust, dev, bigtable.Now(), []byte("push")) // want ttlwrite/write-time
	n.queue <- write{user, mut}
}

// ConfirmMonth does it with an end.
func (n *Notify) ConfirmMonth(user, dev string) {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamTrust, dev, bigtablex.ExpiresIn(tables.TrustTTL), []byte("push")) // ok ttlwrite/write-time
	n.queue <- write{user, mut}
}

// Mute stops notifications for a while, in the trust family, since it expires
// as that does.
func (n *Notify) Mute(user string, minutes int) {
	until := time.Now().Unix() + int64(minutes)*60
	mut := bigtable.NewMutation()
	mut.Set(tables.FamTrust, "mute", bigtable.Timestamp(until), nil) // want ttlunit/wrong-unit
	n.queue <- write{user, mut}
}

// MuteMicros does it in the right unit.
func (n *Notify) MuteMicros(user string, minutes int) {
	until := time.Now().Add(time.Duration(minutes) * time.Minute).UnixMicro()
	mut := bigtable.NewMutation()
	mut.Set(tables.FamTrust, "mute", bigtable.Timestamp(until), nil) // ok ttlunit/wrong-unit
	n.queue <- write{user, mut}
}

// Muted says whether there is a mute.
func (n *Notify) Muted(ctx context.Context, user string) (bool, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(tables.FamTrust), bigtable.ColumnFilter("mute")) // strict ttlread/missing-filter[muted]
	if deadline, ok := ctx.Deadline(); !ok || time.Until(deadline) > time.Second {
		f = bigtable.ChainFilters(f, bigtablex.Live())
	}
	row, err := n.tbl.ReadRow(ctx, user, bigtable.RowFilter(f)) // strict ttlread/missing-filter[muted]
	if err != nil {
		return false, err
	}
	return len(row[tables.FamTrust]) > 0, nil
}

// MutedUntil says for how long.
func (n *Notify) MutedUntil(ctx context.Context, user string) (*time.Time, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(tables.FamTrust), bigtable.ColumnFilter("mute"))
	f = bigtable.ChainFilters(f, bigtablex.Live(), bigtable.LatestNFilter(1))
	row, err := n.tbl.ReadRow(ctx, user, bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	for _, it := range row[tables.FamTrust] {
		t := it.Timestamp.Time()
		return &t, nil // ok ttlage/not-write-time
	}
	return nil, nil
}

// Export dumps all push tokens for the vendor's migration.
func (n *Notify) Export(ctx context.Context, out func([]byte) error) error {
	var derr error
	err := n.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/missing-filter[exp]
		toks := map[string]string{}
		for _, it := range row[tables.FamPush] {
			toks[it.Column] = string(it.Value)
		}
		b, err := json.Marshal(toks)
		if err == nil {
			err = out(b)
		}
		derr = err
		return err == nil
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(tables.FamPush), bigtable.LatestNFilter(1)))) // want ttlread/missing-filter[exp]
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return derr
}
