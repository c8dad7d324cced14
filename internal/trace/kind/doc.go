// Package kind says what single things are: types, constants, functions,
// calls, returns and loop counters, by themselves.
//
// It knows the types of go/types, the instructions of SSA and the names of the
// client's API. It gives answers about one of them at a time: whether a type
// carries what matters to Bigtable ([Interesting], [TableLike]), what stands
// for a type or function in values ([TypeKey], [FuncKey]), the value of a
// constant ([ConstantValue]), the way from an object to a part of it
// ([PathTo]), the expression an instruction came from ([Syntax]), the identity
// of a mutation or row in a value ([Root]). It must not know the package in
// which they stand.
//
// Where to begin: types.go; the other files are named for what they recognise.
package kind
