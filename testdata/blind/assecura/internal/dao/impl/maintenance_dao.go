package impl

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/assecura/internal/common"
	"example.com/assecura/internal/constants"
	"example.com/assecura/internal/core"
)

// MaintenanceDao is what the operators' console uses.
type MaintenanceDao struct {
	sessions  core.Table
	mailbox   core.Table
	policies  core.Table
	tariffs   core.Table
	customers core.Table
	filters   core.FilterFactory
	clock     common.Clock
}

// MaintenanceDaoBuilder builds the DAO.
type MaintenanceDaoBuilder struct{ d MaintenanceDao }

// NewMaintenanceDaoBuilder makes a builder.
func NewMaintenanceDaoBuilder() *MaintenanceDaoBuilder { return &MaintenanceDaoBuilder{} }

// WithClock sets the clock.
func (b *MaintenanceDaoBuilder) WithClock(clock common.Clock) *MaintenanceDaoBuilder {
	b.d.clock = clock
	b.d.filters = core.NewFilterFactory(clock)
	return b
}

// WithTables opens the tables.
func (b *MaintenanceDaoBuilder) WithTables(factory core.TableFactory) *MaintenanceDaoBuilder {
	b.d.sessions = factory.CreateTable(constants.TableSessions)
	b.d.mailbox = factory.CreateTable(constants.TableMailbox)
	b.d.policies = factory.CreateTable(constants.TablePolicies)
	b.d.tariffs = factory.CreateMeteredTable(constants.TableTariffs)
	b.d.customers = factory.CreateMeteredTable(constants.TableCustomers)
	return b
}

// Build returns the DAO.
func (b *MaintenanceDaoBuilder) Build() *MaintenanceDao { d := b.d; return &d }

func (d *MaintenanceDao) increment(ctx context.Context, table core.Table, key, family, qualifier string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(family, qualifier, 1)
	_, err := table.ApplyReadModifyWrite(ctx, key, rmw)
	return common.NewTechnicalException("increment "+key, err)
}

func (d *MaintenanceDao) write(ctx context.Context, table core.Table, key, family, qualifier string, ts bigtable.Timestamp, value string) error {
	m := bigtable.NewMutation()
	m.Set(family, qualifier, ts, []byte(value))
	return common.NewTechnicalException("write "+key, table.Apply(ctx, key, m))
}

// CountIncident counts an incident in every table.
func (d *MaintenanceDao) CountIncident(ctx context.Context, key string) error {
	steps := []func() error{
		func() error { return d.increment(ctx, d.mailbox, key, "cnt", "incidents") },                     // want ttlwrite/read-modify-write
		func() error { return d.increment(ctx, d.sessions, key, constants.FamilyUser, "incidents") },     // ok ttlwrite/read-modify-write
		func() error { return d.increment(ctx, d.sessions, key, constants.FamilyToken, "incidents") },    // want ttlwrite/read-modify-write
		func() error { return d.increment(ctx, d.policies, key, constants.Policy.Version, "incidents") }, // want ttlwrite/read-modify-write
		func() error { return d.increment(ctx, d.policies, key, constants.Policy.Audit, "incidents") },   // ok ttlwrite/read-modify-write
		func() error { return d.increment(ctx, d.tariffs, key, constants.FamilyDisc, "incidents") },      // ok ttlwrite/read-modify-write
		func() error { return d.increment(ctx, d.tariffs, key, constants.FamilyRate, "incidents") },      // want ttlwrite/read-modify-write
		func() error { return d.increment(ctx, d.customers, key, constants.FamilyPerson, "incidents") },  // ok ttlwrite/read-modify-write
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// Annotate leaves a note in every table.
func (d *MaintenanceDao) Annotate(ctx context.Context, key, note string) error {
	expiry := bigtable.Time(d.clock.Now().Add(constants.SessionTTL))
	if err := d.write(ctx, d.sessions, key, constants.FamilyToken, "note", expiry, note); err != nil { // ok ttlwrite/server-timestamp
		return err
	}
	if err := d.write(ctx, d.sessions, key, constants.FamilyUser, "note", bigtable.ServerTime, note); err != nil { // ok ttlwrite/server-timestamp
		return err
	}
	if err := d.write(ctx, d.mailbox, key, "msg", "note", bigtable.ServerTime, note); err != nil { // want ttlwrite/server-timestamp
		return err
	}
	if err := d.write(ctx, d.mailbox, key, "msg", "note", bigtable.Now(), note); err != nil { // want ttlwrite/write-time
		return err
	}
	if err := d.write(ctx, d.policies, key, constants.Policy.Version, "note", bigtable.Now(), note); err != nil { // want ttlwrite/clock-in-sequence
		return err
	}
	if err := d.write(ctx, d.policies, key, constants.Policy.Version, "note", 42000, note); err != nil { // ok ttlwrite/clock-in-sequence
		return err
	}
	if err := d.write(ctx, d.policies, key, constants.Policy.Header, "note", 0, note); err != nil { // ok ttlwrite/clock-in-zero
		return err
	}
	if err := d.write(ctx, d.tariffs, key, constants.FamilyRate, "note", 1000, note); err != nil { // want ttlwrite/clock-in-zero
		return err
	}
	if err := d.write(ctx, d.tariffs, key, constants.FamilyDisc, "note", bigtable.ServerTime, note); err != nil { // ok ttlwrite/server-timestamp
		return err
	}
	return d.write(ctx, d.customers, key, constants.FamilyPerson, "note", bigtable.Now(), note) // ok ttlwrite/write-time
}

// Aggregate adds to the sums that the server keeps.
func (d *MaintenanceDao) Aggregate(ctx context.Context, key string, n int64) error {
	m := bigtable.NewMutation()
	m.AddIntToCell(constants.FamilyPerson, "sum", bigtable.ServerTime, n)     // want ttlwrite/aggregate-server-time
	m.AddIntToCell(constants.FamilyPerson, "total", bigtable.Timestamp(0), n) // ok ttlwrite/aggregate-server-time
	return common.NewTechnicalException("aggregate", d.customers.Apply(ctx, key, m))
}

// DumpSession returns all of a session.
func (d *MaintenanceDao) DumpSession(ctx context.Context, key string) (bigtable.Row, error) {
	perFamily := bigtable.InterleaveFilters(
		d.filters.CreateFamilyFilter(constants.FamilyToken, d.filters.CreateLiveFilter()),
		d.filters.CreateFamilyFilter(constants.FamilyUser, nil))
	row, err := d.sessions.ReadRow(ctx, key, bigtable.RowFilter(perFamily)) // ok ttlread/hides-other-families
	if err == nil && len(row) > 0 {
		return row, nil
	}
	return d.sessions.ReadRow(ctx, "old#"+key, bigtable.RowFilter(d.filters.CreateLiveFilter())) // want ttlread/hides-other-families
}

// DumpToken returns the token of a session, whatever else it has.
func (d *MaintenanceDao) DumpToken(ctx context.Context, key string) (string, error) {
	row, err := d.sessions.ReadRow(ctx, key, bigtable.RowFilter(d.filters.CreateLiveFilter())) // ok ttlread/hides-other-families
	if err != nil {
		return "", common.NewTechnicalException("dump token", err)
	}
	token := core.CellReader{}.GetString(row, constants.FamilyToken, constants.QualifierJWT)
	if token != "" {
		return token, nil
	}
	alive := bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyToken), d.filters.CreateLiveFilter())
	loose := bigtable.ConditionFilter(alive, bigtable.PassAllFilter(), bigtable.BlockAllFilter()) // want ttlread/unfiltered-branch[cond]
	if row, err = d.sessions.ReadRow(ctx, key, bigtable.RowFilter(loose)); err != nil {           // want ttlread/unfiltered-branch[cond]
		return "", common.NewTechnicalException("dump token", err)
	}
	if token = (core.CellReader{}).GetString(row, constants.FamilyToken, constants.QualifierScope); token != "" {
		return token, nil
	}
	tight := bigtable.ConditionFilter(alive, alive, bigtable.BlockAllFilter())
	if row, err = d.sessions.ReadRow(ctx, key, bigtable.RowFilter(tight)); err != nil { // ok ttlread/unfiltered-branch
		return "", common.NewTechnicalException("dump token", err)
	}
	return core.CellReader{}.GetString(row, constants.FamilyToken, "device"), nil
}

// DumpPolicy returns the newest cells of a policy and all of its tariff.
func (d *MaintenanceDao) DumpPolicy(ctx context.Context, number, product string) (bigtable.Row, bigtable.Row, error) {
	policy, err := d.policies.ReadRow(ctx, number, bigtable.RowFilter(d.filters.CreateLatestFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		return nil, nil, common.NewTechnicalException("dump policy", err)
	}
	tariff, err := d.tariffs.ReadRow(ctx, product) // want ttlread/missing-filter
	return policy, tariff, common.NewTechnicalException("dump policy", err)
}

// CountMail counts mailboxes and the customers that have none.
func (d *MaintenanceDao) CountMail(ctx context.Context, prefix string, limit time.Duration) (int, error) {
	n := 0
	until := d.clock.Now().Add(limit)
	err := d.mailbox.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		n++
		return d.clock.Now().Before(until)
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())))
	if err != nil {
		return 0, common.NewTechnicalException("count mail", err)
	}
	err = d.customers.ReadRows(ctx, bigtable.PrefixRange(prefix), func(bigtable.Row) bool { // ok ttlread/missing-filter
		n--
		return true
	})
	return -n, common.NewTechnicalException("count mail", err)
}
