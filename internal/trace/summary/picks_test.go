package summary

import (
	"reflect"
	"testing"
)

func TestPicks(t *testing.T) {
	first, second, last := Picks{"row": {0}, "branch": {1}}, Picks{"row": {1}}, Picks{"row": {2}}
	if first.Agree(second) || !first.Agree(Picks{"other": {0}}) || !first.Agree(nil) {
		t.Error("picks disagree where one choice is made in two ways, and only there")
	}
	either := first.Or(second)
	if want := (Picks{"row": {0, 1}}); !reflect.DeepEqual(either, want) {
		t.Errorf("either is %v, want %v", either, want)
	}
	if !either.Agree(second) || either.Agree(last) || len(either.Or(nil)) > 0 {
		t.Error("what is the same by two choices is not the same by others")
	}
	if both, want := either.And(first), first; !reflect.DeepEqual(both, want) {
		t.Errorf("both are %v, want %v", both, want)
	}
}
