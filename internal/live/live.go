// Package live asks instances of Bigtable for their schema and, where that
// is wanted, for the timestamps of a few cells. It never writes: the
// connection lets through no other call than those that it names.
package live

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/auth"
	"cloud.google.com/go/auth/credentials"
	"cloud.google.com/go/auth/grpctransport"
	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
)

// Endpoints of the service.
const (
	adminEndpoint = "bigtableadmin.googleapis.com:443"
	dataEndpoint  = "bigtable.googleapis.com:443"
)

// scopes are those that the client library asks for.
var scopes = []string{"https://www.googleapis.com/auth/bigtable.admin.table", "https://www.googleapis.com/auth/cloud-platform"}

// Allowed are the calls that a connection lets through.
var Allowed = []string{
	"/google.bigtable.admin.v2.BigtableTableAdmin/ListTables",
	"/google.bigtable.admin.v2.BigtableTableAdmin/GetTable",
	"/google.bigtable.v2.Bigtable/ReadRows",
	"/google.bigtable.v2.Bigtable/SampleRowKeys",
}

// callTimeout bounds one call.
const callTimeout = 30 * time.Second

// Emulator returns the address of the emulator that is asked instead of the
// service, or "".
func Emulator() string {
	_, address, ok := strings.Cut(os.Getenv("BIGTABLE_EMULATOR_HOST"), "://")
	if !ok {
		address = os.Getenv("BIGTABLE_EMULATOR_HOST")
	}
	return address
}

// A connection can be called and closed.
type connection interface {
	grpc.ClientConnInterface
	Close() error
}

// An Instance is a connection to one instance.
type Instance struct {
	Name        string // projects/P/instances/I
	admin, data connection
}

// IsInstance reports whether a name is that of an instance.
func IsInstance(name string) bool {
	parts := strings.Split(name, "/")
	return len(parts) == 4 && parts[0] == "projects" && parts[1] != "" && parts[2] == "instances" && parts[3] != ""
}

// Open connects to an instance, projects/P/instances/I: with an access token in
// GOOGLE_OAUTH_ACCESS_TOKEN, else with Application Default Credentials; or to
// the emulator at BIGTABLE_EMULATOR_HOST.
func Open(ctx context.Context, name string) (*Instance, error) {
	i := &Instance{Name: name}
	var err error
	if i.admin, err = dial(ctx, adminEndpoint); err == nil {
		i.data, err = dial(ctx, dataEndpoint)
	}
	if err != nil {
		return nil, unusable(name, err)
	}
	return i, nil
}

// unusable words what is wrong with the credentials, without which no
// connection is made.
func unusable(name string, err error) error {
	if strings.Contains(err.Error(), "could not find default credentials") {
		return fmt.Errorf("%s: no credentials: run gcloud auth application-default login, or set GOOGLE_APPLICATION_CREDENTIALS or GOOGLE_OAUTH_ACCESS_TOKEN", name)
	}
	return fmt.Errorf("%s: the credentials cannot be used: %w", name, err)
}

// Close ends the connection.
func (i *Instance) Close() {
	for _, c := range []connection{i.admin, i.data} {
		if c != nil {
			c.Close()
		}
	}
}

func dial(ctx context.Context, endpoint string) (connection, error) {
	guards := []grpc.DialOption{
		grpc.WithUnaryInterceptor(guardUnary),
		grpc.WithStreamInterceptor(guardStream),
	}
	if address := Emulator(); address != "" {
		return grpc.NewClient(address, append(guards, grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	}
	options := &grpctransport.Options{
		Endpoint:     endpoint,
		GRPCDialOpts: append(guards, grpc.WithUserAgent("ttlvet")),
		DetectOpts:   &credentials.DetectOptions{Scopes: scopes},
	}
	if given := os.Getenv("GOOGLE_OAUTH_ACCESS_TOKEN"); given != "" {
		options.Credentials = auth.NewCredentials(&auth.CredentialsOptions{TokenProvider: token(given)})
	}
	return grpctransport.Dial(ctx, true, options)
}

// A token is an access token that does not change.
type token string

// Token returns the token.
func (t token) Token(context.Context) (*auth.Token, error) { return &auth.Token{Value: string(t)}, nil }

// errRefused is what becomes of any other call.
var errRefused = errors.New("ttlvet only reads")

func guardUnary(ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	if !slices.Contains(Allowed, method) {
		return fmt.Errorf("%s: %w", method, errRefused)
	}
	return invoke(ctx, method, req, reply, conn, opts...)
}

func guardStream(ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string, streamer grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	if !slices.Contains(Allowed, method) {
		return nil, fmt.Errorf("%s: %w", method, errRefused)
	}
	return streamer(ctx, desc, conn, method, opts...)
}

// routed adds what the service finds the instance by.
func routed(ctx context.Context, key, name string) context.Context {
	return metadata.AppendToOutgoingContext(ctx, "x-goog-request-params", key+"="+strings.ReplaceAll(name, "/", "%2F"))
}

// Tables returns every table of the instance, sorted by name, as the service
// describes it in JSON.
func (i *Instance) Tables(ctx context.Context) ([][]byte, error) {
	client := adminpb.NewBigtableTableAdminClient(i.admin)
	var names []string
	for page := ""; ; {
		var list *adminpb.ListTablesResponse
		err := retry(ctx, func(ctx context.Context) (err error) {
			list, err = client.ListTables(routed(ctx, "parent", i.Name), &adminpb.ListTablesRequest{Parent: i.Name, View: adminpb.Table_NAME_ONLY, PageToken: page})
			return err
		})
		if err != nil {
			return nil, i.explain(err, adminEndpoint)
		}
		for _, t := range list.Tables {
			names = append(names, t.Name)
		}
		if list.NextPageToken == "" || list.NextPageToken == page {
			break
		}
		page = list.NextPageToken
	}
	slices.Sort(names)
	var out [][]byte
	for _, name := range names {
		var table *adminpb.Table
		err := retry(ctx, func(ctx context.Context) (err error) {
			table, err = client.GetTable(routed(ctx, "name", name), &adminpb.GetTableRequest{Name: name, View: adminpb.Table_SCHEMA_VIEW})
			return err
		})
		if status.Code(err) == codes.NotFound {
			continue // deleted since it was listed
		}
		if err != nil {
			return nil, i.explain(err, adminEndpoint)
		}
		data, err := protojson.Marshal(table)
		if err != nil {
			return nil, err
		}
		out = append(out, data)
	}
	return out, nil
}

// retry calls f until it succeeds or fails for good.
func retry(ctx context.Context, f func(context.Context) error) error {
	for attempt := 0; ; attempt++ {
		call, cancel := context.WithTimeout(ctx, callTimeout)
		err := f(call)
		cancel()
		if code := status.Code(err); attempt >= 3 || code != codes.Unavailable && code != codes.ResourceExhausted && code != codes.Aborted || Emulator() != "" {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second << attempt):
		}
	}
}

// explain words an error of an endpoint with what helps against it.
func (i *Instance) explain(err error, where string) error {
	msg := status.Convert(err).Message()
	switch code := status.Code(err); {
	case code == codes.PermissionDenied:
		return fmt.Errorf("%s: no permission: the account needs bigtable.tables.list and bigtable.tables.get, as in roles/bigtable.viewer; with -sample also bigtable.tables.readRows and bigtable.tables.sampleRowKeys, as in roles/bigtable.reader (%s)", i.Name, msg)
	case code == codes.NotFound:
		return fmt.Errorf("%s: there is no such instance (%s)", i.Name, msg)
	case code == codes.Unauthenticated:
		return fmt.Errorf("%s: the credentials are not accepted: run gcloud auth application-default login (%s)", i.Name, msg)
	case code == codes.Unavailable || code == codes.DeadlineExceeded:
		if e := Emulator(); e != "" {
			where = "the emulator at " + e
		}
		return fmt.Errorf("%s: %s cannot be reached (%s)", i.Name, where, msg)
	}
	return fmt.Errorf("%s: %s", i.Name, msg)
}
