// Package sarif holds the part of the Static Analysis Results Interchange
// Format, version 2.1.0, that ttlvet writes, by the names of the standard:
// https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html.
//
// There are libraries with all of the format. They bring a JSON schema
// validator into every program that has them, and write what is empty, too.
package sarif

import (
	"encoding/json"
	"io"
)

// Schema is the address of the format's schema.
const Schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// A Log is a file (§3.13).
type Log struct {
	Schema  string `json:"$schema"`
	Version string `json:"version"`
	Runs    []Run  `json:"runs"`
}

// New returns the log of a run.
func New(run Run) *Log { return &Log{Schema, "2.1.0", []Run{run}} }

// Write writes the log as indented JSON.
func (l *Log) Write(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "\t")
	return enc.Encode(l)
}

// A Run is one run of a tool (§3.14).
type Run struct {
	Tool               Tool                        `json:"tool"`
	Automation         *Automation                 `json:"automationDetails,omitempty"`
	Invocations        []Invocation                `json:"invocations,omitempty"`
	ColumnKind         string                      `json:"columnKind"` // see [UTF16]
	OriginalURIBaseIDs map[string]ArtifactLocation `json:"originalUriBaseIds,omitempty"`
	Results            []Result                    `json:"results"` // empty, not absent, when nothing was found
}

// An Automation tells a run from others of the same code (§3.17): GitHub takes its ID,
// up to the last slash, for the category of the alerts.
type Automation struct {
	ID string `json:"id"`
}

// UTF16 counts columns in UTF-16 code units (§3.14.17).
const UTF16 = "utf16CodeUnits"

// A Tool is what ran (§3.18).
type Tool struct {
	Driver Component `json:"driver"`
}

// A Component is a program with its rules (§3.19).
type Component struct {
	Name            string `json:"name"`
	FullName        string `json:"fullName,omitempty"` // with its version
	Version         string `json:"version,omitempty"`
	SemanticVersion string `json:"semanticVersion,omitempty"` // without the v
	InformationURI  string `json:"informationUri,omitempty"`
	Rules           []Rule `json:"rules"`
}

// An Invocation says how a run ended (§3.20).
type Invocation struct {
	ExecutionSuccessful bool `json:"executionSuccessful"`
}

// A Rule is a reportingDescriptor (§3.49).
type Rule struct {
	ID               string         `json:"id"`
	Name             string         `json:"name"`
	ShortDescription Message        `json:"shortDescription"`
	FullDescription  Message        `json:"fullDescription"`
	HelpURI          string         `json:"helpUri"`
	Help             Message        `json:"help"`
	Default          Configuration  `json:"defaultConfiguration"`
	Properties       map[string]any `json:"properties,omitempty"`
}

// A Configuration says how a rule reports unless told otherwise (§3.50).
type Configuration struct {
	Enabled bool   `json:"enabled"`
	Level   string `json:"level"` // error, warning or note
}

// A Message is text, also as Markdown where that is another one (§3.11, §3.12).
type Message struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown,omitempty"`
}

// A Result is a finding (§3.27).
type Result struct {
	RuleID              string            `json:"ruleId"`
	RuleIndex           int               `json:"ruleIndex"`
	Level               string            `json:"level"`
	Message             Message           `json:"message"`
	Locations           []Location        `json:"locations"`
	RelatedLocations    []Location        `json:"relatedLocations,omitempty"`
	PartialFingerprints map[string]string `json:"partialFingerprints,omitempty"`
	Fixes               []Fix             `json:"fixes,omitempty"`
	Properties          map[string]any    `json:"properties,omitempty"`
}

// A Location is a place in source, and what it belongs to (§3.28).
type Location struct {
	ID               int               `json:"id,omitempty"`
	PhysicalLocation PhysicalLocation  `json:"physicalLocation"`
	LogicalLocations []LogicalLocation `json:"logicalLocations,omitempty"`
	Message          *Message          `json:"message,omitempty"`
}

// A PhysicalLocation is a region of a file (§3.29).
type PhysicalLocation struct {
	ArtifactLocation ArtifactLocation `json:"artifactLocation"`
	Region           Region           `json:"region"`
}

// An ArtifactLocation is a file, or what file names are relative to (§3.4).
type ArtifactLocation struct {
	URI         string   `json:"uri,omitempty"`
	URIBaseID   string   `json:"uriBaseId,omitempty"`
	Description *Message `json:"description,omitempty"`
}

// A Region is a part of a file, from its first character to before its end
// (§3.30). Lines and columns count from 1.
type Region struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
	EndLine     int `json:"endLine"`
	EndColumn   int `json:"endColumn"`
}

// A LogicalLocation is a function or what else has a name (§3.33).
type LogicalLocation struct {
	Name               string `json:"name"`
	FullyQualifiedName string `json:"fullyQualifiedName"`
	Kind               string `json:"kind,omitempty"`
}

// A Fix is a change that mends a finding (§3.55).
type Fix struct {
	Description     Message          `json:"description"`
	ArtifactChanges []ArtifactChange `json:"artifactChanges"`
}

// An ArtifactChange is a change of one file (§3.56).
type ArtifactChange struct {
	ArtifactLocation ArtifactLocation `json:"artifactLocation"`
	Replacements     []Replacement    `json:"replacements"`
}

// A Replacement puts a text in the place of a region, which may be empty
// (§3.57).
type Replacement struct {
	DeletedRegion   Region   `json:"deletedRegion"`
	InsertedContent *Content `json:"insertedContent,omitempty"`
}

// Content is text of a file (§3.3).
type Content struct {
	Text string `json:"text"`
}
