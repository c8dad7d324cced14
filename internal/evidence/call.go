package evidence

import "github.com/ttlvet/ttlvet/internal/registry"

// A Call is what one call of the client, whichever it is, or one raw message
// tells of its table and of the families in it. A call of a function that
// passes its arguments on to the client is one too.
type Call struct {
	Op       string         // by its name, such as "Mutation.Set"
	Tables   []registry.Ref // what is known of its table: one that says nothing for nothing
	Families []string       // those that it names
	Filtered []string       // the regular expressions by which its filter names families, "" for one that is not known
	Gaps     []Gap          // what is not known of it
	Place    Place
	Package  string
	// In is the declared function in which it stands. When the call is not the
	// client's own, Runs is the function that it runs, and Reaches where that
	// comes to the client's call, as file:line below the module.
	In, Runs, Reaches string
	// Loose reports that not each of the tables need have each of the families.
	Loose bool
	// Told reports that the call applies a mutation which is made in view: what it
	// does, the calls tell that fill that.
	Told bool
	// OnlyTable reports that the call gives a table to an object of another
	// package, whose methods make the client's call.
	OnlyTable bool
	Test      bool
}

// A Gap is what is not known of a call.
type Gap struct {
	What   string // "table", "family", "timestamp", "filter", "policy" or "statement"
	Reason string
	// Supplied reports that calls in this package supply it, and Open that
	// other packages may.
	Supplied, Open bool
}
