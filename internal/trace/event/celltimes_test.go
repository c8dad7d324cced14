package event

import (
	"testing"

	"github.com/ttlvet/ttlvet/internal/value"
)

// TestMayBeOfCell holds which times concern callers: cells', and those that they give.
func TestMayBeOfCell(t *testing.T) {
	given := &value.Value{Kind: value.Param, Num: 1}
	now := value.Apply("time.Now")
	clock := value.Apply(value.Clock, value.Apply(value.Invoke, given))
	cell := value.FieldOf(value.UnknownFor("a cell"), "bigtable.ReadItem.Timestamp", value.Timestamp)
	byKey := value.Apply(value.Index, value.UnknownFor("a map"), given)
	ofMap := value.Apply(value.Index, given, value.UnknownFor("a key"))
	for _, test := range []struct {
		name string
		op   string
		args []*value.Value
		want bool
	}{
		{"an age of what is given", "time.Since", []*value.Value{given}, true},
		{"of a cell", "time.Since", []*value.Value{cell}, true},
		{"of the current time", "time.Since", []*value.Value{now}, false},
		{"of what a clock says", "time.Since", []*value.Value{clock}, false},
		{"what is left until a time that is given", "time.Time.Sub", []*value.Value{given, now}, false},
		{"subtracted from a clock", "time.Time.Sub", []*value.Value{clock, given}, true},
		{"a timestamp subtracted", Age, []*value.Value{now, given, value.IntOf(5)}, true},
		{"compared with one that is given", Age, []*value.Value{now, now, given}, false},
		{"a comparison", Compare, []*value.Value{now, given}, true},
		{"by a key that is given", StoreTime, []*value.Value{byKey}, false},
		{"of a map that is given", StoreTime, []*value.Value{ofMap}, true},
		{"a write", "bigtable.Mutation.Set", []*value.Value{now}, true},
	} {
		if got := MayBeOfCell(test.op, test.args); got != test.want {
			t.Errorf("%s: %t", test.name, got)
		}
	}
}
