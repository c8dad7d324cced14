package way_test

import "testing"

// A new list of which a loop fills each element is what it makes of each of the other
// list's; of one that is filled in part, or that is of another length, the rest is not
// known.
func TestMapped(t *testing.T) {
	check(t, `
func all(families []string) {
	names := make([]string, len(families))
	for i, f := range families {
		names[i] = f + "s"
	}
	show(names) // [...(where($0, true, +(an element, "s")))]
}
func some(families []string, b bool) {
	names := make([]string, len(families))
	for i := range families {
		if b {
			names[i] = "same"
		}
	}
	show(names) // ["same", ...(?elements of a slice that is filled in a loop)]
}
func longer(families []string) {
	names := make([]string, len(families)+1)
	for i := range families {
		names[i] = "same"
	}
	show(names) // ["same", ...(?elements of a slice that is filled in a loop)]
}
`)
}
