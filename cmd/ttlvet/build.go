package main

import (
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/product"
)

func buildGopls(args []string, stdout, stderr io.Writer) int {
	return buildProduct(product.Gopls, args, stdout, stderr)
}

func buildGolangciLint(args []string, stdout, stderr io.Writer) int {
	return buildProduct(product.GolangciLint, args, stdout, stderr)
}

const buildUsage = `usage: ttlvet build-%[1]s [flags]

It %[2]s

A program that was built from a checkout needs one: that of the current
directory, or -source.

	-o file           write the program to file; %[1]s in the current directory unless
	                  given
	-source dir       use the checkout of ttlvet in dir, instead of this program's
	                  version
	-version version  build this version of %[1]s; %[3]s unless given
`

// buildProduct is the command that builds a product.
func buildProduct(p product.Product, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("ttlvet build-"+p.Name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	var out string
	flags.Var((*written)(&out), "o", "")
	source := flags.String("source", "", "")
	version := flags.String("version", p.Version, "")
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintf(stdout, buildUsage, p.Name, p.About, p.Version)
		return exitClean
	case err == nil && flags.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case err == nil:
		err = p.Build(out, *source, *version, stdout, stderr)
	}
	if err != nil {
		fmt.Fprintf(stderr, "ttlvet build-%s: %v\n", p.Name, err)
		return exitFailure
	}
	return exitClean
}
