package usage

import (
	"slices"
	"testing"
)

const text = `usage: x [flags]

	x ./...

Flags:

	-C dir  change to dir first
	-long-one file
	        write all
	        to a file
	-v      say more

Commands:

	audit  compare
	       all
	trace  print

More.
`

func TestFlags(t *testing.T) {
	want := []Flag{{"-C", "dir", "change to dir first"}, {"-long-one", "file", "write all to a file"}, {"-v", "", "say more"}}
	if got := Flags(text); !slices.Equal(got, want) {
		t.Errorf("got %+v", got)
	}
}

func TestCommands(t *testing.T) {
	if got := Commands(text); !slices.Equal(got, []Command{{"audit", "compare all"}, {"trace", "print"}}) {
		t.Errorf("got %+v", got)
	}
}
