// Package otp sends one-time passwords. Its table never made it into the list of tables.
package otp

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math/big"
	"time"

	"cloud.google.com/go/bigtable"
)

const table = "otp"

// Ensure creates the table. A code's cell has the time at which the code ends.
func Ensure(ctx context.Context, admin *bigtable.AdminClient) error {
	return admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: table,
		ColumnFamilies: map[string]bigtable.Family{
			"code": {GCPolicy: bigtable.MaxAgePolicy(time.Second)},
			"log":  {GCPolicy: bigtable.MaxAgePolicy(30 * 24 * time.Hour)},
		},
	})
}

// Sender sends.
type Sender struct {
	tbl  *bigtable.Table
	send func(to, text string) error
}

// NewSender opens the table.
func NewSender(c *bigtable.Client, send func(to, text string) error) *Sender {
	return &Sender{c.Open(table), send}
}

// Send makes a code and sends it.
func (s *Sender) Send(ctx context.Context, to string) error {
	n, err := rand.Int(rand.Reader, big.NewInt(1e6))
	if err != nil {
		return err
	}
	code := fmt.Sprintf("%06d", n)
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily("code")
	m.Set("code", "c", bigtable.Time(time.Now().Add(5*time.Minute)), []byte(code)) // ok ttlwrite/write-time
	m.Set("code", "sent", bigtable.ServerTime, []byte{1})                          // want ttlwrite/server-timestamp
	m.Set("log", "sent", bigtable.ServerTime, []byte{1})                           // ok ttlwrite/server-timestamp
	if err := s.tbl.Apply(ctx, to, m); err != nil {
		return err
	}
	return s.send(to, "your code is "+code)
}

// Check checks a code.
func (s *Sender) Check(ctx context.Context, to, code string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, to, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("code"), bigtable.ColumnFilter("c")))) // want ttlread/missing-filter
	if err != nil {
		return false, err
	}
	for _, it := range row["code"] {
		return string(it.Value) == code, nil
	}
	return false, errors.New("otp: no code")
}

// CheckLive checks a code that has not ended.
func (s *Sender) CheckLive(ctx context.Context, to, code string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, to, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("code"), bigtable.TimestampRangeFilter(time.Now(), time.Time{})))) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	for _, it := range row["code"] {
		if it.Column == "code:c" {
			return string(it.Value) == code, nil
		}
	}
	return false, errors.New("otp: no code")
}
