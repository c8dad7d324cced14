package ttlguard

import (
	"google.golang.org/protobuf/proto"

	"github.com/ttlvet/ttlvet/runtime/strategy/sql"
)

// query judges a GoogleSQL statement: one SELECT of one table. What is joined,
// nested or looks at timestamps itself is not judged. A time that comes as a
// parameter is taken to be right.
func (c *checker) query(req proto.Message, statement string) {
	q, ok := sql.Parse(statement)
	if !ok || q.Explicit {
		if c.mentions(statement) {
			c.notJudged("where the statement is more than a SELECT from one table, or looks at timestamps itself")
		}
		return
	}
	if !c.in(q.Table) || c.again(req) {
		return
	}
	for _, f := range c.table.families {
		if !q.Reads(f.Name) {
			continue
		}
		if what := q.Judge(f); what != "" {
			c.add("ttlread/sql", f, "statement reads "+c.name(f)+" "+what)
		}
	}
}
