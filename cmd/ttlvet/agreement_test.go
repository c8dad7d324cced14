package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/bttest"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"
)

// demo copies the demo to a directory of its own, without its registry.
func demo(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../testdata/demo")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, registryName)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// ttlvet runs the program in a directory.
func ttlvet(t *testing.T, dir string, env []string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "ttlvet", args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "NO_COLOR=1", "BIGTABLE_EMULATOR_HOST="), env...)
	var out, errout bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errout
	var exit *exec.ExitError
	if err := cmd.Run(); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	return out.String(), errout.String(), code
}

// marked lists what comments in the files of a directory say that is found.
func marked(t *testing.T, dir string, extensions ...string) []string {
	t.Helper()
	mark := regexp.MustCompile(`(?://|#) BAD: (.*)$`)
	var list []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !slices.Contains(extensions, filepath.Ext(name)) {
			return err
		}
		for i, line := range strings.Split(read(t, filepath.Join(dir, name)), "\n") {
			if m := mark.FindStringSubmatch(line); m != nil {
				for _, rule := range strings.Split(m[1], ", ") {
					list = append(list, fmt.Sprintf("%s:%d %s", name, i+1, strings.TrimSpace(rule)))
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(list)
	return list
}

var anyFinding = regexp.MustCompile(`(?m)^([^\s:]+:\d+):\d+: .* \((ttl[a-z]+/[a-z-]+)\)$`)

func found(out string, extensions ...string) []string {
	var list []string
	for _, m := range anyFinding.FindAllStringSubmatch(out, -1) {
		file, _, _ := strings.Cut(m[1], ":")
		if slices.Contains(extensions, filepath.Ext(file)) {
			list = append(list, m[1]+" "+m[2])
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// TestInitDemo drafts a registry for the demo, under which everything that is
// planted there is found, and nothing else.
func TestInitDemo(t *testing.T) {
	dir := demo(t)
	if _, errout, code := ttlvet(t, dir, nil, "init", "-check"); code != exitFindings {
		t.Errorf("-check without a file exits with %d: %s", code, errout)
	}
	if _, errout, code := ttlvet(t, dir, nil, "init"); code != exitClean || !strings.Contains(errout, "wrote ttlvet.yaml") {
		t.Fatalf("init exits with %d: %s", code, errout)
	}
	draft := read(t, filepath.Join(dir, registryName))
	_, part, _ := strings.Cut(draft, "\n  clicks:\n")
	part, _, _ = strings.Cut(part, "\n  sessions:\n")
	for _, page := range []string{readmeFile, "../../docs/init.md"} {
		if !strings.Contains(read(t, page), "\n  clicks:\n"+part+"\n") {
			t.Errorf("%s does not show what is drafted:\n%s", page, part)
		}
	}
	all := []string{".go", ".tf", ".sh", ".yaml"}
	out, errout, code := ttlvet(t, dir, nil, "./...")
	if want, got := marked(t, dir, all...), found(out, all...); code != exitFindings || !slices.Equal(want, got) {
		t.Errorf("with the draft, ttlvet exits with %d and finds\n%s%s", code, difference(want, got), errout)
	}
	if out, errout, code := ttlvet(t, dir, nil, "init", "-check"); code != exitClean {
		t.Errorf("after init, -check exits with %d: %s%s\n%s", code, out, errout, draft)
	}
	if _, errout, code := ttlvet(t, dir, nil, "init"); code != exitFailure || !strings.Contains(errout, "not overwritten") {
		t.Errorf("a second init exits with %d: %s", code, errout)
	}
	if read(t, filepath.Join(dir, registryName)) != draft {
		t.Error("the second init changed the file")
	}
}

// TestInitUpdate takes a family and a table out of a registry that somebody
// keeps, and holds that -update puts them back and leaves every line.
func TestInitUpdate(t *testing.T) {
	dir := demo(t)
	const kept = `# ours
version: 1
tables:
  sessions: # users
    families:
        # checked in review
        profile: {strategy: real-timestamps}
  catalog: {families: {latest: {strategy: timestamp-zero}}}

rules:
  strict: false # for now
`
	file := filepath.Join(dir, registryName)
	if err := os.WriteFile(file, []byte(kept), 0o666); err != nil {
		t.Fatal(err)
	}
	out, _, code := ttlvet(t, dir, nil, "init", "-check")
	if code != exitFindings || !strings.Contains(out, "\n+        token: {strategy: one-second-expiration, ttl: 30m}") {
		t.Errorf("-check exits with %d:\n%s", code, out)
	}
	if _, errout, code := ttlvet(t, dir, nil, "init", "-update"); code != exitClean {
		t.Fatalf("-update exits with %d: %s", code, errout)
	}
	updated := read(t, file)
	rest := updated
	for _, line := range strings.Split(strings.TrimSuffix(kept, "\n"), "\n") {
		_, after, ok := strings.Cut(rest, line+"\n")
		if !ok {
			t.Fatalf("the line %q is gone or moved:\n%s", line, updated)
		}
		rest = after
	}
	if strings.Count(updated, "token:") != 1 || !strings.Contains(updated, "\n  \"*-ledger\":") || !strings.Contains(updated, "\nschema:") {
		t.Errorf("what is new is not there once:\n%s", updated)
	}
	if _, errout, code := ttlvet(t, dir, nil, "init", "-update"); code != exitClean || read(t, file) != updated {
		t.Errorf("a second -update exits with %d and changes the file: %s", code, errout)
	}
	if _, errout, code := ttlvet(t, dir, nil, "init", "-update", "-from", "nosuch.tf"); code != exitFailure || !strings.Contains(errout, "nosuch.tf: no such file") {
		t.Errorf("a source that is not there: %d, %s", code, errout)
	}
}

// A refuser stands before an emulator. It counts what is read and refuses
// everything else.
type refuser struct {
	mu      sync.Mutex
	calls   map[string]int
	refused []string
}

var reading = []string{"ListTables", "GetTable", "ReadRows", "SampleRowKeys"}

// handle hands a call on as bytes.
func (r *refuser) handle(backend *grpc.ClientConn) grpc.StreamHandler {
	return func(_ any, server grpc.ServerStream) error {
		method, _ := grpc.MethodFromServerStream(server)
		name := method[strings.LastIndexByte(method, '/')+1:]
		r.mu.Lock()
		r.calls[name]++
		allowed := slices.Contains(reading, name)
		if !allowed {
			r.refused = append(r.refused, method)
		}
		r.mu.Unlock()
		if !allowed {
			return status.Error(codes.PermissionDenied, "this proxy only reads")
		}
		client, err := backend.NewStream(server.Context(), &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}, method)
		if err != nil {
			return err
		}
		request := &emptypb.Empty{} // what is in it stays in its unknown fields
		if err := server.RecvMsg(request); err != nil {
			return err
		}
		if err := errors.Join(client.SendMsg(request), client.CloseSend()); err != nil {
			return err
		}
		for {
			response := &emptypb.Empty{}
			if err := client.RecvMsg(response); err == io.EOF {
				return nil
			} else if err != nil {
				return err
			}
			if err := server.SendMsg(response); err != nil {
				return err
			}
		}
	}
}

// refusing starts an emulator, fills it, and returns the address of a proxy
// through which nothing can be written.
func refusing(t *testing.T, fill func(context.Context, *bigtable.AdminClient, *bigtable.Client)) (string, *refuser) {
	t.Helper()
	emulator, err := bttest.NewServer("localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(emulator.Close)
	backend, err := grpc.NewClient(emulator.Addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { backend.Close() })
	admin, err := bigtable.NewAdminClient(t.Context(), "shop", "shop-main", option.WithGRPCConn(backend))
	if err != nil {
		t.Fatal(err)
	}
	client, err := bigtable.NewClientWithConfig(t.Context(), "shop", "shop-main", bigtable.ClientConfig{MetricsProvider: bigtable.NoopMetricsProvider{}}, option.WithGRPCConn(backend))
	if err != nil {
		t.Fatal(err)
	}
	fill(t.Context(), admin, client)
	r := &refuser{calls: map[string]int{}}
	proxy := grpc.NewServer(grpc.UnknownServiceHandler(r.handle(backend)))
	t.Cleanup(proxy.Stop)
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	go proxy.Serve(l)
	return l.Addr().String(), r
}

// TestAudit holds the demo against a live instance that is wrong in every
// way, through a proxy that lets nothing be written.
func TestAudit(t *testing.T) {
	address, proxy := refusing(t, func(ctx context.Context, admin *bigtable.AdminClient, client *bigtable.Client) {
		family := func(p bigtable.GCPolicy) bigtable.Family { return bigtable.Family{GCPolicy: p} }
		for table, families := range map[string]map[string]bigtable.Family{
			"sessions":  {"token": family(bigtable.MaxAgePolicy(720 * time.Hour)), "profile": family(bigtable.MaxVersionsPolicy(1)), "stray": family(bigtable.NoGcPolicy())},
			"clicks":    {},
			"catalog":   {"latest": family(bigtable.MaxVersionsPolicy(1))},
			"eu-ledger": {"entry": family(bigtable.MaxVersionsPolicy(3))},
			"us-ledger": {"entry": family(bigtable.NoGcPolicy())},
			"unrelated": {"f": family(bigtable.NoGcPolicy())},
		} {
			if err := admin.CreateTableFromConf(ctx, &bigtable.TableConf{TableID: table, ColumnFamilies: families}); err != nil {
				t.Fatal(err)
			}
		}
		for table, write := range map[string]func(*bigtable.Mutation){
			"catalog": func(m *bigtable.Mutation) {
				m.Set("latest", "price", bigtable.Now(), nil)
				m.Set("latest", "name", 0, nil)
			},
			"eu-ledger": func(m *bigtable.Mutation) { m.Set("entry", "n", 1000, nil); m.Set("entry", "n", bigtable.Now(), nil) },
			"sessions":  func(m *bigtable.Mutation) { m.Set("token", "jwt", bigtable.Time(time.Now().Add(-time.Hour)), nil) },
		} {
			m := bigtable.NewMutation()
			write(m)
			if err := client.Open(table).Apply(ctx, "secret-row-key", m); err != nil {
				t.Fatal(err)
			}
		}
	})
	dir := filepath.Join("..", "..", "testdata", "demo")
	env := []string{"BIGTABLE_EMULATOR_HOST=" + address}
	const name = "projects/shop/instances/shop-main"
	out, errout, code := ttlvet(t, dir, env, "audit", "-instance", name, "-sample", "10")
	if code != exitFindings {
		t.Fatalf("audit exits with %d:\n%s%s", code, out, errout)
	}
	for _, want := range []string{
		name + `/tables/sessions family token: sets the age 30d on one-second-expiration family "token" of table "sessions"`,
		name + `/tables/us-ledger family entry: sequential-numbers family "entry" of table "*-ledger" has no policy`,
		name + `/tables/clicks: creates table "clicks" without family "event"`,
		name + `/tables/sessions family stray: creates family "stray" of table "sessions", which the registry does not have`,
		`has the policy max age 1s here and max age 30d in ` + name + `/tables/sessions family token`,
		name + `/tables/catalog family latest: 1 of 2 sampled cells of timestamp-zero family "latest"`,
		name + `/tables/eu-ledger family entry: 1 of 2 sampled cells of sequential-numbers family "entry"`,
		name + `/tables/sessions family token: 1 of 1 sampled cells of one-second-expiration family "token" of table "sessions" lie in the past`,
	} {
		if !strings.Contains(out, want) {
			t.Errorf("audit does not find %q", want)
		}
	}
	if t.Failed() {
		t.Log(out)
	}
	for _, want := range []string{"asking the emulator at " + address, "reading the timestamps of at most 10 rows of each of 6 tables", "not in the registry, and not looked at: unrelated"} {
		if !strings.Contains(errout, want) {
			t.Errorf("audit does not say %q:\n%s", want, errout)
		}
	}
	if strings.Contains(out+errout, "secret-row-key") {
		t.Error("a row key is printed")
	}
	if want, got := marked(t, dir, ".tf", ".sh", ".yaml"), found(out, ".tf", ".sh", ".yaml"); len(want) == 0 {
		t.Error("nothing is marked")
	} else {
		for _, w := range want {
			if !slices.Contains(got, w) {
				t.Errorf("audit does not find %s", w)
			}
		}
	}
	if len(proxy.refused) > 0 || proxy.calls["GetTable"] != 6 || proxy.calls["ListTables"] != 1 || proxy.calls["ReadRows"] == 0 {
		t.Errorf("calls are %v, and refused %v", proxy.calls, proxy.refused)
	}
	if _, _, code := ttlvet(t, dir, env, "audit", "-instance", name, "-json", "-from", name); code != exitClean {
		t.Errorf("-json exits with %d", code)
	}
	if _, errout, code := ttlvet(t, dir, []string{"BIGTABLE_EMULATOR_HOST=localhost:1"}, "audit", "-instance", name); code != exitFailure || !strings.Contains(errout, "the emulator at localhost:1 cannot be reached") {
		t.Errorf("without network, audit exits with %d: %s", code, errout)
	}
}

// TestInventoryDemo prints the inventory of the demo in each form.
func TestInventoryDemo(t *testing.T) {
	dir := filepath.Join("..", "..", "testdata", "demo")
	text, errout, code := ttlvet(t, dir, nil, "inventory")
	for _, want := range []string{"family token: one-second-expiration, ttl 30m (ttlvet.yaml:", "infra/main.tf:37", "max age 1s (Terraform) in shop-main", "hides live cells", "ttlgc/age-on-sequence"} {
		if code != exitClean || !strings.Contains(text, want) {
			t.Errorf("the inventory exits with %d and lacks %q:\n%s%s", code, want, text, errout)
		}
	}
	out, _, _ := ttlvet(t, dir, nil, "inventory", "-json")
	var parsed struct {
		Tables []struct {
			Name     string
			Families []struct{ Name, Strategy string }
		}
	}
	if err := json.Unmarshal([]byte(out), &parsed); err != nil || len(parsed.Tables) != 4 || parsed.Tables[0].Name != "*-ledger" {
		t.Errorf("-json: %v, %+v", err, parsed)
	}
	page, _, _ := ttlvet(t, dir, nil, "inventory", "-html", "-")
	for _, want := range []string{"<!DOCTYPE html>", `id="sessions.token"`, `docs/ttlgc.md#age-on-sequence`, "prefers-color-scheme"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page, "src=") || strings.Contains(page, "<link") || strings.Contains(page, "@import") {
		t.Error("the page needs something else")
	}
	if graph, _, _ := ttlvet(t, dir, nil, "inventory", "-dot"); !strings.HasPrefix(graph, "digraph agreement {") {
		t.Errorf("-dot prints %.80q", graph)
	}
}
