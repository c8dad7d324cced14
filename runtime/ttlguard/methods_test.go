package ttlguard

import (
	"os"
	"slices"
	"strings"
	"testing"

	_ "cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// said are the methods that are known and never judged.
var said = []string{
	dataService + "ReadChangeStream", dataService + "OpenMaterializedView",
	instanceAdmin + "CreateMaterializedView", instanceAdmin + "UpdateMaterializedView",
}

// TestMethods: testdata/methods.txt lists all methods of the client's services,
// those of the newest release, and says of each whether it is judged or why it
// is harmless.
func TestMethods(t *testing.T) {
	text, err := os.ReadFile("testdata/methods.txt")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		name, want, _ := strings.Cut(line, ": ")
		names = append(names, name)
		got := harmless[name]
		if _, ok := messages[name]; ok {
			got = "judged"
		} else if sessions[name] {
			got = "judged, request by request"
		}
		if slices.Contains(said, name) {
			got = "not judged, which is said of each that may be to a declared table"
		}
		if got != want {
			t.Errorf("%s: %s\nthe list says %s", name, got, want)
		}
	}
	if n := len(messages) + len(sessions) + len(harmless); n != len(names) || !slices.IsSorted(names) {
		t.Errorf("%d methods are known, and %d are listed", n, len(names))
	}
	protoregistry.GlobalFiles.RangeFiles(func(f protoreflect.FileDescriptor) bool {
		for i := range f.Services().Len() {
			methods := f.Services().Get(i).Methods()
			for j := range methods.Len() {
				name := "/" + string(methods.Get(j).Parent().FullName()) + "/" + string(methods.Get(j).Name())
				if ours(name) && !slices.Contains(names, name) {
					t.Errorf("%s is not listed", name)
				}
			}
		}
		return true
	})
}
