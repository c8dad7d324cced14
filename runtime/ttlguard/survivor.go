package ttlguard

import (
	"sync"
	"time"

	"cloud.google.com/go/bigtable/apiv2/bigtablepb"

	"github.com/ttlvet/ttlvet/runtime/strategy"
)

// survivors remembers, under the strict rules, the latest timestamp that was
// written to columns of families whose cells expire: a value that is written
// with an earlier one is not the most recent as long as that lives.
type survivors struct {
	mu   sync.Mutex
	rows map[uint64]map[uint64]int64 // by row: by column, the timestamp
}

func (s *survivors) forget(row uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.rows, row)
}

// survivor judges the writes to one row in the order in which they are applied.
func (c *checker) survivor(row []byte, all []*bigtablepb.Mutation) {
	s := &c.g.survivors
	s.mu.Lock()
	defer s.mu.Unlock()
	key := cell(c.id, row, 0)
	columns := s.rows[key]
	for _, m := range all {
		switch op := m.GetMutation().(type) {
		case *bigtablepb.Mutation_DeleteFromColumn_:
			delete(columns, cell(op.DeleteFromColumn.GetFamilyName(), op.DeleteFromColumn.GetColumnQualifier(), 0))
		case *bigtablepb.Mutation_DeleteFromFamily_, *bigtablepb.Mutation_DeleteFromRow_:
			columns = nil
		case *bigtablepb.Mutation_SetCell_:
			f := c.familyOf(op.SetCell.GetFamilyName())
			if f == nil || !f.Strategy.Expires() {
				continue
			}
			if columns == nil || len(columns) >= maxZeros {
				columns = map[uint64]int64{}
			}
			column := cell(f.Name, op.SetCell.GetColumnQualifier(), 0)
			at := op.SetCell.GetTimestampMicros()
			if at == -1 {
				at = c.now
			}
			before := columns[column]
			columns[column] = max(before, at)
			if before > at && c.alive(f, before) && c.alive(f, at) {
				c.add("ttlwrite/stale-survivor", f, "write to a column of "+c.name(f)+" expires before a value that was written earlier: that one stays the most recent as long as it lives; delete the column first, in the same mutation")
			}
		}
	}
	if s.rows == nil || len(s.rows) >= maxZeros && s.rows[key] == nil {
		s.rows = map[uint64]map[uint64]int64{}
	}
	s.rows[key] = columns
}

// alive reports whether a cell has not expired.
func (c *checker) alive(f *strategy.Family, micros int64) bool {
	if f.Strategy == strategy.Default {
		micros += int64(f.TTL / time.Microsecond)
	}
	return micros > c.now
}
