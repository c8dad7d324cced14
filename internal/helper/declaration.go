package helper

import (
	"regexp"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/instant"
	"github.com/ttlvet/ttlvet/internal/value"
)

// LiveFilter is the filter of the live cells of a table, Args[0], at a time,
// Args[1]. What it is is written out by [Filter] when the table is known.
const LiveFilter = "ttl.Table.LiveFilter"

// FamilyLive is the filter of the live cells of a family, Args[0], at a time,
// Args[1].
const FamilyLive = "ttl.Family.LiveFilter"

// TableConf is the configuration of a table, Args[0]. What it is is written out
// by [Conf] when the table is known.
const TableConf = "ttl.Table.Conf"

// Families returns the families of a declared table, and false where the
// declaration is not known.
func Families(table *value.Value) ([]*value.Value, bool) {
	t := table.Base()
	if !t.Is(btapi.NewTable) || len(t.Args) != 2 || t.Args[1].Base().Kind != value.List {
		return nil, false
	}
	families := t.Args[1].Base().Args
	for _, f := range families {
		if _, ok := nameOf(f).IsStr(); !ok {
			return nil, false
		}
	}
	return families, true
}

func nameOf(family *value.Value) *value.Value { return value.Apply(value.DeclaredName, family) }

// Filter writes out the value of a [LiveFilter]: a branch for each family with
// the condition of its strategy. It returns nil where the table is not known.
func Filter(live *value.Value) *value.Value {
	live = live.Base()
	if len(live.Args) != 2 {
		return nil
	}
	at := careful(live.Args[1])
	if live.Is(FamilyLive) {
		return branch(live.Args[0], at)
	}
	families, ok := Families(live.Args[0])
	if !ok {
		return nil
	}
	var branches []*value.Value
	for _, f := range families {
		b := branch(f, at)
		if b == nil {
			return nil
		}
		branches = append(branches, b)
	}
	if len(branches) == 1 {
		return branches[0]
	}
	return call(btapi.InterleaveFilters, value.ListOf(branches...))
}

// branch is the filter of one family.
func branch(f, at *value.Value) *value.Value {
	alive := alive(f.Base(), at)
	name, ok := nameOf(f).IsStr()
	if alive == nil || !ok {
		return nil
	}
	named := call("bigtable.FamilyFilter", value.StrOf(regexp.QuoteMeta(name)))
	return call(btapi.ChainFilters, value.ListOf(named, alive))
}

// careful returns the time at which cells must be live: the present, for a
// later one leaves out on purpose what is about to die.
func careful(at *value.Value) *value.Value {
	if i := instant.OfTime(at); i.Clock() && !i.Once && i.Lo > 0 {
		return now
	}
	return at
}

// alive is the filter of the live cells of one family.
func alive(f, at *value.Value) *value.Value {
	since := func(age *value.Value) *value.Value {
		t := at
		if age != nil {
			t = value.Apply("time.Time.Add", at, value.Apply(value.Sub, value.IntOf(0), age))
		}
		return call(btapi.TimestampRange, t, &value.Value{Kind: value.Call, Name: value.ZeroTime, Class: value.Time})
	}
	of := strategyOf(f)
	if of == nil {
		return nil
	}
	switch of.Name {
	case "ttl.OneSecond":
		return since(nil)
	case "ttl.Default":
		return since(of.Args[1])
	case "ttl.Sequence":
		return call(btapi.LatestNFilter, of.Args[1])
	case "ttl.RealTime":
		return realTime(f, since)
	case "ttl.Zero":
		return call(btapi.LatestNFilter, value.IntOf(1))
	}
	return nil
}

// strategyOf returns the call that declares a family, below its options.
func strategyOf(f *value.Value) *value.Value {
	for f = f.Base(); f.Kind == value.Call && len(f.Args) > 0; f = f.Args[0].Base() {
		if _, ok := f.Args[0].IsStr(); ok {
			return f
		}
	}
	return nil
}

// realTime is the filter of an ordinary family: what its age and its number of
// versions leave.
func realTime(f *value.Value, since func(*value.Value) *value.Value) *value.Value {
	var limits []*value.Value
	for ; f.Kind == value.Call && len(f.Args) > 1; f = f.Args[0].Base() {
		switch f.Name {
		case "ttl.RealTimeFamily.MaxAge":
			limits = append(limits, since(f.Args[1]))
		case "ttl.RealTimeFamily.Policy":
			switch p := f.Args[1].Base(); {
			case p.Is(btapi.MaxAgePolicy):
				limits = append(limits, since(p.Args[0]))
			case p.Is(btapi.MaxVersionsPolicy):
				limits = append(limits, call(btapi.LatestNFilter, p.Args[0]))
			case !p.Is(btapi.NoGcPolicy):
				return nil
			}
			f = strategyOf(f) // it takes the place of what was said before
			continue
		case "ttl.RealTimeFamily.MaxVersions":
			limits = append(limits, call(btapi.LatestNFilter, f.Args[1]))
		}
	}
	switch len(limits) {
	case 0:
		return call("bigtable.PassAllFilter")
	case 1:
		return limits[0]
	}
	return call(btapi.ChainFilters, value.ListOf(limits...))
}

// Conf writes out the value of a [TableConf]: the table with the policies that
// the strategies of its families need. It returns nil where the table is not
// known.
func Conf(conf *value.Value) *value.Value {
	conf = conf.Base()
	if !conf.Is(TableConf) || len(conf.Args) != 1 {
		return nil
	}
	families, ok := Families(conf.Args[0])
	if !ok {
		return nil
	}
	m := &value.Value{Kind: value.Map}
	for _, f := range families {
		family := &value.Value{Kind: value.Struct, Name: "bigtable.Family"}
		if p := policy(f.Base()); p != nil {
			family.Keys, family.Args = []string{"GCPolicy"}, []*value.Value{p}
		}
		m.Args = append(m.Args, nameOf(f), family)
	}
	return &value.Value{Kind: value.Struct, Name: "bigtable.TableConf", Keys: []string{"TableID", "ColumnFamilies"},
		Args: []*value.Value{value.Apply(value.DeclaredName, conf.Args[0]), m}}
}

// policy is the GC policy that a family needs; nil for none.
func policy(f *value.Value) *value.Value {
	age := func(d *value.Value) *value.Value { return call(btapi.MaxAgePolicy, d) }
	versions := func(n *value.Value) *value.Value { return call(btapi.MaxVersionsPolicy, n) }
	var parts []*value.Value
	for f = f.Base(); f.Kind == value.Call && len(f.Args) > 0; f = f.Args[0].Base() {
		switch f.Name {
		case "ttl.OneSecondFamily.MaxAge":
			return age(f.Args[1])
		case "ttl.OneSecond":
			return age(&value.Value{Kind: value.Int, Num: 1e9, Class: value.Duration})
		case "ttl.Default":
			return age(f.Args[1])
		case "ttl.Sequence":
			return versions(f.Args[1])
		case "ttl.Zero":
			return versions(value.IntOf(1))
		case "ttl.RealTimeFamily.MaxAge":
			parts = append(parts, age(f.Args[1]))
		case "ttl.RealTimeFamily.MaxVersions":
			parts = append(parts, versions(f.Args[1]))
		case "ttl.RealTimeFamily.Policy":
			return f.Args[1]
		}
	}
	switch len(parts) {
	case 0:
		return nil
	case 1:
		return parts[0]
	}
	return call(btapi.UnionPolicy, value.ListOf(parts...))
}
