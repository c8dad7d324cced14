package ops

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable/apiv2/bigtablepb"

	"cloud.google.com/go/bigtable"

	"example.com/saga/bt"
	"example.com/saga/policy"
	"example.com/saga/schema"
)

// importedAt is the time of everything that one run imports.
var importedAt = time.Now() // want ttlwrite/stale-clock[imp]

var epoch = time.Date(2021, 4, 1, 0, 0, 0, 0, time.UTC)

type rows struct {
	f *os.File
	r *csv.Reader
}

func open(name string, fields int) (*rows, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	r := csv.NewReader(bufio.NewReader(f))
	r.FieldsPerRecord = fields
	return &rows{f, r}, nil
}

func (r *rows) each(do func([]string) error) error {
	defer r.f.Close()
	for n := 1; ; n++ {
		rec, err := r.r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = do(rec)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
}

// importCarts reads lines of "cart,sku,quantity,customer,seconds left".
func importCarts(ctx context.Context, a *App, args []string) error {
	if len(args) == 0 {
		return errors.New("which file?")
	}
	in, err := open(args[0], 5)
	if err != nil {
		return err
	}
	tbl := a.Client.Open(schema.Carts)
	u := bt.Begin(policy.Backoff{First: 100 * time.Millisecond, Tries: 6})
	n := 0
	err = in.each(func(rec []string) error {
		left, err := strconv.Atoi(rec[4])
		if err != nil {
			return err
		}
		mut := bigtable.NewMutation()
		mut.Set(schema.FamLine, rec[1], bigtable.Time(time.Now().Add(time.Duration(left)*time.Second)), []byte(rec[2])) // ok ttlwrite/write-time
		mut.Set(schema.FamLine, "imported", bigtable.Time(importedAt.Add(schema.CartTTL)), []byte(args[0]))             // want ttlwrite/stale-clock[imp]
		mut.Set(schema.FamLine, "source", bigtable.Time(epoch), []byte("old shop"))                                     // want ttlwrite/already-expired
		mut.Set(schema.FamProfile, "source", bigtable.Time(epoch), []byte("old shop"))                                  // ok ttlwrite/already-expired
		mut.Set(schema.FamProfile, "name", bigtable.ServerTime, []byte(rec[3]))                                         // ok ttlwrite/server-timestamp
		mut.Set(schema.FamLine, "name", bigtable.ServerTime, []byte(rec[3]))                                            // want ttlwrite/server-timestamp
		mut.Set(schema.FamSeen, "import", bigtable.Time(importedAt), []byte(rec[3]))                                    // want ttlwrite/clock-in-zero
		u.Register(tbl, rec[0], mut)
		if n++; n%500 == 0 {
			return u.Commit(ctx)
		}
		return nil
	})
	return errors.Join(err, u.Commit(ctx))
}

// importOrders reads lines of "order,revision,total,state".
func importOrders(ctx context.Context, a *App, args []string) error {
	if len(args) == 0 {
		return errors.New("which file?")
	}
	in, err := open(args[0], 4)
	if err != nil {
		return err
	}
	conn, err := dial()
	if err != nil {
		return err
	}
	defer conn.Close()
	c := bigtablepb.NewBigtableClient(conn)
	n := int64(0)
	return in.each(func(rec []string) error {
		n++
		rev, err := strconv.ParseInt(rec[1], 10, 64)
		if err != nil {
			return err
		}
		req := &bigtablepb.MutateRowRequest{
			TableName: fmt.Sprintf("projects/%s/instances/%s/tables/%s", a.Conf.Project, a.Conf.Instance, schema.OrdersTable(a.Conf.Env)),
			RowKey:    []byte(rec[0]),
			Mutations: []*bigtablepb.Mutation{
				setCell(schema.FamRev, "total", rev*1000, rec[2]),                           // ok ttlwrite/unscaled-sequence
				setCell(schema.FamRev, "imported", time.Now().UnixMicro()/1000*1000, "csv"), // want ttlwrite/clock-in-sequence
				setCell(schema.FamStatus, "state", 0, rec[3]),                               // ok ttlwrite/clock-in-zero
				setCell(schema.FamNote, "imported", time.Now().UnixMilli()*1000, "csv"),     // ok ttlwrite/clock-in-sequence
				{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{ // want ttlwrite/unset-timestamp[unset]
					FamilyName: schema.FamRev, ColumnQualifier: []byte("line"), Value: []byte(strconv.FormatInt(n, 10)), // want ttlwrite/unset-timestamp[unset]
				}}},
				{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{ // ok ttlwrite/unset-timestamp
					FamilyName: schema.FamStatus, ColumnQualifier: []byte("line"), Value: []byte(strconv.FormatInt(n, 10)),
				}}},
			},
		}
		_, err = c.MutateRow(ctx, req)
		return err
	})
}

func setCell(family, column string, micros int64, value string) *bigtablepb.Mutation {
	return &bigtablepb.Mutation{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{
		FamilyName:      family,
		ColumnQualifier: []byte(column),
		TimestampMicros: micros,
		Value:           []byte(value),
	}}}
}
