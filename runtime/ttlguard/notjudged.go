package ttlguard

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/ttlvet/ttlvet/runtime/strategy"
	"github.com/ttlvet/ttlvet/runtime/strategy/sql"
)

// NotJudged is the rule of reports on requests that a guard does not
// understand: of a method, or with a part, that it does not know. Each is
// reported once, whatever [Interval] says, and [Guard.Counts] counts them all.
// Such a request is sent, unless there are [Strict] and [Reject].
const NotJudged = "ttlguard/not-judged"

// notJudged says of a request that it is not judged. where says of which, if
// others of the method are.
func (c *checker) notJudged(where string) {
	_, method := split(c.method)
	message := "requests of method " + method + " are not judged"
	if where != "" {
		message += " " + where
	}
	id := c.id
	c.id = "" // it is one report for all tables
	c.add(NotJudged, &strategy.Family{}, message)
	c.id = id
}

// other says of a request of a type that is not known whether it is judged.
func (c *checker) other() {
	switch {
	case harmless[c.method] != "":
	case messages[c.method].request != nil:
		c.notJudged("where they cannot be read")
	default:
		c.notJudged("")
	}
}

// view judges the definition of a view by what is read of it.
func (c *checker) view(req proto.Message, statement string) {
	if statement != "" { // an update may leave it as it is
		c.query(req, statement)
	}
}

// mentions reports whether a statement that is not understood may read a table
// that is declared.
func (c *checker) mentions(statement string) bool {
	for _, name := range sql.Names(statement) {
		if c.in(name) {
			return true
		}
	}
	return false
}

// choice returns the number of the field that is set of the only oneof of a
// message, in the newest protocol: this program may be older. It is 0 where
// none is.
func choice(m protoreflect.Message) protowire.Number {
	if unknown := m.GetUnknown(); len(unknown) > 0 {
		number, _, _ := protowire.ConsumeTag(unknown)
		return max(number, 0)
	}
	if !m.IsValid() {
		return 0
	}
	if f := m.WhichOneof(m.Descriptor().Oneofs().Get(0)); f != nil {
		return f.Number()
	}
	return 0
}
