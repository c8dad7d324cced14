package product

import (
	"strings"
	"testing"
)

func TestOwnSource(t *testing.T) {
	t.Chdir(t.TempDir())
	if _, _, err := ownSource("."); err == nil || !strings.Contains(err.Error(), "is not the root of a checkout") {
		t.Errorf("another directory as source gives %v", err)
	}
}
