package terraform

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/ttlvet/ttlvet/analyzers/internal/evidence"
	"github.com/ttlvet/ttlvet/analyzers/internal/gcpolicy"
	"github.com/ttlvet/ttlvet/analyzers/internal/gcrule"
)

var showHead = regexp.MustCompile(`"(format_version|terraform_version)"\s*:`)

// isShow reports whether a file is what terraform show -json prints, or a
// raw state.
func isShow(path string, head []byte) bool {
	ext := filepath.Ext(path)
	return (ext == ".json" || ext == ".tfstate") && showHead.Match(head)
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

type shownResource struct {
	Address, Mode, Type string
	Values              values
}

// A rawResource is a resource of a state of version 4.
type rawResource struct {
	Module, Mode, Type, Name string
	Instances                []struct {
		Index      any `json:"index_key"`
		Attributes values
	}
}

// values are the attributes of a table or a policy that matter.
type values struct {
	ID       string
	Name     string
	Table    string
	Project  string
	Instance string `json:"instance_name"`
	Family   string `json:"column_family"`
	Rules    string `json:"gc_rules"`
	Mode     string
	Ignore   bool `json:"ignore_warnings"`
	MaxAge   []struct {
		Days     int
		Duration string
	} `json:"max_age"`
	MaxVersion []struct{ Number int } `json:"max_version"`
	Families   []struct{ Family, Type string }
}

// UnmarshalJSON reads the attributes, of which column_family is a name in
// policies and a list of blocks in tables.
func (v *values) UnmarshalJSON(data []byte) error {
	type plain values
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	if cf := raw["column_family"]; len(cf) > 0 && bytes.TrimSpace(cf)[0] == '[' {
		if err := json.Unmarshal(cf, &v.Families); err != nil {
			return err
		}
		delete(raw, "column_family")
	}
	if v.Instance == "" && raw["instance_name"] == nil {
		raw["instance_name"] = raw["instance"]
	}
	for name := range raw {
		switch name {
		case "id", "name", "table", "project", "instance_name", "column_family", "gc_rules", "mode", "ignore_warnings", "max_age", "max_version":
			if raw[name] == nil {
				delete(raw, name)
			}
		default:
			delete(raw, name)
		}
	}
	data, err := json.Marshal(raw)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, (*plain)(v))
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
		s.Fail(at, "has the format %s, of which ttlvet knows none after 1", head.Format)
		return
	}
	var file shown
	if err := json.Unmarshal(strip(data), &file); err != nil {
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
		s.Fail(at, "is a state of version %d, of which ttlvet knows 4; write it with terraform show -json", file.Version)
	case file.Format != "":
		s.Note(at, "the plan or state is empty")
	default:
		s.Fail(at, "is no plan and no state: it has neither planned_values nor values")
	}
}

// strip removes the values of all resources but Bigtable's, which may have
// any shape.
func strip(data []byte) []byte {
	var v any
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return data
	}
	out, err := json.Marshal(stripped(v))
	if err != nil {
		return data
	}
	return out
}

func stripped(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if t, ok := v["type"].(string); ok && v["mode"] != nil && !strings.HasSuffix(t, "bigtable_gc_policy") && !strings.HasSuffix(t, "bigtable_table") {
			return map[string]any{"type": t}
		}
		for k := range v {
			v[k] = stripped(v[k])
		}
	case []any:
		for i := range v {
			v[i] = stripped(v[i])
		}
	}
	return v
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

func (r *shower) resource(kind, address string, v values) {
	set := evidence.Setting{Kind: r.kind, Place: evidence.At(r.path, 0, 0), Project: v.Project, Instance: v.Instance, Relaxes: v.Ignore}
	set.Place.Address = address
	if p, i := evidence.Environment(v.Instance); i != "" {
		set.Project, set.Instance = p, i
	}
	switch {
	case strings.HasSuffix(kind, "bigtable_table"):
		set.Created = true
		set.Table = known(evidence.TableID(v.Name))
		table := set
		r.schema.Settings = append(r.schema.Settings, &table)
		for _, f := range v.Families {
			family := set
			family.Family = known(f.Family)
			r.schema.Settings = append(r.schema.Settings, &family)
		}
	case strings.HasSuffix(kind, "bigtable_gc_policy"):
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
}

func known(s string) string {
	if s == "" {
		return "*"
	}
	return s
}

// policy reads the policy of a resource. In a state the blocks are what was
// written, and the id is what is set.
func (r *shower) policy(address string, v values) (*gcpolicy.Policy, error) {
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
