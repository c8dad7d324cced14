package main

import (
	"io"
	"reflect"
	"strings"
	"testing"
)

func TestParseArgs(t *testing.T) {
	c, help, version, err := parseArgs(strings.Fields("-strict ./a -enable=ttlgc,ttlread/sql ./b -enable ttlwrite -test=false"), io.Discard, io.Discard)
	if err != nil || help || version {
		t.Fatal(help, version, err)
	}
	if want := []string{"./a", "./b"}; !reflect.DeepEqual(c.Load.Patterns, want) {
		t.Errorf("patterns are %q, want %q", c.Load.Patterns, want)
	}
	if want := []string{"ttlgc", "ttlread/sql", "ttlwrite"}; !reflect.DeepEqual(c.Options.Enable, want) {
		t.Errorf("enabled is %q, want %q", c.Options.Enable, want)
	}
	if !c.Options.Strict || c.Load.Tests {
		t.Errorf("config is %+v", c)
	}
}
