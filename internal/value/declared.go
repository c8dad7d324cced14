package value

// What is asked of a declaration that is made with the runtime package, as
// operations on it, which fold once the declaration is known.
const (
	DeclaredName     = "ttl.Family.Name"            // of a family, a table or a counter's family
	DeclaredColumn   = "ttl.WrittenAtColumn.Column" // of a companion column
	DeclaredLifetime = "ttl: lifetime"              // the usual lifetime of a family's cells
	DeclaredShift    = "ttl: shift"                 // how much earlier than its expiry the timestamp of a cell is
	DeclaredVersions = "ttl: versions"              // how many versions of a cell a family keeps
	Shifted          = "ttl: shifted"               // a time or duration, less a shift
)

// declaredShift folds the shift of a family: the default lifetime, less what
// is allowed for clocks that differ.
func declaredShift(a []*Value) *Value {
	of := constructorOf(a[0])
	if of == nil {
		return nil
	}
	shift := &Value{Kind: Int, Class: Duration}
	if of.Name == "ttl.Default" {
		shift = of.Args[1]
	} else if of.Name != "ttl.OneSecond" {
		return nil
	}
	for v := a[0].Base(); v != of; v = v.Args[0].Base() {
		if len(v.Args) == 2 && (v.Name == "ttl.OneSecondFamily.Skew" || v.Name == "ttl.DefaultFamily.Skew") {
			return Apply(Sub, shift, v.Args[1]) // the last one counts
		}
	}
	return shift
}

// shifted folds a duration or time, Args[0], that is moved back by the shift
// Args[1]: nothing, in most families.
func shifted(a []*Value) *Value {
	n, ok := a[1].IsInt()
	switch {
	case ok && n == 0:
		return a[0]
	case a[0].Base().Class == Time || a[0].Base().Is(ZeroTime) || ofClock(a[0]):
		if _, known := a[1].IsInt(); known {
			return Apply("time.Time.Add", a[0], Apply(Sub, IntOf(0), a[1]))
		}
		return nil
	case ok:
		return Apply(Sub, a[0], a[1])
	}
	return nil
}

// constructorOf returns the call that declared a family, whatever its options,
// or the family of a counter or companion; nil when it is not known.
func constructorOf(v *Value) *Value {
	for v = v.Base(); v.Kind == Call && len(v.Args) > 0; v = v.Args[0].Base() {
		if v.Args[0].Base().Kind == Str {
			return v
		}
		if v.Is("ttl.WrittenAt") {
			return nil
		}
	}
	return nil
}

// declaredArg folds to the second argument of the call by which something is
// declared, if that is one of those named.
func declaredArg(names ...string) func([]*Value) *Value {
	return func(a []*Value) *Value {
		of := constructorOf(a[0])
		if b := a[0].Base(); of == nil && b.Is("ttl.WrittenAt") {
			of = b
		}
		if of == nil || len(of.Args) < 2 {
			return nil
		}
		for _, name := range names {
			if of.Name == name {
				return of.Args[1]
			}
		}
		return nil
	}
}
