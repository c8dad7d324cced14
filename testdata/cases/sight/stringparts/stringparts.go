// Package stringparts takes families out of texts that name more.
package stringparts

import (
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/stringparts/lib"
)

const column = "token:jwt"

func put(m *bigtable.Mutation, path string) {
	parts := strings.Split(path, "/")
	if len(parts) != 3 {
		return
	}
	m.Set(parts[1], parts[2], bigtable.Now(), nil)
}

func last(path string) string { return path[strings.LastIndex(path, "/")+1:] }

func stripped(name string) (string, bool) {
	if fam, ok := strings.CutPrefix(name, "fam."); ok {
		return fam, true
	}
	return "", false
}

func writes(m *bigtable.Mutation) {
	soon := bigtable.Time(time.Now().Add(time.Hour))
	before, after, found := strings.Cut(column, ":")
	m.Set(before, after, bigtable.Now(), nil) // want `write-time: .*"token"`
	if !found {
		m.Set("token", "never", bigtable.Now(), nil)
	}
	put(m, "sessions/token/a") // want `write-time: .*"token"`
	put(m, "sessions/profile/b")
	put(m, "token/c")
	m.Set(last("sessions/token"), "d", bigtable.Now(), nil) // want `write-time: .*"token"`
	m.Set(last("sessions/profile"), "e", bigtable.Now(), nil)
	m.Set(strings.Fields(" token  jwt ")[0], "f", bigtable.Now(), nil)      // want `write-time: .*"token"`
	m.Set(strings.SplitN("token:a:b", ":", 2)[0], "g", bigtable.Now(), nil) // want `write-time: .*"token"`
	if fam, ok := stripped("fam.token"); ok {
		m.Set(fam, "h", bigtable.Now(), nil) // want `write-time: .*"token"`
	}
	if fam, ok := stripped("token"); ok {
		m.Set(fam, "i", bigtable.Now(), nil)
	} else {
		m.Set("token", "j", soon, nil)
	}
	lib.Put(m, "token:k", bigtable.Now()) // want `write-time: .*"token"`
	lib.Put(m, "token:l", soon)
	lib.Put(m, "profile:m", bigtable.Now())
	lib.Put(m, "token", bigtable.Now())
	lib.Each(m, "token:n,o", bigtable.Now()) // want `write-time: .*"token"`
	lib.Each(m, "profile:p,q", bigtable.Now())
}

var _ = writes
