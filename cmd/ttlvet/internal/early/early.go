// Package early answers the go command for the dependencies of a build that
// cannot matter, before the rest of the program is initialised.
//
// As a vet tool ttlvet is started once for each package of a build, a thousand
// times for a service, and nine of ten are dependencies about which it has
// nothing to say. To initialise what ttlvet is linked with takes longer than to
// find that out. Packages are initialised in the order of their import paths as
// far as what they import allows (the Go specification, Package
// initialization), so a package that imports little comes before nearly
// everything else.
//
// Here is only what is certain; what is doubtful is decided by package main.
package early

import "os"

func init() {
	if config := configuration(os.Args[1:]); config != "" && answered(config, asked(os.Args[1:])) {
		os.Exit(0)
	}
}

// configuration returns the file of a unit that is to be analysed, or "". Flags
// do not matter to a dependency: whether there are such rules is said of the
// packages that are to be reported on.
func configuration(args []string) string {
	config := ""
	for i, a := range args {
		last := i == len(args)-1
		if last && hasSuffix(a, ".cfg") {
			config = a
		} else if last || !hasPrefix(a, "-") {
			return ""
		}
	}
	return config
}

// asked reports whether the go command asks for findings as it does by itself. Of
// packages that Go's own compiler has compiled the library then analyses none, which
// could take an empty file of facts for one that was lost.
func asked(args []string) bool { return len(args) == 2 && args[0] == "-json" }

// marks are in the path of each package by which code reaches Bigtable, and in
// the go.mod of each module whose code is followed.
var marks = []string{"bigtable", "ttlvet"}

// answered reports whether the unit is a dependency that cannot matter, and
// was answered with [NoFacts]. Where more is asked than findings, that
// is left to package main for one that imports nothing: it knows whether facts
// may be empty at all. Where they may not, no unit has imports of which all are.
func answered(config string, findings bool) bool {
	data, err := os.ReadFile(config)
	if err != nil {
		return false
	}
	u, ok := parse(string(data))
	if !ok || !u.VetxOnly || u.VetxOutput == "" || len(u.PackageVetx) == 0 && !(findings && u.Compiler == "gc") || !u.foreign() {
		return false
	}
	return os.WriteFile(u.VetxOutput, []byte(NoFacts), 0o666) == nil
}

// NoFacts is the file of facts of a package that has none: an empty list, as the
// library that makes vet tools reads it. A file without a byte is one that was lost.
const NoFacts = "\r\xff\x81\x02\x01\x02\xff\x82\x00\x01\xff\x80\x00\x00 \x7f\x03\x01\x01\agobFact\x01\xff\x80\x00\x01\x01\x01\aPkgPath\x01\f\x00\x00\x00\x04\xff\x82\x00\x00"

// foreign reports whether it is certain that the unit does not reach Bigtable
// and that values are not followed through it.
func (u *unit) foreign() bool {
	for _, imp := range u.ImportMap {
		if marked(imp) {
			return false
		}
	}
	for _, file := range u.PackageVetx {
		if info, err := os.Stat(file); err != nil || info.Size() != int64(len(NoFacts)) {
			return false
		}
	}
	return !marked(u.ImportPath) && Foreign(u.Dir)
}

// Foreign reports whether it is certain that values are not followed through
// the package in a directory: whether it is of the standard library or what that
// vendors, or of a module in the module cache whose go.mod does not name the client.
func Foreign(dir string) bool {
	vendored := false
	for {
		at := lastSlash(dir)
		if at < 0 {
			return false
		}
		vendored = vendored || dir[at+1:] == "vendor"
		if data, err := os.ReadFile(dir + "/go.mod"); err == nil {
			text := string(data)
			return hasPrefix(text, "module std\n") || !vendored && contains(dir[at+1:], "@v") && !marked(text)
		}
		dir = dir[:at]
	}
}

func marked(text string) bool {
	for _, m := range marks {
		if contains(text, m) {
			return true
		}
	}
	return false
}
