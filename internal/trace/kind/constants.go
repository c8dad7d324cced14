package kind

import (
	"go/constant"
	"go/token"
	"go/types"
	"math"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/value"
)

func Unknown(reason string) *value.Value { return value.UnknownFor(reason) }

// UnknownOf is an unknown value that keeps what arithmetic needs to know.
func UnknownOf(t types.Type, reason string) *value.Value {
	v := Unknown(reason)
	v.Class = ClassOf(t)
	return v
}

// IsConversion reports whether v is a conversion or a quotient: a number does
// not change what it counts by being called a Timestamp, and d/1000 counts
// something else, though it is called a Duration.
func IsConversion(v ssa.Value) bool {
	quotient, ok := v.(*ssa.BinOp)
	if ok {
		return quotient.Op == token.QUO || quotient.Op == token.REM || quotient.Op == token.SHR
	}
	return Converted(v) != nil
}

// Converted returns what a value is a conversion of, of type parameters too; nil of
// anything else.
func Converted(v ssa.Value) ssa.Value {
	switch v := v.(type) {
	case *ssa.Convert:
		return v.X
	case *ssa.MultiConvert:
		return v.X
	case *ssa.ChangeType:
		return v.X
	}
	return nil
}

// IsComparison reports whether an operator compares.
func IsComparison(op token.Token) bool {
	switch op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return true
	}
	return false
}

// ConstantValue returns a constant, or the zero value of a struct.
func ConstantValue(c *ssa.Const) *value.Value {
	t := c.Type()
	if c.Value == nil {
		if btapi.Type(t) == "time.Time" && !IsPointer(t) {
			return &value.Value{Kind: value.Call, Name: value.ZeroTime, Class: value.Time}
		}
		if _, generic := types.Unalias(t).(*types.TypeParam); generic {
			return value.ZeroOf(value.NoClass)
		}
		switch t.Underlying().(type) {
		case *types.Struct:
			return &value.Value{Kind: value.Struct, Name: TypeKey(t)}
		case *types.Array:
			return Unknown("an array of zeros")
		}
		return value.NilValue()
	}
	v := Unknown("a constant that is too large")
	switch c.Value.Kind() {
	case constant.String:
		v = value.StrOf(constant.StringVal(c.Value))
	case constant.Bool:
		v = value.BoolOf(constant.BoolVal(c.Value))
	case constant.Int:
		if n, ok := constant.Int64Val(c.Value); ok {
			v = value.IntOf(n)
		} else if f, _ := constant.Float64Val(c.Value); !math.IsInf(f, 0) {
			v = value.FloatOf(f)
		}
		if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&types.IsFloat != 0 && v.Kind == value.Int {
			v = value.FloatOf(float64(v.Num))
		}
	case constant.Float:
		f, _ := constant.Float64Val(c.Value)
		v = value.FloatOf(f)
	}
	// Policies may be written as conversions of constants.
	if name := PolicyType(t); name != "" {
		return value.Apply(name, v)
	}
	return v
}

// StructKeys lists the fields that a lazy struct may have.
func StructKeys(u *types.Struct) []string {
	var keys []string
	for i := 0; i < u.NumFields(); i++ {
		keys = append(keys, u.Field(i).Name())
	}
	return keys
}

// ZeroOf returns the zero value of a type.
func ZeroOf(t types.Type) *value.Value {
	if c := ClassOf(t); c != value.NoClass {
		return value.ZeroOf(c)
	}
	if _, generic := types.Unalias(t).(*types.TypeParam); generic {
		return value.ZeroOf(value.NoClass)
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsString != 0:
			return value.StrOf("")
		case u.Info()&types.IsInteger != 0:
			return value.IntOf(0)
		case u.Info()&types.IsFloat != 0:
			return value.FloatOf(0)
		case u.Info()&types.IsBoolean != 0:
			return value.BoolOf(false)
		}
	case *types.Struct:
		return &value.Value{Kind: value.Struct, Name: TypeKey(t)}
	case *types.Array:
		return Unknown("an array of zeros")
	}
	return value.NilValue()
}
