package namedresult

import (
	"flag"
	"time"

	"cloud.google.com/go/bigtable"
)

type options struct {
	key string
	ttl time.Duration
}

func parse(args []string) (o options, err error) {
	fs := flag.NewFlagSet("put", flag.ContinueOnError)
	fs.StringVar(&o.key, "key", "", "row key")
	fs.DurationVar(&o.ttl, "ttl", 0, "lifetime")
	err = fs.Parse(args)
	return o, err
}

func parse2(args []string) (options, error) {
	var o options
	fs := flag.NewFlagSet("put", flag.ContinueOnError)
	fs.DurationVar(&o.ttl, "ttl", 0, "lifetime")
	err := fs.Parse(args)
	return o, err
}

func parse3(args []string) (*options, error) {
	o := &options{key: "x"}
	fs := flag.NewFlagSet("put", flag.ContinueOnError)
	fs.DurationVar(&o.ttl, "ttl", 0, "lifetime")
	return o, fs.Parse(args)
}

func register(fs *flag.FlagSet, o *options) { fs.DurationVar(&o.ttl, "ttl", 0, "lifetime") }

func Use(m *bigtable.Mutation, args []string) {
	o, _ := parse(args)
	m.Set("token", "d", bigtable.Time(time.Now().Add(o.ttl)), nil) // silent
	o2, _ := parse2(args)
	m.Set("token", "e", bigtable.Time(time.Now().Add(o2.ttl)), nil) // silent
	o3, _ := parse3(args)
	m.Set("token", "f", bigtable.Time(time.Now().Add(o3.ttl)), nil) // silent
	var o4 options
	register(flag.CommandLine, &o4)
	m.Set("token", "g", bigtable.Time(time.Now().Add(o4.ttl)), nil) // silent
}
