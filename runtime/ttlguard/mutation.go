package ttlguard

import (
	"cloud.google.com/go/bigtable/apiv2/bigtablepb"

	"github.com/ttlvet/ttlvet/runtime/strategy"
)

// mutations judges what is done to one row. row is nil where it may not be
// done.
func (c *checker) mutations(row []byte, all []*bigtablepb.Mutation) {
	// That order matters takes a second write, or a deletion after one.
	sets, deletes, after, zero := 0, 0, 0, false
	for _, one := range all {
		switch m := one.GetMutation().(type) {
		case *bigtablepb.Mutation_SetCell_:
			sets++
			micros := m.SetCell.GetTimestampMicros()
			if f := c.familyOf(m.SetCell.GetFamilyName()); f != nil {
				c.write(f, micros)
				zero = zero || micros == 0 && f.Strategy == strategy.Sequence
			}
		case *bigtablepb.Mutation_AddToCell_:
			c.aggregate(m.AddToCell.GetFamilyName(), m.AddToCell.GetTimestamp())
		case *bigtablepb.Mutation_MergeToCell_:
			c.aggregate(m.MergeToCell.GetFamilyName(), m.MergeToCell.GetTimestamp())
		case *bigtablepb.Mutation_DeleteFromColumn_, *bigtablepb.Mutation_DeleteFromFamily_, *bigtablepb.Mutation_DeleteFromRow_:
			deletes++
			after += sets
		default:
			if choice(one.ProtoReflect()) != 0 {
				c.notJudged("where a mutation is of a kind that is not known")
			}
		}
	}
	if sets > 1 || after > 0 {
		c.order(all, after > 0)
	}
	if row != nil && c.g.strict {
		c.survivor(row, all)
	}
	switch {
	case row == nil:
	case deletes > 0 && c.g.zeros.some.Load():
		c.g.zeros.forget(cell(c.id, row, 0))
	case zero:
		c.numbersZero(row, all)
	}
}

// write judges the timestamp of a cell.
func (c *checker) write(f *strategy.Family, micros int64) {
	m := moment{micros, c.now}
	fault := f.Write(m.written(f.Strategy))
	if fault == strategy.None && micros >= -1 && (m.clock() || micros == -1 || f.Strategy == strategy.Sequence || f.Strategy == strategy.Zero) {
		return // as nearly always
	}
	if l := &c.last; l.family == f && l.micros == micros && l.at > 0 {
		c.found[l.at-1].Count++ // of many cells at one time
		return
	}
	before := len(c.found)
	c.wrote(f, m, fault)
	if len(c.found) > before {
		c.last = last{f, micros, len(c.found)}
	}
}

// A last is the violation that was added last.
type last struct {
	family *strategy.Family
	micros int64
	at     int // in checker.found, from 1
}

func (c *checker) wrote(f *strategy.Family, m moment, fault strategy.Fault) {
	if m.micros < -1 {
		c.add("ttlunit/out-of-range", f, "write to "+c.name(f)+" has a timestamp before 1970, as the zero time and times after 2262 overflow to: the service rejects it; give a time between")
		return
	}
	if (f.Strategy.Expires() || f.Strategy == strategy.Real) && !m.clock() {
		if unit := m.countedIn(); unit != "" {
			fate := "the cell has long expired"
			switch {
			case unit == "nanoseconds":
				fate = "the cell never expires"
			case f.Strategy == strategy.Real:
				fate = "the cell is dated 1970"
			}
			c.add("ttlunit/wrong-unit", f, "write to "+c.name(f)+" has a timestamp that counts "+unit+", not microseconds: "+fate+"; count microseconds since 1970")
			return
		}
	}
	if rule, what := wrongWrite(f, fault, m.micros); rule != "" {
		c.add(rule, f, "write to "+c.name(f)+" "+what)
	}
}

// aggregate judges a cell of an aggregate.
func (c *checker) aggregate(family string, timestamp *bigtablepb.Value) {
	micros := timestamp.GetRawTimestampMicros()
	f := c.familyOf(family)
	switch {
	case micros == -1:
		named := &strategy.Family{Name: family}
		if f != nil {
			named = f
		}
		c.add("ttlwrite/aggregate-server-time", named, "aggregate cell of family \""+family+"\" of table \""+c.table.pattern+"\" is written with the server timestamp: the service rejects it; give the start of the period that the cell counts")
	case f != nil:
		c.write(f, micros)
	}
}

// readModifyWrite judges rules that let the server choose the timestamp.
func (c *checker) readModifyWrite(rules []*bigtablepb.ReadModifyWriteRule) {
	for _, r := range rules {
		f := c.familyOf(r.GetFamilyName())
		if f == nil {
			continue
		}
		op, instead := "increment", "read the cell and write the sum with "
		if _, ok := r.GetRule().(*bigtablepb.ReadModifyWriteRule_AppendValue); ok {
			op, instead = "append", "read the cell and write the longer value with "
		}
		fate := ""
		switch f.Strategy {
		case strategy.OneSecond:
			fate = "the next compaction deletes it; " + instead + "its expiry"
		case strategy.Sequence:
			fate = "it hides all later numbers; " + instead + "the next number * 1000"
		case strategy.Zero:
			fate = "it hides all later writes at 0; " + instead + "timestamp 0"
		default:
			continue
		}
		c.add("ttlwrite/read-modify-write", f, op+" on "+c.name(f)+" uses the server's time: "+fate)
	}
}

// wrongWrite names the rule that a timestamp breaks, and says what is wrong.
func wrongWrite(f *strategy.Family, fault strategy.Fault, micros int64) (rule, what string) {
	switch f.Strategy {
	case strategy.OneSecond:
		const remedy = "the next compaction deletes it; set its expiry"
		switch fault {
		case strategy.ServerTime:
			return "ttlwrite/server-timestamp", "uses the server timestamp: " + remedy
		case strategy.WriteTime:
			return "ttlwrite/write-time", "uses the current time: " + remedy
		case strategy.None:
			return "", ""
		}
		return "ttlwrite/already-expired", past(micros) + ": " + remedy
	case strategy.Default:
		if fault != strategy.None {
			d := strategy.FormatDuration(f.TTL)
			return "ttlwrite/already-expired", past(micros) + ", the default lifetime of " + d + " or more before now: the next compaction deletes it; set the current time, or for a lifetime d the current time plus d - " + d
		}
	case strategy.Sequence:
		switch fault {
		case strategy.None:
		case strategy.NotScaled:
			return "ttlwrite/unscaled-sequence", "uses a number that is not multiplied by 1000: timestamps are whole milliseconds; set the number * 1000"
		case strategy.ServerTime:
			return "ttlwrite/clock-in-sequence", "uses the server timestamp: it hides all later numbers; set the number * 1000"
		default:
			return "ttlwrite/clock-in-sequence", "uses what looks like a clock reading: it hides all later numbers; set the number * 1000"
		}
	case strategy.Zero:
		const remedy = ": it hides every later write at timestamp 0; set the timestamp 0"
		switch fault {
		case strategy.None:
		case strategy.ServerTime:
			return "ttlwrite/clock-in-zero", "uses the server timestamp" + remedy
		case strategy.ClockTime:
			return "ttlwrite/clock-in-zero", "uses a time" + remedy
		default:
			return "ttlwrite/clock-in-zero", "uses a timestamp other than 0" + remedy
		}
	}
	return "", ""
}

// past says of a timestamp that it has passed. One that is not set is 0.
func past(micros int64) string {
	if micros == 0 {
		return "uses timestamp 0, as does one that sets none"
	}
	return "uses a time that has passed"
}
