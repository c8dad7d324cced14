package main

import (
	"fmt"
	"strings"
)

// A noted is a file or an environment variable, and what it is to ttlvet.
type noted struct{ name, about string }

// files are what ttlvet looks for without being told.
var files = []noted{
	{"ttlvet.yaml", "the registry, beside go.mod or go.work"},
	{"ttlvet.baseline.yaml", "the usual name of a baseline, which baseline: in the registry names"},
	{"go.mod, go.work", "the module and the workspace, as for the go command"},
	{"ttlvet/exports", "what is remembered of the go command's answers, below the user's cache directory"},
}

// variables are the environment variables that ttlvet itself reads. The go command,
// which it starts, reads its own: GOFLAGS, GOPROXY, GOTOOLCHAIN and others.
var variables = []noted{
	{"TTLVET_CACHE", "the directory of what is remembered, in place of that; off keeps nothing"},
	{"NO_COLOR", "if set, no colour"},
	{"TERM", "dumb means a terminal without colour and progress"},
	{"BIGTABLE_EMULATOR_HOST", "the emulator: for -instance in place of Bigtable, for proxy unless -to is given"},
	{"GOOGLE_OAUTH_ACCESS_TOKEN", "an access token for -instance, in place of Application Default Credentials"},
	{"GOPACKAGESDRIVER", "a program that lists packages for another build system; off for none"},
	{"GO111MODULE", "off is an error: ttlvet works in modules only"},
	{"GOWORK", "the workspace, as for the go command"},
	{"GOFLAGS", "as for the go command; build-… leaves out what concerns modules"},
	{"GOARCH", "the processor for which code is analysed, as for the go command"},
	{"GOCACHE", "the build cache, as for the go command"},
	{"GOGC, GOMEMLIMIT", "Go's bounds for memory, in place of those that ttlvet sets itself"},
}

// environmentText lists files and variables for people.
func environmentText() string {
	var b strings.Builder
	for _, list := range []struct {
		title string
		rows  []noted
	}{{"Files", files}, {"Environment variables", variables}} {
		fmt.Fprintf(&b, "%s:\n\n", list.title)
		for _, n := range list.rows {
			fmt.Fprintf(&b, "\t%-26s %s\n", n.name, n.about)
		}
		b.WriteString("\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}
