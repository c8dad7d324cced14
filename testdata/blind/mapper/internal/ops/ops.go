// Package ops has the operators' tools: demo data, repairs, reports, raw requests.
package ops

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"marketmap.example/market/internal/schema"
)

// demo is what a new instance shows.
var demo = []struct {
	table, key, family, column string
	ts                         bigtable.Timestamp
	value                      string
}{
	{schema.TableCarts, "cart#demo", schema.FamItem, "sku:1", bigtable.ServerTime, "lamp"},   // want ttlwrite/server-timestamp[demo]
	{schema.TableCarts, "cart#demo", schema.FamMeta, "currency", bigtable.ServerTime, "EUR"}, // ok ttlwrite/server-timestamp
	{schema.TablePrices, "price#demo", schema.FamHold, "by", bigtable.ServerTime, "demo"},    // ok ttlwrite/server-timestamp
	{schema.TableListings, "demo", schema.FamRev, "text", 3, "a lamp"},                       // want ttlwrite/unscaled-sequence[demo]
	{schema.TableListings, "demo", schema.FamPromo, "slot", bigtable.ServerTime, "top"},      // ok ttlwrite/server-timestamp
	{schema.TableLocations, "loc#demo", schema.FamLast, "lat", 0, "0"},                       // ok ttlwrite/clock-in-zero
	{schema.TableLocations, "loc#demo", schema.FamLast, "lon", bigtable.ServerTime, "0"},     // want ttlwrite/clock-in-zero[demo]
}

// Demo writes the demo data.
func Demo(ctx context.Context, client *bigtable.Client) error {
	for _, d := range demo {
		mut := bigtable.NewMutation()
		mut.Set(d.family, d.column, d.ts, []byte(d.value)) // want ttlwrite/server-timestamp[demo] ttlwrite/unscaled-sequence[demo] ttlwrite/clock-in-zero[demo]
		if err := client.Open(d.table).Apply(ctx, d.key, mut); err != nil {
			return err
		}
	}
	return nil
}

// put is what repairs write with.
func put(mut *bigtable.Mutation, family, column string, ts bigtable.Timestamp, value string) {
	mut.Set(family, column, ts, []byte(value))
}

// RepairCart writes what support agreed with a buyer.
func RepairCart(ctx context.Context, client *bigtable.Client, buyer, sku, why string) error {
	until := bigtable.Time(time.Now().Add(schema.ItemTTL))
	mut := bigtable.NewMutation()
	put(mut, schema.FamItem, "sku:"+sku, bigtable.ServerTime, sku) // want ttlwrite/server-timestamp
	put(mut, schema.FamItem, "qty:"+sku, until, "1")               // ok ttlwrite/server-timestamp
	put(mut, schema.FamHold, "buyer", bigtable.ServerTime, buyer)  // want ttlwrite/server-timestamp
	put(mut, schema.FamHold, "pieces", bigtable.Now(), "1")        // want ttlwrite/write-time
	put(mut, schema.FamMeta, "repair", bigtable.ServerTime, why)   // ok ttlwrite/server-timestamp
	put(mut, schema.FamMeta, "at", bigtable.Now(), why)            // ok ttlwrite/write-time
	return client.Open(schema.TableCarts).Apply(ctx, "cart#"+buyer, mut)
}

// RepairOffer writes what support agreed with a seller.
func RepairOffer(ctx context.Context, client *bigtable.Client, listing, why string) error {
	mut := bigtable.NewMutation()
	put(mut, schema.FamAsk, "cents", bigtable.ServerTime, "100") // want ttlwrite/clock-in-sequence
	put(mut, schema.FamBid, "cents", bigtable.Now(), "90")       // want ttlwrite/clock-in-sequence
	put(mut, schema.FamNote, "repair", bigtable.Now(), why)      // ok ttlwrite/clock-in-sequence
	return client.Open("eu-offers").Apply(ctx, listing, mut)
}

// cart is a cart that is being repaired.
type cart struct {
	mut *bigtable.Mutation
	ts  bigtable.Timestamp
}

func newCart(ts bigtable.Timestamp) *cart { return &cart{bigtable.NewMutation(), ts} }

func (c *cart) item(column, value string) *cart {
	c.mut.Set(schema.FamItem, column, c.ts, []byte(value))
	return c
}

// Merge merges two carts.
func Merge(ctx context.Context, client *bigtable.Client, buyer string, skus map[string]int) error {
	c := newCart(bigtable.ServerTime) // want ttlwrite/server-timestamp
	for sku, n := range skus {
		c.item("sku:"+sku, strconv.Itoa(n))
	}
	return client.Open(schema.TableCarts).Apply(ctx, "cart#"+buyer, c.mut)
}

// MergeSafe merges two carts.
func MergeSafe(ctx context.Context, client *bigtable.Client, buyer string, skus []string) error {
	var keys []string
	var muts []*bigtable.Mutation
	for i, sku := range skus {
		m := bigtable.NewMutation()
		m.Set(schema.FamItem, "sku:"+sku, bigtable.Time(time.Now().Add(schema.ItemTTL)), []byte(sku)) // ok ttlwrite/server-timestamp
		m.Set(schema.FamItem, "pos:"+sku, bigtable.Time(time.Now()), []byte{byte(i)})                 // want ttlwrite/write-time
		m.Set(schema.FamItem, "src:"+sku, -1, []byte("merge"))                                        // want ttlwrite/server-timestamp
		keys, muts = append(keys, "cart#"+buyer), append(muts, m)
	}
	_, err := client.Open(schema.TableCarts).ApplyBulk(ctx, keys, muts)
	return err
}

// Expire writes expiries as the old shop has them.
func Expire(ctx context.Context, client *bigtable.Client, buyer string, until time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamItem, "note", bigtable.Timestamp(until.Unix()), nil)      // want ttlunit/wrong-unit
	mut.Set(schema.FamItem, "memo", bigtable.Timestamp(until.UnixMicro()), nil) // ok ttlunit/wrong-unit
	mut.Set(schema.FamHold, "note", bigtable.Timestamp(until.UnixMilli()), nil) // want ttlunit/wrong-unit
	return client.Open(schema.TableCarts).Apply(ctx, "cart#"+buyer, mut)
}

// RawCart is a mutation for the bulk loader.
func RawCart(sku string) []*bigtablepb.Mutation {
	return []*bigtablepb.Mutation{
		{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{FamilyName: schema.FamItem, ColumnQualifier: []byte("sku"), Value: []byte(sku)}}},                      // want ttlwrite/unset-timestamp
		{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{FamilyName: schema.FamItem, ColumnQualifier: []byte("raw"), TimestampMicros: -1, Value: []byte(sku)}}}, // want ttlwrite/server-timestamp
		{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{FamilyName: schema.FamMeta, ColumnQualifier: []byte("sku"), Value: []byte(sku)}}},                      // ok ttlwrite/unset-timestamp
		{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{FamilyName: schema.FamLast, ColumnQualifier: []byte("sku"), Value: []byte(sku)}}},                      // ok ttlwrite/unset-timestamp
		{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{FamilyName: schema.FamTok, ColumnQualifier: []byte("sku"), Value: []byte(sku)}}},                       // want ttlwrite/unset-timestamp
	}
}

// RawRules are read-modify-writes for the bulk loader.
func RawRules() []*bigtablepb.ReadModifyWriteRule {
	return []*bigtablepb.ReadModifyWriteRule{
		{FamilyName: schema.FamRev, ColumnQualifier: []byte("n"), Rule: &bigtablepb.ReadModifyWriteRule_IncrementAmount{IncrementAmount: 1}},  // want ttlwrite/read-modify-write
		{FamilyName: schema.FamCore, ColumnQualifier: []byte("n"), Rule: &bigtablepb.ReadModifyWriteRule_IncrementAmount{IncrementAmount: 1}}, // ok ttlwrite/read-modify-write
	}
}

// RawFamilies changes families where the client cannot.
func RawFamilies(project, instance string) []*adminpb.ModifyColumnFamiliesRequest {
	name := func(t string) string { return fmt.Sprintf("projects/%s/instances/%s/tables/%s", project, instance, t) }
	month := durationpb.New(30 * 24 * time.Hour)
	return []*adminpb.ModifyColumnFamiliesRequest{
		{Name: name(schema.TableListings), Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{
			{Id: schema.FamRev, Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: month}}}}},              // want ttlgc/age-on-sequence
			{Id: schema.FamCore, Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxNumVersions{MaxNumVersions: 3}}}}}, // ok ttlgc/policy-mismatch
		}},
		{Name: name(schema.TableSessions), Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{
			{Id: schema.FamTok, Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: month}}}}, UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}}}, // ok ttlgc/age-mismatch
			{Id: schema.FamDevice, Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{ValueType: &adminpb.Type{}}}, UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"value_type"}}},                                     // ok ttlgc/empty-mask
			{Id: "agent", Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{ValueType: &adminpb.Type{}}}},                                                                                                                 // want ttlgc/empty-mask
		}},
	}
}

// Tighten is what the on-call engineer runs when disks are full.
func Tighten(ctx context.Context, admin *bigtable.AdminClient) error {
	day := 24 * time.Hour
	if err := admin.SetGCPolicyWithOptions(ctx, schema.TableSessions, schema.FamTok, bigtable.MaxAgePolicy(day), bigtable.IgnoreWarnings()); err != nil { // want ttlgc/age-mismatch
		return err
	}
	if err := admin.SetGCPolicy(ctx, schema.TableCarts, schema.FamItem, bigtable.MaxAgePolicy(day)); err != nil { // want ttlgc/age-mismatch
		return err
	}
	if err := admin.SetGCPolicy(ctx, schema.TableLegacyCarts, schema.FamItem, bigtable.MaxAgePolicy(day)); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	for _, region := range schema.Regions {
		if err := admin.SetGCPolicy(ctx, schema.OffersTable(region), schema.FamBid, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(schema.BidVersions), bigtable.MaxAgePolicy(day))); err != nil { // want ttlgc/age-on-sequence
			return err
		}
		if err := admin.SetGCPolicy(ctx, schema.OffersTable(region), schema.FamNote, bigtable.MaxAgePolicy(day)); err != nil { // ok ttlgc/age-on-sequence
			return err
		}
	}
	return admin.SetGCPolicy(ctx, schema.TableCarts, schema.FamMeta, bigtable.MaxAgePolicy(30*day)) // ok ttlgc/age-mismatch
}

// reports are the statements of the nightly report.
func reports(ctx context.Context, client *bigtable.Client) error {
	for _, q := range []string{
		"SELECT _key, item['sku'] FROM carts",                                                       // want ttlread/sql[items]
		"SELECT _key, item FROM carts(with_history => TRUE, after_or_equal => CURRENT_TIMESTAMP())", // ok ttlread/sql
		"SELECT _key, hold['by'] FROM prices",                                                       // ok ttlread/sql
		"SELECT _key, meta['channel'] FROM carts",                                                   // ok ttlread/sql
	} {
		if _, err := client.PrepareStatement(ctx, q, nil); err != nil { // want ttlread/sql[items]
			return err
		}
	}
	_, err := client.PrepareStatement(ctx, "SELECT _key, promo['slot'] AS slot FROM listings WHERE promo['slot'] = @slot", map[string]bigtable.SQLType{"slot": bigtable.BytesSQLType{}}) // want ttlread/sql
	return err
}

// Report prepares the nightly report and counts what it is about.
func Report(ctx context.Context, client *bigtable.Client) (map[string]int, error) {
	if err := reports(ctx, client); err != nil {
		return nil, err
	}
	out := map[string]int{}
	now := time.Now()
	carts, offers := client.Open(schema.TableCarts), client.Open("eu-offers")
	err := carts.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/missing-filter[r1]
		for family, items := range row {
			out[family+"/"+items[0].Column]++
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter("item|hold"))) // want ttlread/missing-filter[r1]
	if err != nil {
		return nil, err
	}
	err = carts.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/wrong-bound[r2]
		out["live"] += len(row[schema.FamItem])
		return true
	}, bigtable.RowFilter(bigtable.TimestampRangeFilter(now.Add(-time.Hour), time.Time{}))) // want ttlread/wrong-bound[r2]
	if err != nil {
		return nil, err
	}
	err = offers.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/missing-filter[r3]
		out["asks"] += len(row[schema.FamAsk])
		return true
	}) // want ttlread/missing-filter[r3]
	return out, err
}
