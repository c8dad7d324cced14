// Package savemethods makes objects of another package, of which it calls one of several
// methods: what the others would do, is not done.
package savemethods

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/savemethods/record"
)

func later() bigtable.Timestamp { return bigtable.Time(time.Now().Add(time.Hour)) }

func saved(ctx context.Context) {
	r := record.New("token") // want `write-time: .*"token"`
	r.Put(nil)
	_ = r.Save(ctx)
}

func okSavedAt(ctx context.Context) {
	r := record.New("token")
	r.Put(nil)
	_ = r.SaveAt(ctx, later())
}

func okOther(ctx context.Context) {
	r := record.New("profile")
	_ = r.Save(ctx)
}

func flushed(ctx context.Context) {
	r := record.New("token") // want `write-time: .*"token"`
	_ = r.Flush(ctx)
}

func chained(ctx context.Context) error {
	return record.New("token").Put(nil).Save(ctx) // want `write-time: .*"token"`
}

func okChained(ctx context.Context) error {
	return record.New("token").Put(nil).SaveAt(ctx, later())
}

func cloned(ctx context.Context) error {
	return record.New("token").Clone().Save(ctx) // want `write-time: .*"token"`
}

func bound(ctx context.Context) {
	save := record.New("token").Save // want `write-time: .*"token"`
	_ = save(ctx)
}

func returned() func(context.Context) error {
	return record.New("token").Later() // want `write-time: .*"token"`
}

func listed(ctx context.Context) {
	var list []*record.Record
	for range 3 {
		list = append(list, record.New("token")) // want `write-time: .*"token"`
	}
	for _, r := range list {
		_ = r.Save(ctx)
	}
}

func okListed(ctx context.Context) {
	var list []*record.Record
	for range 3 {
		list = append(list, record.New("token"))
	}
	for _, r := range list {
		_ = r.SaveAt(ctx, later())
	}
}

func handedOn(ctx context.Context) {
	r := record.New("token") // want `write-time: .*"token"`
	record.SaveAll(ctx, r)
}

// Others may call what they like.
func Made() *record.Record {
	return record.New("token") // want `write-time: .*"token"`
}

type holder struct{ record *record.Record }

func (h *holder) save(ctx context.Context) { _ = h.record.Save(ctx) }

func (h *holder) saveAt(ctx context.Context) { _ = h.record.SaveAt(ctx, later()) }

func held(ctx context.Context) {
	h := &holder{record.New("token")} // want `write-time: .*"token"`
	h.save(ctx)
}

func okHeld(ctx context.Context) {
	h := &holder{record.New("token")}
	h.saveAt(ctx)
}

type saver interface{ Save(context.Context) error }

func viaInterface(ctx context.Context) {
	var s saver = record.New("token") // want `write-time: .*"token"`
	_ = s.Save(ctx)
}

type saverAt interface {
	SaveAt(context.Context, bigtable.Timestamp) error
}

func okViaInterface(ctx context.Context) {
	var s saverAt = record.New("token")
	_ = s.SaveAt(ctx, later())
}

func started(ctx context.Context) {
	record.Start(ctx, "token").Stop() // want `write-time: .*"token"`
}
