// sqlq runs the canned reports.
package main

import (
	"context"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"os"
	"sort"
	"strings"

	"cloud.google.com/go/bigtable"

	"acme.test/opskit/kit"
)

var (
	sep    string
	params string
)

type report struct {
	name  string
	query string
	cols  []string
}

const tokensByUser = `SELECT _key AS k, token['web'] AS v FROM sessions WHERE STARTS_WITH(_key, @p)` // want ttlread/sql[tokens]

var reports = map[string]report{
	"emails": {
		"emails",
		`SELECT _key AS k, profile['email'] AS v FROM sessions WHERE STARTS_WITH(_key, @p)`, // ok ttlread/sql
		[]string{"k", "v"},
	},
}

func main() {
	kit.Main("sqlq", run, func(fs *flag.FlagSet) {
		fs.StringVar(&sep, "sep", ",", "separator")
		fs.StringVar(&params, "p", "", "prefix parameter")
	})
}

func run(ctx context.Context, e *kit.Env, args []string) error {
	if len(args) == 0 {
		names := make([]string, 0, len(reports))
		for n := range reports {
			names = append(names, n)
		}
		sort.Strings(names)
		return kit.Usage("sqlq tokens|live-tokens|holds|live-holds|balances|entries|archive|%s", strings.Join(names, "|"))
	}
	types := map[string]bigtable.SQLType{"p": bigtable.StringSQLType{}}
	var (
		ps  *bigtable.PreparedStatement
		err error
	)
	switch args[0] {
	case "tokens":
		ps, err = e.Client.PrepareStatement(ctx, tokensByUser, types) // want ttlread/sql[tokens]
	case "live-tokens":
		ps, err = e.Client.PrepareStatement(ctx, "SELECT _key AS k, token['web'] AS v FROM sessions(with_history => TRUE, after_or_equal => CURRENT_TIMESTAMP()) WHERE STARTS_WITH(_key, @p)", types) // ok ttlread/sql
	case "holds":
		ps, err = e.Client.PrepareStatement(ctx, "SELECT _key AS k, hold['amount'] AS v FROM payments WHERE STARTS_WITH(_key, @p)", types) // want ttlread/sql
	case "details":
		ps, err = e.Client.PrepareStatement(ctx, "SELECT _key AS k, detail['captured'] AS v FROM payments WHERE STARTS_WITH(_key, @p)", types) // ok ttlread/sql
	case "balances":
		ps, err = e.Client.PrepareStatement(ctx, "SELECT _key AS k, balance['cents'] AS v FROM `eu-ledger` WHERE STARTS_WITH(_key, @p)", types) // ok ttlread/sql
	case "entries":
		ps, err = e.Client.PrepareStatement(ctx, "SELECT _key AS k, entry['amount'] AS v FROM `eu-ledger` WHERE STARTS_WITH(_key, @p)", types) // ok ttlread/sql
	case "idem":
		q := "SELECT _key AS k, idem['req'] AS v FROM payments" // want ttlread/sql[idem]
		q += " WHERE STARTS_WITH(_key, @p)"                     // want ttlread/sql[idem]
		ps, err = e.Client.PrepareStatement(ctx, q, types)      // want ttlread/sql[idem]
	case "archive":
		ps, err = e.Client.PrepareStatement(ctx, "SELECT _key AS k, hold['amount'] AS v FROM payments_archive WHERE STARTS_WITH(_key, @p)", types) // ok ttlread/sql
	default:
		r, ok := reports[args[0]]
		if !ok {
			return kit.Usage("no report %q", args[0])
		}
		ps, err = e.Client.PrepareStatement(ctx, r.query, types)
	}
	if err != nil {
		return fmt.Errorf("prepare: %w", err)
	}
	bs, err := ps.Bind(map[string]any{"p": params})
	if err != nil {
		return err
	}
	w := csv.NewWriter(os.Stdout)
	w.Comma = []rune(sep)[0]
	var ferr error
	err = bs.Execute(ctx, func(rr bigtable.ResultRow) bool {
		var k, v []byte
		if ferr = errors.Join(rr.GetByName("k", &k), rr.GetByName("v", &v)); ferr != nil {
			return false
		}
		ferr = w.Write([]string{string(k), string(v)})
		return ferr == nil
	})
	w.Flush()
	return errors.Join(err, ferr, w.Error())
}
