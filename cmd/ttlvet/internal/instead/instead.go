// Package instead ends a program that the go command has started in place of a
// compiler, assembler or linker, before the rest of the program is initialised:
// the go command asks some ten times, and what ttlvet is linked with takes
// longer to initialise than the answer (see package early for the order).
package instead

import (
	"cmp"
	"os"
	"os/exec"
	"slices"
)

// Asked is the environment variable that tells the program that the go
// command has started it in place of a tool.
const Asked = "TTLVET_INSTEAD_OF_TOOL"

func init() {
	if os.Getenv(Asked) != "" {
		os.Exit(run(os.Args[1:]))
	}
}

// run runs a tool to say its version, without which the go command finds
// nothing in the cache, and fails where it would do anything else.
func run(args []string) int {
	if len(args) == 0 || args[len(args)-1] != "-V=full" && !slices.Contains(args, "-###") {
		return 1
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return cmp.Or(cmd.ProcessState.ExitCode(), 1)
	}
	return 0
}
