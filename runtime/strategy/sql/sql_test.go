package sql

import (
	"reflect"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	for _, test := range []struct {
		statement string
		want      *Query // nil for what is not understood
	}{
		{"SELECT code['otp'] FROM otp WHERE _key = 'k'", &Query{Table: "otp", Columns: []string{"code", "WHERE", "_key"}}},
		{"select * from `bank-ledger`", &Query{Table: "bank-ledger", All: true}},
		{"SELECT COUNT(*) FROM t", &Query{Table: "t"}},
		{"SELECT f['a'] FROM t(with_history => TRUE, after_or_equal => CURRENT_TIMESTAMP())",
			&Query{Table: "t", Columns: []string{"f"}, History: true, From: &Bound{Known: true}}},
		{"SELECT f['a'] FROM t(with_history=>true, after=>TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 3 DAY), latest_n => 2) -- why",
			&Query{Table: "t", Columns: []string{"f"}, History: true, LatestN: 2, From: &Bound{Known: true, Offset: -72 * time.Hour}}},
		{"SELECT f['a'] FROM t(as_of => @when)", &Query{Table: "t", Columns: []string{"f"}, To: &Bound{}, AsOf: true}},
		{"SELECT f['a'] FROM t(as_of => TIMESTAMP('2024-01-01', 'UTC'), with_history => FALSE)",
			&Query{Table: "t", Columns: []string{"f"}, To: &Bound{}, AsOf: true}},
		{"SELECT a.f FROM t AS a JOIN u ON true", nil},
		{"SELECT f FROM (SELECT f FROM t)", nil},
		{"SELECT f FROM t(unheard_of => 1)", nil},
		{"DELETE FROM t", nil},
		{"", nil},
	} {
		q, ok := Parse(test.statement)
		if !ok {
			q = nil
		}
		if !reflect.DeepEqual(q, test.want) {
			t.Errorf("Parse(%q) = %+v, want %+v", test.statement, q, test.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("SELECT f['a'] FROM t(with_history => TRUE, after => TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 3 DAY))")
	f.Add("SELECT `a FROM 'b /*")
	f.Fuzz(func(t *testing.T, s string) {
		if q, ok := Parse(s); ok && q.Table == "" {
			t.Errorf("Parse(%q) is understood and has no table", s)
		}
	})
}
