// Package manydefaults has structs of which a function makes more combinations than are
// followed: what one caller gives is not wrong of another, and not in the function.
package manydefaults

import (
	"context"
	"os"
	"time"

	"cloud.google.com/go/bigtable"
)

type Options struct {
	TTL              *time.Duration
	A, B, C, D, E, F *string
}

func ptr[T any](v T) *T { return &v }

func env(name string) *string {
	if v, ok := os.LookupEnv(name); ok {
		return &v
	}
	return ptr("none")
}

func (o Options) withDefaults() Options {
	if o.TTL == nil {
		o.TTL = ptr(15 * time.Minute)
	}
	for _, p := range []**string{&o.A, &o.B} {
		if *p == nil {
			*p = ptr("")
		}
	}
	if o.C == nil {
		o.C = env("C")
	}
	if o.D == nil {
		o.D = env("D")
	}
	if o.E == nil {
		o.E = env("E")
	}
	if o.F == nil {
		o.F = env("F")
	}
	return o
}

func with(c *bigtable.Client, f func(t *bigtable.Table) error) error { return f(c.Open("tickets")) }

func okPut(ctx context.Context, c *bigtable.Client, key string, o Options) error {
	o = o.withDefaults()
	return with(c, func(t *bigtable.Table) error {
		mut := bigtable.NewMutation()
		mut.Set("ticket", "v", bigtable.Time(time.Now().Add(*o.TTL)), nil)
		return t.Apply(ctx, key, mut)
	})
}

func dropped(ctx context.Context, c *bigtable.Client) error {
	return okPut(ctx, c, "k", Options{TTL: ptr(time.Duration(0))}) // want `write-time: .*"ticket"`
}

func okBriefly(ctx context.Context, c *bigtable.Client) error {
	return okPut(ctx, c, "k", Options{TTL: ptr(2 * time.Second)})
}

type job struct {
	family           string
	at               bigtable.Timestamp
	a, b, c, d, e, f string
}

// What goes together is not taken apart.
func newJob() *job {
	j := &job{family: "token", at: bigtable.Time(time.Now().Add(time.Hour))}
	if _, ok := os.LookupEnv("PROFILE"); ok {
		j.family, j.at = "profile", bigtable.Now()
	}
	for _, name := range []string{"A", "B", "C", "D", "E", "F"} {
		if v, ok := os.LookupEnv(name); ok {
			switch name {
			case "A":
				j.a = v
			case "B":
				j.b = v
			case "C":
				j.c = v
			}
		}
	}
	if os.Getenv("D") == "" {
		j.d = "d"
	}
	if os.Getenv("E") == "" {
		j.e = "e"
	}
	if os.Getenv("F") == "" {
		j.f = "f"
	}
	return j
}

func okTogether(mut *bigtable.Mutation) {
	j := newJob()
	mut.Set(j.family, "v", j.at, []byte(j.a+j.d+j.e+j.f))
}

func newWrongJob(kind string) (job, error) {
	j := job{family: "profile", at: bigtable.Now()}
	if _, ok := os.LookupEnv("TOKEN"); ok {
		j.family = "token"
	}
	if os.Getenv("A") == "" {
		j.a = "a"
	}
	if os.Getenv("B") == "" {
		j.b = "b"
	}
	if os.Getenv("C") == "" {
		j.c = "c"
	}
	if os.Getenv("D") == "" {
		j.d = "d"
	}
	if j.e = os.Getenv("E"); j.e == "" {
		return j, os.ErrInvalid
	}
	return j, nil
}

func together(mut *bigtable.Mutation, kind string) error {
	j, err := newWrongJob(kind)
	if err != nil {
		return err
	}
	mut.Set(j.family, "v", j.at, []byte(j.a+j.b+j.c)) // want `write-time: .*"token"`
	return nil
}
