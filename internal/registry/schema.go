package registry

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/ttlvet/ttlvet/internal/rule"
)

// keyDocs describes the keys of registry files, by where they stand, for people
// who see them in an editor.
var keyDocs = map[string]map[string]string{
	"the registry": {
		"version":  "The version of this format: 1.",
		"tables":   "Tables by name, or by path.Match pattern (quote one that begins with *).",
		"rules":    "Which rules are reported.",
		"schema":   "Where GC policies are written outside Go, as globs relative to this file: Terraform, scripts, manifests. They count in every run.",
		"baseline": "A file of findings that are known and not reported, relative to this one; ttlvet -write-baseline writes it.",
		"wrappers": "Functions that tracing cannot see through, such as generated code.",
	},
	"a table": {
		"families": "Column families by name. List ordinary ones too, as real-timestamps.",
		"handles":  "Go fields, variables, constants and functions that hold the table, or its name: example.com/app/store.Ledger.tbl",
	},
	"a family": {
		"strategy": "What the timestamps of the family's cells mean.",
		"ttl":      "How long cells live: 30m, 12h, 90d. With default-expiration it is the age of the GC policy.",
		"max-age":  "The age of the GC policy. With one-second-expiration at most 1s, which is the default.",
		"versions": "How many versions the GC policy keeps.",
	},
	"rules": {
		"enable":  "Analyzers and rules that are reported although they are strict or disabled.",
		"disable": "Analyzers and rules that are not reported.",
		"strict":  "Report the strict rules too.",
	},
	"a wrapper": {
		"func": "The import path and name of a function or method: example.com/app/gen.Client.Put",
		"does": "The client's call that it amounts to.",
		"args": "Where that call's arguments come from: the position of a parameter, counted from 0 without the receiver, or a constant.",
	},
}

// strategyDocs describes the strategies.
var strategyDocs = map[Strategy]string{
	OneSecond: "The timestamp is the moment of expiry; the GC policy has an age of one second.",
	Default:   "Cells live for ttl, the age of the GC policy; other lifetimes shift the timestamp.",
	Sequence:  "The timestamp is a number times 1000; the GC policy keeps versions.",
	Zero:      "The timestamp is always 0: one value for each column.",
	Real:      "The timestamp is the time of writing: an ordinary family.",
}

// requiredOf lists the fields that a strategy cannot do without.
var requiredOf = map[Strategy][]string{Default: {"ttl"}, Sequence: {"versions"}}

type object = map[string]any

// Schema returns the JSON schema of registry files, with which editors complete
// and check them. It is made from what the parser goes by.
func Schema() []byte {
	schema := keys("the registry", object{
		"version":  object{"enum": []any{1, "1"}},
		"tables":   object{"type": []string{"object", "null"}, "propertyNames": object{"pattern": tableNames}, "additionalProperties": object{"$ref": "#/$defs/table"}},
		"rules":    orNull(object{"$ref": "#/$defs/rules"}),
		"baseline": object{"type": "string", "minLength": 1},
		"schema":   object{"type": []string{"array", "null"}, "items": object{"type": "string", "pattern": `^[^/]`}},
		"wrappers": object{"type": []string{"array", "null"}, "items": object{"$ref": "#/$defs/wrapper"}},
	}, "version")
	schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	schema["$id"] = "https://raw.githubusercontent.com/ttlvet/ttlvet/main/docs/ttlvet.schema.json"
	schema["title"] = "ttlvet registry"
	schema["description"] = "What the timestamps of Cloud Bigtable's column families mean: https://github.com/ttlvet/ttlvet/blob/main/docs/registry.md"
	schema["$defs"] = object{
		"table":    tableSchema(),
		"family":   familySchema(),
		"rules":    rulesSchema(),
		"wrapper":  wrapperSchema(),
		"handle":   object{"type": "string", "pattern": handleWritten},
		"duration": object{"type": "string", "pattern": durationWritten, "not": object{"pattern": noDuration}},
	}
	data, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		panic(err)
	}
	return append(data, '\n')
}

// The parser's patterns, as far as JSON schemas have them: receivers may be in
// brackets in a handle, and durations must have a unit.
const (
	tableNames      = `^(projects/[^/]+/instances/[^/]+/tables/)?[-_.a-zA-Z0-9*?\[\]^\\]+$`
	handleWritten   = `^\(?\*?([^\s()]+/)?[^/\s()]+\.(\(\*?)?[^\s()./\d-][^\s()./-]*\)?(\.[^\s()./\d-][^\s()./-]*)?$`
	durationWritten = `^([0-9]+(\.[0-9]+)?d)?([0-9]*\.?[0-9]+(ns|us|µs|ms|s|m|h))*$`
	noDuration      = `^[^1-9]*$` // nothing, or zero
)

// keys returns the schema of a mapping with the keys of that place.
func keys(place string, properties object, required ...string) object {
	for key, doc := range keyDocs[place] {
		if p, ok := properties[key].(object); ok {
			p["description"] = doc
		}
	}
	o := object{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		o["required"] = required
	}
	return o
}

func orNull(o object) object { return object{"anyOf": []object{o, {"type": "null"}}} }

func tableSchema() object {
	return keys("a table", object{
		"families": object{
			"type": "object", "minProperties": 1,
			"propertyNames":        object{"pattern": familyName().String()},
			"additionalProperties": object{"$ref": "#/$defs/family"},
		},
		"handles": object{"type": []string{"array", "null"}, "uniqueItems": true, "items": object{"$ref": "#/$defs/handle"}},
	}, "families")
}

func familySchema() object {
	o := keys("a family", object{
		"strategy": object{"enum": Strategies},
		"ttl":      object{"$ref": "#/$defs/duration"},
		"max-age":  object{"$ref": "#/$defs/duration"},
		"versions": object{"type": "integer", "minimum": 1},
	}, "strategy")
	var cases []object
	for _, s := range Strategies {
		properties := object{"strategy": object{"const": s, "description": strategyDocs[s]}}
		for _, field := range []string{"ttl", "max-age", "versions"} {
			if !slices.Contains(fieldsOf[s], field) {
				properties[field] = false
			}
		}
		if s == OneSecond {
			properties["max-age"] = object{"pattern": `^(1s|1000ms|[0-9]{1,3}ms|[0-9]+(us|µs|ns)|0?\.[0-9]+s)$`}
		}
		then := object{"properties": properties}
		if r := requiredOf[s]; r != nil {
			then["required"] = r
		}
		cases = append(cases, object{
			"if":   object{"properties": object{"strategy": object{"const": s}}, "required": []string{"strategy"}},
			"then": then,
		})
	}
	o["allOf"] = cases
	return o
}

func rulesSchema() object {
	names := func() object {
		return object{"type": []string{"array", "null"}, "items": object{"enum": append(rule.Analyzers(), rule.Names()...)}}
	}
	return keys("rules", object{"enable": names(), "disable": names(), "strict": object{"type": "boolean"}})
}

func wrapperSchema() object {
	o := keys("a wrapper", object{
		"func": object{"$ref": "#/$defs/handle"},
		"does": object{"enum": wrapperCalls()},
		"args": object{"type": []string{"object", "null"}},
	}, "func", "does")
	var cases []object
	for _, does := range wrapperCalls() {
		args := object{}
		for _, name := range wrapperArgs[does] {
			args[name] = object{"anyOf": []object{{"type": "integer", "minimum": 0}, {"type": "string"}}}
			if isPosition(name) {
				args[name] = object{"type": "integer", "minimum": 0}
			}
		}
		cases = append(cases, object{
			"if":   object{"properties": object{"does": object{"const": does}}, "required": []string{"does"}},
			"then": object{"properties": object{"args": object{"properties": args, "additionalProperties": false}}},
		})
	}
	o["allOf"] = cases
	return o
}

// SchemaKeys returns the keys that the schema describes at a place, as errors of
// the parser name it, sorted.
func SchemaKeys(place string) []string {
	switch word, _, _ := strings.Cut(place, " "); word {
	case "table", "family":
		place = "a " + word
	}
	return slices.Sorted(maps.Keys(keyDocs[place]))
}
