package check

// DetailsOf returns the details of a run of an analyzer from its result.
func DetailsOf(result any) (d Details, ok bool) {
	out, ok := result.(*Outcome)
	if !ok || out == nil {
		return d, false
	}
	return out.Details, true
}

// NoRegistry is what drivers say when nothing declares a table: what ttlvet then
// checks is little, and looks like success.
const NoRegistry = "no ttlvet.yaml: " + littleChecked + "; ttlvet init drafts one"

const littleChecked = "only units and inferred families are checked"

// RegistryNote says of the result of an analyzer of the suite, like
// [NoRegistry], that no table is declared for its package. known reports whether
// the package reaches Bigtable and the result can tell.
func RegistryNote(result any) (note string, known bool) {
	out, ok := result.(*Outcome)
	switch {
	case !ok || !out.Reaches:
		return "", false
	case out.Declares:
		return "", true
	case out.Registry:
		return "ttlvet.yaml declares no table: " + littleChecked + "; declare what is commented out, or let ttlvet init -update draft it", true
	}
	return NoRegistry, true
}
