package check

import (
	"go/ast"
	"testing"
)

func TestPositions(t *testing.T) {
	here, there := &ast.Ident{NamePos: 1}, &ast.Ident{NamePos: 2}
	p := positions{}
	for i, c := range []struct {
		f   Finding
		new bool
	}{
		{Finding{At: here, Family: "a,b", Table: "t"}, true},
		{Finding{At: here, Family: "b"}, false}, // of any table: in those of t already
		{Finding{At: here, Family: "b,c"}, true},
		{Finding{At: here, Family: "b", Table: "u"}, true},
		{Finding{At: there, Family: "b"}, true},
		{Finding{At: there, Category: "x", Family: "d", kinds: true}, true},
		{Finding{At: there, Category: "y", Family: "d", kinds: true}, true},
		{Finding{At: there, Category: "y", Family: "d", Table: "t", kinds: true}, false},
		{Finding{At: there, Category: "y", Family: "d"}, false},
		{Finding{At: there, Category: "z", Family: "d"}, false},
		{Finding{At: here, Category: "x", Message: "m, n"}, true},
		{Finding{At: here, Category: "x", Message: "m, n"}, false},
		{Finding{At: here, Category: "x", Message: "m"}, true},
	} {
		if got := p.addFinding(c.f.At.Pos(), c.f); got != c.new {
			t.Errorf("%d: %+v is new: %v, want %v", i, c.f, got, c.new)
		}
	}
}
