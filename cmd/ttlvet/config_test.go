package main

import (
	"io"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

func TestParseArgs(t *testing.T) {
	c, help, version, err := parseArgs(strings.Fields("-strict ./a -enable=ttlgc,ttlread/sql ./b -enable ttlwrite -test=false"), io.Discard, io.Discard)
	if err != nil || help || version {
		t.Fatal(help, version, err)
	}
	if want := []string{"./a", "./b"}; !reflect.DeepEqual(c.patterns, want) {
		t.Errorf("patterns are %q, want %q", c.patterns, want)
	}
	if want := []string{"ttlgc", "ttlread/sql", "ttlwrite"}; !reflect.DeepEqual(c.options.Enable, want) {
		t.Errorf("enabled is %q, want %q", c.options.Enable, want)
	}
	if !c.options.Strict || c.test {
		t.Errorf("config is %+v", c)
	}
}

// Errors of the go command show paths as findings do.
func TestErrorLine(t *testing.T) {
	c := &config{shown: filepath.FromSlash("/home/me/app")}
	for _, tt := range []struct {
		pos, msg, want string
	}{
		{"/home/me/app/store/s.go:3:8", "no such package", "store/s.go:3:8: no such package"},
		{"/home/me/other/s.go:3", "no such package", "/home/me/other/s.go:3: no such package"},
		{"store/s.go:3:8", "no such package", "store/s.go:3:8: no such package"},
		{"", "no such package\n", "no such package"},
		{"-", "no such package", "no such package"},
		{"/home/me/app/s.go:1:1", "# app\n./s.go:3:1: wrong", "# app\n./s.go:3:1: wrong"},
	} {
		got := filepath.ToSlash(c.errorLine(packages.Error{Pos: filepath.FromSlash(tt.pos), Msg: tt.msg}))
		if got != tt.want {
			t.Errorf("errorLine(%q, %q) = %q, want %q", tt.pos, tt.msg, got, tt.want)
		}
	}
}

func TestOwnSource(t *testing.T) {
	t.Chdir(t.TempDir())
	if _, _, err := ownSource("."); err == nil || !strings.Contains(err.Error(), "is not the root of a checkout") {
		t.Errorf("another directory as source gives %v", err)
	}
}
