package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// nodeClient is a service in another language: half of what it does is wrong.
const nodeClient = `
const {Bigtable} = require('@google-cloud/bigtable');
(async () => {
  const table = new Bigtable({projectId: 'p'}).instance('i').table('sessions');
  const inAnHour = new Date(Date.now() + 3600e3);
  await table.create({families: [{name: 'token', rule: {age: {seconds: 3600, nanos: 0}}}]});
  await table.insert({key: 'good', data: {token: {jwt: {value: 'v', timestamp: inAnHour}}}});
  await table.insert({key: 'bad', data: {token: {jwt: 'v'}}}); // the client writes the current time
  const many = [];
  for (let i = 0; i < 2000; i++) {
    many.push({key: 'k' + i, data: {token: {jwt: {value: 'x'.repeat(1000), timestamp: inAnHour}}}});
  }
  await table.insert(many);
  const [live] = await table.getRows({filter: [{time: {start: new Date()}}]});
  const [all] = await table.getRows();
  if (live.length !== 2001 || all.length !== 2002) throw new Error(live.length + ' and ' + all.length + ' rows');
  await table.row('good').increment('token:n', 1);
})().catch(e => { console.error(e); process.exit(3); });
`

// cbtClient is a script with the command cbt.
const cbtClient = `set -e
cbt -project p -instance i createtable sessions
cbt -project p -instance i createfamily sessions token
cbt -project p -instance i setgcpolicy sessions token maxage=1h
cbt -project p -instance i set sessions k token:jwt=v
cbt -project p -instance i read sessions | grep -q token:jwt
`

// TestLanguages runs programs in other languages against the emulator, through
// the proxy.
func TestLanguages(t *testing.T) {
	if os.Getenv("TTLVET_SLOW") == "" {
		t.Skip("installs clients in other languages: set TTLVET_SLOW=1")
	}
	t.Run("node", func(t *testing.T) {
		for _, program := range []string{"node", "npm"} {
			if _, err := exec.LookPath(program); err != nil {
				t.Skipf("there is no %s", program)
			}
		}
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "package.json"), `{"name": "service", "private": true}`, 0o666)
		writeFile(t, filepath.Join(dir, "service.js"), nodeClient, 0o666)
		install(t, dir, nil, "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "@google-cloud/bigtable@6")
		throughProxy(t, dir, []string{"ttlgc/age-mismatch", "ttlread/missing-filter", "ttlwrite/read-modify-write", "ttlwrite/write-time"}, "node", "service.js")
	})
	t.Run("cbt", func(t *testing.T) {
		dir := t.TempDir()
		if _, err := exec.LookPath("cbt"); err != nil {
			// The last release of the client that had the command.
			install(t, dir, []string{"GOBIN=" + dir, "GOFLAGS="}, "go", "install", "cloud.google.com/go/bigtable/cmd/cbt@v1.13.0")
			t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
		}
		writeFile(t, filepath.Join(dir, "set.sh"), cbtClient, 0o666)
		throughProxy(t, dir, []string{"ttlgc/age-mismatch", "ttlread/missing-filter", "ttlwrite/write-time"}, "sh", "set.sh")
	})
}

// install runs a command that fetches a client, without which there is no
// test.
func install(t *testing.T, dir string, env []string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// throughProxy runs a command through the proxy and compares what is reported.
func throughProxy(t *testing.T, dir string, want []string, command ...string) {
	t.Helper()
	writeFile(t, filepath.Join(dir, "ttlvet.yaml"), proxyRegistry, 0o666)
	args := append([]string{"proxy", "-json", "-listen", "localhost:0", "-to", emulator(t), "--"}, command...)
	out, errout, code := ttlvet(t, dir, nil, args...)
	var report struct{ Violations []struct{ Rule string } }
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("%v:\n%s%s", err, out, errout)
	}
	var got []string
	for _, v := range report.Violations {
		got = append(got, v.Rule)
	}
	if slices.Sort(got); code != exitFindings || !slices.Equal(got, want) {
		t.Errorf("exit code %d, rules %v, want %v\n%s", code, got, want, errout)
	}
}
