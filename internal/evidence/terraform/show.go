package terraform

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/gcpolicy"
	"github.com/ttlvet/ttlvet/internal/gcrule"
	"github.com/ttlvet/ttlvet/internal/lazy"
)

var showHead = lazy.Regexp(`"(format_version|terraform_version)"\s*:`)

// isShow reports whether a file is what terraform show -json prints, or a
// raw state.
func isShow(path string, head []byte) bool {
	ext := filepath.Ext(path)
	return (ext == ".json" || ext == ".tfstate") && showHead().Match(head)
}

// A shown is a plan or a state, in the format of terraform show -json, or a
// raw state. Of the many things in it only those about Bigtable are looked
// at: plans hold secrets.
type shown struct {
	Format  string      `json:"format_version"`
	Planned *shownState `json:"planned_values"`
	Values  *shownState
	Changes []struct {
		Address string
		Change  struct {
			AfterUnknown map[string]any `json:"after_unknown"`
		}
	} `json:"resource_changes"`
	Version   int
	Resources []rawResource
}

type shownState struct {
	Root shownModule `json:"root_module"`
}

type shownModule struct {
	Resources []shownResource
	Children  []shownModule `json:"child_modules"`
}

// A shownResource is a resource. What it holds is read when it is one of
// Bigtable's: others have any shape.
type shownResource struct {
	Address, Mode, Type string
	Values              json.RawMessage
}

// A rawResource is a resource of a state of version 4.
type rawResource struct {
	Module, Mode, Type, Name string
	Instances                []struct {
		Index      any `json:"index_key"`
		Attributes json.RawMessage
	}
}

// values are the attributes of a table or a policy that matter.
type values struct {
	ID         string
	Name       string
	Table      string
	Project    string
	Instance   string `json:"instance_name"`
	Family     string `json:"column_family"`
	Rules      string `json:"gc_rules"`
	Mode       string
	Ignore     bool `json:"ignore_warnings"`
	MaxAge     []maxAge
	MaxVersion []maxVersion
	Families   []struct{ Family, Type string }
}

type maxAge struct {
	Days     int
	Duration string
}

type maxVersion struct{ Number int }

// parseValues reads the attributes. column_family is a name in policies and a
// list of blocks in tables, and providers differ in whether a block is an
// object or a list of them.
func parseValues(data []byte) (*values, error) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, errors.New("its attributes are no object")
	}
	v := &values{}
	into := map[string]any{"id": &v.ID, "name": &v.Name, "table": &v.Table, "project": &v.Project, "instance": &v.Instance, "instance_name": &v.Instance,
		"gc_rules": &v.Rules, "mode": &v.Mode, "ignore_warnings": &v.Ignore}
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		var err error
		text := bytes.TrimSpace(raw[name])
		switch block := len(text) > 0 && (text[0] == '[' || text[0] == '{'); {
		case name == "max_age":
			v.MaxAge, err = blocks[maxAge](text)
		case name == "max_version":
			v.MaxVersion, err = blocks[maxVersion](text)
		case name == "column_family" && block:
			v.Families, err = blocks[struct{ Family, Type string }](text)
		case name == "column_family":
			err = json.Unmarshal(text, &v.Family)
		case into[name] != nil:
			err = json.Unmarshal(text, into[name])
		}
		if err != nil {
			return nil, fmt.Errorf("its attribute %s is of another shape than ttlvet knows, perhaps of another version of the provider", name)
		}
	}
	return v, nil
}

// blocks reads a list of objects, or one of them.
func blocks[T any](text []byte) (list []T, err error) {
	if len(text) > 0 && text[0] == '{' {
		list = make([]T, 1)
		return list, json.Unmarshal(text, &list[0])
	}
	return list, json.Unmarshal(text, &list)
}

// show reads a plan or a state.
func show(s *evidence.Schema, path string, data []byte) {
	var head struct {
		Format string `json:"format_version"`
	}
	at := evidence.At(path, 1, 1)
	if err := json.Unmarshal(data, &head); err != nil {
		s.Fail(jsonPlace(path, data, err), "is no JSON: %v", err)
		return
	}
	if major, _, _ := strings.Cut(head.Format, "."); head.Format != "" && major != "0" && major != "1" {
		s.Fail(at, "has the format %s, and ttlvet reads those of Terraform 1 and OpenTofu 1; a newer ttlvet may read it", head.Format)
		return
	}
	var file shown
	if err := json.Unmarshal(data, &file); err != nil {
		s.Fail(jsonPlace(path, data, err), "is no plan or state that ttlvet can read: %v", err)
		return
	}
	r := &shower{schema: s, path: path, unknown: map[string]map[string]any{}}
	for _, c := range file.Changes {
		r.unknown[c.Address] = c.Change.AfterUnknown
	}
	switch {
	case file.Planned != nil:
		r.kind = evidence.Plan
		r.module(file.Planned.Root)
	case file.Values != nil:
		r.kind = evidence.State
		r.module(file.Values.Root)
	case file.Version == 4:
		r.kind = evidence.State
		r.raw(file.Resources)
	case file.Version != 0:
		s.Fail(at, "is a state of version %d, and ttlvet reads version 4; give it what terraform show -json prints", file.Version)
	case file.Format != "":
		s.Note(at, "the plan or state is empty")
	default:
		s.Fail(at, "is no plan and no state: it has neither planned_values nor values")
	}
}

func jsonPlace(path string, data []byte, err error) evidence.Place {
	offset := int64(0)
	switch e := err.(type) {
	case *json.SyntaxError:
		offset = e.Offset
	case *json.UnmarshalTypeError:
		return evidence.At(path, 1, 1)
	}
	before := data[:min(int(offset), len(data))]
	line := bytes.Count(before, []byte("\n")) + 1
	return evidence.At(path, line, len(before)-bytes.LastIndexByte(before, '\n'))
}

type shower struct {
	schema  *evidence.Schema
	path    string
	kind    evidence.Kind
	unknown map[string]map[string]any
}

func (r *shower) module(m shownModule) {
	for _, res := range m.Resources {
		if res.Mode == "managed" {
			r.resource(res.Type, res.Address, res.Values)
		}
	}
	for _, c := range m.Children {
		r.module(c)
	}
}

func (r *shower) raw(list []rawResource) {
	for _, res := range list {
		for _, i := range res.Instances {
			address := join(res.Module, res.Type+"."+res.Name)
			switch k := i.Index.(type) {
			case string:
				address += fmt.Sprintf("[%q]", k)
			case float64:
				address += fmt.Sprintf("[%d]", int(k))
			}
			if res.Mode == "managed" {
				r.resource(res.Type, address, i.Attributes)
			}
		}
	}
}

func (r *shower) resource(kind, address string, data []byte) {
	table, policy := strings.HasSuffix(kind, "bigtable_table"), strings.HasSuffix(kind, "bigtable_gc_policy")
	if !table && !policy {
		return
	}
	place := evidence.At(r.path, 0, 0)
	place.Address = address
	v, err := parseValues(data)
	if err != nil {
		r.schema.Fail(place, "cannot be read: %v", err)
		return
	}
	set := evidence.Setting{Kind: r.kind, Place: place, Project: v.Project, Instance: v.Instance, Relaxes: v.Ignore}
	if p, i := evidence.Environment(v.Instance); i != "" {
		set.Project, set.Instance = p, i
	}
	if table {
		set.Created = true
		set.Table = known(evidence.TableID(v.Name))
		made := set
		r.schema.Settings = append(r.schema.Settings, &made)
		for _, f := range v.Families {
			family := set
			family.Family = known(f.Family)
			r.schema.Settings = append(r.schema.Settings, &family)
		}
		return
	}
	if p, i := evidence.Environment(v.Table); i != "" {
		set.Project, set.Instance = p, i
	}
	set.Table = known(evidence.TableID(v.Table))
	set.Family = known(v.Family)
	p, err := r.policy(address, v)
	if err != nil {
		r.schema.Fault(set.Place, set.Table, set.Family, "%v", err)
		return
	}
	set.Policy = p
	r.schema.Settings = append(r.schema.Settings, &set)
}

func known(s string) string {
	if s == "" {
		return "*"
	}
	return s
}

// policy reads the policy of a resource. In a state the blocks are what was
// written, and the id is what is set.
func (r *shower) policy(address string, v *values) (*gcpolicy.Policy, error) {
	if r.kind == evidence.State && (strings.Contains(v.ID, "age()") || strings.Contains(v.ID, "versions()")) {
		if p, err := gcrule.Client(v.ID); err == nil {
			return p, nil
		}
	}
	for _, name := range []string{"gc_rules", "max_age", "max_version", "mode"} {
		if u := r.unknown[address][name]; u != nil && anyTrue(u) {
			return &gcpolicy.Policy{}, nil
		}
	}
	if v.Rules != "" {
		rules, err := gcrule.OfProvider(v.Rules)
		if err != nil {
			return nil, fmt.Errorf("the provider refuses this policy: %v", err)
		}
		if rules.Inert != "" {
			at := evidence.At(r.path, 0, 0)
			at.Address = address
			r.schema.Fault(at, known(evidence.TableID(v.Table)), v.Family, "%s", rules.Inert)
		}
		return rules.Policy, nil
	}
	var sub []*gcpolicy.Policy
	if len(v.MaxAge) > 0 {
		age := time.Duration(v.MaxAge[0].Days) * 24 * time.Hour
		if d := v.MaxAge[0].Duration; d != "" {
			var err error
			if age, err = time.ParseDuration(d); err != nil {
				return nil, fmt.Errorf("the provider cannot read the duration %q", d)
			}
		}
		sub = append(sub, gcrule.Age(age))
	}
	if len(v.MaxVersion) > 0 {
		sub = append(sub, gcrule.Versions(v.MaxVersion[0].Number))
	}
	switch {
	case len(sub) == 0:
		return gcrule.Never(), nil
	case v.Mode == "UNION":
		return &gcpolicy.Policy{Op: gcpolicy.Union, Sub: sub}, nil
	case v.Mode == "INTERSECTION":
		return &gcpolicy.Policy{Op: gcpolicy.Intersection, Sub: sub}, nil
	}
	return sub[0], nil
}

// anyTrue reports whether something in a value of after_unknown is unknown.
func anyTrue(v any) bool {
	switch v := v.(type) {
	case bool:
		return v
	case []any:
		for _, e := range v {
			if anyTrue(e) {
				return true
			}
		}
	case map[string]any:
		for _, e := range v {
			if anyTrue(e) {
				return true
			}
		}
	}
	return false
}
