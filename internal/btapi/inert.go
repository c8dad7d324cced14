package btapi

// inert are the filters that neither bound nor exclude a family.
var inert = map[string]bool{
	"bigtable.PassAllFilter": true, "bigtable.RowKeyFilter": true, "bigtable.RowSampleFilter": true,
	"bigtable.ColumnFilter": true, "bigtable.StripValueFilter": true, "bigtable.LabelFilter": true,
}

// Inert reports whether of a filter by that constructor it makes no difference to
// the cells of a family, dead or live, whether it stands in a chain.
func Inert(name string) bool { return inert[name] }

// InertOption reports the same of an option of a read.
func InertOption(name string) bool {
	switch name {
	case "bigtable.LimitRows", "bigtable.ReverseScan", "bigtable.WithFullReadStats":
		return true
	}
	return false
}
