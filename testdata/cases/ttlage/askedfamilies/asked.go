// Package askedfamilies goes through whole rows and asks which family it has.
package askedfamilies

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
)

const number = "entry"

func asked(row bigtable.Row) {
	for family, items := range row {
		for _, it := range items {
			if family == number {
				fmt.Println(time.Since(it.Timestamp.Time())) // want `not-write-time: .*"entry"`
			}
		}
	}
}

func nameFirst(row bigtable.Row) {
	for family, items := range row {
		for _, it := range items {
			if number == family {
				fmt.Println(time.Since(it.Timestamp.Time())) // want `not-write-time: .*"entry"`
			}
			if "profile" == family {
				fmt.Println(time.Since(it.Timestamp.Time()))
			}
			if !(family != number) {
				fmt.Println(time.Since(it.Timestamp.Time())) // want `not-write-time: .*"entry"`
			}
		}
	}
}

func skipped(row bigtable.Row) {
	for family, items := range row {
		if family != number {
			continue
		}
		for _, it := range items {
			fmt.Println(time.Since(it.Timestamp.Time())) // want `not-write-time: .*"entry"`
		}
	}
}

func switched(row bigtable.Row) {
	for family, items := range row {
		switch family {
		case "token":
			fmt.Println(time.Until(items[0].Timestamp.Time()))
		case "entry", "event":
			fmt.Println(time.Since(items[0].Timestamp.Time())) // want `not-write-time: .*"entry"` `not-write-time: .*"event"`
		case "profile":
			fmt.Println(time.Since(items[0].Timestamp.Time()))
		}
	}
}

func okOthers(row bigtable.Row, wanted string) {
	for family, items := range row {
		if family == number || family == "token" {
			continue
		}
		fmt.Println(time.Since(items[0].Timestamp.Time()))
	}
	for family, items := range row {
		if family == wanted {
			fmt.Println(time.Since(items[0].Timestamp.Time()))
		}
	}
}

func okOtherLoop(row bigtable.Row) (ordinary bool) {
	for family := range row {
		ordinary = ordinary || family != number
	}
	for _, items := range row {
		fmt.Println(time.Since(items[0].Timestamp.Time()))
	}
	return ordinary
}

type summary struct {
	Name    string
	Created time.Time
}

func okStored(row bigtable.Row) (s summary) {
	for family, items := range row {
		for _, it := range items {
			switch family {
			case "token", number:
				s.Name = string(it.Value)
			case "profile":
				s.Created = it.Timestamp.Time()
			}
		}
	}
	return s
}

func stored(row bigtable.Row) (s summary) {
	for family, items := range row {
		for _, it := range items {
			switch family {
			case "profile":
				s.Name = string(it.Value)
			case number:
				s.Created = it.Timestamp.Time() // want `not-write-time: .*"entry"`
			}
		}
	}
	return s
}

func read(ctx context.Context, tbl *bigtable.Table, f bigtable.Filter) bigtable.Row {
	row, _ := tbl.ReadRow(ctx, "k", bigtable.RowFilter(f))
	return row
}

// The read's filter lets one family pass.
func filtered(ctx context.Context, c *bigtable.Client) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("entry"), bigtable.LatestNFilter(3))
	row, _ := c.Open("eu-ledger").ReadRow(ctx, "k", bigtable.RowFilter(f))
	for _, items := range row {
		for _, it := range items {
			fmt.Println(time.Since(it.Timestamp.Time())) // want `not-write-time: .*"entry" of table "\*-ledger"`
		}
	}
	for _, items := range read(ctx, c.Open("eu-ledger"), f) {
		fmt.Println(time.Since(items[0].Timestamp.Time())) // want `not-write-time: .*"entry" of table "\*-ledger"`
	}
}

func okFiltered(ctx context.Context, c *bigtable.Client, other bigtable.Filter) {
	one := bigtable.FamilyFilter("profile")
	open := bigtable.ChainFilters(bigtable.FamilyFilter("token|other"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	for _, f := range []bigtable.Filter{one, open, other} {
		row, _ := c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(f))
		for _, items := range row {
			fmt.Println(time.Since(items[0].Timestamp.Time()))
		}
	}
	for _, items := range read(ctx, c.Open("sessions"), open) {
		fmt.Println(time.Since(items[0].Timestamp.Time()))
	}
	row, _ := c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(one))
	for _, items := range row {
		fmt.Println(time.Since(items[0].Timestamp.Time()))
	}
}
