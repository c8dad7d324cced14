// Package ruleflag has the flags that choose rules.
package ruleflag

import (
	"flag"
	"strings"

	"github.com/ttlvet/ttlvet/analyzers"
	"github.com/ttlvet/ttlvet/internal/rule"
)

// Add adds the flags that choose rules.
func Add(flags *flag.FlagSet, o *analyzers.Options) {
	flags.BoolVar(&o.Strict, "strict", false, "report the strict rules too")
	flags.Var((*List)(&o.Enable), "enable", "report these `rules`, separated by commas, although they are strict or disabled")
	flags.Var((*List)(&o.Disable), "disable", "do not report these `rules`, separated by commas")
}

// A List is a flag of rule and analyzer names that may be repeated.
type List []string

func (l *List) String() string { return strings.Join(*l, ",") }

func (l *List) Set(s string) error {
	for name := range strings.SplitSeq(s, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if err := rule.Check(name); err != nil {
			return err
		}
		*l = append(*l, name)
	}
	return nil
}
