package event

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/helper"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/value"
)

// given returns the configuration of a declared table, v, as a call is given it: what
// functions put into it is not followed. Other configurations are returned as they are.
func given(v ssa.Value, conf *value.Value) *value.Value {
	v = kind.Stripped(v)
	if helper.Conf(conf) == nil || v.Referrers() == nil {
		return conf
	}
	for _, r := range *v.Referrers() {
		if _, ok := r.(*ssa.FieldAddr); ok {
			return value.UnknownFor("a configuration that is changed since it was made").At(conf.Expr)
		}
	}
	return conf
}
