package registry

import (
	"time"

	"github.com/ttlvet/ttlvet/internal/instant"
	"github.com/ttlvet/ttlvet/internal/value"
)

// TableOf reads a declaration made with the runtime package,
// ttl.NewTable("sessions", ttl.OneSecond("token", 30*time.Minute), …). It
// returns nil when the table's name or one of its families is not known:
// half a declaration would report nonsense.
func TableOf(v *value.Value) *Table {
	v = v.Base()
	if !v.Is("ttl.NewTable") || len(v.Args) != 2 {
		return nil
	}
	name, ok := v.Args[0].IsStr()
	families := v.Args[1].Base()
	if !ok || families.Kind != value.List {
		return nil
	}
	t := &Table{Pattern: TableID(name), Source: FromGo}
	for _, fv := range families.Args {
		f := FamilyOf(fv)
		if f == nil {
			return nil
		}
		t.Families = append(t.Families, f)
	}
	return t
}

// FamilyOf reads the declaration of a family, ttl.OneSecond("token", 30*time.Minute)
// and the like. It returns nil when the family is not known.
func FamilyOf(v *value.Value) *Family {
	v = v.Base()
	if v.Kind != value.Call || len(v.Args) == 0 {
		return nil
	}
	switch v.Name {
	// An option on a family returns a changed copy.
	case "ttl.OneSecondFamily.MaxAge", "ttl.RealTimeFamily.MaxAge":
		if f := FamilyOf(v.Args[0]); f != nil {
			f.MaxAge, _ = instant.OfDuration(v.Args[1])
			return f
		}
		return nil
	case "ttl.OneSecondFamily.Skew", "ttl.DefaultFamily.Skew", "ttl.OneSecondFamily.With", "ttl.DefaultFamily.With",
		"ttl.SequenceFamily.With", "ttl.ZeroFamily.With", "ttl.RealTimeFamily.With":
		return FamilyOf(v.Args[0]) // what its cells are stays
	case "ttl.RealTimeFamily.Policy":
		f := FamilyOf(v.Args[0])
		if f == nil {
			return nil
		}
		f.MaxAge, f.Versions = 0, 0
		switch p := v.Args[1].Base(); p.Name {
		case "bigtable.MaxAgePolicy":
			f.MaxAge, _ = instant.OfDuration(p.Args[0])
		case "bigtable.MaxVersionsPolicy":
			n, _ := p.Args[0].IsInt()
			f.Versions = int(n)
		}
		return f
	case "ttl.RealTimeFamily.MaxVersions":
		if f := FamilyOf(v.Args[0]); f != nil {
			n, _ := v.Args[1].IsInt()
			f.Versions = int(n)
			return f
		}
		return nil
	}
	name, ok := v.Args[0].IsStr()
	if !ok {
		return nil
	}
	f := &Family{Name: name, Source: FromGo}
	switch v.Name {
	case "ttl.OneSecond":
		f.Strategy, f.MaxAge = OneSecond, time.Second
		f.TTL, _ = instant.OfDuration(v.Args[1])
	case "ttl.Default":
		f.Strategy = Default
		f.TTL, _ = instant.OfDuration(v.Args[1])
		f.MaxAge = f.TTL
	case "ttl.Sequence":
		f.Strategy = Sequence
		n, _ := v.Args[1].IsInt()
		f.Versions = int(n)
	case "ttl.Zero":
		f.Strategy = Zero
	case "ttl.RealTime":
		f.Strategy = Real
	default:
		return nil
	}
	return f
}
