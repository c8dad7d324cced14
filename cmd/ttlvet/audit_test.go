package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"cloud.google.com/go/bigtable/bttest"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/ttlvet/ttlvet/internal/registry"
)

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

// inMemory starts the client's emulator.
func inMemory(t *testing.T) string {
	t.Helper()
	emulator, err := bttest.NewServer("localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(emulator.Close)
	return emulator.Addr
}

// official starts the emulator of the Google Cloud SDK, where that is
// installed: gcloud beta emulators bigtable start does the same.
func official(t *testing.T) string {
	t.Helper()
	slow(t, "is the client's emulator in another version")
	program, err := exec.LookPath("cbtemulator")
	if gcloud, missing := exec.LookPath("gcloud"); err != nil && missing == nil {
		if gcloud, err = filepath.EvalSymlinks(gcloud); err == nil {
			program, err = exec.LookPath(filepath.Join(filepath.Dir(gcloud), "..", "platform", "bigtable-emulator", "cbtemulator"))
		}
	}
	if err != nil {
		t.Skip("the Google Cloud SDK's emulator is not installed")
	}
	return serve(t, func(address string) *exec.Cmd { return exec.CommandContext(t.Context(), program, "-address", address) })
}

// refusing fills an emulator and returns the address of a proxy through which
// nothing can be written.
func refusing(t *testing.T, emulator string, fill func(context.Context, *bigtable.AdminClient, *bigtable.Client)) (string, *refuser) {
	t.Helper()
	backend, err := grpc.NewClient(emulator, grpc.WithTransportCredentials(insecure.NewCredentials()))
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
	return listen(t, grpc.NewServer(grpc.UnknownServiceHandler(r.handle(backend)))), r
}

// listen starts a server and returns its address.
func listen(t *testing.T, server *grpc.Server) string {
	t.Helper()
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	go server.Serve(l)
	return l.Addr().String()
}

// TestAudit holds the demo against a live instance that is wrong in every
// way, through a proxy that lets nothing be written.
func TestAudit(t *testing.T) {
	alongside(t)
	for name, start := range map[string]func(*testing.T) string{"bttest": inMemory, "official": official} {
		t.Run(name, func(t *testing.T) { auditDemo(t, start(t)) })
	}
}

func auditDemo(t *testing.T, emulator string) {
	address, proxy := refusing(t, emulator, func(ctx context.Context, admin *bigtable.AdminClient, client *bigtable.Client) {
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
		` and max age 30d in ` + name + `/tables/sessions family token`,
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
}

// A failing service answers as the name of the instance says.
type failing struct {
	adminpb.UnimplementedBigtableTableAdminServer
	bigtablepb.UnimplementedBigtableServer
}

// tablesOfMany is how many tables the instance "many" has.
const tablesOfMany = 10000

func (*failing) ListTables(_ context.Context, r *adminpb.ListTablesRequest) (*adminpb.ListTablesResponse, error) {
	switch r.Parent {
	case "projects/p/instances/forbidden":
		return nil, status.Error(codes.PermissionDenied, "Access denied")
	case "projects/p/instances/nosuch":
		return nil, status.Error(codes.NotFound, "Project not found")
	case "projects/p/instances/expired":
		return nil, status.Error(codes.Unauthenticated, "Request had invalid authentication credentials")
	case "projects/p/instances/many":
		page := &adminpb.ListTablesResponse{}
		first, _ := strconv.Atoi(r.PageToken)
		for i := range 1000 {
			page.Tables = append(page.Tables, &adminpb.Table{Name: fmt.Sprintf("%s/tables/t%05d", r.Parent, first+i)})
		}
		if next := first + 1000; next < tablesOfMany {
			page.NextPageToken = strconv.Itoa(next)
		}
		return page, nil
	}
	return &adminpb.ListTablesResponse{Tables: []*adminpb.Table{{Name: r.Parent + "/tables/sessions"}}}, nil
}

func (*failing) GetTable(_ context.Context, r *adminpb.GetTableRequest) (*adminpb.Table, error) {
	return &adminpb.Table{Name: r.Name, ColumnFamilies: map[string]*adminpb.ColumnFamily{
		"token": {GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(720 * time.Hour)}}}}}, nil
}

func (*failing) SampleRowKeys(r *bigtablepb.SampleRowKeysRequest, _ bigtablepb.Bigtable_SampleRowKeysServer) error {
	if r.AppProfileId != "" {
		return status.Error(codes.NotFound, "App profile not found: "+r.AppProfileId)
	}
	return status.Error(codes.PermissionDenied, "Access denied")
}

// TestAuditFails asks instances that cannot be asked: each is a line that says
// what to do, and hides nothing of what else is read.
func TestAuditFails(t *testing.T) {
	alongside(t)
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "go.mod"), "module example.com/m\n\ngo 1.25\n", 0o666)
	writeFile(t, filepath.Join(dir, registry.FileName), "version: 1\ntables:\n  sessions:\n    families:\n      token: {strategy: one-second-expiration}\n", 0o666)
	writeFile(t, filepath.Join(dir, "schema.sh"), "cbt createtable sessions families=token:maxage=7d\n", 0o666)
	server := grpc.NewServer()
	adminpb.RegisterBigtableTableAdminServer(server, &failing{})
	bigtablepb.RegisterBigtableServer(server, &failing{})
	address := listen(t, server)
	const file, table = "schema.sh:1:1: sets the age 7d", "/tables/sessions family token: sets the age 30d"
	for _, test := range []struct {
		args, emulator, out, errout string
	}{
		{"-instance projects/p/instances/forbidden", address, file, "projects/p/instances/forbidden: no permission: the account needs bigtable.tables.list and bigtable.tables.get, as in roles/bigtable.viewer"},
		{"-instance projects/p/instances/nosuch", address, file, "projects/p/instances/nosuch: there is no such instance"},
		{"-instance projects/p/instances/expired", address, file, "run gcloud auth application-default login"},
		{"-instance projects/p/instances/forbidden -instance projects/p/instances/main", address, table, "no permission"},
		{"-instance projects/p/instances/main -sample 3", address, table, "as in roles/bigtable.reader"},
		{"-instance projects/p/instances/main -sample 3 -app-profile batch", address, table, "App profile not found: batch"},
		{"-instance projects/p/instances/main", "localhost:1", file, "the emulator at localhost:1 cannot be reached"},
		{"-instance projects/p/instances/main", "", file, "nosuch.json: no such file"},
		{"-instance main", address, "", "write projects/PROJECT/instances/INSTANCE"},
	} {
		env := []string{"BIGTABLE_EMULATOR_HOST=" + test.emulator, "GOOGLE_APPLICATION_CREDENTIALS=nosuch.json", "GOOGLE_OAUTH_ACCESS_TOKEN="}
		out, errout, code := ttlvet(t, dir, env, append([]string{"audit"}, strings.Fields(test.args)...)...)
		if code != exitFailure || !strings.Contains(out, test.out) || !strings.Contains(errout, test.errout) || strings.Count(errout, test.errout) > 1 {
			t.Errorf("audit %s exits with %d and prints\n%s%s", test.args, code, out, errout)
		}
		_, errout, code = ttlvet(t, dir, env, "init", "-o", "draft.yaml", "-from", strings.Fields(test.args)[1])
		if strings.Contains(test.args, "main") && test.emulator == address {
			continue // its schema is there
		}
		if code != exitFailure || !strings.Contains(errout, test.errout) || exists(filepath.Join(dir, "draft.yaml")) {
			t.Errorf("init from %s exits with %d and prints\n%s", test.args, code, errout)
		}
	}
	out, errout, code := ttlvet(t, dir, []string{"BIGTABLE_EMULATOR_HOST=" + address}, "audit", "-instance", "projects/p/instances/many")
	if code != exitFindings || !strings.Contains(out, file) || !strings.Contains(errout, "10000 live tables") || !strings.Contains(errout, "and 9990 more") {
		t.Errorf("of many tables, audit exits with %d and prints\n%s%.2000s", code, out, errout)
	}
}
