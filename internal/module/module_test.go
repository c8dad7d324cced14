package module

import (
	"go/build"
	"os"
	"path/filepath"
	"testing"
)

func TestFollowed(t *testing.T) {
	root := t.TempDir()
	for name, content := range map[string]string{
		"app/go.mod":                                        "module example.com/app\n",
		"app/vendor/example.com/x/x.go":                     "package x\n",
		"app/vendor/modules.txt":                            "# example.com/x v1.0.0\n",
		"app/vendor/example.com/old/go.mod":                 "module example.com/old\n",
		"app/vendor/example.com/user/go.mod":                "module example.com/user\n\nrequire cloud.google.com/go/bigtable v1.40.0\n",
		"vendor/work/go.mod":                                "module example.com/work\n",
		"app/schema/schema.go":                              "package schema\n",
		"cache/example.com/a@v1.2.0/go.mod":                 "module example.com/a\n",
		"cache/example.com/b@v1.2.0/go.mod":                 "module example.com/b\n\nrequire cloud.google.com/go/bigtable v1.40.0\n",
		"cache/cloud.google.com/go/bigtable@v1.40.0/go.mod": "module cloud.google.com/go/bigtable\n",
		"cache/google.golang.org/genproto@v0.0.1/go.mod":    "module google.golang.org/genproto\n\nrequire cloud.google.com/go/bigtable v1.40.0\n",
		"std/go.mod":                                        "module std\n",
		"std/fmt/x.go":                                      "package fmt\n",
		"none/x.go":                                         "package none\n",
	} {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		dir  string
		want bool
	}{
		{"app", true},
		{"app/schema", true},
		{"app/not/there", true},
		{"app/vendor/example.com/x", false},
		{"app/vendor/example.com/old/sub", false},
		{"app/vendor/example.com/user/sub", true},
		{"vendor/work", true},
		{"cache/example.com/a@v1.2.0/sub", false},
		{"cache/example.com/b@v1.2.0/sub", true},
		{"cache/cloud.google.com/go/bigtable@v1.40.0/internal", false},
		{"cache/google.golang.org/genproto@v0.0.1/type", false},
		{"std/fmt", false},
		{"none", false},
	} {
		if got := Followed(filepath.Join(root, test.dir)); got != test.want {
			t.Errorf("Followed(%s) = %v, want %v", test.dir, got, test.want)
		}
	}
	if Followed("relative") {
		t.Error("a relative directory is followed")
	}
	if Followed(filepath.Join(build.Default.GOROOT, "src", "fmt")) {
		t.Error("the standard library is followed")
	}
}
