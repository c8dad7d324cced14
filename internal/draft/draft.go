package draft

import (
	"fmt"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/ttlvet/ttlvet/internal/agreement"
	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/lazy"
	"github.com/ttlvet/ttlvet/internal/plain"
	"github.com/ttlvet/ttlvet/internal/registry"
)

// A Draft is a registry in the making.
type Draft struct {
	Tables  []*Table
	Sources []string // files with policies, relative to the module
	Counts  Counts
}

// Counts say how much was found: calls and statements, each once.
type Counts struct {
	Tables, Certain, Open, Elsewhere int
	Policies, Writes, Reads          int
}

// A Table is one entry of the draft.
type Table struct {
	Name     string
	Handles  []string
	Families []*Family
	Foreign  bool // no Go code names it: its entries are comments
	Nameless bool // only its handle is known
	Guessed  bool // its handle is known, and its families tell the name
}

// A Family is one family of it.
type Family struct {
	Name    string
	Entry   string // the value, of a certain family
	Because string
	Remark  string
	Others  []string // candidates, of an open one: value and reason
}

// New drafts what the registry does not have.
func New(a *agreement.Agreement) *Draft {
	d := &Draft{}
	settings, writes, reads := map[evidence.Place]bool{}, map[evidence.Place]bool{}, map[evidence.Place]bool{}
	for _, t := range a.Tables() {
		row := &Table{Name: t.Name, Handles: t.Handles, Foreign: !t.InGo, Nameless: t.Nameless, Guessed: t.Guessed}
		for _, f := range t.Families {
			for _, s := range f.Settings {
				if s.Policy != nil {
					settings[s.Place] = true
				}
			}
			for _, w := range f.Writes {
				writes[w.Place] = true
			}
			if f.Declared != nil && f.Declared.Evidence == "" || t.Name == "" || aggregate(f) {
				continue
			}
			v := decide(f)
			drafted := &Family{Name: f.Name, Because: because(a, f), Remark: v.remark}
			if v.certain {
				drafted.Entry = v.entry()
			}
			for _, o := range v.others {
				drafted.Others = append(drafted.Others, o.entry()+" # "+o.why)
			}
			if !v.certain && len(v.others) == 0 && len(f.Writes) == 0 && len(f.Reads) == 0 && row.Foreign {
				drafted.Remark = "created without a policy"
			}
			switch {
			case row.Foreign:
				d.Counts.Elsewhere++
			case v.certain:
				d.Counts.Certain++
			default:
				d.Counts.Open++
			}
			row.Families = append(row.Families, drafted)
		}
		if len(row.Families) > 0 {
			d.Tables = append(d.Tables, row)
			if !row.Foreign {
				d.Counts.Tables++
			}
		}
	}
	for _, r := range a.Code.Reads {
		reads[r.Place] = true
	}
	d.Counts.Policies, d.Counts.Writes, d.Counts.Reads = len(settings), len(writes), len(reads)
	d.sources(a)
	return d
}

func aggregate(f *agreement.Family) bool {
	return slices.ContainsFunc(f.Settings, func(s *evidence.Setting) bool { return s.Aggregate })
}

// sources lists the files that say something, as patterns where a directory
// has several of a kind.
func (d *Draft) sources(a *agreement.Agreement) {
	byDir := map[string][]string{}
	for _, s := range a.Schema.Settings {
		file := a.Rel(s.Place.File)
		if strings.HasPrefix(s.Place.Address, "module.") {
			continue // read with the module that calls it
		}
		if s.Test || file == "" || s.Kind == evidence.Plan || s.Kind == evidence.State || path.IsAbs(file) {
			continue
		}
		key := path.Dir(file) + "\x00" + path.Ext(file)
		if !slices.Contains(byDir[key], file) {
			byDir[key] = append(byDir[key], file)
		}
	}
	for key, files := range byDir {
		dir, ext, _ := strings.Cut(key, "\x00")
		if ext == ".tf" {
			d.Sources = append(d.Sources, path.Join(dir, "*.tf"))
			continue
		}
		d.Sources = append(d.Sources, files...)
	}
	sort.Strings(d.Sources)
}

// Empty reports whether there is nothing to write.
func (d *Draft) Empty() bool { return len(d.Tables) == 0 }

// File writes the draft as a whole registry file.
func (d *Draft) File() string {
	var b strings.Builder
	b.WriteString("# Drafted by ttlvet init from the evidence that each entry names. Check every\n# entry; what is commented out is open, and wants a decision.\n")
	b.WriteString("version: 1\n")
	live := false
	for _, t := range d.Tables {
		live = live || t.certain()
	}
	if live {
		b.WriteString("tables:\n")
	} else {
		b.WriteString("# tables:\n")
	}
	for _, t := range d.Tables {
		t.write(&b, "  ")
	}
	b.WriteString(d.schema())
	return b.String()
}

func (d *Draft) schema() string {
	if len(d.Sources) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("schema: # where policies are set outside Go\n")
	for _, s := range d.Sources {
		b.WriteString("  - " + quote(s) + "\n")
	}
	return b.String()
}

// certain reports whether the table has a family that is no comment. A table
// that code knows by nothing but handles takes one.
func (t *Table) certain() bool {
	return !t.Foreign && !(t.Nameless && len(t.Handles) == 0) && slices.ContainsFunc(t.Families, func(f *Family) bool { return f.Entry != "" })
}

func (t *Table) write(b *strings.Builder, indent string) {
	off := ""
	if !t.certain() {
		off = "# "
		if t.Foreign {
			fmt.Fprintf(b, "%s# No Go code that was read names table %s.\n", indent, plain.String(t.Name))
		}
	}
	if t.Nameless {
		fmt.Fprintf(b, "%s# The name of this table is only known at run time; where you know it, write it for %s.\n", indent, plain.String(t.Name))
	}
	if t.Guessed {
		fmt.Fprintf(b, "%s# Only its families tell that %s holds this table.\n", indent, registry.ShortHandle(t.Handles[0]))
	}
	fmt.Fprintf(b, "%s%s%s:\n", indent, off, quote(t.Name))
	if len(t.Handles) > 0 {
		fmt.Fprintf(b, "%s%s  handles: [%s]\n", indent, off, strings.Join(t.Handles, ", "))
	}
	fmt.Fprintf(b, "%s%s  families:\n", indent, off)
	for _, f := range t.Families {
		f.write(b, indent+off+"    ")
	}
}

// write writes a family. A comment stands on a line of its own above what it
// is about.
func (f *Family) write(b *strings.Builder, indent string) {
	comment := func(text string) {
		for _, line := range wrap(text, 96) {
			fmt.Fprintf(b, "%s# %s\n", indent, line)
		}
	}
	if f.Because != "" {
		comment(f.Because)
	}
	switch {
	case f.Entry != "":
		if f.Remark != "" {
			comment("Note: " + f.Remark + ".")
		}
		fmt.Fprintf(b, "%s%s: %s\n", indent, quote(f.Name), f.Entry)
	default:
		comment("OPEN: " + f.Remark + ".")
		for _, o := range f.Others {
			fmt.Fprintf(b, "%s# %s: %s\n", indent, quote(f.Name), o)
		}
		if len(f.Others) == 0 {
			fmt.Fprintf(b, "%s# %s: {strategy: real-timestamps} # if its timestamps are the times of writing\n", indent, quote(f.Name))
		}
	}
}

var plainName = lazy.Regexp(`^[A-Za-z_./][A-Za-z0-9_./-]*$`)

var reserved = map[string]bool{"true": true, "false": true, "null": true, "yes": true, "no": true, "on": true, "off": true, "y": true, "n": true}

// quote writes a name as YAML, in which Go's escapes mean the same.
func quote(s string) string {
	if plainName().MatchString(s) && !reserved[strings.ToLower(s)] {
		return s
	}
	return strconv.QuoteToGraphic(s)
}

// wrap breaks a text into lines at blanks.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, w := range strings.Fields(text) {
		if line != "" && len([]rune(line))+1+len([]rune(w)) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += w
	}
	return append(lines, line)
}
