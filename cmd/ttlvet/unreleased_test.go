package main

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

var (
	unreleased  = regexp.MustCompile("(?s)<!-- before the release: (\\w+) -->\n```\\w+\n(.*?)```\n")
	someCommit  = regexp.MustCompile(`\bCOMMIT\b`)
	projectURL  = "https://github.com/ttlvet/ttlvet"
	workspaceIn = strings.NewReplacer("${{ github.workspace }}", "$PWD", "$CI_PROJECT_DIR", "$PWD")
)

// TestBeforeRelease runs what docs/ci.md gives until there is a release: with the newest
// commit of this repository, where GOBIN is set and GOTOOLCHAIN pinned.
func TestBeforeRelease(t *testing.T) {
	slow(t, "builds ttlvet in a clone")
	if !exists("../../.git") {
		t.Skip("no repository to clone")
	}
	source := abs(t, "../..")
	commit, err := exec.CommandContext(t.Context(), "git", "-C", source, "rev-parse", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	scripts := map[string]func(*testing.T, string) []string{"shell": shellBefore, "github": githubBefore, "gitlab": gitlabBefore}
	blocks := unreleased.FindAllStringSubmatch(read(t, "../../docs/ci.md"), -1)
	if len(blocks) != len(scripts) {
		t.Fatalf("%d blocks", len(blocks))
	}
	for _, m := range blocks {
		t.Run(m[1], func(t *testing.T) {
			text := someCommit.ReplaceAllString(strings.ReplaceAll(m[2], projectURL, source), strings.TrimSpace(string(commit)))
			script := strings.ReplaceAll(strings.Join(scripts[m[1]](t, text), "\n"), "ttlvet/ttlvet.git", source)
			w := newWorkplace(t)
			out, code := w.bash(t, "", workspaceIn.Replace(script), "GOWORK=", "GOTOOLCHAIN=local", "GOBIN="+t.TempDir(), "GOCACHE="+goEnv(t, "GOCACHE"))
			if n := strings.Count(out, " (ttl"); n != demoFindings(t) || code != exitFindings {
				t.Errorf("%d findings, exit code %d:\n%s", n, code, out)
			}
		})
	}
}

func shellBefore(_ *testing.T, text string) []string { return []string{text} }

// githubBefore returns the steps of a workflow; of those that use an action, the checkout
// of this repository.
func githubBefore(t *testing.T, text string) (script []string) {
	var workflow struct {
		Jobs map[string]struct{ Steps []step }
	}
	parseYAML(t, text, &workflow)
	for _, s := range workflow.Jobs["ttlvet"].Steps {
		if w := s.With; w["path"] != "" {
			script = append(script, "git clone -q "+w["repository"]+".git "+w["path"], "git -C "+w["path"]+" checkout -q "+w["ref"])
		}
		run := s.Run
		for name, value := range s.Env {
			run = name + `="` + value + `" ` + run
		}
		script = append(script, run)
	}
	return script
}

// gitlabBefore returns the script of a job with its variables, but for the build cache:
// what this machine has compiled is taken.
func gitlabBefore(t *testing.T, text string) (script []string) {
	var file map[string]struct {
		Variables map[string]string
		Script    []string
	}
	parseYAML(t, text, &file)
	for name, value := range file["ttlvet"].Variables {
		if name != "GOCACHE" {
			script = append(script, "export "+name+`="`+value+`"`)
		}
	}
	return append(script, file["ttlvet"].Script...)
}
