package main

import (
	"os"
	"syscall"
)

// peak returns the most memory, in bytes, that a process had, or one that it waited for.
func peak(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return usage.Maxrss << 10
}
