// Package describe reads tables as the service describes them: what gcloud
// bigtable tables describe prints, and what package live asks for.
package describe

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"sort"
	"strings"

	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/gcrule"
	"github.com/ttlvet/ttlvet/internal/lazy"
	"github.com/ttlvet/ttlvet/internal/yamltext"
)

// Reader reads saved descriptions, in JSON and in YAML.
var Reader = &evidence.Reader{Name: "describe", Claims: claims, Found: found, Read: read}

var names = lazy.Regexp(`"?name"?\s*:\s*"?projects/[^/\s"]+/instances/[^/\s"]+/tables/[^/\s"]+"?`)

func claims(path string, head []byte) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".json":
		return names().Match(head) || bytes.Contains(head, []byte(`"columnFamilies"`))
	case ".yaml", ".yml":
		return bytes.Contains(head, []byte("columnFamilies:")) && bytes.Contains(head, []byte("/tables/"))
	}
	return false
}

func found(_ string, data []byte) bool { return names().Match(data) }

// A table is a google.bigtable.admin.v2.Table.
type table struct {
	Name     string
	Families map[string]struct {
		Rule *gcrule.API     `json:"gcRule"`
		Type json.RawMessage `json:"valueType"`
	} `json:"columnFamilies"`
}

func read(in *evidence.Input) *evidence.Schema {
	all := &evidence.Schema{}
	for _, path := range in.Paths {
		data, ok := all.ReadFile(path)
		if !ok {
			continue
		}
		if strings.ToLower(filepath.Ext(path)) != ".json" {
			var err error
			if data, err = yamltext.JSON(data); err != nil {
				all.Fail(evidence.At(path, 1, 1), "is no YAML: %v", err)
				continue
			}
		}
		if err := Text(all, path, data); err != nil {
			all.Fail(evidence.At(path, line(data, err), 1), "is no description of a table: %v", err)
		}
	}
	return all
}

func line(data []byte, err error) int {
	if e, ok := err.(*json.SyntaxError); ok {
		return bytes.Count(data[:min(int(e.Offset), len(data))], []byte("\n")) + 1
	}
	return 1
}

// Text reads a description, or a list of them, in JSON into s. path is ""
// for what was asked of an instance just now.
func Text(s *evidence.Schema, path string, data []byte) error {
	var tables []table
	if t := bytes.TrimSpace(data); len(t) > 0 && t[0] == '[' {
		if err := json.Unmarshal(data, &tables); err != nil {
			return err
		}
	} else {
		var one table
		if err := json.Unmarshal(data, &one); err != nil {
			return err
		}
		tables = []table{one}
	}
	for _, t := range tables {
		if evidence.TableID(t.Name) == t.Name || t.Name == "" {
			return fmt.Errorf("its name %q is not projects/P/instances/I/tables/T", t.Name)
		}
		set := evidence.Setting{Kind: evidence.Live, Table: evidence.TableID(t.Name), Created: true}
		set.Project, set.Instance = evidence.Environment(t.Name)
		if path != "" {
			set.Place = evidence.At(path, 0, 0)
		}
		set.Place.Address = t.Name
		made := set
		s.Settings = append(s.Settings, &made)
		var families []string
		for name := range t.Families {
			families = append(families, name)
		}
		sort.Strings(families)
		for _, name := range families {
			f := set
			f.Family = name
			f.Place.Address = t.Name + " family " + name
			f.Aggregate = bytes.Contains(t.Families[name].Type, []byte("aggregateType"))
			p, err := t.Families[name].Rule.Policy()
			if err != nil {
				return fmt.Errorf("family %q: %v", name, err)
			}
			f.Policy = p
			s.Settings = append(s.Settings, &f)
		}
	}
	return nil
}
