// Command export writes contacts, sessions or visitors to standard output.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/leadmill/core"
	"example.com/leadmill/crm"
)

var flagPrefix = flag.String("prefix", "", "key prefix")

func main() {
	project := flag.String("project", os.Getenv("GOOGLE_CLOUD_PROJECT"), "")
	instance := flag.String("instance", "leadmill-prod", "")
	what := flag.String("what", "contacts", "contacts, cards, sessions, session, visitor, scratch")
	id := flag.String("id", "", "")
	tokens := flag.Bool("tokens", false, "with tokens")
	flag.Parse()
	ctx := context.Background()
	if err := core.Init(ctx, *project, *instance, ""); err != nil {
		log.Fatal(err)
	}
	defer core.Shutdown()
	enc := json.NewEncoder(os.Stdout)
	var err error
	switch *what {
	case "contacts":
		s := crm.NewStore(core.Client(), crm.Options{})
		var n int
		n, err = s.Export(ctx, *flagPrefix, enc, true) // want ttlread/missing-filter[exp]
		log.Printf("%d contacts", n)
	case "cards":
		s := crm.NewStore(core.Client(), crm.Options{})
		_, err = s.Export(ctx, *flagPrefix, enc, false) // ok ttlread/missing-filter
	case "sessions":
		err = sessions(ctx, enc, *tokens)
	case "session":
		err = core.DumpSession(ctx, os.Stdout, *id, *tokens, true)
	case "visitor":
		var v *core.Visitor
		if core.FlagShadowRead {
			v, err = core.LoadVisitorV1(ctx, *id)
		} else {
			v, err = core.LoadVisitor(ctx, *id, core.WithPartners|core.WithSegments|core.WithAttrs)
		}
		if err == nil {
			err = enc.Encode(v)
		}
	case "scratch":
		var row bigtable.Row
		if row, err = core.Unstash(ctx, *id); err == nil {
			err = enc.Encode(row)
		}
	default:
		err = fmt.Errorf("what is %q", *what)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// line is a session in the export.
type line struct {
	Key     string            `json:"key"`
	Cells   map[string]string `json:"cells"`
	Written time.Time         `json:"written"`
	Ends    time.Time         `json:"ends"`
}

func sessions(ctx context.Context, enc *json.Encoder, tokens bool) error {
	tbl := core.Client().Open(core.TblSessions)
	fams := bigtable.Filter(bigtable.FamilyFilter(core.FamProf))
	if tokens {
		fams = bigtable.InterleaveFilters(
			bigtable.FamilyFilter(core.FamProf),
			bigtable.ChainFilters(bigtable.FamilyFilter(core.FamTok), bigtable.TimestampRangeFilter(time.Now(), time.Time{})),
		)
	}
	var failed error
	err := tbl.ReadRows(ctx, bigtable.PrefixRange(*flagPrefix), func(r bigtable.Row) bool { // ok ttlread/unfiltered-branch
		l := line{Key: r.Key(), Cells: map[string]string{}}
		for _, it := range r[core.FamProf] {
			l.Cells[it.Column] = string(it.Value)
			l.Written = it.Timestamp.Time() // ok ttlage/not-write-time
		}
		for _, it := range r[core.FamTok] {
			l.Cells[it.Column] = string(it.Value)
			l.Ends = it.Timestamp.Time() // ok ttlage/not-write-time
			if l.Written.IsZero() {
				l.Written = it.Timestamp.Time() // want ttlage/not-write-time
			}
		}
		failed = enc.Encode(l)
		return failed == nil
	}, bigtable.RowFilter(fams))
	if err == nil {
		err = failed
	}
	return err
}
