// Package odd is legal code of unusual shape. Nothing in it is reported, and
// no analyzer may fail on it.
package odd

import (
	"context"
	"iter"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
)

var _ = bigtable.ServerTime

var _, _ bigtable.Timestamp = 0, bigtable.ServerTime

func _(mut *bigtable.Mutation) {
	mut.Set("profile", "blank", bigtable.Now(), nil)
}

func okNil() {
	var mut *bigtable.Mutation
	var rmw *bigtable.ReadModifyWrite
	mut.Set("profile", "name", 0, nil)
	rmw.Increment("profile", "n", 1)
}

func okUnreachable(mut *bigtable.Mutation) {
	for false {
		mut.Set("token", "jwt", bigtable.ServerTime, nil)
	}
}

func okPanics(mut *bigtable.Mutation) {
	panic(mut)
}

func okLabels(mut *bigtable.Mutation, n int) {
	ts := bigtable.Time(time.Now().Add(time.Hour))
again:
	for i := range n {
		switch {
		case i == 3:
			goto done
		case i%2 == 0:
			continue again
		default:
			break again
		}
	}
done:
	mut.Set("token", "jwt", ts, nil)
}

func okSelect(ctx context.Context, in <-chan bigtable.Timestamp, mut *bigtable.Mutation) {
	select {
	case ts := <-in:
		mut.Set("token", "jwt", ts, nil)
	case <-ctx.Done():
	}
}

func okIterator(muts iter.Seq2[string, *bigtable.Mutation]) {
	for family, mut := range muts {
		mut.Set(family, "c", bigtable.ServerTime, nil)
	}
}

func okYields(keys []string) iter.Seq[*bigtable.Mutation] {
	return func(yield func(*bigtable.Mutation) bool) {
		for range keys {
			mut := bigtable.NewMutation()
			mut.Set("profile", "name", bigtable.Now(), nil)
			if !yield(mut) {
				return
			}
		}
	}
}

type node struct {
	next *node
	ts   bigtable.Timestamp
}

func okCyclic(mut *bigtable.Mutation) {
	n := &node{ts: 1000}
	n.next = n
	mut.Set("profile", "name", n.next.next.next.ts, nil)
}

func okMutual(mut *bigtable.Mutation, n int, ts bigtable.Timestamp) {
	if n > 0 {
		okMutualToo(mut, n-1, ts+1000)
	}
	mut.Set("profile", "name", ts, nil)
}

func okMutualToo(mut *bigtable.Mutation, n int, ts bigtable.Timestamp) { okMutual(mut, n, ts) }

type embedded struct {
	bigtable.TableAPI
	*bigtable.Mutation
}

func okEmbedded(ctx context.Context, e embedded) (bigtable.Row, error) {
	e.Set("profile", "name", bigtable.Now(), nil)
	return e.ReadRow(ctx, "k")
}

type number interface{ ~int | ~int64 | ~float64 }

func okConstraint[N number, T ~[]N](mut *bigtable.Mutation, ns T) {
	for _, n := range ns {
		mut.Set("entry", "amount", bigtable.Timestamp(n), nil)
	}
}

type chain []bigtable.Filter

func (c chain) and(f ...bigtable.Filter) chain { return append(c, f...) }

func okGrowing(ctx context.Context, c *bigtable.Client, names []string) (bigtable.Row, error) {
	var fs chain
	for _, name := range names {
		fs = fs.and(bigtable.ColumnFilter(name)).and(fs...)
	}
	return c.Open("plain").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(fs...)))
}

func okNilFilters(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	var f bigtable.Filter
	var opts []bigtable.ReadOption
	if f != nil {
		opts = append(opts, bigtable.RowFilter(f))
	}
	return c.Open("plain").ReadRow(ctx, "k", opts...)
}

func okEmptyMessages() []any {
	return []any{
		&bigtablepb.Mutation{},
		&bigtablepb.Mutation{Mutation: &bigtablepb.Mutation_SetCell_{}},
		&bigtablepb.Mutation_SetCell{},
		&bigtablepb.ReadRowsRequest{},
		&bigtablepb.RowFilter{},
		&bigtablepb.RowFilter{Filter: &bigtablepb.RowFilter_Chain_{}},
		&bigtablepb.ReadModifyWriteRule{},
		&bigtablepb.CheckAndMutateRowRequest{},
		&adminpb.GcRule{},
		&adminpb.GcRule{Rule: &adminpb.GcRule_Union_{}},
		&adminpb.ColumnFamily{},
		&adminpb.CreateTableRequest{},
		&adminpb.ModifyColumnFamiliesRequest{Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{nil, {}}},
		bigtable.TableConf{},
		bigtable.UnionGCPolicy{},
		bigtable.Family{},
	}
}

func okShadowed(mut *bigtable.Mutation) {
	type Timestamp = bigtable.Timestamp
	time := func() Timestamp { return bigtable.Time(time.Now().Add(1 << 40)) }
	mut.Set("token", "jwt", time(), nil)
}

func okComplex(mut *bigtable.Mutation) {
	const c = 3000 + 0i
	mut.Set("entry", "amount", bigtable.Timestamp(real(c)), nil)
}

func okOverflow(mut *bigtable.Mutation, n uint64) {
	mut.Set("profile", "name", bigtable.Timestamp(n<<63), nil)
	mut.Set("profile", "mail", bigtable.Timestamp(1<<63-1)/1000*1000, nil)
}

func okDivision(mut *bigtable.Mutation, d int64) {
	mut.Set("profile", "name", bigtable.Timestamp(1000/d), nil)
	mut.Set("profile", "mail", bigtable.Timestamp(d%7), nil)
}

// Types that hold themselves.

type forest []forest

type graph map[string]graph

type pipe chan pipe

type link *link

func okForest(ctx context.Context, c *bigtable.Client, f *forest, g graph, p pipe, l link) error {
	grow(f, g, p, l)
	_, err := c.Open("plain").ReadRow(ctx, "k")
	return err
}

func grow(f *forest, g graph, p pipe, l link) {
	*f = append(*f, *f)
	g["a"] = g
	p <- p
	_ = l
}

func put[M ~map[string]T, T any](m M, k string, v T) { m[k] = v }

func send[C ~chan T, T any](c C, v T) { c <- v }

func fill[S ~[]T, T any](s S, v T) S {
	for i := range s {
		s[i] = v
	}
	return append(s, v)
}

func okGeneric() {
	put(map[string]bigtable.Timestamp{}, "a", bigtable.Now())
	send(make(chan bigtable.Timestamp, 1), bigtable.Now())
	_ = fill([]bigtable.Timestamp{0}, bigtable.Now())
}
