package filter

// elsewhere reports whether the path restricts families by a name that is not
// known.
func (p path) elsewhere() bool {
	for _, l := range p.leaves {
		if (l.Op == Family || l.Op == ColumnRange) && !l.Pattern.Known {
			return true
		}
	}
	return false
}
