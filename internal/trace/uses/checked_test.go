package uses_test

import "testing"

// Checked by hand: the timestamp of a cell is compared with a time, here or in
// a helper. Comparing it with another cell's, or storing it, is no check.
func TestChecked(t *testing.T) {
	rowuseCheck(t, `
func compared(t *bigtable.Table) {
	row, _ := t.ReadRow(context.Background(), "k") // token Checked
	for _, item := range row["token"] {
		if item.Timestamp < bigtable.Now() {
			continue
		}
	}
}
func asTime(t *bigtable.Table) bool {
	row, _ := t.ReadRow(context.Background(), "k") // token Checked
	return row["token"][0].Timestamp.Time().Before(time.Now())
}
func expired(item bigtable.ReadItem) bool { return time.Since(item.Timestamp.Time()) > time.Hour }
func byHelper(t *bigtable.Table) bool {
	row, _ := t.ReadRow(context.Background(), "k") // token Checked
	return expired(row["token"][0])
}
func newest(t *bigtable.Table) bool {
	row, _ := t.ReadRow(context.Background(), "k") // token
	return row["token"][0].Timestamp < row["token"][1].Timestamp
}
type earliest struct { at time.Time }
func kept(t *bigtable.Table) (e earliest) {
	row, _ := t.ReadRow(context.Background(), "k") // token
	for _, item := range row["token"] {
		if ts := item.Timestamp.Time(); e.at.IsZero() || ts.Before(e.at) {
			e.at = ts
		}
	}
	return e
}
func logged(t *bigtable.Table) {
	row, _ := t.ReadRow(context.Background(), "k") // token
	println(row["token"][0].Timestamp)
}
`)
}

// An object that a function fills is checked by who compares its field, not by
// others that have the function fill one.
func TestFilled(t *testing.T) {
	rowuseCheck(t, `
type pass struct { holder string; until time.Time }
func (p *pass) fill(row bigtable.Row) {
	for _, item := range row["token"] {
		p.holder, p.until = string(item.Value), item.Timestamp.Time()
	}
}
func compared(t *bigtable.Table, now time.Time) bool {
	row, _ := t.ReadRow(context.Background(), "k") // token Checked
	var p pass
	p.fill(row)
	return p.until.After(now)
}
func used(t *bigtable.Table) string {
	row, _ := t.ReadRow(context.Background(), "k") // token
	var p pass
	p.fill(row)
	return p.holder
}
func through(p *pass, row bigtable.Row) { p.fill(row) }
func comparedThrough(t *bigtable.Table, now time.Time) bool {
	row, _ := t.ReadRow(context.Background(), "k") // token Checked
	p := new(pass)
	through(p, row)
	return p.until.After(now)
}
func usedThrough(t *bigtable.Table) string {
	row, _ := t.ReadRow(context.Background(), "k") // token
	p := new(pass)
	through(p, row)
	return p.holder
}
`)
}

// To keep the time of a cell is no check; what compares the struct that keeps it is,
// where it is given that struct.
func TestKeptTimes(t *testing.T) {
	rowuseCheck(t, `
type session struct{ exp time.Time }
func (s *session) expired() bool { return s.exp.Before(time.Now()) }
func kept(t *bigtable.Table) *session {
	row, _ := t.ReadRow(context.Background(), "k") // token
	return &session{row["token"][0].Timestamp.Time()}
}
func compared2(t *bigtable.Table) *session {
	row, _ := t.ReadRow(context.Background(), "k") // token Checked
	s := &session{row["token"][0].Timestamp.Time()}
	if s.expired() {
		return nil
	}
	return s
}
func decode(row bigtable.Row) *session { return &session{row["token"][0].Timestamp.Time()} }
func decoded(t *bigtable.Table) *session {
	row, _ := t.ReadRow(context.Background(), "k") // token
	return decode(row)
}
func decodedAndCompared(t *bigtable.Table) bool {
	row, _ := t.ReadRow(context.Background(), "k") // token Checked
	return decode(row).expired()
}
`)
}
