package load

import (
	"path/filepath"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/shown"
)

// Errors of the go command show paths as findings do.
func TestErrorLine(t *testing.T) {
	c := &Config{Shown: shown.Dir(filepath.FromSlash("/home/me/app"))}
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
