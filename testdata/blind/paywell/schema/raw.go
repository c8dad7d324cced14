package schema

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"example.com/paywell/store"
)

// modifier is what is needed of the raw admin client.
type modifier interface {
	ModifyColumnFamilies(ctx context.Context, in *adminpb.ModifyColumnFamiliesRequest, opts ...grpc.CallOption) (*adminpb.Table, error)
}

func maxAge(d time.Duration) *adminpb.GcRule {
	return &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(d)}}
}

// Describe changes the aggregates' type, and nothing else, it thinks.
func Describe(ctx context.Context, c modifier, instance string) error {
	_, err := c.ModifyColumnFamilies(ctx, &adminpb.ModifyColumnFamiliesRequest{
		Name: instance + "/tables/" + store.TableUsage,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{ // want ttlgc/empty-mask[mask]
			Id: store.FamWin,
			Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{ // want ttlgc/empty-mask[mask]
				Update: &adminpb.ColumnFamily{ValueType: &adminpb.Type{}}, // want ttlgc/empty-mask[mask]
			},
		}},
	})
	return err
}

// DescribeMasked says what it changes.
func DescribeMasked(ctx context.Context, c modifier, instance string) error {
	_, err := c.ModifyColumnFamilies(ctx, &adminpb.ModifyColumnFamiliesRequest{
		Name: instance + "/tables/" + store.TableUsage,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
			Id: store.FamWin,
			Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{ // ok ttlgc/empty-mask
				Update: &adminpb.ColumnFamily{ValueType: &adminpb.Type{}},
			},
			UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"value_type"}},
		}},
	})
	return err
}

// Shorten sets the age of the dunning journal.
func Shorten(ctx context.Context, c modifier, instance string) error {
	_, err := c.ModifyColumnFamilies(ctx, &adminpb.ModifyColumnFamiliesRequest{
		Name: instance + "/tables/" + store.TableDunning,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
			Id: store.FamEvt,
			Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{
				Update: &adminpb.ColumnFamily{GcRule: maxAge(24 * time.Hour)}, // want ttlgc/age-on-sequence
			},
			UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}},
		}},
	})
	return err
}

// ShortenWebhooks sets the age of the webhooks.
func ShortenWebhooks(ctx context.Context, c modifier, instance string) error {
	_, err := c.ModifyColumnFamilies(ctx, &adminpb.ModifyColumnFamiliesRequest{
		Name: instance + "/tables/" + store.TableWebhooks,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
			Id: store.FamEvt,
			Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{
				Update: &adminpb.ColumnFamily{GcRule: maxAge(time.Second)}, // ok ttlgc/age-on-sequence
			},
			UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}},
		}},
	})
	return err
}
