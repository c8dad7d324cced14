// Package shapes reaches Set by other ways than a plain call: method values,
// interfaces, adapters, embedding, generics, TableAPI.
package shapes

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

const lifetime = time.Hour

// Method values and expressions.

func methodValue(mut *bigtable.Mutation) {
	set := mut.Set
	set("token", "jwt", bigtable.ServerTime, nil) // want `server-timestamp: .*"token"`
}

func okMethodValue(mut *bigtable.Mutation) {
	set := mut.Set
	set("profile", "name", bigtable.ServerTime, nil)
	set("token", "jwt", bigtable.Time(time.Now().Add(lifetime)), nil)
}

func methodExpression(mut *bigtable.Mutation) {
	(*bigtable.Mutation).Set(mut, "token", "jwt", bigtable.ServerTime, nil) // want `server-timestamp: .*"token"`
}

// An interface with the client's signature.

type setter interface {
	Set(family, column string, ts bigtable.Timestamp, value []byte)
}

func viaInterface(s setter) {
	s.Set("token", "jwt", bigtable.ServerTime, nil) // want `server-timestamp: .*"token"`
	s.Set("profile", "name", bigtable.ServerTime, nil)
}

// An interface of one's own with an adapter.

type putter interface {
	Put(family string, ts bigtable.Timestamp, value []byte)
}

type adapter struct{ mut *bigtable.Mutation }

func (a adapter) Put(family string, ts bigtable.Timestamp, value []byte) {
	a.mut.Set(family, "value", ts, value)
}

func viaAdapter(mut *bigtable.Mutation) {
	var p putter = adapter{mut}
	p.Put("token", bigtable.ServerTime, nil) // want `server-timestamp: .*"token"`
	p.Put("profile", bigtable.ServerTime, nil)
}

func okUnknownAdapter(p putter) {
	p.Put("profile", bigtable.ServerTime, nil)
}

// A Set that is none: other parameters.

type settings struct{ values map[string]string }

func (s *settings) Set(family, column string, n int64, value []byte) {
	s.values[family+column] = string(value)
}

func okOtherSet(s *settings) {
	s.Set("token", "jwt", -1, nil)
}

// Embedding.

type batch struct {
	*bigtable.Mutation
	key string
}

func embedded(b batch) {
	b.Set("token", "jwt", bigtable.ServerTime, nil) // want `server-timestamp: .*"token"`
}

func okEmbedded(b batch) {
	b.Set("token", "jwt", bigtable.Time(time.Now().Add(lifetime)), nil)
}

type sessionTable struct{ *bigtable.Table }

func embeddedTable(ctx context.Context, client *bigtable.Client) error {
	t := sessionTable{client.Open("cache")}
	mut := bigtable.NewMutation()
	mut.Set("val", "x", bigtable.ServerTime, nil) // want `server-timestamp: .*"val"`
	return t.Apply(ctx, "k", mut)
}

func okEmbeddedTable(ctx context.Context, client *bigtable.Client) error {
	t := sessionTable{client.Open("history")}
	mut := bigtable.NewMutation()
	mut.Set("val", "x", 2000, nil)
	return t.Apply(ctx, "k", mut)
}

// TableAPI.

func tableAPI(ctx context.Context, client *bigtable.Client) error {
	var t bigtable.TableAPI = client.OpenTable("cache")
	mut := bigtable.NewMutation()
	mut.Set("val", "x", bigtable.Now(), nil) // want `write-time: .*"val"`
	return t.Apply(ctx, "k", mut)
}

// A mock need not do what the client does.

type mock struct{ applied []*bigtable.Mutation }

func (m *mock) Apply(ctx context.Context, row string, mut *bigtable.Mutation, opts ...bigtable.ApplyOption) error {
	m.applied = append(m.applied, mut)
	return nil
}

func okMock(ctx context.Context, m *mock) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "x", bigtable.ServerTime, nil)
	return m.Apply(ctx, "k", mut)
}

// Generics.

type name string

func put[F ~string](mut *bigtable.Mutation, family F, ts bigtable.Timestamp) {
	mut.Set(string(family), "value", ts, nil)
}

func generic(mut *bigtable.Mutation) {
	put(mut, name("token"), bigtable.ServerTime) // want `server-timestamp: .*"token"`
	put(mut, "profile", bigtable.ServerTime)
	put(mut, "token", bigtable.Time(time.Now().Add(lifetime)))
}

type repository[T any] struct {
	family string
	encode func(T) []byte
}

func (r repository[T]) put(mut *bigtable.Mutation, v T, ts bigtable.Timestamp) {
	mut.Set(r.family, "value", ts, r.encode(v))
}

func genericMethod(mut *bigtable.Mutation) {
	r := repository[string]{family: "token", encode: func(s string) []byte { return []byte(s) }}
	r.put(mut, "a", bigtable.ServerTime) // want `server-timestamp: .*"token"`
	r.put(mut, "b", bigtable.Time(time.Now().Add(lifetime)))
}

func number[N ~int | ~int64](n N) bigtable.Timestamp { return bigtable.Timestamp(n) * 1000 }

func okGenericNumber(muts []*bigtable.Mutation) {
	for i, mut := range muts {
		mut.Set("entry", "amount", number(i), nil)
	}
}

// A variable of the name of the package.

type service struct{ mut *bigtable.Mutation }

func (bigtable *service) okReceiverNamedBigtable(ts int64) {
	bigtable.mut.Set("profile", "name", 0, nil)
}

func (bigtable *service) receiverNamedBigtable() {
	bigtable.mut.Set("token", "jwt", -1, nil) // want `server-timestamp: .*"token"`
}

// A type of one's own over Timestamp.

type stamp bigtable.Timestamp

func ownType(mut *bigtable.Mutation) {
	s := stamp(-1)
	mut.Set("token", "jwt", bigtable.Timestamp(s), nil) // want `server-timestamp: .*"token"`
}

func okOwnType(mut *bigtable.Mutation) {
	s := stamp(bigtable.Time(time.Now().Add(lifetime)))
	mut.Set("token", "jwt", bigtable.Timestamp(s), nil)
}
