package early

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// askedFile is the environment variable that makes the test's program a vet tool,
// and names the file to which it adds each unit that package early has not answered.
const askedFile = "TTLVET_TEST_ASKED"

// vetTool is a vet tool without analyzers. Its version is always new: the go
// command has nothing cached for it.
func vetTool(args []string, asked string) int {
	switch last := args[len(args)-1]; {
	case last == "-flags":
		fmt.Println("[]")
	case last == "-V=full":
		fmt.Printf("early version devel buildID=%d\n", time.Now().UnixNano())
	default:
		if err := answer(last, asked); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return 0
}

func answer(config, asked string) error {
	u, err := decoded(config)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(asked, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	fmt.Fprintln(f, config)
	if err := f.Close(); err != nil {
		return err
	}
	facts := NoFacts
	if strings.HasPrefix(u.ImportPath, "example.com/") {
		facts = "facts"
	}
	return os.WriteFile(u.VetxOutput, []byte(facts), 0o666)
}

// decoded reads a configuration as the library does.
func decoded(config string) (u unit, err error) {
	data, err := os.ReadFile(config)
	if err == nil {
		err = json.Unmarshal(data, &u)
	}
	return u, err
}

// What the installed go command writes is read as package encoding/json reads it, and
// is answered for the standard library, and for nothing else. That order and layout of its lines are as they were is promised
// nowhere.
func TestGoCommand(t *testing.T) {
	root := tree(t, map[string]string{
		"app/go.mod":      "module example.com/app\n\ngo 1.25\n",
		"app/app.go":      "package app\n\nimport (\n\t\"net/url\"\n\n\t\"example.com/app/b\"\n)\n\nvar _ = url.Parse\nvar _ = b.B\n",
		"app/app_test.go": "package app\n",
		"app/b/b.go":      "package b\n\nimport \"os\"\n\nvar B = os.Args\n",
	})
	work := t.TempDir()
	asked := filepath.Join(root, "asked")
	cmd := exec.Command("go", "vet", "-work", "-vettool="+os.Args[0], ".")
	cmd.Dir = filepath.Join(root, "app")
	cmd.Env = append(os.Environ(), askedFile+"="+asked, "GOTMPDIR="+work, "GOWORK=off", "GOFLAGS=", "PWD="+cmd.Dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	data, err := os.ReadFile(asked)
	if err != nil {
		t.Fatal(err)
	}
	left := map[string]bool{}
	for _, config := range strings.Split(string(data), "\n") {
		left[config] = true
	}
	answered, own := 0, 0
	err = filepath.WalkDir(work, func(config string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "vet.cfg" {
			return err
		}
		want, err := decoded(config)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(config)
		if err != nil {
			return err
		}
		if got, ok := parse(string(data)); !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is\n%+v, %t\nand not\n%+v", data, got, ok, want)
		}
		foreign := !strings.HasPrefix(want.ImportPath, "example.com/")
		if left[config] == foreign && len(want.PackageVetx) > 0 { // of others it depends on how the go command asks
			t.Errorf("%s: left to the program: %t", want.ImportPath, left[config])
		}
		if foreign {
			answered++
		} else if strings.HasPrefix(want.ImportPath, "example.com/") {
			own++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if answered < 20 || own < 2 {
		t.Errorf("%d units of the standard library, and %d of the module", answered, own)
	}
}
