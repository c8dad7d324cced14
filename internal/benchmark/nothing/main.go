// Command nothing is a vet tool that does nothing: what it costs is what the
// go command and the unit checker cost.
package main

import (
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"
)

func main() {
	unitchecker.Main(&analysis.Analyzer{
		Name: "nothing",
		Doc:  "does nothing",
		// With facts it runs on dependencies, as any tool does that sees
		// through functions.
		FactTypes: []analysis.Fact{new(fact)},
		Run:       func(*analysis.Pass) (any, error) { return nil, nil },
	})
}

type fact struct{}

func (*fact) AFact() {}
