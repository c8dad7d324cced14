package main

import (
	"fmt"
	"os/exec"
	"runtime"
	"strings"
)

// tooOld is the error of a ttlvet that cannot deal with the code of a newer
// Go than the one it was built with.
func tooOld(goVersion, cause string) error {
	return fmt.Errorf("built with %s, the go command is %s: reinstall with go install %s@latest (%s)",
		runtime.Version(), goVersion, modulePath+"/cmd/ttlvet", cause)
}

// goVersion returns the version of the go command.
func goVersion() string {
	out, err := exec.Command("go", "env", "GOVERSION").Output()
	if err != nil {
		return "another"
	}
	return strings.TrimSpace(string(out))
}
