package maptable

import (
	"time"

	"cloud.google.com/go/bigtable"
)

var lifetimes = map[string]time.Duration{"tok": 30 * time.Minute}

func stamp(fam string) bigtable.Timestamp {
	d, ok := lifetimes[fam]
	if !ok {
		return bigtable.Now()
	}
	return bigtable.Time(time.Now().Add(d))
}

func F(m *bigtable.Mutation) {
	m.Set("tok", "x", stamp("tok"), nil) // silent
}

func stamp2(fam string) bigtable.Timestamp {
	if d := lifetimes[fam]; d > 0 {
		return bigtable.Time(time.Now().Add(d))
	}
	return bigtable.Now()
}

func G(m *bigtable.Mutation) {
	m.Set("tok", "x", stamp2("tok"), nil)
}
func stamp3(fam string) bigtable.Timestamp {
	switch fam {
	case "tok":
		return bigtable.Time(time.Now().Add(time.Hour))
	}
	return bigtable.Now()
}
func H(m *bigtable.Mutation) {
	m.Set("tok", "x", stamp3("tok"), nil)
	for _, f := range []string{"tok", "prof"} {
		m.Set(f, "y", stamp3(f), nil)
	}
}
func I(m *bigtable.Mutation) {
	for _, f := range []string{"tok", "prof"} {
		ts := bigtable.Now()
		if f == "tok" {
			ts = bigtable.Time(time.Now().Add(time.Hour))
		}
		m.Set(f, "y", ts, nil)
	}
}
func J(m *bigtable.Mutation, vals map[string][]byte) {
	for f, v := range map[string][]byte{"tok": []byte("a"), "prof": []byte("b")} {
		ts := bigtable.ServerTime
		if f == "tok" {
			ts = bigtable.Time(time.Now().Add(time.Hour))
		}
		m.Set(f, "y", ts, v)
	}
}

var stampers = map[string]func() bigtable.Timestamp{
	"tok":  func() bigtable.Timestamp { return bigtable.Time(time.Now().Add(time.Hour)) },
	"prof": bigtable.Now,
}

func K(m *bigtable.Mutation) {
	for f, s := range stampers {
		m.Set(f, "z", s(), nil)
	}
	m.Set("tok", "q", stampers["tok"](), nil)
}
