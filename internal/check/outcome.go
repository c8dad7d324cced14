package check

// DetailsOf returns the details of a run of an analyzer from its result.
func DetailsOf(result any) (d Details, ok bool) {
	out, ok := result.(*Outcome)
	if !ok || out == nil {
		return d, false
	}
	return out.Details, true
}

// NoRegistry is what drivers say that do not know what a package calls, when there is
// no registry: what ttlvet then checks is little, and looks like success.
const NoRegistry = "no ttlvet.yaml: only units and inferred families are checked; ttlvet init drafts one"
