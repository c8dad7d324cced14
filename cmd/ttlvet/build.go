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

// buildProduct is the command that builds a product.
func buildProduct(p product.Product, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("ttlvet build-"+p.Name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	var out string
	flags.Var((*written)(&out), "o", "write the program to `file` (default: "+p.Name+" in the current directory)")
	source := flags.String("source", "", "use the checkout of ttlvet in `dir` (default: this program's version; a program that was\nbuilt from a checkout needs one and finds that of the current directory)")
	version := flags.String("version", p.Version, "build this version of "+p.Name)
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintf(stdout, "usage: ttlvet build-%s [flags]\n\nIt %s\n\nFlags:\n", p.Name, p.About)
		flags.SetOutput(stdout)
		flags.PrintDefaults()
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
