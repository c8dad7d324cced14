package value

// Once is the operation that stands for a reading of the clock that was taken
// once and kept: Args[0] is the reading.
const Once = "once"

// TakenOnce returns v with the readings of the clock in it marked as taken
// once. What a function reads when it is called stays as it is.
func TakenOnce(v *Value) *Value {
	switch {
	case v.Is("time.Now"), v.Is("bigtable.Now"), v.Is(Clock):
		return &Value{Kind: Call, Name: Once, Args: []*Value{v}, Class: v.Class, Expr: v.Expr}
	case len(v.Args) == 0, v.Lazy != nil, v.Is(Once), v.Kind == Func:
		return v
	}
	args := make([]*Value, len(v.Args))
	changed := false
	for i, a := range v.Args {
		args[i] = TakenOnce(a)
		changed = changed || args[i] != a
	}
	if !changed {
		return v
	}
	c := *v
	c.Args = args
	return &c
}
