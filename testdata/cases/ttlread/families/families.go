// Package families tells by what is done with a row which families a read is
// after.
package families

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
)

const (
	tokenFamily   = "token"
	profileFamily = "profile"
)

// In the same function.

func indexed(ctx context.Context, tbl *bigtable.Table) ([]bigtable.ReadItem, error) {
	row, err := tbl.ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	if err != nil {
		return nil, err
	}
	return row["token"], nil
}

func okOtherIndexed(ctx context.Context, tbl *bigtable.Table) ([]bigtable.ReadItem, error) {
	row, err := tbl.ReadRow(ctx, "k")
	if err != nil {
		return nil, err
	}
	return row[profileFamily], nil
}

func okIndexedLive(ctx context.Context, tbl *bigtable.Table) ([]bigtable.ReadItem, error) {
	row, err := tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
	if err != nil {
		return nil, err
	}
	return row["token"], nil
}

func indexedInKnownTable(ctx context.Context, c *bigtable.Client) (int, error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	return len(row[tokenFamily]), err
}

// Only an ordinary family of the table is used.
func okOrdinaryOfKnownTable(ctx context.Context, c *bigtable.Client) (int, error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k")
	return len(row[profileFamily]), err
}

func okOrdinaryInLoop(ctx context.Context, c *bigtable.Client) error {
	row, err := c.Open("sessions").ReadRow(ctx, "k")
	if err != nil {
		return err
	}
	for _, item := range row["profile"] {
		fmt.Println(item.Column, string(item.Value))
	}
	return nil
}

func ranged(ctx context.Context, tbl *bigtable.Table) error {
	row, err := tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.LatestNFilter(1))) // want `missing-filter: .*"event"`
	if err != nil {
		return err
	}
	for _, item := range row["event"] {
		fmt.Println(item.Column, string(item.Value))
	}
	return nil
}

func allFamilies(ctx context.Context, c *bigtable.Client) error {
	row, err := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	if err != nil {
		return err
	}
	for family, items := range row {
		fmt.Println(family, len(items))
	}
	return nil
}

// Both a registered and an unregistered family.
func twoFamilies(ctx context.Context, tbl *bigtable.Table) (int, error) {
	row, err := tbl.ReadRow(ctx, "k") // want `missing-filter: .*"ticket"`
	return len(row["ticket"]) + len(row["other"]), err
}

func okUnregistered(ctx context.Context, tbl *bigtable.Table) (int, error) {
	row, err := tbl.ReadRow(ctx, "k")
	return len(row["other"]), err
}

func okAmbiguous(ctx context.Context, tbl *bigtable.Table) (int, error) {
	row, err := tbl.ReadRow(ctx, "k")
	return len(row["val"]), err
}

func okUnknownIndex(ctx context.Context, tbl *bigtable.Table, family string) (int, error) {
	row, err := tbl.ReadRow(ctx, "k")
	return len(row[family]), err
}

// In a callback.

func callback(ctx context.Context, tbl *bigtable.Table) error {
	return tbl.ReadRows(ctx, bigtable.PrefixRange("a"), func(row bigtable.Row) bool { // want `missing-filter: .*"token"`
		fmt.Println(len(row["token"]))
		return true
	})
}

func okCallback(ctx context.Context, tbl *bigtable.Table) error {
	return tbl.ReadRows(ctx, bigtable.PrefixRange("a"), func(row bigtable.Row) bool {
		fmt.Println(len(row["token"]))
		return true
	}, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
}

func okCallbackOfOther(ctx context.Context, c *bigtable.Client) error {
	return c.Open("sessions").ReadRows(ctx, bigtable.PrefixRange("a"), func(row bigtable.Row) bool {
		fmt.Println(len(row["profile"]))
		return true
	})
}

func callbackVariable(ctx context.Context, tbl *bigtable.Table) error {
	visit := func(row bigtable.Row) bool {
		fmt.Println(len(row["event"]))
		return true
	}
	return tbl.ReadRows(ctx, bigtable.PrefixRange("a"), visit) // want `missing-filter: .*"event"`
}

func printTokens(row bigtable.Row) bool {
	fmt.Println(len(row["token"]))
	return true
}

func callbackFunction(ctx context.Context, tbl *bigtable.Table) error {
	return tbl.ReadRows(ctx, bigtable.PrefixRange("a"), printTokens) // want `missing-filter: .*"token"`
}

func printProfiles(row bigtable.Row) bool {
	fmt.Println(len(row["profile"]))
	return true
}

func okCallbackFunction(ctx context.Context, tbl *bigtable.Table) error {
	return tbl.ReadRows(ctx, bigtable.PrefixRange("a"), printProfiles)
}

// In a helper that is given the row.

func decode(row bigtable.Row) string {
	for _, item := range row["token"] {
		return string(item.Value)
	}
	return ""
}

func decodeProfile(row bigtable.Row) string {
	for _, item := range row["profile"] {
		return string(item.Value)
	}
	return ""
}

func handedOn(ctx context.Context, tbl *bigtable.Table) (string, error) {
	row, err := tbl.ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	if err != nil {
		return "", err
	}
	return decode(row), nil
}

func okHandedOn(ctx context.Context, c *bigtable.Client) (string, error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k")
	if err != nil {
		return "", err
	}
	return decodeProfile(row), nil
}

// By FamilyFilter.

func familyFilter(ctx context.Context, tbl *bigtable.Table) (bigtable.Row, error) {
	return tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("token"))) // want `missing-filter: .*"token"`
}

func okFamilyFilterLive(ctx context.Context, tbl *bigtable.Table) (bigtable.Row, error) {
	return tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))))
}

func okFamilyFilterOther(ctx context.Context, tbl *bigtable.Table) (bigtable.Row, error) {
	return tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("profile")))
}

func okFamilyFilterAmbiguous(ctx context.Context, tbl *bigtable.Table) (bigtable.Row, error) {
	return tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("val")))
}

func columnRange(ctx context.Context, tbl *bigtable.Table) (bigtable.Row, error) {
	return tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ColumnRangeFilter("event", "a", "b"))) // want `missing-filter: .*"event"`
}

// Keys only.

func okKeys(ctx context.Context, c *bigtable.Client) (keys []string, err error) {
	err = c.Open("otp").ReadRows(ctx, bigtable.PrefixRange("a"), func(row bigtable.Row) bool {
		keys = append(keys, row.Key())
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())))
	return keys, err
}

// Scans that only delete.

func okDeletes(ctx context.Context, c *bigtable.Client) error {
	tbl := c.Open("otp")
	return tbl.ReadRows(ctx, bigtable.PrefixRange("a"), func(row bigtable.Row) bool {
		mut := bigtable.NewMutation()
		mut.DeleteRow()
		return tbl.Apply(ctx, row.Key(), mut) == nil
	})
}

func okDeletesExpired(ctx context.Context, c *bigtable.Client) error {
	tbl := c.Open("otp")
	return tbl.ReadRows(ctx, bigtable.PrefixRange("a"), func(row bigtable.Row) bool {
		mut := bigtable.NewMutation()
		mut.DeleteCellsInFamily("code")
		return tbl.Apply(ctx, row.Key(), mut) == nil
	}, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Time{}, time.Now())))
}
