package vettool

import (
	"strings"
	"testing"
)

func TestAsked(t *testing.T) {
	for args, want := range map[string]bool{
		"":                           false,
		"./...":                      false,
		"-V=full":                    true,
		"-flags":                     true,
		"-json -strict unit/vet.cfg": true,
		"-version":                   false,
	} {
		if got := Asked(strings.Fields(args)); got != want {
			t.Errorf("Asked(%s) = %v", args, got)
		}
	}
}
