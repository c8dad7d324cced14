package script

import (
	"slices"
	"strings"

	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/gcpolicy"
	"github.com/ttlvet/ttlvet/internal/gcrule"
)

// A replay collects what the commands of one file set.
type replay struct {
	schema *evidence.Schema
	file   string
	data   []byte
	lines  bool // a command may be added on a line of its own
	place  func(command) evidence.Place
	made   []*made
	seen   int // commands of all scripts in the file
}

// A made is a setting with where its command stands.
type made struct {
	*evidence.Setting
	command
	what string // the command in words, for messages
}

// glob writes a value with '*' for what is not known.
func glob(s string) string {
	s = strings.ReplaceAll(s, unknown, "*")
	for strings.Contains(s, "**") {
		s = strings.ReplaceAll(s, "**", "*")
	}
	return s
}

// certain returns a value, or "" when it is not known whole.
func certain(s string) string {
	if strings.Contains(s, unknown) {
		return ""
	}
	return s
}

func (r *replay) command(c command) {
	if r.seen++; r.seen > maxSteps {
		if r.seen == maxSteps+1 {
			r.schema.Note(r.place(c), "has more than %d commands before, and is not followed to its end", maxSteps)
		}
		return
	}
	if c.swallowed != "" {
		defer func(n int) {
			if len(r.made) > n {
				m := r.made[len(r.made)-1]
				r.schema.Fault(m.Place, m.Table, m.Family, "the shell takes %q for a command of its own, and the policy is %s alone; quote the policy", c.swallowed, r.policy(m.Setting))
			}
		}(len(r.made))
	}
	switch base(c.args[0]) {
	case "cbt":
		r.cbt(c)
	case "gcloud":
		r.gcloud(c)
	}
}

func (r *replay) policy(s *evidence.Setting) string {
	if s.Policy == nil {
		return "none"
	}
	return s.Policy.String()
}

// add records a setting.
func (r *replay) add(c command, what string, s evidence.Setting) *evidence.Setting {
	s.Kind = evidence.Script
	s.Place = r.place(c)
	if c.call != nil {
		outer := c
		outer.pos, outer.end = c.call.Pos(), c.call.End()
		call := r.place(outer)
		s.Call = &call
	}
	s.Test = s.Test || c.emulator || slices.Contains([]string{"emulator", "test", "testing"}, s.Project)
	if p, i := evidence.Environment(s.Table); i != "" {
		s.Project, s.Instance = p, i
	}
	s.Table = evidence.TableID(s.Table)
	r.made = append(r.made, &made{&s, c, what})
	return &s
}

// globals of cbt take a value, with one dash or two.
var globals = []string{"project", "instance", "creds", "admin-endpoint", "data-endpoint", "cert-file", "auth-token", "access-token", "timeout", "user-agent", "o"}

func (r *replay) cbt(c command) {
	env := evidence.Setting{}
	args := c.args[1:]
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		name, val, has := strings.Cut(strings.TrimLeft(args[0], "-"), "=")
		args = args[1:]
		if !has && slices.Contains(globals, name) && len(args) > 0 {
			val, args = args[0], args[1:]
		}
		switch name {
		case "project":
			env.Project = certain(val)
		case "instance":
			env.Instance = certain(val)
		}
	}
	for len(args) > 0 && args[0] == unknown {
		args = args[1:] // a variable of flags
	}
	if len(args) < 2 {
		return
	}
	env.Table = glob(args[1])
	switch args[0] {
	case "createtable":
		r.createTable(c, env, args[2:])
	case "createfamily":
		if len(args) > 2 {
			env.Written = r.following(c)
			r.family(c, env, args[2])
		}
	case "setgcpolicy":
		if len(args) > 3 {
			r.setPolicy(c, env, args[2], args[3:])
		}
	case "deletetable", "deletefamily":
		r.drop(c, env, args)
	}
}

func (r *replay) createTable(c command, env evidence.Setting, args []string) {
	env.Created = true
	r.add(c, "createtable", env)
	for _, a := range args {
		list, ok := strings.CutPrefix(a, "families=")
		switch {
		case ok:
			for i, f := range strings.Split(list, ",") {
				env.Written = r.listed(c, list, ",", i)
				r.family(c, env, f)
			}
		case a == unknown || strings.HasPrefix(a, "splits="):
		case strings.HasPrefix(a, unknown):
		default:
			r.schema.Fault(r.place(c), env.Table, "", "cbt refuses the argument %q of createtable, and creates no table; write splits=%s", glob(a), glob(a))
		}
	}
}

// family reads F[:POLICY[:TYPE]], an item of families. env.Written is where a
// policy can be written that it lacks.
func (r *replay) family(c command, env evidence.Setting, item string) {
	parts := strings.SplitN(item, ":", 3)
	env.Family, env.Created = glob(parts[0]), true
	if strings.HasPrefix(item, "maxversions=") || strings.HasPrefix(item, "maxage=") {
		r.schema.Fault(r.place(c), env.Table, "", "creates a column family called %q: families are split at every comma; join conditions by and, or", parts[0])
		return
	}
	if len(parts) > 1 {
		env.Policy = r.parse(c, &env, parts[1])
		env.Aggregate = len(parts) > 2
		env.Written = r.written(c, parts[0]+":", parts[1])
		if env.Policy == nil {
			return
		}
	}
	r.add(c, "families", env)
}

func (r *replay) setPolicy(c command, env evidence.Setting, family string, words []string) {
	env.Family = glob(family)
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool {
		env.Relaxes = env.Relaxes || w == "force"
		return w == "force"
	})
	text := strings.Join(words, " ")
	if env.Policy = r.parse(c, &env, text); env.Policy != nil {
		env.Written = r.written(c, "", text)
		r.add(c, "setgcpolicy", env)
	}
}

// parse reads a policy of cbt. It returns nil for one that cbt refuses.
func (r *replay) parse(c command, s *evidence.Setting, text string) *gcpolicy.Policy {
	if strings.Contains(text, unknown) {
		r.schema.Note(r.place(c), "the policy %q of family %q is not known", glob(text), s.Family)
		return &gcpolicy.Policy{}
	}
	p, mixed, err := gcrule.CBT(text)
	if err != nil {
		r.schema.Fault(r.place(c), s.Table, s.Family, "%v: no policy is set", err)
		return nil
	}
	if mixed {
		r.schema.Fault(r.place(c), s.Table, s.Family, "cbt reads conditions from left to right, and this one as %s; write parentheses", p)
	}
	return p
}

// drop forgets what was set of a table or family that is deleted.
func (r *replay) drop(c command, env evidence.Setting, args []string) {
	r.made = slices.DeleteFunc(r.made, func(m *made) bool {
		return m.Table == env.Table && m.Project == env.Project && m.Instance == env.Instance &&
			(args[0] == "deletetable" || len(args) > 2 && m.Family == glob(args[2])) && prefix(m.branches, c.branches) && prefix(c.branches, m.branches)
	})
}

// valued are the flags of gcloud that take their value as the next argument.
var valued = []string{"instance", "project", "column-families", "splits", "account", "configuration", "format", "verbosity",
	"impersonate-service-account", "billing-project", "change-stream-retention-period", "automated-backup-retention-period", "row-key-schema-definition-file"}

func (r *replay) gcloud(c command) {
	var words []string
	env := evidence.Setting{Created: true}
	families := ""
	for args := c.args[1:]; len(args) > 0; args = args[1:] {
		if !strings.HasPrefix(args[0], "-") {
			words = append(words, args[0])
			continue
		}
		name, val, has := strings.Cut(strings.TrimLeft(args[0], "-"), "=")
		if !has && slices.Contains(valued, name) && len(args) > 1 {
			val, args = args[1], args[1:]
		}
		switch name {
		case "instance":
			env.Instance = certain(val)
		case "project":
			env.Project = certain(val)
		case "column-families":
			families = val
		}
	}
	words = slices.DeleteFunc(words, func(w string) bool { return w == "alpha" || w == "beta" || w == "instances" })
	if len(words) < 4 || words[0] != "bigtable" || words[1] != "tables" || words[2] != "create" {
		return
	}
	env.Table = glob(words[3])
	r.add(c, "create", env)
	list, sep := gcloudList(families)
	for i, item := range list {
		f := env
		name, rule, ruled := strings.Cut(item, ":")
		f.Family = glob(name)
		switch {
		case !ruled:
			f.Written = r.listed(c, strings.Join(list, sep), sep, i)
		case strings.Contains(rule, unknown):
			f.Policy = &gcpolicy.Policy{}
			r.schema.Note(r.place(c), "the policy %q of family %q is not known", glob(rule), f.Family)
		default:
			p, err := gcrule.Gcloud(rule)
			if err != nil {
				r.schema.Fault(r.place(c), evidence.TableID(f.Table), f.Family, "%v: no table is created", err)
				continue
			}
			f.Policy = p
			f.Written = r.written(c, name+":", rule)
		}
		r.add(c, "column-families", f)
	}
}

// gcloudList splits a list of gcloud's at its separator, which it may name:
// ^;^a;b.
func gcloudList(s string) (list []string, sep string) {
	sep = ","
	if rest, ok := strings.CutPrefix(s, "^"); ok {
		if i := strings.Index(rest, "^"); i > 0 {
			sep, s = rest[:i], rest[i+1:]
		}
	}
	if s == "" {
		return nil, sep
	}
	return strings.Split(s, sep), sep
}

// finish hands the settings on, without those that later ones replace.
func (r *replay) finish() {
	for i, m := range r.made {
		if later := r.replacing(i); later != nil {
			if m.Policy != nil && !m.Created && m.States() && later.States() && !m.Policy.Equal(later.Policy) && !looped(m, later) {
				r.schema.Fault(later.Place, later.Table, later.Family, "replaces the policy %s that line %d sets: policies of a family do not add up, and %s alone holds; join the conditions in one policy",
					m.Policy, m.Place.Line, later.Policy)
			}
			if m.Policy != nil {
				continue
			}
		}
		r.schema.Settings = append(r.schema.Settings, m.Setting)
	}
}

// replacing returns the setting that certainly follows the i-th and sets
// another policy of the same family.
func (r *replay) replacing(i int) *made {
	m := r.made[i]
	for _, n := range r.made[i+1:] {
		if n.Policy != nil && n.Table == m.Table && n.Family == m.Family && n.Project == m.Project && n.Instance == m.Instance &&
			m.Known() && prefix(n.branches, m.branches) {
			return n
		}
	}
	return nil
}

// looped reports whether the first stands in a loop of several turns that
// the second does not stand in: an exception from the rule, and deliberate.
func looped(m, later *made) bool { return !prefix(m.loops, later.loops) }

func prefix(a, b []int) bool { return len(a) <= len(b) && slices.Equal(a, b[:len(a)]) }
