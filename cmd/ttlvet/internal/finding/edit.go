package finding

// An Edit replaces a part of a file.
type Edit struct {
	Start, End int // offsets
	Text       string
}

// Overlaps reports whether the edits cannot both be made. Insertions at the
// same place can, one after the other.
func (e Edit) Overlaps(o Edit) bool { return e.Start < o.End && o.Start < e.End }
