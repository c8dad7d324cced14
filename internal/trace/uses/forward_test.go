package uses_test

import "testing"

// Rows are followed through what holds them for a while: structs, lists, maps, channels,
// variables of literals. What others may see too is used whole.
func TestCarriedRows(t *testing.T) {
	rowuseCheck(t, `
type held struct { row bigtable.Row; err error }
func inStruct(t *bigtable.Table) {
	p := new(held)
	p.row, p.err = t.ReadRow(context.Background(), "k") // token
	q := p
	fmt.Println(q.row["token"])
}
func inMap(t *bigtable.Table) {
	all := map[string]held{}
	row, err := t.ReadRow(context.Background(), "k") // token
	all["k"] = held{row, err}
	for _, h := range all { fmt.Println(h.row["token"]) }
}
func selected(t *bigtable.Table, done chan bool) {
	ch := make(chan held, 1)
	row, err := t.ReadRow(context.Background(), "k") // token
	select {
	case ch <- held{row, err}:
	case <-done:
	}
	select {
	case <-done:
	case h := <-ch:
		fmt.Println(h.row["token"])
	}
}
func sorted(t *bigtable.Table) {
	var all []bigtable.Row
	row, _ := t.ReadRow(context.Background(), "k") // token Exists Keys
	all = append(all, row)
	all = slices.DeleteFunc(all, func(r bigtable.Row) bool { return r.Key() == "" })
	for _, r := range all { fmt.Println(r["token"]) }
}
func literals(t *bigtable.Table) {
	var row bigtable.Row
	show := func() { fmt.Println(row["token"]) }
	row, _ = t.ReadRow(context.Background(), "k") // token
	show()
}
func toChannel(t *bigtable.Table, rows chan bigtable.Row) {
	t.ReadRows(context.Background(), bigtable.PrefixRange(""), func(row bigtable.Row) bool { // All
		select {
		case rows <- row:
			return true
		}
	})
}
func toReply(t *bigtable.Table, reply struct{ to chan held }) {
	row, err := t.ReadRow(context.Background(), "k") // token
	reply.to <- held{row, err} // which only this package looks into
}
var kept bigtable.Row
func toVariable(t *bigtable.Table) {
	kept, _ = t.ReadRow(context.Background(), "k") // All
}
type Open struct { Row bigtable.Row }
func toOpen(t *bigtable.Table, to chan Open) {
	row, _ := t.ReadRow(context.Background(), "k") // $1.Row
	to <- Open{row}
}
func toField(t *bigtable.Table, h *held) {
	h.row, h.err = t.ReadRow(context.Background(), "k") // $1.row
}
func toList(t *bigtable.Table) {
	row, _ := t.ReadRow(context.Background(), "k") // All
	fmt.Println(&Open{row})
}
func result(t *bigtable.Table) held {
	row, err := t.ReadRow(context.Background(), "k") // result.row
	return held{row, err}
}
`)
}

// So are times: in a list of structs in a struct, in a map, by a pointer, over a channel.
func TestCarriedTimes(t *testing.T) {
	rowuseCheck(t, `
type entry struct { until time.Time; size int64 }
type list struct { entries []entry; byName map[string]*entry }
func listed(t *bigtable.Table, now time.Time) (n int) {
	row, _ := t.ReadRow(context.Background(), "k") // token Checked
	var l list
	for _, item := range row["token"] {
		l.entries = append(l.entries, entry{until: item.Timestamp.Time()})
	}
	for _, e := range l.entries {
		if e.until.After(now) { n++ }
	}
	return n
}
func unlisted(t *bigtable.Table) (n int64) {
	row, _ := t.ReadRow(context.Background(), "k") // token
	var l list
	for _, item := range row["token"] {
		l.entries = append(l.entries, entry{until: item.Timestamp.Time()})
	}
	for _, e := range l.entries { n += e.size }
	return n
}
func mapped(t *bigtable.Table, now time.Time) bool {
	row, _ := t.ReadRow(context.Background(), "k") // token Checked
	l := &list{byName: map[string]*entry{}}
	for _, item := range row["token"] {
		l.byName[item.Column] = &entry{until: item.Timestamp.Time()}
	}
	return l.byName["token:a"].until.Before(now)
}
func sent(t *bigtable.Table, now time.Time) bool {
	ch := make(chan *entry, 1)
	row, _ := t.ReadRow(context.Background(), "k") // token Checked
	ch <- &entry{until: row["token"][0].Timestamp.Time()}
	e := <-ch
	return e.until.Before(now)
}
func filtered(t *bigtable.Table, now time.Time) []bigtable.ReadItem {
	alive := func(item bigtable.ReadItem) bool { return item.Timestamp.Time().Before(now) }
	row, _ := t.ReadRow(context.Background(), "k") // token Checked
	return filter(row["token"], alive)
}
func filter(items []bigtable.ReadItem, keep func(bigtable.ReadItem) bool) (out []bigtable.ReadItem) {
	for _, item := range items {
		if keep(item) { out = append(out, item) }
	}
	return out
}
`)
}
