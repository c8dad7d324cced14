package policy

import (
	"go/ast"
	"strings"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/helper"
	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A PolicyUse is a garbage collection policy that an event gives a family.
type PolicyUse struct {
	Table  *value.Value // the table's name
	Family string       // "" when it is not known
	Name   *value.Value // what names it, where that is known
	Policy *value.Value // nil when none is given
	// Created reports whether the family is created with it.
	Created bool
	Case    summary.Case
	Expr    *value.Value // the value at whose expression a finding stands
}

// Policies lists the policies that an event sets: one for each case and
// family. Calls that leave a family's policy as it is have none.
func Policies(e *event.Event) []PolicyUse {
	var uses []PolicyUse
	for _, c := range e.Cases {
		uses = append(uses, CasePolicies(e, c)...)
	}
	return uses
}

func policiesOf(op string, a []*value.Value) []PolicyUse {
	family := func(v *value.Value) string {
		s, _ := v.IsStr()
		return s
	}
	switch op {
	case btapi.SetGCPolicy, btapi.SetGCPolicyWithOptions:
		if a[4].Base().Kind == value.Nil {
			return nil // the client does nothing
		}
		return []PolicyUse{{Table: a[2], Family: family(a[3]), Name: a[3], Policy: a[4], Expr: a[4]}}
	case btapi.UpdateFamily:
		p := a[4].Get("GCPolicy")
		if p == nil {
			return nil
		}
		return []PolicyUse{{Table: a[2], Family: family(a[3]), Name: a[3], Policy: p, Expr: p}}
	case btapi.CreateColumnFamily:
		return []PolicyUse{{Table: a[2], Family: family(a[3]), Name: a[3], Created: true, Expr: a[3]}}
	case btapi.CreateColumnFamilyWithConfig:
		u := created(a[2], family(a[3]), a[4], "GCPolicy")
		u.Name = a[3]
		return []PolicyUse{u}
	case btapi.CreateTableFromConf:
		return ofTableConf(a[2].Base())
	case event.Conf:
		return judgedThere(a[0])
	case event.New + "adminpb.CreateTableRequest":
		table := a[0].Get("Table").Get("ColumnFamilies")
		return entries(TableID(a[0].Get("TableId")), table, "GcRule")
	case event.New + "adminpb.ModifyColumnFamiliesRequest":
		return ofModifications(a[0].Base())
	case event.Modification:
		return ofModification(value.UnknownFor("a table that a request names"), a[0])
	}
	return nil
}

// created is the policy of a family that is made with the configuration
// conf. What is not known is not said to be missing.
func created(table *value.Value, family string, conf *value.Value, name string) PolicyUse {
	u := PolicyUse{Table: table, Family: family, Policy: conf.Get(name), Created: true, Expr: conf}
	switch b := conf.Base(); {
	case b.Kind != value.Struct && b.Kind != value.Nil && u.Policy == nil:
		u.Policy = value.UnknownFor("a configuration that is not known")
	case u.Policy != nil:
		u.Expr = u.Policy
	}
	return u
}

func ofTableConf(conf *value.Value) []PolicyUse {
	if declared := helper.Conf(conf); declared != nil {
		conf = declared
	}
	if conf.Kind != value.Struct {
		return nil
	}
	table := conf.Get("TableID")
	if table == nil {
		table = value.UnknownFor("a table without name")
	}
	uses := entries(table, conf.Get("ColumnFamilies"), "GCPolicy")
	if old := conf.Get("Families"); old != nil && old.Base().Kind == value.Map && conf.Get("ColumnFamilies") == nil {
		m := old.Base()
		for i := 0; i+1 < len(m.Args); i += 2 {
			name, _ := m.Args[i].IsStr()
			u := PolicyUse{Table: table, Family: name, Name: m.Args[i], Policy: m.Args[i+1], Created: true, Expr: m.Args[i+1]}
			if u.Policy.Base().Kind == value.Nil {
				u.Policy = nil
			}
			uses = append(uses, u)
		}
	}
	return uses
}

// entries reads a map from families to configurations.
func entries(table, families *value.Value, name string) []PolicyUse {
	if families == nil || families.Base().Kind != value.Map {
		return nil
	}
	var uses []PolicyUse
	m := families.Base()
	for i := 0; i+1 < len(m.Args); i += 2 {
		family, _ := m.Args[i].IsStr()
		u := created(table, family, m.Args[i+1], name)
		u.Name = m.Args[i]
		uses = append(uses, u)
	}
	return uses
}

// ofModifications reads a google.bigtable.admin.v2.ModifyColumnFamiliesRequest.
func ofModifications(request *value.Value) []PolicyUse {
	table := TableID(request.Get("Name"))
	var uses []PolicyUse
	for _, m := range modifications(request) {
		uses = append(uses, ofModification(table, m)...)
	}
	return uses
}

// modifications lists those of a request.
func modifications(request *value.Value) []*value.Value {
	list := request.Get("Modifications")
	if list == nil || list.Base().Kind != value.List {
		return nil
	}
	return list.Base().Args
}

func ofModification(table, m *value.Value) []PolicyUse {
	family, id := "", m.Get("Id")
	if id != nil {
		family, _ = id.IsStr()
	}
	mod := m.Get("Mod")
	if mod == nil {
		return nil
	}
	switch mod.Base().Name {
	case "adminpb.ModifyColumnFamiliesRequest_Modification_Create":
		if c := mod.Get("Create"); c != nil {
			u := created(table, family, c, "GcRule")
			u.Name = id
			return []PolicyUse{u}
		}
	case "adminpb.ModifyColumnFamiliesRequest_Modification_Update":
		if p := mod.Get("Update").Get("GcRule"); p != nil {
			return []PolicyUse{{Table: table, Family: family, Name: id, Policy: p, Expr: p}}
		}
	}
	return nil
}

// Requested returns the literals of raw changes of families that are in a request
// which one of the events makes: the request says of which table they are.
func Requested(events []*event.Event) map[ast.Node]bool {
	out := map[ast.Node]bool{}
	for _, e := range events {
		if e.Op != event.New+"adminpb.ModifyColumnFamiliesRequest" {
			continue
		}
		for _, c := range e.Cases {
			for _, m := range modifications(c.Args[0].Base()) {
				lit := m.Expr
				if ref, ok := lit.(*ast.UnaryExpr); ok {
					lit = ref.X
				}
				if lit != nil {
					out[lit] = true
				}
			}
		}
	}
	return out
}

// tableID returns the table's ID of a full name
// projects/P/instances/I/tables/T.
func TableID(name *value.Value) *value.Value {
	if name == nil {
		return value.UnknownFor("a table without name")
	}
	g := value.Glob(name)
	if i := strings.LastIndex(g, "/tables/"); i >= 0 {
		g = g[i+len("/tables/"):]
		if !strings.ContainsAny(g, "*") {
			return value.StrOf(g)
		}
	}
	return name
}

// CasePolicies lists the policies that one case of an event sets.
func CasePolicies(e *event.Event, c summary.Case) []PolicyUse {
	var uses []PolicyUse
	for _, u := range policiesOf(e.Op, c.Args) {
		u.Case = c
		uses = append(uses, u)
	}
	return uses
}

// ListedPolicies lists the policies that a case of an event of [event.Listed]
// lists.
func ListedPolicies(e *event.Event, c summary.Case) []PolicyUse {
	var uses []PolicyUse
	if e.Op != event.Listed {
		return nil
	}
	for _, row := range c.Args[0].Base().Args {
		family, _ := row.Args[1].IsStr()
		uses = append(uses, PolicyUse{Table: row.Args[0], Family: family, Policy: row.Args[2], Expr: row.Args[2], Case: c})
	}
	return uses
}

// A MaskUse is a raw update of a family that says nothing of what it
// changes.
type MaskUse struct {
	Family string
	Value  *value.Value
}

// masked reports whether a field mask may name a path.
func masked(mask *value.Value) bool {
	if mask == nil || mask.Base().Kind != value.Struct {
		return mask != nil && mask.Base().Kind != value.Nil
	}
	paths := mask.Get("Paths")
	if paths == nil || paths.Is(value.Zero) {
		return false
	}
	n, known := value.Apply(value.Len, paths.Base()).IsInt()
	return !known || n > 0
}

// EmptyMasks lists the raw updates of a ModifyColumnFamiliesRequest that
// have neither a mask with a path nor a policy.
func EmptyMasks(c summary.Case) []MaskUse {
	var uses []MaskUse
	for _, m := range modifications(c.Args[0]) {
		mod := m.Get("Mod")
		if mod == nil || mod.Base().Name != "adminpb.ModifyColumnFamiliesRequest_Modification_Update" {
			continue
		}
		update := mod.Get("Update")
		if masked(m.Get("UpdateMask")) || update == nil || update.Base().Kind != value.Struct || update.Get("GcRule") != nil {
			continue
		}
		family := ""
		if id := m.Get("Id"); id != nil {
			family, _ = id.IsStr()
		}
		uses = append(uses, MaskUse{family, m})
	}
	return uses
}

// judgedThere lists the policies of a configuration that are known: which
// family gets none is known where the table is created.
func judgedThere(conf *value.Value) []PolicyUse {
	var out []PolicyUse
	for _, u := range ofTableConf(conf.Base()) {
		if u.Policy != nil && u.Policy.Base().Kind != value.Nil {
			out = append(out, u)
		}
	}
	return out
}
