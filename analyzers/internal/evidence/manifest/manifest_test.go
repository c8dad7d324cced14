package manifest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ttlvet/ttlvet/analyzers/internal/evidence"
)

const objects = `apiVersion: bigtable.cnrm.cloud.google.com/v1beta1
kind: BigtableTable
metadata:
  name: sessions-object
  annotations:
    cnrm.cloud.google.com/project-id: shop
spec:
  resourceID: sessions
  instanceRef: {external: main}
  columnFamily:
    - family: token
    - family: profile
---
apiVersion: bigtable.cnrm.cloud.google.com/v1beta1
kind: BigtableGCPolicy
metadata: {name: token}
spec:
  tableRef: {name: sessions-object}
  instanceRef: {name: main}
  columnFamily: token
  gcRules: >
    {
      "mode": "union",
      "rules": [{"max_age": "1s"}, {"max_version": 1}]
    }
---
apiVersion: v1
kind: List
items:
  - apiVersion: bigtable.gcp.upbound.io/v1beta1
    kind: GarbageCollectionPolicy
    metadata: {name: a}
    spec:
      forProvider:
        columnFamily: f
        instanceNameSelector: {matchLabels: {is: i}}
        tableSelector: {matchLabels: {is: "t"}}
        maxAge:
          - duration: 168h
  - apiVersion: bigtable.gcp.m.upbound.io/v1beta1
    kind: GarbageCollectionPolicy
    metadata: {name: b}
    spec:
      forProvider:
        columnFamily: g
        instanceName: i
        table: named
        mode: INTERSECTION
        maxAge: {days: 3}
        maxVersion: [{number: 2}]
  - apiVersion: bigtable.gcp.upbound.io/v1beta2
    kind: Table
    metadata:
      name: x
      labels: {is: "t"}
      annotations: {crossplane.io/external-name: real}
    spec: {forProvider: {columnFamily: [{family: f}], instanceName: i}}
---
apiVersion: google.kubeform.com/v1alpha1
kind: BigtableGcPolicy
metadata: {name: k}
spec: {resource: {table: kf, instanceName: i, columnFamily: f, maxAge: [{days: 1}]}}
---
apiVersion: bigtable.cnrm.cloud.google.com/v1beta1
kind: BigtableGCPolicy
metadata: {name: upper}
spec:
  tableRef: {external: projects/p/instances/i/tables/full}
  instanceRef: {external: projects/p/instances/i}
  columnFamily: f
  gcRules: '{"mode":"INTERSECTION","rules":[{"max_age":"1h"},{"max_version":1}]}'
---
apiVersion: bigtable.cnrm.cloud.google.com/v1beta1
kind: BigtableGCPolicy
metadata: {name: bad}
spec:
  tableRef: {external: t}
  columnFamily: f
  maxAge: [{duration: 7d}]
`

const wantObjects = `m.yaml:1:1: sessions created (shop/main)
m.yaml:11:7: sessions token created (shop/main)
m.yaml:12:7: sessions profile created (shop/main)
m.yaml:21:12: sessions token: max age 1s or 1 version (/main)
m.yaml:39:13: real f: max age 7d (/DIR)
m.yaml:49:18: named g: max age 3d and 2 versions (/i)
m.yaml:51:5: real created (/i)
m.yaml:57:42: real f created (/i)
m.yaml:62:74: kf f: max age 1d (/i)
m.yaml:71:12: full f: max age 1h (p/i)
m.yaml:71:12: inert: full f: the mode "INTERSECTION" is not known in gc_rules, and only the first rule, max age 1h, is applied; write "intersection"
m.yaml:79:13: inert: t f: the provider cannot read the duration "7d": its units are ms, s, m and h
`

func readText(t testing.TB, text string) string {
	path := filepath.Join(t.TempDir(), "m.yaml")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	s := read(&evidence.Input{Paths: []string{path}})
	for _, set := range s.Settings {
		if set.Variant != "" {
			set.Variant = "DIR"
		}
	}
	return s.Dump()
}

func TestObjects(t *testing.T) {
	if got := readText(t, objects); got != wantObjects {
		t.Errorf("got:\n%s", got)
	}
}

func TestBroken(t *testing.T) {
	const head = "apiVersion: bigtable.cnrm.cloud.google.com/v1beta1\nkind: BigtableGCPolicy\n"
	for text, want := range map[string]string{
		head + "spec: {{ .Values.spec }\n  x": "m.yaml:1:1: note: is a template, and no YAML: give ttlvet what helm template prints\n",
		head + "spec: [\n":                    "m.yaml:3:7: error: is no YAML: sequence end token ']' not found\n",
		head:                                  "",
		"kind: Other\n":                       "",
	} {
		if got := readText(t, text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzObjects(f *testing.F) {
	f.Add(objects)
	f.Fuzz(func(t *testing.T, text string) {
		r := &reader{schema: &evidence.Schema{}}
		r.file("m.yaml", []byte(text))
		r.finish()
		_ = r.schema.Dump()
	})
}
