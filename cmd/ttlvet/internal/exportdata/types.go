package exportdata

import (
	"go/constant"
	"go/token"
	"go/types"
	"math/big"
)

// Tags of types.
const (
	typeBasic = iota
	typeNamed
	typePointer
	typeSlice
	typeArray
	typeChan
	typeMap
	typeSignature
	typeStruct
	typeInterface
	typeUnion
	typeTypeParam
)

// pos skips a position: of what other packages declare, nobody asks where.
func (e *element) pos() {
	if e.bool() {
		e.ref()
		e.uint() // line
		e.uint() // column
	}
}

// A typeInfo is a reference to a type: to one of the file's, or to one that
// type parameters are part of, in a dictionary.
type typeInfo struct {
	index   int
	derived bool
}

func (e *element) typeInfo() typeInfo {
	if e.bool() {
		return typeInfo{e.len(), true}
	}
	return typeInfo{e.ref(), false}
}

func (e *element) typ() types.Type { return e.file.typ(e.typeInfo(), e.dict) }

func (f *file) typ(info typeInfo, d *dict) types.Type {
	known, index := f.types, info.index
	if info.derived {
		known, index = d.types, d.derived[info.index]
	}
	if t := known[info.index]; t != nil {
		return t
	}
	e := f.element(sectionType, index, d)
	t := e.newType()
	e.done()
	if prev := known[info.index]; prev != nil {
		return prev // made on the way
	}
	known[info.index] = t
	return t
}

func (e *element) newType() types.Type {
	switch tag := e.len(); tag {
	case typeBasic:
		return types.Typ[e.len()]
	case typeNamed:
		return e.named()
	case typeTypeParam:
		n := e.len()
		if n < len(e.dict.receiver.bounds) {
			return e.dict.receiver.params[n]
		}
		return e.dict.own.params[n-len(e.dict.receiver.bounds)]
	case typeArray:
		n := int64(e.uint())
		return types.NewArray(e.typ(), n)
	case typeChan:
		dir := types.ChanDir(e.len())
		return types.NewChan(dir, e.typ())
	case typeMap:
		key := e.typ()
		return types.NewMap(key, e.typ())
	case typePointer:
		return types.NewPointer(e.typ())
	case typeSignature:
		return e.signature(nil, nil, nil)
	case typeSlice:
		return types.NewSlice(e.typ())
	case typeStruct:
		return e.structType()
	case typeInterface:
		return e.interfaceType()
	case typeUnion:
		return e.union()
	}
	panic("a type of an unknown kind")
}

func (e *element) named() types.Type {
	tn := e.declared(e.ref()).(*types.TypeName)
	n := e.some()
	if n == 0 {
		return tn.Type()
	}
	args := make([]types.Type, n)
	for i := range args {
		args[i] = e.typ()
	}
	t, err := types.Instantiate(e.imp.context, tn.Type(), args, false)
	if err != nil {
		panic(err)
	}
	return t
}

func (e *element) structType() *types.Struct {
	fields := make([]*types.Var, e.some())
	var tags []string
	for i := range fields {
		pkg, name := e.selector()
		t := e.typ()
		tag := e.string()
		fields[i] = types.NewField(token.NoPos, pkg, name, t, e.bool())
		if tag != "" {
			for len(tags) < i {
				tags = append(tags, "")
			}
			tags = append(tags, tag)
		}
	}
	return types.NewStruct(fields, tags)
}

func (e *element) union() *types.Union {
	terms := make([]*types.Term, e.some())
	for i := range terms {
		tilde := e.bool()
		terms[i] = types.NewTerm(tilde, e.typ())
	}
	return types.NewUnion(terms)
}

func (e *element) interfaceType() *types.Interface {
	methods := make([]*types.Func, e.some())
	embedded := make([]types.Type, e.some())
	implicit := len(methods) == 0 && len(embedded) == 1 && e.bool()
	for i := range methods {
		pkg, name := e.selector()
		methods[i] = types.NewFunc(token.NoPos, pkg, name, e.signature(nil, nil, nil))
	}
	for i := range embedded {
		embedded[i] = e.typ()
	}
	t := types.NewInterfaceType(methods, embedded)
	if implicit {
		t.MarkImplicit()
	}
	return t
}

func (e *element) signature(recv *types.Var, recvParams, typeParams []*types.TypeParam) *types.Signature {
	params := e.params(types.ParamVar)
	results := e.params(types.ResultVar)
	return types.NewSignatureType(recv, recvParams, typeParams, params, results, e.bool())
}

func (e *element) params(kind types.VarKind) *types.Tuple {
	n := e.some()
	if n == 0 {
		return nil
	}
	vars := make([]*types.Var, n)
	for i := range vars {
		vars[i] = e.param(kind)
	}
	return types.NewTuple(vars...)
}

func (e *element) param(kind types.VarKind) *types.Var {
	pkg, name := e.selector()
	v := types.NewParam(token.NoPos, pkg, name, e.typ())
	v.SetKind(kind)
	return v
}

// selector reads the position, which is skipped, and the name of a member, a
// parameter or a type parameter.
func (e *element) selector() (*types.Package, string) {
	e.pos()
	return e.ident()
}

func (e *element) ident() (*types.Package, string) {
	pkg := e.pkg(e.ref())
	return pkg, e.string()
}

// pkg returns a package, nil for the universe.
func (f *file) pkg(index int) *types.Package {
	if pkg := f.pkgs[index]; pkg != nil {
		return pkg
	}
	e := f.element(sectionPkg, index, nil)
	defer e.done()
	path := e.string()
	switch path {
	case "":
		path = f.path
	case "builtin":
		return nil
	case "unsafe":
		return types.Unsafe
	}
	pkg := f.imp.packages[path]
	if pkg == nil {
		pkg = types.NewPackage(path, e.string())
		f.imp.packages[path] = pkg
	}
	f.pkgs[index] = pkg
	return pkg
}

// Tags of constants.
const (
	valueBool = iota
	valueString
	valueInt64
	valueBigInt
	valueBigRat
	valueBigFloat
)

func (e *element) value() constant.Value {
	isComplex := e.bool()
	v := e.scalar()
	if isComplex {
		v = constant.BinaryOp(v, token.ADD, constant.MakeImag(e.scalar()))
	}
	return v
}

func (e *element) scalar() constant.Value {
	switch tag := e.len(); tag {
	case valueBool:
		return constant.MakeBool(e.bool())
	case valueString:
		return constant.MakeString(e.string())
	case valueInt64:
		return constant.MakeInt64(e.int())
	case valueBigInt:
		return constant.Make(e.bigInt())
	case valueBigRat:
		num := e.bigInt()
		return constant.Make(new(big.Rat).SetFrac(num, e.bigInt()))
	case valueBigFloat:
		v := new(big.Float).SetPrec(512)
		if err := v.UnmarshalText([]byte(e.string())); err != nil {
			panic(err)
		}
		return constant.Make(v)
	}
	panic("a constant of an unknown kind")
}

func (e *element) bigInt() *big.Int {
	v := new(big.Int).SetBytes([]byte(e.string()))
	if e.bool() {
		v.Neg(v)
	}
	return v
}
