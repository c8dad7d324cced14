// inspect shows rows in the browser or on the terminal. Read only.
//
//	inspect serve | row TABLE KEY | ages PREFIX
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"html/template"
	"net/http"
	"os"
	"sort"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"acme.test/opskit/kit"
)

var (
	addr    string
	rawFlag bool
	tz      string
)

var page = template.Must(template.New("row").Parse(`<h1>{{.Key}}</h1><table>
{{range .Cells}}<tr><td>{{.Family}}</td><td>{{.Column}}</td><td>{{.Written}}</td><td>{{.Value}}</td></tr>{{end}}</table>`))

// Cell is a cell for the page.
type Cell struct {
	Family    string        `json:"family"`
	Column    string        `json:"column"`
	Value     string        `json:"value"`
	Timestamp int64         `json:"timestamp"`
	Written   string        `json:"written,omitempty"`
	Expires   string        `json:"expires,omitempty"`
	UpdatedAt time.Time     `json:"updated_at,omitzero"`
	Age       time.Duration `json:"age,omitempty"`
}

// RowPage is a row for the page.
type RowPage struct {
	Key   string `json:"key"`
	Cells []Cell `json:"cells"`
}

type server struct {
	env *kit.Env
	loc *time.Location
}

func main() {
	kit.Main("inspect", run, func(fs *flag.FlagSet) {
		fs.StringVar(&addr, "addr", "localhost:8099", "where to listen")
		fs.BoolVar(&rawFlag, "raw", false, "no filter")
		fs.StringVar(&tz, "tz", "Europe/Berlin", "time zone")
	})
}

func run(ctx context.Context, e *kit.Env, args []string) error {
	if len(args) == 0 {
		return kit.Usage("inspect serve|row|ages")
	}
	loc, err := time.LoadLocation(tz)
	if err != nil {
		return err
	}
	s := &server{env: e, loc: loc}
	switch args[0] {
	case "serve":
		mux := http.NewServeMux()
		mux.HandleFunc("GET /payment/{key}", s.payment)
		mux.HandleFunc("GET /session/{user}", s.session)
		mux.HandleFunc("GET /rate/{pair}", s.rate)
		mux.HandleFunc("GET /ledger/{account}", s.ledger)
		mux.HandleFunc("GET /card/{pan}", s.card)
		mux.Handle("/metrics", kit.Counters)
		srv := &http.Server{Addr: addr, Handler: logged(mux), ReadHeaderTimeout: 5 * time.Second}
		go func() {
			<-ctx.Done()
			_ = srv.Close()
		}()
		if err := srv.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	case "row":
		if len(args) < 3 {
			return kit.Usage("inspect row TABLE KEY")
		}
		return s.row(ctx, args[1], args[2])
	case "ages":
		if len(args) < 2 {
			return kit.Usage("inspect ages PREFIX")
		}
		return s.ages(ctx, args[1])
	}
	return kit.Usage("unknown command %q", args[0])
}

func logged(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		h.ServeHTTP(w, r)
		kit.Counters.Add("http_requests", 1)
		fmt.Fprintf(os.Stderr, "%s %s %s\n", r.Method, r.URL.Path, time.Since(start))
	})
}

func (s *server) fail(w http.ResponseWriter, err error) {
	code := http.StatusInternalServerError
	if errors.Is(err, kit.ErrNoRow) {
		code = http.StatusNotFound
	}
	http.Error(w, err.Error(), code)
}

func (s *server) render(w http.ResponseWriter, r *http.Request, p RowPage) {
	sort.Slice(p.Cells, func(i, j int) bool { return p.Cells[i].Column < p.Cells[j].Column })
	if strings.Contains(r.Header.Get("Accept"), "json") {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(p)
		return
	}
	if err := page.Execute(w, p); err != nil {
		s.env.Log.Error("render", "err", err)
	}
}

// cell is for families with real timestamps.
func (s *server) cell(fam string, it bigtable.ReadItem) Cell {
	return Cell{
		Family:    fam,
		Column:    strings.TrimPrefix(it.Column, fam+":"),
		Value:     string(it.Value),
		Timestamp: int64(it.Timestamp),
	}
}

func (s *server) payment(w http.ResponseWriter, r *http.Request) {
	var f bigtable.Filter
	switch {
	case rawFlag:
		f = bigtable.PassAllFilter() // want ttlread/missing-filter[raw]
	default:
		f = kit.PaymentRow()
	}
	row, err := kit.Get(r.Context(), s.env.Payments, r.PathValue("key"), bigtable.RowFilter(f)) // want ttlread/missing-filter[raw]
	if err != nil {
		s.fail(w, err)
		return
	}
	p := RowPage{Key: row.Key()}
	for _, it := range row[kit.FamHold] {
		c := s.cell(kit.FamHold, it)
		c.Expires = it.Timestamp.Time().In(s.loc).Format(time.RFC3339) // ok ttlage/not-write-time
		c.Written = it.Timestamp.Time().In(s.loc).Format(time.RFC3339) // want ttlage/not-write-time
		p.Cells = append(p.Cells, c)
	}
	for _, it := range row[kit.FamDetail] {
		c := s.cell(kit.FamDetail, it)
		c.Written = it.Timestamp.Time().In(s.loc).Format(time.RFC3339) // ok ttlage/not-write-time
		c.UpdatedAt = it.Timestamp.Time()                              // ok ttlage/not-write-time
		c.Age = time.Since(it.Timestamp.Time())                        // ok ttlage/not-write-time
		p.Cells = append(p.Cells, c)
	}
	s.render(w, r, p)
}

func (s *server) session(w http.ResponseWriter, r *http.Request) {
	opts := []bigtable.ReadOption{bigtable.RowFilter(bigtable.LatestNFilter(1))} // want ttlread/overridden-filter[sess] // maybe ttlread/missing-filter
	if !rawFlag {
		opts = append(opts, bigtable.RowFilter(kit.LiveIn(kit.FamToken))) // want ttlread/overridden-filter[sess] // maybe ttlread/missing-filter
	}
	row, err := s.env.Sessions.ReadRow(r.Context(), r.PathValue("user"), opts...) // want ttlread/overridden-filter[sess] // maybe ttlread/missing-filter
	if err != nil {
		s.fail(w, err)
		return
	}
	p := RowPage{Key: row.Key()}
	now := time.Now()
	for _, it := range row[kit.FamToken] {
		c := s.cell(kit.FamToken, it)
		c.Age = now.Sub(it.Timestamp.Time())                           // want ttlage/not-write-time
		c.Expires = it.Timestamp.Time().In(s.loc).Format(time.Kitchen) // ok ttlage/not-write-time
		p.Cells = append(p.Cells, c)
	}
	s.render(w, r, p)
}

func (s *server) rate(w http.ResponseWriter, r *http.Request) {
	ctx, key := r.Context(), r.PathValue("pair")
	live := bigtable.RowFilter(kit.Since(kit.FamQuote, kit.QuoteTTL)) // want ttlread/overridden-filter[rate]
	one := bigtable.RowFilter(bigtable.LatestNFilter(1))              // want ttlread/overridden-filter[rate]
	row, err := s.env.Rates.ReadRow(ctx, key, one, live)              // want ttlread/overridden-filter[rate]
	if err != nil {
		s.fail(w, err)
		return
	}
	p := RowPage{Key: row.Key()}
	for _, it := range row[kit.FamQuote] {
		c := s.cell(kit.FamQuote, it)
		c.UpdatedAt = it.Timestamp.Time() // want ttlage/not-write-time
		p.Cells = append(p.Cells, c)
	}
	row, err = s.env.Rates.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("quote|curve"), bigtable.LatestNFilter(1)))) // want ttlread/missing-filter
	if err != nil {
		s.fail(w, err)
		return
	}
	for _, it := range row[kit.FamCurve] {
		c := s.cell(kit.FamCurve, it)
		c.Age = time.Since(it.Timestamp.Time()) // want ttlage/not-write-time
		p.Cells = append(p.Cells, c)
	}
	for _, it := range row[kit.FamQuote] {
		p.Cells = append(p.Cells, s.cell(kit.FamQuote, it))
	}
	s.render(w, r, p)
}

func (s *server) ledger(w http.ResponseWriter, r *http.Request) {
	row, err := kit.Get(r.Context(), s.env.Ledger, r.PathValue("account"), bigtable.RowFilter(bigtable.LatestNFilter(5))) // ok ttlread/version-limit
	if err != nil {
		s.fail(w, err)
		return
	}
	p := RowPage{Key: row.Key()}
	for fam, items := range row {
		for _, it := range items {
			p.Cells = append(p.Cells, s.cell(fam, it))
		}
	}
	for _, it := range row[kit.FamEntry] {
		c := s.cell(kit.FamEntry, it)
		c.Written = it.Timestamp.Time().String() // want ttlage/not-write-time
		c.Value = fmt.Sprintf("#%d %s", it.Timestamp/1000, it.Value)
		p.Cells = append(p.Cells, c)
	}
	for _, it := range row[kit.FamMeta] {
		c := s.cell(kit.FamMeta, it)
		c.Written = it.Timestamp.Time().String() // ok ttlage/not-write-time
		p.Cells = append(p.Cells, c)
	}
	s.render(w, r, p)
}

func (s *server) card(w http.ResponseWriter, r *http.Request) {
	row, err := kit.Get(r.Context(), s.env.Cards, r.PathValue("pan")) // want ttlread/missing-filter
	if err != nil {
		s.fail(w, err)
		return
	}
	p := RowPage{Key: row.Key()}
	for fam, items := range row {
		for _, it := range items {
			p.Cells = append(p.Cells, s.cell(fam, it))
		}
	}
	if it, ok := kit.Cell(row, kit.FamVault, "pan"); ok {
		s.env.Log.Info("vault", "key", row.Key(), "modified", it.Timestamp.Time().Format(time.DateOnly)) // want ttlage/not-write-time
	}
	if it, ok := kit.Cell(row, kit.FamAudit, "vault"); ok {
		s.env.Log.Info("vault", "key", row.Key(), "modified", it.Timestamp.Time().Format(time.DateOnly)) // ok ttlage/not-write-time
	}
	s.render(w, r, p)
}

// row prints a row of whatever table.
func (s *server) row(ctx context.Context, table, key string) error {
	tbl := s.env.Client.Open(table)
	row, err := tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	for fam, items := range row {
		for _, it := range items {
			fmt.Printf("%s\t%s\t%d\t%q\n", fam, it.Column, it.Timestamp, it.Value)
		}
	}
	holds, err := tbl.ReadRow(ctx, key, bigtable.RowFilter(kit.Newest("idem", 1))) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	fmt.Println(len(holds["idem"]))
	entries, err := tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter("entry"))) // ok ttlread/version-limit
	if err != nil {
		return err
	}
	fmt.Println(len(entries["entry"]))
	return nil
}

// ages prints how old things are.
func (s *server) ages(ctx context.Context, prefix string) error {
	now := time.Now()
	_, err := kit.Scan(ctx, s.env.Payments, prefix, kit.PaymentRow(), func(r bigtable.Row) error { // ok ttlread/unfiltered-branch
		for _, it := range r[kit.FamIdem] {
			fmt.Printf("%s\t%s\tcreated %s\n", r.Key(), it.Column, it.Timestamp.Time().Format(time.RFC3339)) // want ttlage/not-write-time
			fmt.Printf("%s\t%s\t%s to go\n", r.Key(), it.Column, it.Timestamp.Time().Sub(now))               // ok ttlage/not-write-time
		}
		for _, it := range r[kit.FamDetail] {
			fmt.Printf("%s\t%s\tcreated %s\n", r.Key(), it.Column, it.Timestamp.Time().Format(time.RFC3339)) // ok ttlage/not-write-time
		}
		return nil
	})
	if err != nil {
		return err
	}
	_, err = kit.Scan(ctx, s.env.Webhooks, prefix, kit.Since(kit.FamDelivery, kit.DeliverBy), func(r bigtable.Row) error { // ok ttlread/wrong-bound
		for _, it := range r[kit.FamDelivery] {
			if it.Timestamp == -1 { // want ttlage/server-sentinel
				continue
			}
			fmt.Printf("%s\t%s\t%s ago\n", r.Key(), it.Column, now.Sub(it.Timestamp.Time())) // want ttlage/not-write-time
		}
		return nil
	})
	return err
}
