// Package fields keeps timestamps, families and tables in struct fields and
// package variables.
package fields

import (
	"encoding/json"
	"os"
	"time"

	"cloud.google.com/go/bigtable"
)

const lifetime = 30 * time.Minute

// A literal used where it is made.

type cell struct {
	family string
	ts     bigtable.Timestamp
}

func literal(mut *bigtable.Mutation) {
	c := cell{family: "token", ts: bigtable.ServerTime}
	mut.Set(c.family, "jwt", c.ts, nil) // want `server-timestamp: .*"token"`
}

func okLiteral(mut *bigtable.Mutation) {
	c := cell{family: "token", ts: bigtable.Time(time.Now().Add(lifetime))}
	mut.Set(c.family, "jwt", c.ts, nil)
}

func okLiteralOtherFamily(mut *bigtable.Mutation) {
	c := cell{family: "profile", ts: bigtable.ServerTime}
	mut.Set(c.family, "jwt", c.ts, nil)
}

func assigned(mut *bigtable.Mutation) {
	var c cell
	c.family = "token"
	c.ts = bigtable.Now()
	mut.Set(c.family, "jwt", c.ts, nil) // want `write-time: .*"token"`
}

func okAssignedAgain(mut *bigtable.Mutation) {
	c := cell{family: "token", ts: bigtable.Now()}
	c.ts = bigtable.Time(time.Now().Add(lifetime))
	mut.Set(c.family, "jwt", c.ts, nil)
}

func pointer(mut *bigtable.Mutation) {
	c := &cell{family: "token"}
	c.ts = bigtable.ServerTime
	mut.Set(c.family, "jwt", c.ts, nil) // want `server-timestamp: .*"token"`
}

// A table of literals: the values of a row go together.

func rows(mut *bigtable.Mutation) {
	for _, c := range []cell{
		{"profile", bigtable.Now()},
		{"token", bigtable.ServerTime},
	} {
		mut.Set(c.family, "value", c.ts, nil) // want `server-timestamp: .*"token"`
	}
}

func okRows(mut *bigtable.Mutation) {
	for _, c := range []cell{
		{"profile", bigtable.ServerTime},
		{"token", bigtable.Time(time.Now().Add(lifetime))},
		{"latest", 0},
		{"event", bigtable.Now()},
		{"entry", 7000},
	} {
		mut.Set(c.family, "value", c.ts, nil)
	}
}

var packageRows = []cell{
	{"profile", bigtable.ServerTime},
	{"latest", 1000},
}

func rowsOfPackage(mut *bigtable.Mutation) {
	for _, c := range packageRows {
		mut.Set(c.family, "value", c.ts, nil) // want `clock-in-zero: .*"latest"`
	}
}

var okPackageRows = []struct {
	name string
	cell cell
}{
	{"a", cell{"profile", bigtable.ServerTime}},
	{"b", cell{"latest", 0}},
}

func okRowsOfPackage(mut *bigtable.Mutation) {
	for i := range okPackageRows {
		mut.Set(okPackageRows[i].cell.family, okPackageRows[i].name, okPackageRows[i].cell.ts, nil)
	}
}

// A family in a field that one constructor sets.

type tokens struct {
	family string
	column string
}

func newTokens() *tokens { return &tokens{family: "token", column: "jwt"} }

func (t *tokens) put(mut *bigtable.Mutation) {
	mut.Set(t.family, t.column, bigtable.ServerTime, nil) // want `server-timestamp: .*"token"`
}

func (t *tokens) okPut(mut *bigtable.Mutation) {
	mut.Set(t.family, t.column, bigtable.Time(time.Now().Add(lifetime)), nil)
}

// A timestamp that a constructor stores: the finding stands at its call.

type stamper struct{ ts bigtable.Timestamp }

func newStamper(ts bigtable.Timestamp) *stamper { return &stamper{ts: ts} }

func (s *stamper) put(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", s.ts, nil)
}

func constructor(mut *bigtable.Mutation) {
	s := newStamper(bigtable.ServerTime) // want `server-timestamp: .*"token"`
	s.put(mut)
}

func okConstructor(mut *bigtable.Mutation) {
	s := newStamper(bigtable.Time(time.Now().Add(lifetime)))
	s.put(mut)
}

// The same by a functional option.

type writer struct {
	family string
	ts     func() bigtable.Timestamp
	fixed  bigtable.Timestamp
}

type option func(*writer)

func withTimestamp(ts bigtable.Timestamp) option {
	return func(w *writer) { w.fixed = ts }
}

func newWriter(opts ...option) *writer {
	w := &writer{family: "token", fixed: bigtable.Time(time.Now().Add(lifetime))}
	for _, o := range opts {
		o(w)
	}
	return w
}

func (w *writer) put(mut *bigtable.Mutation) {
	mut.Set(w.family, "jwt", w.fixed, nil)
}

func okDefaultOption(mut *bigtable.Mutation) {
	newWriter().put(mut)
}

func okOption(mut *bigtable.Mutation) {
	newWriter(withTimestamp(bigtable.Time(time.Now().Add(2 * lifetime)))).put(mut)
}

func badOption(mut *bigtable.Mutation) {
	newWriter(withTimestamp(bigtable.ServerTime)).put(mut) // want `server-timestamp: .*"token"`
}

// A lifetime in a field.

type config struct{ ttl time.Duration }

func okLifetimeField(mut *bigtable.Mutation, c config) {
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(c.ttl)), nil)
}

// Package variables.

var (
	serverTime  = bigtable.ServerTime
	tokenFamily = "token"
	initialised bigtable.Timestamp
	never       = bigtable.Time(time.Date(2199, 1, 1, 0, 0, 0, 0, time.UTC))
	fromOutside bigtable.Timestamp
)

func init() { initialised = bigtable.ServerTime }

// SetTimestamp is called by programs that are not analysed.
func SetTimestamp(ts bigtable.Timestamp) { fromOutside = ts }

func packageVariable(mut *bigtable.Mutation) {
	mut.Set(tokenFamily, "jwt", serverTime, nil) // want `server-timestamp: .*"token"`
}

func packageVariableOfInit(mut *bigtable.Mutation) {
	mut.Set("token", "csrf", initialised, nil) // want `server-timestamp: .*"token"`
}

func okPackageVariable(mut *bigtable.Mutation) {
	mut.Set(tokenFamily, "jwt", never, nil)
}

// A function in a package variable.

var clock = bigtable.Now

func packageFunction(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", clock(), nil) // want `write-time: .*"token"`
}

var expiry = func() bigtable.Timestamp { return bigtable.Time(time.Now().Add(lifetime)) }

func okPackageFunction(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", expiry(), nil)
}

// A function in a field.

func functionField(mut *bigtable.Mutation) {
	w := writer{family: "token", ts: bigtable.Now}
	mut.Set(w.family, "jwt", w.ts(), nil) // want `write-time: .*"token"`
}

func okFunctionField(mut *bigtable.Mutation) {
	w := writer{family: "token", ts: expiry}
	mut.Set(w.family, "jwt", w.ts(), nil)
}

// Constant indexes into arrays and slices.

var stamps = [...]bigtable.Timestamp{0, bigtable.ServerTime}

func indexed(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", stamps[1], nil) // want `server-timestamp: .*"token"`
}

func okIndexed(mut *bigtable.Mutation) {
	mut.Set("latest", "price", stamps[0], nil)
}

// What comes from outside is unknown.

func okEnvironment(mut *bigtable.Mutation) {
	c := cell{family: os.Getenv("FAMILY"), ts: bigtable.ServerTime}
	mut.Set(c.family, "value", c.ts, nil)
}

// Message is filled by whoever decodes it.
type Message struct {
	Timestamp bigtable.Timestamp `json:"ts"`
}

func okDecoded(mut *bigtable.Mutation, data []byte) error {
	var m Message
	if err := json.Unmarshal(data, &m); err != nil {
		return err
	}
	mut.Set("token", "jwt", m.Timestamp, nil)
	return nil
}
