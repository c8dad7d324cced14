package referee

import (
	"fmt"
	"strings"
)

// lines writes statements, indented.
func lines(b *strings.Builder, body []Stmt, indent string) {
	write := func(text string) {
		for line := range strings.SplitSeq(text, "\n") {
			b.WriteString(indent + line + "\n")
		}
	}
	for _, s := range body {
		write(s.Text)
		if s.Body == nil {
			continue
		}
		lines(b, s.Body, indent+"\t")
		if s.Else != nil {
			write("} else {")
			lines(b, s.Else, indent+"\t")
		}
		if s.Close == "" {
			write("}")
		} else {
			write(s.Close)
		}
	}
}

// Source returns the program's file. Its lines are those of the file that records.
func (p *Program) Source(pkg string, records bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\n", pkg)
	dep := strings.TrimSuffix(pkg, "_x")
	b.WriteString("import (\n\t\"context\"\n\t\"sync\"\n\t\"time\"\n\n\t\"cloud.google.com/go/bigtable\"\n\n\t\"" + modulePath + "/" + dep + "/dep\"\n")
	if records {
		b.WriteString("\trecord \"github.com/ttlvet/ttlvet/internal/referee/record\"\n")
	} else {
		b.WriteString("\n")
	}
	b.WriteString(")\n\nvar _ sync.Mutex\nvar _ time.Time\nvar _ bigtable.Timestamp\nvar _ dep.T\n")
	if records {
		b.WriteString("var _ = record.Open\n\n")
	} else {
		b.WriteString("\n\n")
	}
	fmt.Fprintf(&b, "func %s(ctx context.Context) {\n\tin := [2]bool{asked(0), asked(1)}\n", p.Name())
	lines(&b, p.Body, "\t")
	b.WriteString("}\n")
	return calls(b.String(), records)
}

// recorder puts what records, and makes the calls, in the place of the client.
var recorder = strings.NewReplacer(
	"client.", "record.", "admin.", "record.",
	"bigtable.NewMutation(", "record.NewMutation(", "bigtable.NewReadModifyWrite(", "record.NewReadModifyWrite(",
	"*bigtable.Table", "*record.Table",
)

func calls(text string, records bool) string {
	if records {
		return recorder.Replace(text)
	}
	return text
}

// support is what the programs of a package share.
func support(pkg string, s Subject, records bool) string {
	use := strings.ReplaceAll(fmt.Sprintf(s.Use, "v"), "\n", "\n\t")
	client, asked := "var client *bigtable.Client\nvar admin *bigtable.AdminClient\n", `os.Getenv("IN") == string(rune('0'+i))`
	imports := "\n"
	if records {
		imports, client, asked = "\trecord \"github.com/ttlvet/ttlvet/internal/referee/record\"\n", "\n\n", "os.Args != nil && record.Asked(i)"
	}
	return calls(fmt.Sprintf(`package %s

import (
	"context"
	"fmt"
	"iter"
	"os"
	"time"

	"cloud.google.com/go/bigtable"
%s)

%s
type T = %s

func later(hours int) bigtable.Timestamp { return bigtable.Time(time.Now().Add(time.Duration(hours) * time.Hour)) }
func number(n int64) bigtable.Timestamp  { return bigtable.Timestamp(n * 1000) }
func zero() bigtable.Timestamp           { return 0 }
func open(name string) *bigtable.Table   { return client.Open(name) }
func live() bigtable.Filter              { return bigtable.TimestampRangeFilter(time.Now(), time.Time{}) }
func token() string                      { return "token" }
func profile() string                    { return "profile" }
func hours(n int) time.Duration          { return time.Duration(n) * time.Hour }
func soon(n int) time.Time               { return time.Now().Add(hours(n)) }

// asked is an input.
func asked(i int) bool { return %s }

// show shows the cells of a row.
func show(row bigtable.Row) {
	for _, items := range row {
		for _, item := range items {
			fmt.Println(item.Column, item.Value)
		}
	}
}

// use makes a request.
func use(ctx context.Context, v T) {
	%s
}

type inner struct {
	v    T
	next *inner
}

func (i *inner) get() T  { return i.v }
func (i *inner) set(v T) { i.v = v }

type outer struct {
	a, b *inner
	in   inner
	arr  [2]T
	list []T
	m    map[string]T
	ptrs []*inner
}

func (o *outer) setA(v T) { o.a.v = v }

type holder interface {
	get() T
	set(v T)
}

type other struct{ w T }

func (o *other) get() T  { return o.w }
func (o *other) set(v T) { o.w = v }

type base[V any] struct{ v V }

func (b base[V]) get() V { return b.v }

type box[V any] struct{ base[V] }

func same[V any](v V) V { return v }

func sent(v T) T {
	c := make(chan T, 1)
	c <- v
	return <-c
}

func again(n int, v T) T {
	if n == 0 {
		return v
	}
	return again(n-1, v)
}

func even(n int, v T) T {
	if n == 0 {
		return v
	}
	return odd(n-1, v)
}

func odd(n int, v T) T {
	if n == 0 {
		return v
	}
	return even(n-1, v)
}

func either(b bool, v, w T) T {
	if b {
		return v
	}
	return w
}

func first(vs ...T) T { return vs[0] }

func deferred(v T) (w T) {
	defer func() { w = v }()
	return
}

func out(p *T, v T)  { *p = v }
func swap(p, q *T)   { *p, *q = *q, *p }

type option func(*settings)
type settings struct{ v T }

func set(v T) option { return func(s *settings) { s.v = v } }
func with(opts ...option) T {
	var s settings
	for _, o := range opts {
		o(&s)
	}
	return s.v
}

func each(v T) iter.Seq[T] { return func(yield func(T) bool) { yield(v) } }
func only(all iter.Seq[T]) (v T) {
	for e := range all {
		v = e
	}
	return v
}
func twice(yield func() bool) {
	if yield() {
		yield()
	}
}

func put[K comparable, V any](m map[K]V, k K, v V) { m[k] = v }
`, pkg, imports, client, s.Type, asked, use), records)
}

// depSource is another package, with helpers of the same kind.
func depSource(s Subject, records bool) string {
	client, imports := "var client *bigtable.Client\nvar admin *bigtable.AdminClient\n", "\n"
	if records {
		client, imports = "\n\n", "\trecord \"github.com/ttlvet/ttlvet/internal/referee/record\"\n"
	}
	return calls(fmt.Sprintf(`package dep

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
%s)

%s
type T = %s

var _ time.Time

type Kept struct{ V T }

func Keep(v T) *Kept   { return &Kept{V: v} }
func (k *Kept) Get() T { return k.V }
func Set(p *T, v T)    { *p = v }
func Fill(list []T, v T) {
	for i := range list {
		list[i] = v
	}
}

// Use makes a request.
func Use(ctx context.Context, v T) {
	%s
}

func show(row bigtable.Row) {
	for _, items := range row {
		for _, item := range items {
			fmt.Println(item.Column, item.Value)
		}
	}
}
`, imports, client, s.Type, strings.ReplaceAll(fmt.Sprintf(s.Use, "v"), "\n", "\n\t")), records)
}
