package vettool

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"

	"github.com/ttlvet/ttlvet/internal/plain"
	"github.com/ttlvet/ttlvet/internal/registries"
)

// versionFlag is the flag -V=full, by whose answer the go command keys its
// cache. The answer covers the registries too: the go command does not know
// that analysis reads them, and would go on replaying what was found with
// older ones. Where one is malformed the run ends here, each time.
type versionFlag struct{}

func (versionFlag) IsBoolFlag() bool { return true }
func (versionFlag) String() string   { return "" }

func (versionFlag) Set(s string) error {
	if s != "full" {
		return fmt.Errorf("unsupported value %q: use -V=full", s)
	}
	wd, err := os.Getwd()
	if err == nil {
		var known, program string
		if known, err = registries.Parse(wd); err == nil {
			program, err = os.Executable()
			if err == nil {
				return printBuildID(program, known)
			}
		}
	}
	fmt.Fprintln(plain.Writer(os.Stderr), err)
	os.Exit(1)
	return nil
}

// printBuildID prints the program's version in the go command's format.
func printBuildID(program, registries string) error {
	f, err := os.Open(program)
	if err != nil {
		return err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return err
	}
	io.WriteString(h, registries)
	fmt.Printf("ttlvet version devel buildID=%x\n", h.Sum(nil))
	os.Exit(0)
	return nil
}
