package rowguard

import (
	"time"

	"cloud.google.com/go/bigtable"
)

type spec struct {
	family string
	ttl    time.Duration
}

func (s spec) stamp() bigtable.Timestamp {
	if s.ttl == 0 {
		return bigtable.ServerTime
	}
	return bigtable.Time(time.Now().Add(s.ttl))
}

func write(m *bigtable.Mutation, specs ...spec) {
	for _, s := range specs {
		m.Set(s.family, "a", s.stamp(), nil)
	}
}

func Use(m *bigtable.Mutation) {
	write(m, spec{family: "profile"}, spec{family: "token", ttl: time.Hour})
	write(m, spec{family: "profile"}, spec{family: "token"}) // want `server-timestamp: .*"token"`
}
