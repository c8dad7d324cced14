package terraform

import (
	"path/filepath"
	"strings"

	"github.com/hashicorp/hcl/v2/ext/tryfunc"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/ttlvet/ttlvet/internal/input"
	"github.com/ttlvet/ttlvet/internal/yamltext"
)

// pure are the functions that depend on their arguments alone. Functions
// that are not here yield something unknown.
var pure = map[string]function.Function{
	"abs": stdlib.AbsoluteFunc, "ceil": stdlib.CeilFunc, "chomp": stdlib.ChompFunc, "chunklist": stdlib.ChunklistFunc,
	"coalesce": stdlib.CoalesceFunc, "coalescelist": stdlib.CoalesceListFunc, "compact": stdlib.CompactFunc,
	"concat": stdlib.ConcatFunc, "contains": stdlib.ContainsFunc, "csvdecode": stdlib.CSVDecodeFunc,
	"distinct": stdlib.DistinctFunc, "element": stdlib.ElementFunc, "flatten": stdlib.FlattenFunc,
	"floor": stdlib.FloorFunc, "format": bounded(stdlib.FormatFunc, formatFits), "formatlist": bounded(stdlib.FormatListFunc, formatFits), "indent": stdlib.IndentFunc,
	"index": stdlib.IndexFunc, "join": stdlib.JoinFunc, "jsondecode": stdlib.JSONDecodeFunc, "jsonencode": stdlib.JSONEncodeFunc,
	"keys": stdlib.KeysFunc, "length": stdlib.LengthFunc, "lower": stdlib.LowerFunc, "max": stdlib.MaxFunc,
	"merge": stdlib.MergeFunc, "min": stdlib.MinFunc, "parseint": stdlib.ParseIntFunc, "pow": stdlib.PowFunc,
	"range": stdlib.RangeFunc, "regex": stdlib.RegexFunc, "regexall": stdlib.RegexAllFunc, "replace": bounded(stdlib.ReplaceFunc, replaceFits),
	"reverse": stdlib.ReverseListFunc, "setintersection": stdlib.SetIntersectionFunc, "setproduct": bounded(stdlib.SetProductFunc, productFits),
	"setsubtract": stdlib.SetSubtractFunc, "setunion": stdlib.SetUnionFunc, "signum": stdlib.SignumFunc,
	"slice": stdlib.SliceFunc, "sort": stdlib.SortFunc, "split": stdlib.SplitFunc, "strrev": stdlib.ReverseFunc,
	"substr": stdlib.SubstrFunc, "title": stdlib.TitleFunc, "trim": stdlib.TrimFunc, "trimprefix": stdlib.TrimPrefixFunc,
	"trimspace": stdlib.TrimSpaceFunc, "trimsuffix": stdlib.TrimSuffixFunc, "upper": stdlib.UpperFunc,
	"values": stdlib.ValuesFunc, "zipmap": stdlib.ZipmapFunc,
	"can": tryfunc.CanFunc, "try": tryfunc.TryFunc,
	"tobool":       stdlib.MakeToFunc(cty.Bool),
	"tolist":       tolist,
	"tomap":        stdlib.MakeToFunc(cty.Map(cty.DynamicPseudoType)),
	"tonumber":     stdlib.MakeToFunc(cty.Number),
	"toset":        stdlib.MakeToFunc(cty.Set(cty.DynamicPseudoType)),
	"tostring":     stdlib.MakeToFunc(cty.String),
	"nonsensitive": identity, "sensitive": identity,
	"startswith": affix(strings.HasPrefix), "endswith": affix(strings.HasSuffix), "strcontains": affix(strings.Contains),
	"lookup": lookup, "one": one, "alltrue": truths(true), "anytrue": truths(false), "sum": sum,
	"yamldecode": yamldecode,
}

// functions returns the functions that an expression of a module may call.
func functions(s *scope) map[string]function.Function {
	if s.loader.functions == nil {
		s.loader.functions = map[string]map[string]function.Function{}
	}
	if fs := s.loader.functions[s.dir]; fs != nil {
		return fs
	}
	fs := map[string]function.Function{"file": s.file()}
	for name, f := range pure {
		fs[name] = f
	}
	s.loader.functions[s.dir] = fs
	return fs
}

// file reads a file of the repository's configuration, and no other.
func (s *scope) file() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "path", Type: cty.String}},
		Type:   function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			path := args[0].AsString()
			if !filepath.IsAbs(path) {
				path = filepath.Join(s.dir, path)
			}
			// A module beside the root is as much the repository's.
			if !input.Within(s.loader.rootDir, path) && !input.Within(s.dir, path) || input.Stays(input.Tree(s.loader.rootDir), path) != nil {
				return cty.UnknownVal(cty.String), nil
			}
			data, err := input.Read(path, input.Registry)
			if err != nil {
				return cty.UnknownVal(cty.String), nil
			}
			s.loader.schema.Files = append(s.loader.schema.Files, path)
			return cty.StringVal(string(data)), nil
		},
	})
}

func dynamic(spec function.Spec) function.Function {
	spec.Type = func(args []cty.Value) (cty.Type, error) {
		v, err := spec.Impl(args, cty.DynamicPseudoType)
		if err != nil {
			return cty.DynamicPseudoType, err
		}
		return v.Type(), nil
	}
	return function.New(&spec)
}

var anything = function.Parameter{Name: "value", Type: cty.DynamicPseudoType, AllowNull: true, AllowUnknown: true, AllowDynamicType: true}

var identity = dynamic(function.Spec{
	Params: []function.Parameter{anything},
	Impl:   func(args []cty.Value, _ cty.Type) (cty.Value, error) { return args[0], nil },
})

func affix(is func(s, affix string) bool) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "s", Type: cty.String}, {Name: "affix", Type: cty.String}},
		Type:   function.StaticReturnType(cty.Bool),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			return cty.BoolVal(is(args[0].AsString(), args[1].AsString())), nil
		},
	})
}

// lookup, unlike cty's, takes null as the default: modules pass it.
var lookup = dynamic(function.Spec{
	Params:   []function.Parameter{anything, {Name: "key", Type: cty.String}},
	VarParam: &anything,
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		m := args[0]
		if !m.IsKnown() || m.IsNull() || !m.CanIterateElements() {
			return cty.DynamicVal, nil
		}
		for it := m.ElementIterator(); it.Next(); {
			k, v := it.Element()
			if k.Type() == cty.String && k.AsString() == args[1].AsString() {
				return v, nil
			}
		}
		if len(args) > 2 {
			return args[2], nil
		}
		return cty.DynamicVal, function.NewArgErrorf(1, "no such key")
	},
})

// tolist, unlike cty's, knows that the order of a set of blocks is Terraform's
// own.
var tolist = dynamic(function.Spec{
	Params: []function.Parameter{anything},
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		v := args[0]
		if t := v.Type(); t.IsSetType() && t.ElementType().IsObjectType() && v.IsKnown() && v.LengthInt() > 1 {
			return cty.UnknownVal(cty.List(t.ElementType())), nil
		}
		return stdlib.MakeToFunc(cty.List(cty.DynamicPseudoType)).Call(args)
	},
})

var one = dynamic(function.Spec{
	Params: []function.Parameter{anything},
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		v := args[0]
		if !v.IsKnown() || v.IsNull() || !v.CanIterateElements() {
			return cty.DynamicVal, nil
		}
		for it := v.ElementIterator(); it.Next(); {
			_, e := it.Element()
			return e, nil
		}
		return cty.NullVal(cty.DynamicPseudoType), nil
	},
})

func truths(all bool) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "list", Type: cty.List(cty.Bool)}},
		Type:   function.StaticReturnType(cty.Bool),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			for it := args[0].ElementIterator(); it.Next(); {
				_, e := it.Element()
				if !e.IsKnown() {
					return cty.UnknownVal(cty.Bool), nil
				}
				if !e.IsNull() && e.True() != all {
					return cty.BoolVal(!all), nil
				}
			}
			return cty.BoolVal(all), nil
		},
	})
}

var sum = dynamic(function.Spec{
	Params: []function.Parameter{anything},
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		total := cty.NumberIntVal(0)
		if !args[0].IsWhollyKnown() || args[0].IsNull() || !args[0].CanIterateElements() {
			return cty.UnknownVal(cty.Number), nil
		}
		for it := args[0].ElementIterator(); it.Next(); {
			_, e := it.Element()
			n, err := convert.Convert(e, cty.Number)
			if err != nil || n.IsNull() {
				return cty.UnknownVal(cty.Number), nil
			}
			total = total.Add(n)
		}
		return total, nil
	},
})

var yamldecode = dynamic(function.Spec{
	Params: []function.Parameter{{Name: "text", Type: cty.String, AllowUnknown: true}},
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		if !args[0].IsKnown() {
			return cty.DynamicVal, nil
		}
		data, err := yamltext.JSON([]byte(args[0].AsString()))
		if err != nil {
			return cty.DynamicVal, err
		}
		ty, err := ctyjson.ImpliedType(data)
		if err != nil {
			return cty.DynamicVal, err
		}
		return ctyjson.Unmarshal(data, ty)
	},
})
