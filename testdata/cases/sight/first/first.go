// Package first chooses the first value that is not zero.
package first

import (
	"cmp"
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/helpers/gen"
)

const fallback = "profile"

func first(names ...string) string {
	for _, n := range names {
		if n == "" {
			continue
		}
		return n
	}
	return fallback
}

func pick(names []string) string {
	out := fallback
	for i := 0; i < len(names); i++ {
		if names[i] != "" {
			out = names[i]
			break
		}
	}
	return out
}

func apply(ctx context.Context, t *bigtable.Table, key string, mut *bigtable.Mutation) error {
	return t.Apply(ctx, key, mut)
}

type config struct{ family string }

func okFirst(mut *bigtable.Mutation, v []byte) {
	mut.Set(gen.Or("profile", "token"), "name", bigtable.Now(), v)
}

func okSecond(mut *bigtable.Mutation, v []byte) {
	mut.Set(gen.Or("", "profile", "token"), "name", bigtable.Now(), v)
}

func okStandard(mut *bigtable.Mutation, v []byte) {
	mut.Set(cmp.Or("profile", "token"), "name", bigtable.Now(), v)
	mut.Set(cmp.Or("", "profile", "token"), "title", bigtable.Now(), v)
}

func okLocal(mut *bigtable.Mutation, v []byte) {
	mut.Set(first("profile", "token"), "name", bigtable.Now(), v)
	mut.Set(first("", ""), "title", bigtable.Now(), v)
	mut.Set(pick([]string{"", "profile", "token"}), "city", bigtable.Now(), v)
	mut.Set(pick(nil), "country", bigtable.Now(), v)
}

func okInline(mut *bigtable.Mutation, v []byte) {
	family := ""
	for _, f := range []string{"", "profile", "token"} {
		if f != "" {
			family = f
			break
		}
	}
	mut.Set(family, "name", bigtable.Now(), v)
}

func okInlineEnd(mut *bigtable.Mutation, v []byte) {
	family := "token"
	for _, f := range []string{"", "profile"} {
		if f != "" {
			family = f
			break
		}
	}
	mut.Set(family, "name", bigtable.Now(), v)
}

func okParameter(mut *bigtable.Mutation, c config, v []byte) {
	mut.Set(cmp.Or(c.family, "profile"), "name", bigtable.Now(), v)
}

func okTime(mut *bigtable.Mutation, v []byte) {
	until := gen.Or(time.Time{}, time.Now().Add(time.Hour), time.Now())
	mut.Set("token", "jwt", bigtable.Time(until), v)
	ttl := cmp.Or(0, 30*time.Minute, -time.Second)
	mut.Set("token", "opaque", bigtable.Time(time.Now().Add(ttl)), v)
}

func bad(mut *bigtable.Mutation, v []byte) {
	mut.Set(gen.Or("", "token", "profile"), "jwt", bigtable.Now(), v) // want `write-time: .*"token"`
	mut.Set(cmp.Or("token", "profile"), "opaque", bigtable.Now(), v)  // want `write-time: .*"token"`
	mut.Set(first("", "token", "profile"), "a", bigtable.Now(), v)    // want `write-time: .*"token"`
	mut.Set(pick([]string{"", "token"}), "b", bigtable.Now(), v)      // want `write-time: .*"token"`
}

func badInline(mut *bigtable.Mutation, v []byte) {
	family := ""
	for _, f := range []string{"", "token", "profile"} {
		if f != "" {
			family = f
			break
		}
	}
	mut.Set(family, "name", bigtable.Now(), v) // want `write-time: .*"token"`
}

func badTime(mut *bigtable.Mutation, v []byte) {
	until := gen.Or(time.Time{}, time.Now(), time.Now().Add(time.Hour))
	mut.Set("token", "jwt", bigtable.Time(until), v) // want `write-time: .*"token"`
	ttl := cmp.Or(0, -time.Second, 30*time.Minute)
	mut.Set("token", "opaque", bigtable.Time(time.Now().Add(ttl)), v) // want `already-expired: .*"token"`
}

// badEither takes what configuration names, and tokens where it names nothing.
type service struct{ conf map[string]string }

func (s *service) badEither(mut *bigtable.Mutation, v []byte) {
	mut.Set(cmp.Or(s.conf["family"], "token"), "jwt", bigtable.Now(), v) // want `write-time: .*"token"`
}

func Write(ctx context.Context, t *bigtable.Table, v []byte) error {
	mut := bigtable.NewMutation()
	okFirst(mut, v)
	okSecond(mut, v)
	okStandard(mut, v)
	okLocal(mut, v)
	okInline(mut, v)
	okInlineEnd(mut, v)
	okParameter(mut, config{}, v)
	okTime(mut, v)
	bad(mut, v)
	badInline(mut, v)
	badTime(mut, v)
	(&service{}).badEither(mut, v)
	return apply(ctx, t, "k", mut)
}
