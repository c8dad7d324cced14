package summary

import (
	"fmt"

	"github.com/ttlvet/ttlvet/internal/value"
)

// A FieldSet is what a function sets of what a parameter points to.
type FieldSet struct {
	Param  int          // the index among the parameters, receiver first
	Field  string       // [value.AnyField] for any of them; "" for what the parameter points to itself
	Value  *value.Value // over the function's parameters; nil when it is not known
	Guards []Guard      // under which it is set; what it was stays otherwise
}

func (f FieldSet) String() string {
	place, v := fmt.Sprintf("$%d", f.Param), "?"
	if f.Field != "" {
		place += "." + f.Field
	}
	if f.Value != nil {
		v = f.Value.String()
	}
	return place + " to " + v
}

// Left returns what a function leaves where a parameter points to; nil when it is not
// known.
func (r ResultCase) Left(param int) *value.Value {
	for _, s := range r.Sets {
		if s.Param == param {
			return s.Value
		}
	}
	return nil
}
