package devices

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

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/grpc"

	"pennywise.example/shop/internal/bt"
	"pennywise.example/shop/internal/clock"
	"pennywise.example/shop/internal/keys"
)

// ImportCSV reads the telemetry that the old system exported: serial, unix
// seconds, name, value.
func ImportCSV(ctx context.Context, r io.Reader) (int, error) {
	in := csv.NewReader(bufio.NewReader(r))
	var list []string
	var muts []*bigtable.Mutation
	total := 0
	flush := func() error {
		if len(list) == 0 {
			return nil
		}
		errs, err := bt.Devices.ApplyBulk(ctx, list, muts)
		if err != nil {
			return err
		}
		total += len(list)
		list, muts = list[:0], muts[:0]
		return errors.Join(errs...)
	}
	for {
		rec, err := in.Read()
		if err == io.EOF {
			return total, flush()
		}
		if err != nil {
			return total, err
		}
		if len(rec) != 4 {
			return total, fmt.Errorf("line with %d fields", len(rec))
		}
		sec, err := strconv.ParseInt(rec[1], 10, 64)
		if err != nil {
			return total, err
		}
		m := bigtable.NewMutation()
		m.Set(bt.FamRaw, rec[2], bigtable.Timestamp(time.Unix(sec, 0).Unix()), []byte(rec[3]))        // want ttlunit/wrong-unit
		m.Set(bt.FamRaw, rec[2]+".old", bigtable.Timestamp(time.Unix(sec, 0).Unix()*1e6), []byte("")) // ok ttlunit/wrong-unit
		m.Set(bt.FamBeat, "imported", bigtable.Now(), []byte(rec[1]))                                 // ok ttlwrite/write-time
		list, muts = append(list, keys.Device(rec[0])), append(muts, m)
		if len(list) == 500 {
			if err := flush(); err != nil {
				return total, err
			}
		}
	}
}

// Raw is the connection that ImportProto uses, because it was faster once.
var Raw bigtablepb.BigtableClient

// DialRaw opens it.
func DialRaw(addr string, opts ...grpc.DialOption) error {
	conn, err := grpc.NewClient(addr, opts...)
	if err != nil {
		return err
	}
	Raw = bigtablepb.NewBigtableClient(conn)
	return nil
}

// tableName is the full name of the device table.
func tableName() string {
	return "projects/" + os.Getenv("BT_PROJECT") + "/instances/" + os.Getenv("BT_INSTANCE") + "/tables/" + bt.TableDevices
}

// ImportProto writes one device's state with the raw client.
func ImportProto(ctx context.Context, serial, version string, args []byte) error {
	_, err := Raw.MutateRow(ctx, &bigtablepb.MutateRowRequest{
		TableName: tableName(),
		RowKey:    []byte(keys.Device(serial)),
		Mutations: []*bigtablepb.Mutation{
			{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{ // want ttlwrite/unset-timestamp[proto]
				FamilyName:      bt.FamBeat, // want ttlwrite/unset-timestamp[proto]
				ColumnQualifier: []byte("version"),
				Value:           []byte(version),
			}}},
			{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{
				FamilyName:      bt.FamCmd,
				ColumnQualifier: []byte("boot"),
				TimestampMicros: int64(clock.In(cmdTTL)), // ok ttlwrite/write-time
				Value:           args,
			}}},
			{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{ // want ttlwrite/server-timestamp[proto]
				FamilyName:      bt.FamCmd,
				ColumnQualifier: []byte("hello"),
				TimestampMicros: -1, // want ttlwrite/server-timestamp[proto]
				Value:           args,
			}}},
			{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{
				FamilyName:      bt.FamRaw,
				ColumnQualifier: []byte("import"),
				TimestampMicros: time.Now().UnixMilli() * 1000, // ok ttlunit/wrong-unit
				Value:           []byte(version),
			}}},
		},
	})
	return err
}

// ForgetBefore deletes telemetry that is older than t.
func ForgetBefore(ctx context.Context, serial, sensor string, t time.Time) error {
	mut := bigtable.NewMutation()
	mut.DeleteTimestampRange(bt.FamRaw, sensor, 0, bigtable.Time(t)) // ok ttlunit/sub-millisecond
	return bt.Devices.Apply(ctx, keys.Device(serial), mut)
}

// ForgetBroken deletes the cells that the firmware 2.1 wrote at 1970.
func ForgetBroken(ctx context.Context, serial, sensor string) error {
	mut := bigtable.NewMutation()
	mut.DeleteTimestampRange(bt.FamRaw, sensor, 0, 500)                              // want ttlunit/sub-millisecond
	mut.DeleteTimestampRange(bt.FamRaw, sensor+".v", 0, 1000)                        // ok ttlunit/sub-millisecond
	mut.DeleteTimestampRange(bt.FamRaw, sensor+".w", 0, bigtable.Timestamp(86400e6)) // ok ttlunit/sub-millisecond
	return bt.Devices.Apply(ctx, keys.Device(serial), mut)
}

// Broken lists devices that have such cells.
func Broken(ctx context.Context) ([]string, error) {
	var res []string
	err := bt.Devices.ReadRows(ctx, bigtable.PrefixRange("d"+keys.Sep), func(row bigtable.Row) bool {
		res = append(res, row.Key())
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(bt.FamRaw),
		bigtable.TimestampRangeFilterMicros(0, 1000), // ok ttlunit/sub-millisecond
	)))
	return res, err
}

// Copy copies a device's telemetry to another serial, when a device is replaced.
func Copy(ctx context.Context, from, to string) error {
	row, err := bt.Devices.ReadRow(ctx, keys.Device(from), bigtable.RowFilter(bigtable.FamilyFilter(bt.FamRaw))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	for _, it := range row[bt.FamRaw] {
		mut.Set(bt.FamRaw, it.Column[len("raw:"):], it.Timestamp, it.Value)
	}
	mut.Set(bt.FamRaw, "replaces", bigtable.Now()+bigtable.Timestamp(time.Minute), []byte(from))                  // want ttlunit/wrong-unit
	mut.Set(bt.FamRaw, "replaced", bigtable.Now()+bigtable.Timestamp(time.Minute/time.Microsecond), []byte(from)) // ok ttlunit/wrong-unit
	return bt.Devices.Apply(ctx, keys.Device(to), mut)
}

// CopyAll copies everything.
func CopyAll(ctx context.Context, from, to string) error {
	row, err := bt.Devices.ReadRow(ctx, keys.Device(from), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	for fam, items := range row {
		for _, it := range items {
			mut.Set(fam, it.Column[len(fam)+1:], it.Timestamp, it.Value)
		}
	}
	return bt.Devices.Apply(ctx, keys.Device(to), mut)
}
