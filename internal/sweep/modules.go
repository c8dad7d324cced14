package main

// A module is what is swept.
type module struct {
	path, version string
	packages      []string // patterns, as of the go command
	bigtable      bool     // imports the client
	local         bool     // path is a directory
}

func (m module) String() string {
	if m.version == "" {
		return m.path
	}
	return m.path + "@" + m.version
}

// std is the standard library: it is no module, and nothing is fixed in it.
const std = "std"

var everything = []string{"./..."}

// modules is the list. Packages are chosen to be small: those that use
// Bigtable, and of the rest a part where the whole would take minutes. The
// client's old releases bring programs along, such as cbt.
var modules = []module{
	{path: "cloud.google.com/go/bigtable", version: "v1.58.0", packages: []string{".", "./bttest"}, bigtable: true},
	{path: "cloud.google.com/go/bigtable", version: "v1.40.0", packages: []string{".", "./bttest"}, bigtable: true},
	{path: "cloud.google.com/go/bigtable", version: "v1.20.0", packages: []string{"."}, bigtable: true},
	{path: "cloud.google.com/go/bigtable", version: "v1.13.0", packages: []string{"./cmd/..."}, bigtable: true},
	{path: "cloud.google.com/go/bigtable", version: "v1.7.1", packages: []string{"./cmd/..."}, bigtable: true},
	{path: "cloud.google.com/go/bigtable", version: "v1.0.0", packages: []string{"./cmd/..."}, bigtable: true},
	{path: "cloud.google.com/go", version: "v0.37.4", packages: []string{"./bigtable/..."}, bigtable: true},
	{path: "github.com/cortexproject/cortex", version: "v1.10.0", packages: []string{"./pkg/chunk/gcp"}, bigtable: true},
	{path: "github.com/cortexproject/cortex", version: "v1.4.0", packages: []string{"./pkg/chunk/gcp"}, bigtable: true},
	{path: "github.com/apache/beam/sdks/v2", version: "v2.77.0", packages: []string{"./go/pkg/beam/io/bigtableio"}, bigtable: true},
	{path: "github.com/googleapis/cloud-bigtable-clients-test", version: "v0.0.5", packages: []string{"./tests"}, bigtable: true},

	{path: std, packages: []string{"std"}},
	{path: "golang.org/x/tools", version: "v0.48.0", packages: []string{"./go/...", "./cmd/..."}},
	{path: "golang.org/x/text", version: "v0.40.0", packages: []string{"./language", "./unicode/..."}},
	{path: "golang.org/x/mod", version: "v0.38.0", packages: everything},
	{path: "golang.org/x/sync", version: "v0.22.0", packages: everything},
	{path: "github.com/google/go-cmp", version: "v0.7.0", packages: everything},
	{path: "github.com/google/uuid", version: "v1.6.0", packages: everything},
	{path: "github.com/pkg/errors", version: "v0.9.1", packages: everything},
	{path: "github.com/rogpeppe/go-internal", version: "v1.14.1", packages: everything},
	{path: "github.com/spf13/cobra", version: "v1.10.2", packages: everything},
	{path: "go.yaml.in/yaml/v3", version: "v3.0.5", packages: everything},
	{path: "gopkg.in/yaml.v3", version: "v3.0.1", packages: everything},
}
