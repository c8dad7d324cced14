package bycall

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type reader interface{ count(string) int }

type view struct{ row bigtable.Row }

func (v *view) count(f string) int { return len(v.row[f]) }

func okI(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("sessions").ReadRow(ctx, "k")
	var r reader = &view{row}
	return r.count("profile")
}

func badI(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	var r reader = &view{row}
	return r.count("token")
}

type box[T any] struct{ v T }

func (b box[T]) get() T { return b.v }

func okBox(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("sessions").ReadRow(ctx, "k")
	return len(box[bigtable.Row]{row}.get()["profile"])
}

func okMap(ctx context.Context, c *bigtable.Client, keys []string) (n int) {
	views := map[string]*view{}
	for _, k := range keys {
		row, _ := c.Open("sessions").ReadRow(ctx, k)
		views[k] = &view{row}
	}
	for _, v := range views {
		n += v.count("profile")
	}
	return n
}

type views []view

func (vs views) profiles() (n int) {
	for _, v := range vs {
		n += v.count("profile")
	}
	return n
}

func okViews(ctx context.Context, c *bigtable.Client, keys []string) (n int) {
	var vs views
	for _, k := range keys {
		row, _ := c.Open("sessions").ReadRow(ctx, k)
		vs = append(vs, view{row})
	}
	return vs.profiles()
}

func render(v view) int { return len(v.row["profile"]) }

func okRender(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("sessions").ReadRow(ctx, "k")
	return render(view{row})
}

func okValue(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("sessions").ReadRow(ctx, "k")
	get := (&view{row}).count
	return get("profile")
}

func badValue(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	get := (&view{row}).count
	return get("token")
}

type handler struct{ v *view }

func (h *handler) show() int { return h.v.count("profile") }

func okHandler(ctx context.Context, c *bigtable.Client) int {
	h := &handler{}
	row, _ := c.Open("sessions").ReadRow(ctx, "k")
	h.v = &view{row}
	return h.show()
}

type Open struct{ Row bigtable.Row }

func (o Open) Profiles() int { return len(o.Row["profile"]) }

func okOpen(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("sessions").ReadRow(ctx, "k")
	return Open{row}.Profiles()
}

type Profile struct{ row bigtable.Row }

func (p *Profile) Name() string { return string(p.row["profile"][0].Value) }

func OkLoad(ctx context.Context, c *bigtable.Client) (*Profile, error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k")
	return &Profile{row}, err
}

type Login struct{ row bigtable.Row }

func (p *Login) Token() string { return string(p.row["token"][0].Value) }

func Load(ctx context.Context, c *bigtable.Client) (*Login, error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	return &Login{row}, err
}

type lazy struct {
	tbl *bigtable.Table
	row bigtable.Row
}

func (l *lazy) get(ctx context.Context) bigtable.Row {
	if l.row == nil {
		l.row, _ = l.tbl.ReadRow(ctx, "k")
	}
	return l.row
}

func (l *lazy) name(ctx context.Context) int { return len(l.get(ctx)["profile"]) }

func newLazy(c *bigtable.Client) *lazy { return &lazy{tbl: c.Open("sessions")} }

func okLazy(ctx context.Context, c *bigtable.Client) int { return newLazy(c).name(ctx) }

func okChan(ctx context.Context, c *bigtable.Client) (n int) {
	ch := make(chan view)
	go func() {
		defer close(ch)
		_ = c.Open("sessions").ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool {
			ch <- view{r}
			return true
		})
	}()
	for v := range ch {
		n += v.count("profile")
	}
	return n
}

func okErrFirst(ctx context.Context, c *bigtable.Client) (n int, err error) {
	v, err := tryLoad(ctx, c)
	if err != nil {
		return 0, err
	}
	return v.count("profile"), nil
}

func tryLoad(ctx context.Context, c *bigtable.Client) (v *view, err error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k")
	if err != nil {
		return nil, err
	}
	if row == nil {
		return nil, nil
	}
	v = new(view)
	v.row = row
	return v, nil
}
