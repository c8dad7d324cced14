package main

import (
	"context"
	"fmt"

	"cloud.google.com/go/bigtable"
)

const (
	qSessions = "SELECT _key, sess['apn'] AS apn FROM `sim-sessions`" // want ttlread/sql[qsessions]

	qSessionsLive = "SELECT _key, sess['apn'] AS apn FROM `sim-sessions`(with_history => TRUE, after_or_equal => CURRENT_TIMESTAMP())" // ok ttlread/sql

	qProfiles = "SELECT _key, profile['last_apn'] AS apn FROM `sim-sessions`" // ok ttlread/sql

	qRoutes = "SELECT _key, route['rn'] AS rn FROM portability" // ok ttlread/sql

	qRoutesAll = "SELECT _key, route['rn'] AS rn FROM portability(with_history => TRUE)" // want ttlread/sql[qroutesall]

	qRoutesThree = "SELECT _key, route['rn'] AS rn FROM portability(with_history => TRUE, latest_n => 3)" // ok ttlread/sql

	qArchive = "SELECT _key, sess['apn'] AS apn FROM `cdr-archive`" // ok ttlread/sql
)

// prepare prepares the statements.
func (j *jobs) prepare(ctx context.Context) error {
	cl := j.c.Raw()
	var err error
	keep := func(name string, ps *bigtable.PreparedStatement, e error) {
		if e != nil && err == nil {
			err = fmt.Errorf("%s: %w", name, e)
		}
		j.stmts[name] = ps
	}
	ps, e := cl.PrepareStatement(ctx, qSessions, nil) // want ttlread/sql[qsessions]
	keep("sessions", ps, e)
	ps, e = cl.PrepareStatement(ctx, qSessionsLive, nil) // ok ttlread/sql
	keep("sessions_live", ps, e)
	ps, e = cl.PrepareStatement(ctx, qProfiles, nil) // ok ttlread/sql
	keep("profiles", ps, e)
	ps, e = cl.PrepareStatement(ctx, qRoutes, nil) // ok ttlread/sql
	keep("routes", ps, e)
	ps, e = cl.PrepareStatement(ctx, qRoutesAll, nil) // want ttlread/sql[qroutesall]
	keep("routes_all", ps, e)
	ps, e = cl.PrepareStatement(ctx, qRoutesThree, nil) // ok ttlread/sql
	keep("routes_three", ps, e)
	ps, e = cl.PrepareStatement(ctx, qArchive, nil) // ok ttlread/sql
	keep("archive", ps, e)
	ps, e = cl.PrepareStatement(ctx, "SELECT _key, dlr['status'] AS st FROM `sms-receipts`", nil) // want ttlread/sql
	keep("receipts", ps, e)
	ps, e = cl.PrepareStatement(ctx, "SELECT _key, dlr['status'] AS st FROM `sms-receipts`(with_history => TRUE, after_or_equal => TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 7 DAY))", nil) // ok ttlread/sql
	keep("receipts_live", ps, e)
	ps, e = cl.PrepareStatement(ctx, "SELECT _key, hold FROM balances(as_of => CURRENT_TIMESTAMP())", nil) // want ttlread/sql
	keep("holds", ps, e)
	ps, e = cl.PrepareStatement(ctx, "SELECT _key, bal['cents'] AS cents FROM balances", nil) // ok ttlread/sql
	keep("cents", ps, e)
	ps, e = cl.PrepareStatement(ctx, "SELECT _key, auth['vec'] AS vec FROM `sim-sessions` WHERE auth['vec'] IS NOT NULL", nil) // want ttlread/sql
	keep("vectors", ps, e)
	return err
}

// stats runs the statements that go to the dashboards.
func (j *jobs) stats(ctx context.Context) error {
	for name, ps := range j.stmts {
		bs, err := ps.Bind(nil)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		n := 0
		err = bs.Execute(ctx, func(bigtable.ResultRow) bool { n++; return true })
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		j.log.Info("statement", "name", name, "rows", n)
	}
	if _, err := j.archived(ctx, "last"); err != nil {
		j.log.Warn("archive", "err", err)
	}
	return nil
}
