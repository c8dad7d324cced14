package uses_test

import "testing"

// A row in a field of an object is followed into what is given the object: functions,
// methods, values of methods. A function that is not known can read a field of this
// package by what the package does with it; one of another package may do anything.
func TestObjectsWithRows(t *testing.T) {
	rowuseCheck(t, `
-- dep/dep.go --
type Page struct { Row bigtable.Row }
func Show(p *Page)
-- p/p.go --
type page struct { row bigtable.Row; n int }
func token(p *page) { fmt.Println(p.row["token"]) }
func (p *page) session() { fmt.Println(p.row["session"]) }
func (p *page) count() { fmt.Println(p.n) }
func byParam(ctx context.Context, tbl *bigtable.Table) {
	row, _ := tbl.ReadRow(ctx, "k") // token
	token(&page{row: row})
}
func byMethod(ctx context.Context, tbl *bigtable.Table) {
	p := &page{}
	p.row, _ = tbl.ReadRow(ctx, "k") // session
	p.session()
	p.count()
}
func byMethodValue(ctx context.Context, tbl *bigtable.Table) {
	row, _ := tbl.ReadRow(ctx, "k") // session
	p := &page{row: row}
	show := p.session
	show()
}
func given(ctx context.Context, tbl *bigtable.Table, p *page) {
	row, _ := tbl.ReadRow(ctx, "k") // $2.row
	p.row = row
}
func fill(p *page, row bigtable.Row) { p.row = row }
func filled(ctx context.Context, tbl *bigtable.Table) {
	row, _ := tbl.ReadRow(ctx, "k") // token
	p := &page{}
	fill(p, row)
	token(p)
}
func abroad(ctx context.Context, tbl *bigtable.Table) {
	row, _ := tbl.ReadRow(ctx, "k") // All
	dep.Show(&dep.Page{Row: row})
}
func unknown(ctx context.Context, tbl *bigtable.Table, f func(*page)) {
	row, _ := tbl.ReadRow(ctx, "k") // session token
	f(&page{row: row})
}
`)
}
