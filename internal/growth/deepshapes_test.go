package growth_test

import (
	"fmt"
	"strings"
)

// elses: a chain of conditions that assign one timestamp.
func elses(n int) string {
	return program(n, `
func write(ctx context.Context, tbl *bigtable.Table, kind int, now time.Time) error {
	ts := bigtable.Now()
	if kind < 0 {
		ts = bigtable.ServerTime
%s	}
	mut := bigtable.NewMutation()
	mut.Set("token", "a", ts, nil)
	return tbl.Apply(ctx, "k", mut)
}
`, format("\t} else if kind == %[1]d {\n\t\tts = bigtable.Time(now.Add(%[1]d * time.Second))\n"))
}

// closures: function literals in function literals, each of which changes what the
// outermost has declared.
func closures(n int) string {
	var ends strings.Builder
	for i := n - 1; i >= 0; i-- {
		fmt.Fprintf(&ends, "\tmut.Set(\"token\", \"c%[1]d\", ts%[1]d, nil)\n\t}\n\tf%[1]d()\n", i)
	}
	return program(n, `
func write(ctx context.Context, tbl *bigtable.Table, kind int) error {
	mut := bigtable.NewMutation()
	ts := bigtable.Now()
%s`+ends.String()+`	return tbl.Apply(ctx, "k", mut)
}
`, format("\tts%[1]d := ts\n\tf%[1]d := func() {\n\tif kind == %[1]d {\n\t\tts = bigtable.Time(time.Now().Add(%[1]d))\n\t}\n"))
}

// wrappers: functions that hand everything on, one to the next.
func wrappers(n int) string {
	return program(n, `
func f0(ctx context.Context, tbl *bigtable.Table, family string, ts bigtable.Timestamp) error {
	mut := bigtable.NewMutation()
	mut.Set(family, "a", ts, nil)
	return tbl.Apply(ctx, "k", mut)
}
%s
func begin(ctx context.Context, client *bigtable.Client) error {
	return f`+fmt.Sprint(n)+`(ctx, client.Open("sessions"), "token", bigtable.Now())
}
`, func(i int) string {
		return fmt.Sprintf(`
func f%d(ctx context.Context, tbl *bigtable.Table, family string, ts bigtable.Timestamp) error {
	return f%d(ctx, tbl, family, ts)
}
`, i+1, i)
	})
}

// globals: package variables that init assigns.
func globals(n int) string {
	var assigned, used strings.Builder
	for i := range n {
		fmt.Fprintf(&assigned, "\tfamily%[1]d, ttl%[1]d = \"token\", %[1]d*time.Second\n", i)
		fmt.Fprintf(&used, "\tmut.Set(family%[1]d, \"c\", bigtable.Time(time.Now().Add(-ttl%[1]d)), nil)\n", i)
	}
	return program(n, "\nvar (\n%s)\n\nfunc init() {\n"+assigned.String()+"}\n\nfunc write(mut *bigtable.Mutation) {\n"+used.String()+"}\n",
		format("\tfamily%[1]d string\n\tttl%[1]d time.Duration\n"))
}

// table: rows of a literal, each of which is written.
func table(n int) string {
	return program(n, `
var rows = []struct {
	family, column string
	ttl            time.Duration
}{
%s}

func write(ctx context.Context, tbl *bigtable.Table) error {
	mut := bigtable.NewMutation()
	for _, r := range rows {
		mut.Set(r.family, r.column, bigtable.Time(time.Now().Add(r.ttl)), nil)
	}
	return tbl.Apply(ctx, "k", mut)
}
`, format("\t{\"token\", \"c%[1]d\", %[1]d * time.Second},\n"))
}

// library: structs of a library that go to its functions and come back.
func library(n int) string {
	text := program(n, `
func write(ctx context.Context, tbl *bigtable.Table) error {
	mut := bigtable.NewMutation()
	p := &struct{ ts bigtable.Timestamp }{}
	p.ts = bigtable.Now()
	mut.Set("token", "a", p.ts, nil)
	call0(ctx, &http.Client{}, &http.Request{})
	return tbl.Apply(ctx, "k", mut)
}
%s`, func(i int) string {
		return fmt.Sprintf(`
func call%[1]d(ctx context.Context, c *http.Client, r *http.Request) *http.Response {
	w, err := c.Do(r.Clone(ctx))
	if err != nil {
		return call%[2]d(ctx, c, r.WithContext(ctx))
	}
	t := &http.Transport{TLSClientConfig: &tls.Config{}}
	t.RegisterProtocol("x%[1]d", http.NewFileTransport(http.Dir(w.Status)))
	return call%[2]d(ctx, &http.Client{Transport: t}, w.Request)
}
`, i, (i+1)%n)
	})
	return strings.Replace(text, "import (\n", "import (\n\t\"crypto/tls\"\n\t\"net/http\"\n\n", 1)
}

// doubled: a text each part of which is the one before twice.
func doubled(n int) string {
	return program(n, `
func write(ctx context.Context, tbl *bigtable.Table, s string, f func(string) string) error {
	mut := bigtable.NewMutation()
%s	mut.Set("token", s, bigtable.ServerTime, nil)
	return tbl.Apply(ctx, "k", mut)
}
`, func(int) string { return "\ts = f(s) + s\n" })
}
