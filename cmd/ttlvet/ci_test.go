package main

import (
	"maps"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/ttlvet/ttlvet/analyzers"
)

var fileBlock = regexp.MustCompile("(?s)<!-- file: (\\S+) -->\n```\\w+\n(.*?)```\n")

// ciFiles returns the files that docs/ci.md shows.
func ciFiles(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, m := range fileBlock.FindAllStringSubmatch(read(t, "../../docs/ci.md"), -1) {
		files[m[1]] = m[2]
	}
	return files
}

type step struct {
	Name, Uses, Run  string
	With             map[string]string
	Env              map[string]string
	WorkingDirectory string `yaml:"working-directory"`
}

// demoFindings is how many findings the demo has, by what its page shows.
func demoFindings(t *testing.T) int {
	t.Helper()
	_, rest, _ := strings.Cut(read(t, demoFile), "```console\n$ ")
	block, _, _ := strings.Cut(rest, "```\n<!-- end of output -->")
	return strings.Count(block, " (ttl")
}

// goFindings is how many of them are in Go, which are those of go vet.
func goFindings(t *testing.T) int {
	t.Helper()
	return len(marked(t, "../../testdata/demo", ".go"))
}

// TestGitHub runs the workflow: the steps of its own, and those of this
// repository's action with their inputs.
func TestGitHub(t *testing.T) {
	slow(t, "runs what a job in CI runs")
	w := newWorkplace(t)
	var workflow struct {
		Jobs map[string]struct{ Steps []step }
	}
	parseYAML(t, ciFiles(t)[".github/workflows/ttlvet.yml"], &workflow)
	var action struct {
		Inputs map[string]struct{ Default string }
		Runs   struct{ Steps []step }
	}
	parseYAML(t, read(t, "../../action.yml"), &action)
	uploaded := ""
	ran := false
	for _, s := range workflow.Jobs["ttlvet"].Steps {
		uses, _, _ := strings.Cut(s.Uses, "@")
		switch uses {
		case "ttlvet/ttlvet":
			inputs := map[string]string{}
			for name, in := range action.Inputs {
				inputs[name] = in.Default
			}
			for name := range s.With {
				if _, ok := inputs[name]; !ok {
					t.Errorf("the action has no input %q", name)
				}
			}
			maps.Copy(inputs, s.With)
			out, code := w.action(t, action.Runs.Steps, inputs)
			if n := strings.Count(out, " (ttl"); n != demoFindings(t) || code != exitFindings {
				t.Errorf("%d findings, exit code %d:\n%s", n, code, out)
			}
			ran = true
		case "github/codeql-action/upload-sarif":
			uploaded = s.With["sarif_file"]
		}
	}
	if !ran || uploaded == "" {
		t.Fatal("the workflow does not use the action, or uploads nothing")
	}
	value := map[string]any{}
	parseYAML(t, read(t, filepath.Join(w.dir, uploaded)), &value)

	// A release is taken as it is, if its checksum is right.
	inputs := map[string]string{"version": "latest", "packages": "./...", "args": "", "working-directory": ".", "sarif": "", "fail": "true"}
	script := "mkdir -p releases/v9.9.9 && cd releases/v9.9.9 && printf '#!/bin/sh\necho prebuilt\n' >ttlvet && chmod +x ttlvet && " +
		"tar czf ttlvet_9.9.9_$(go env GOOS)_$(go env GOARCH).tar.gz ttlvet && sha256sum *.tar.gz >checksums.txt"
	if out, code := w.bash(t, "", script); code != 0 {
		t.Fatal(out)
	}
	if out, code := w.action(t, action.Runs.Steps, inputs); out != "prebuilt\n" || code != exitClean {
		t.Errorf("the release is not taken: exit code %d:\n%s", code, out)
	}
	if out, _ := w.bash(t, "", "tr 0-9a-f 1-9a-f0 <releases/v9.9.9/checksums.txt >wrong && mv wrong releases/v9.9.9/checksums.txt"); out != "" {
		t.Fatal(out)
	}
	if out, code := w.action(t, action.Runs.Steps, inputs); strings.Contains(out, "prebuilt") || code != exitFindings {
		t.Errorf("a release with a wrong checksum is taken: exit code %d:\n%s", code, out)
	}

	// A module in a subdirectory, with other inputs. Its directory has a file that a
	// word of the flags would match.
	writeFile(t, filepath.Join(w.dir, "store", "-color=never"), "", 0o666)
	other := map[string]string{"version": "latest", "packages": "./... ../handler", "args": "-color=neve[r] -disable ttlread -disable=ttlgc,ttlunit,ttlwrite",
		"working-directory": "store", "sarif": "", "fail": "true"}
	if out, code := w.action(t, action.Runs.Steps, other); code != exitFailure || !strings.Contains(out, "neve[r]") {
		t.Errorf("a word of the flags became a file: exit code %d:\n%s", code, out)
	}
	other["args"] = strings.TrimPrefix(other["args"], "-color=neve[r]")
	out, code := w.action(t, action.Runs.Steps, other)
	if n := strings.Count(out, "(ttlage/"); n != 1 || code != exitFindings {
		t.Errorf("%d findings, exit code %d:\n%s", n, code, out)
	}

	// Findings need not fail the job. Where ttlvet cannot run, it fails.
	other["fail"] = "false"
	if out, code := w.action(t, action.Runs.Steps, other); code != exitClean || !strings.Contains(out, "(ttlage/") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	other["args"] = "-nosuch"
	if out, code := w.action(t, action.Runs.Steps, other); code != exitFailure {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}

var expression = regexp.MustCompile(`\$\{\{ (?:inputs\.([\w-]+)|steps\.choose\.outputs\.(\w+)|github\.action_ref) \}\}`)

// action runs the steps of a composite action, at the tag v0.1.0 of it and where GOBIN
// is set and GOTOOLCHAIN pinned. Those that use other actions are left out.
func (w *workplace) action(t *testing.T, steps []step, inputs map[string]string) (out string, code int) {
	t.Helper()
	temp := t.TempDir()
	output := filepath.Join(temp, "output")
	expand := func(s string) string {
		return expression.ReplaceAllStringFunc(s, func(m string) string {
			name := expression.FindStringSubmatch(m)
			switch {
			case name[2] != "":
				_, value, _ := strings.Cut(read(t, output), name[2]+"=")
				value, _, ok := strings.Cut(value, "\n")
				if version := inputs["version"]; !ok || version == "" && value != "v0.1.0" || version == "latest" && value != "v9.9.9" {
					t.Errorf("version %q chooses %q", version, value)
				}
				return value
			case name[1] == "":
				return "v0.1.0"
			}
			value, ok := inputs[name[1]]
			if !ok {
				t.Errorf("%s is no input", m)
			}
			return value
		})
	}
	for _, s := range steps {
		if s.Uses != "" {
			continue
		}
		env := []string{"TTLVET_RELEASES=file://" + filepath.Join(w.dir, "releases"), "RUNNER_TEMP=" + temp, "GITHUB_OUTPUT=" + output, "GOBIN=" + filepath.Join(temp, "elsewhere"), "GOTOOLCHAIN=local"}
		for name, value := range s.Env {
			env = append(env, name+"="+expand(value))
		}
		o, c := w.bash(t, expand(s.WorkingDirectory), s.Run, env...)
		if out += o; c != 0 {
			return out, c
		}
	}
	return out, 0
}

func parseYAML(t *testing.T, text string, into any) {
	t.Helper()
	if text == "" {
		t.Fatal("the file is missing")
	}
	if err := yaml.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
}

// TestGitLab runs the job's script.
func TestGitLab(t *testing.T) {
	slow(t, "runs what a job in CI runs")
	w := newWorkplace(t)
	var file map[string]struct {
		Variables map[string]string
		Script    []string
		Artifacts struct{ Reports map[string]string }
	}
	parseYAML(t, ciFiles(t)[".gitlab-ci.yml"], &file)
	job := file["ttlvet"]
	env := []string{"CI_PROJECT_DIR=" + w.dir}
	for name, value := range job.Variables {
		env = append(env, name+"="+strings.ReplaceAll(value, "$CI_PROJECT_DIR", w.dir))
		if name == "GOCACHE" { // what this machine has compiled
			env[len(env)-1] = "GOCACHE=" + goEnv(t, "GOCACHE")
		}
	}
	out, code := w.bash(t, "", strings.Join(job.Script, "\n"), env...)
	if n := strings.Count(out, " (ttl"); n != demoFindings(t) || code != exitFindings {
		t.Errorf("%d findings, exit code %d:\n%s", n, code, out)
	}
	var issues []struct {
		Fingerprint string
		Location    struct{ Path string }
	}
	parseYAML(t, read(t, filepath.Join(w.dir, job.Artifacts.Reports["codequality"])), &issues)
	seen := map[string]bool{}
	for _, i := range issues {
		if seen[i.Fingerprint] = true; !exists(filepath.Join(w.dir, i.Location.Path)) {
			t.Errorf("%s is no file of the repository", i.Location.Path)
		}
	}
	if len(seen) != demoFindings(t) {
		t.Errorf("%d fingerprints", len(seen))
	}
}

// TestPreCommit runs the hooks as pre-commit does, with the files of a commit,
// and the hook for git alone.
func TestPreCommit(t *testing.T) {
	slow(t, "runs what a job in CI runs")
	w := newWorkplace(t)
	type hook struct {
		ID, Name, Description, Language, Entry, Files string
		Types                                         []string
		PassFilenames                                 *bool `yaml:"pass_filenames"`
		RequireSerial                                 bool  `yaml:"require_serial"`
	}
	var hooks []hook
	parseYAML(t, read(t, "../../.pre-commit-hooks.yaml"), &hooks)
	var config struct {
		Repos []struct{ Hooks []struct{ ID string } }
	}
	parseYAML(t, ciFiles(t)[".pre-commit-config.yaml"], &config)
	id := config.Repos[0].Hooks[0].ID
	for _, h := range hooks {
		files, want := " store/ledger.go handler/shop.go", 5
		if h.PassFilenames != nil && !*h.PassFilenames {
			files, want = "", demoFindings(t)
			re := regexp.MustCompile(h.Files)
			for _, name := range append(schemaFiles(t, w), "sub/ttlvet.yaml", "go.mod", "go.work", "store/ledger.go") {
				if !re.MatchString(name) {
					t.Errorf("files leaves out %s: %s", name, h.Files)
				}
			}
			for _, name := range []string{"README.md", "web/app.ts", "logo.png"} {
				if re.MatchString(name) {
					t.Errorf("files has %s: %s", name, h.Files)
				}
			}
		} else if !h.RequireSerial || !slices.Equal(h.Types, []string{"go"}) {
			t.Errorf("hook %+v", h)
		}
		out, code := w.bash(t, "", h.Entry+files)
		if n := strings.Count(out, " (ttl"); n != want || code != exitFindings || h.Language != "golang" {
			t.Errorf("%s: %d findings, exit code %d:\n%s", h.ID, n, code, out)
		}
	}
	if !slices.ContainsFunc(hooks, func(h hook) bool { return h.ID == id }) {
		t.Errorf("there is no hook %q", id)
	}

	if out, code := w.bash(t, "", "git init -q -b main . && git add -A && git commit -q -m old"); code != 0 {
		t.Fatal(out)
	}
	writeFile(t, filepath.Join(w.dir, ".git/hooks/pre-commit"), ciFiles(t)[".git/hooks/pre-commit"], 0o777)
	if out, code := w.bash(t, "", "echo >>main.go; git commit -q -a -m harmless"); code != 0 || out != "" {
		t.Errorf("exit code %d: %s", code, out)
	}
	out, code := w.bash(t, "", "sed -i.bak 's/bigtable.ServerTime)/bigtable.ServerTime )/' handler/session.go; git commit -q -a -m wrong")
	if n := strings.Count(out, " (ttl"); n != 1 || code == 0 {
		t.Errorf("%d findings, exit code %d:\n%s", n, code, out)
	}
}

// schemaFiles returns files of all kinds that schema: can name: ttlvet reads each.
func schemaFiles(t *testing.T, w *workplace) []string {
	t.Helper()
	const plan = `{"format_version": "1.2", "terraform_version": "1.9.0", "values": {"root_module": {}}}`
	names := []string{"a.sh", "a.bash", "sub/a.ksh", "schema", "Makefile", "GNUmakefile", "a.mk", "a.make",
		"Dockerfile", "Dockerfile.dev", "a.dockerfile", "Containerfile", "a.yml", "a.yaml",
		"a.tf", "b.tofu", "plan.json", "a.tfstate"}
	for _, name := range names {
		text := ""
		switch {
		case name == "schema":
			text = "#!/bin/sh\n"
		case strings.HasPrefix(name, "plan") || strings.HasSuffix(name, ".tfstate"):
			text = plan
		}
		writeFile(t, filepath.Join(w.dir, "kinds", name), text, 0o666)
	}
	args := " -from kinds/" + strings.Join(names, " -from kinds/")
	if out, code := w.bash(t, "", "ttlvet audit"+args+" 2>&1"); code == exitFailure {
		t.Errorf("a kind of file is not read:\n%s", out)
	}
	return append(names, "terraform.tfvars", "a.tf.json", "b.tofu.json")
}

// TestMake runs the Makefile's targets.
func TestMake(t *testing.T) {
	slow(t, "runs what a job in CI runs")
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("make is needed")
	}
	w := newWorkplace(t)
	writeFile(t, filepath.Join(w.dir, "Makefile"), ciFiles(t)["Makefile"], 0o666)
	out, code := w.bash(t, "", "make TTLVET=ttlvet ttlvet-fix >fixed || true; make TTLVET=ttlvet ttlvet")
	if n := strings.Count(out, " (ttl"); n == 0 || n >= demoFindings(t) || code == 0 {
		t.Errorf("%d findings, exit code %d:\n%s", n, code, out)
	}
	if out, code := w.bash(t, "", "make TTLVET=ttlvet ttlvet-report"); code != 0 || !strings.Contains(out, " (ttl") {
		t.Errorf("exit code %d: %s", code, out)
	}
	if out, code := w.bash(t, "", "git init -q -b main . && git add -A && git commit -q -m all && make TTLVET=ttlvet ttlvet-new"); code != 0 {
		t.Error(out)
	}
	if out, code := w.bash(t, "", "ttlvet -write-baseline known.yaml ./... && echo 'baseline: known.yaml' >>ttlvet.yaml && make TTLVET=ttlvet ttlvet ttlvet-prune"); code != 0 {
		t.Error(out)
	}
}

// TestBazel checks that the packages that Bazel's files name are there, export
// Analyzer, and are all of the suite.
func TestBazel(t *testing.T) {
	files := ciFiles(t)
	const repository = "@com_github_ttlvet_ttlvet//"
	var got, want []string
	for _, m := range regexp.MustCompile(`"`+repository+`([^"]+)"`).FindAllStringSubmatch(files["ttlvet.bzl"], -1) {
		got = append(got, path.Base(m[1]))
		sources, err := filepath.Glob(filepath.Join("../..", m[1], "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		exported := slices.ContainsFunc(sources, func(file string) bool { return strings.Contains(read(t, file), "\nvar Analyzer = New(") })
		if !exported {
			t.Errorf("%s exports no Analyzer", m[1])
		}
	}
	for _, a := range analyzers.Suite() {
		want = append(want, a.Name)
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%q are named, the suite has %q", got, want)
	}
	if !strings.Contains(files["BUILD.bazel"], `load(":ttlvet.bzl", "TTLVET")`) || !strings.Contains(files["MODULE.bazel"], `nogo = "//:nogo"`) {
		t.Error("the files do not fit together")
	}
}
