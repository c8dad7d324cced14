// Package tables reaches tables through fields, handles, patterns, accessors,
// parameters, package variables and flags.
package tables

import (
	"context"
	"os"
	"time"

	"cloud.google.com/go/bigtable"
)

// A field that the constructor fills.

type store struct {
	client *bigtable.Client
	otp    *bigtable.Table
	plain  *bigtable.Table
}

func newStore(c *bigtable.Client) *store {
	s := &store{client: c, otp: c.Open("otp")}
	s.plain = c.Open("plain")
	return s
}

func (s *store) field(ctx context.Context) (bigtable.Row, error) {
	return s.otp.ReadRow(ctx, "k") // want `missing-filter: .*"code"`
}

func (s *store) okField(ctx context.Context) (bigtable.Row, error) {
	return s.plain.ReadRow(ctx, "k")
}

// An accessor.

func (s *store) table() *bigtable.Table { return s.client.Open("otp") }

func (s *store) named(name string) *bigtable.Table { return s.client.Open(name) }

func (s *store) accessor(ctx context.Context) (bigtable.Row, error) {
	return s.table().ReadRow(ctx, "k") // want `missing-filter: .*"code"`
}

func (s *store) accessorWithName(ctx context.Context) (bigtable.Row, error) {
	return s.named("otp").ReadRow(ctx, "k") // want `missing-filter: .*"code"`
}

func (s *store) okAccessorWithName(ctx context.Context) (bigtable.Row, error) {
	return s.named("plain").ReadRow(ctx, "k")
}

// Handles of the registry: names from outside.

// Service holds the sessions in a table whose name is configured.
type Service struct {
	sessions *bigtable.Table
	other    *bigtable.Table
}

// NewService opens the tables that the environment names.
func NewService(c *bigtable.Client) *Service {
	return &Service{sessions: c.Open(os.Getenv("SESSIONS")), other: c.Open(os.Getenv("OTHER"))}
}

func (s *Service) handle(ctx context.Context) (bigtable.Row, error) {
	return s.sessions.ReadRow(ctx, "k") // want `missing-filter: .*"token"`
}

func (s *Service) okHandle(ctx context.Context) (bigtable.Row, error) {
	return s.sessions.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))))
}

func (s *Service) okNoHandle(ctx context.Context) (bigtable.Row, error) {
	return s.other.ReadRow(ctx, "k")
}

func (s *Service) handleThroughLocal(ctx context.Context) (bigtable.Row, error) {
	tbl := s.sessions
	return tbl.ReadRow(ctx, "k") // want `missing-filter: .*"token"`
}

var sessionTable *bigtable.Table

func handleVariable(ctx context.Context) (bigtable.Row, error) {
	return sessionTable.ReadRow(ctx, "k") // want `missing-filter: .*"token"`
}

// OpenSessions opens the table of the environment.
func OpenSessions(c *bigtable.Client) *bigtable.Table { return c.Open(os.Getenv("SESSIONS")) }

func handleFunction(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return OpenSessions(c).ReadRow(ctx, "k") // want `missing-filter: .*"token"`
}

// Ledger holds a table of sequence numbers.
type Ledger struct{ tbl *bigtable.Table }

// NewLedger opens a ledger of any name.
func NewLedger(c *bigtable.Client, name string) *Ledger { return &Ledger{tbl: c.Open(name)} }

func (l *Ledger) read(ctx context.Context) (bigtable.Row, error) {
	return l.tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ColumnFilter("amount"))) // want `version-limit: .*"entry"`
}

func (l *Ledger) okRead(ctx context.Context) (bigtable.Row, error) {
	return l.tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.LatestNFilter(1)))
}

// Patterns.

func pattern(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("tenant-7-ledger").ReadRow(ctx, "k") // want `missing-filter: .*"entry"`
}

func patternWithUnknown(ctx context.Context, c *bigtable.Client, tenant string) (bigtable.Row, error) {
	return c.Open(tenant+"-ledger").ReadRow(ctx, "k") // want `missing-filter: .*"entry"`
}

func okOtherPattern(ctx context.Context, c *bigtable.Client, tenant string) (bigtable.Row, error) {
	return c.Open(tenant+"-journal").ReadRow(ctx, "k")
}

const (
	prefix = "bank"
	ledger = prefix + "-ledger"
)

func constantName(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open(ledger).ReadRow(ctx, "k") // want `missing-filter: .*"entry"`
}

// Parameters: the read is the caller's, who supplies the table.

func readAll(ctx context.Context, tbl *bigtable.Table) (bigtable.Row, error) {
	return tbl.ReadRow(ctx, "k")
}

func parameter(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return readAll(ctx, c.Open("otp")) // want `missing-filter: .*"code"`
}

func okParameter(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return readAll(ctx, c.Open("plain"))
}

// Package variables.

var shared *bigtable.Table

// Connect opens the table of the package.
func Connect(c *bigtable.Client) { shared = c.Open("otp") }

func packageVariable(ctx context.Context) (bigtable.Row, error) {
	return shared.ReadRow(ctx, "k") // want `missing-filter: .*"code"`
}

// Branches over tables.

func eitherTable(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	tbl := c.Open("plain")
	if os.Getenv("OTP") != "" {
		tbl = c.Open("otp")
	}
	return tbl.ReadRow(ctx, "k") // want `missing-filter: .*"code"`
}

func okTableAndFilterGoTogether(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	tbl, f := c.Open("plain"), bigtable.PassAllFilter()
	if os.Getenv("OTP") != "" {
		tbl, f = c.Open("otp"), bigtable.TimestampRangeFilter(time.Now(), time.Time{})
	}
	return tbl.ReadRow(ctx, "k", bigtable.RowFilter(f))
}

// Maps of tables.

func okUnknownKey(ctx context.Context, tables map[string]*bigtable.Table, name string) (bigtable.Row, error) {
	return tables[name].ReadRow(ctx, "k")
}

// Views of a table.

func okView(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.OpenMaterializedView("otp").ReadRow(ctx, "k")
}
