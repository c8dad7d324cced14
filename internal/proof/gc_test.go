package proof

import (
	"fmt"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
)

var gcProofs = map[string]proof{
	"ttlgc/age-on-sequence":      {run: ageOnSequence},
	"ttlgc/age-on-zero":          {run: ageOnZero},
	"ttlgc/age-mismatch":         {run: ageMismatch},
	"ttlgc/policy-mismatch":      {run: policyMismatch},
	"ttlgc/versions-with-expiry": {run: versionsWithExpiry},
	"ttlgc/no-policy":            {run: noPolicy},
	"ttlgc/empty-mask":           {run: emptyMask},
	"ttlgc/existing-data":        {run: existingData},
}

// collected writes a row of a table whose family has the policy, collects it
// and returns what is left.
func collected(t *testing.T, family string, policy bigtable.GCPolicy, fill func(mut *bigtable.Mutation)) string {
	t.Helper()
	tb := collecting.newTable(t, map[string]bigtable.GCPolicy{family: policy})
	tb.apply(row, fill)
	tb.collect(row)
	return tb.read(row)
}

// cases are policies by their names in the tests, with what each leaves.
type cases map[string]struct {
	policy bigtable.GCPolicy
	want   string
}

// compare runs collected for several policies at once.
func compare(t *testing.T, family string, fill func(mut *bigtable.Mutation), policies cases) {
	for name, c := range policies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := collected(t, family, c.policy, fill); got != c.want {
				t.Errorf("%s leaves %q, want %q", c.policy, got, c.want)
			}
		})
	}
}

func ageOnSequence(t *testing.T) {
	numbers := func(mut *bigtable.Mutation) {
		for i := 1; i <= 4; i++ {
			mut.Set("entry", "n", bigtable.Timestamp(i*1000), fmt.Append(nil, i))
		}
	}
	age, versions := bigtable.MaxAgePolicy(90*24*time.Hour), bigtable.MaxVersionsPolicy(3)
	compare(t, "entry", numbers, cases{
		"bad-age":   {age, ""},
		"bad-union": {bigtable.UnionPolicy(versions, age), ""},
		"good":      {versions, "entry:n=4 entry:n=3 entry:n=2"},
	})
}

func ageOnZero(t *testing.T) {
	zero := func(mut *bigtable.Mutation) { mut.Set("latest", "price", 0, []byte("a")) }
	age, versions := bigtable.MaxAgePolicy(24*time.Hour), bigtable.MaxVersionsPolicy(1)
	compare(t, "latest", zero, cases{
		"bad-age":   {age, ""},
		"bad-union": {bigtable.UnionPolicy(versions, age), ""},
		"good":      {versions, "latest:price=a"},
		"good-none": {bigtable.NoGcPolicy(), "latest:price=a"},
	})
}

func ageMismatch(t *testing.T) {
	click := func(mut *bigtable.Mutation) {
		mut.Set("event", "page", in(-48*time.Hour), []byte("live"))
		mut.Set("event", "old", in(-eventAge-time.Hour), []byte("dead"))
	}
	compare(t, "event", click, cases{
		"bad-shorter": {bigtable.MaxAgePolicy(24 * time.Hour), ""},
		"bad-longer":  {bigtable.MaxAgePolicy(2 * eventAge), "event:old=dead event:page=live"},
		"good":        {bigtable.MaxAgePolicy(eventAge), "event:page=live"},
	})
	token := func(mut *bigtable.Mutation) {
		mut.Set("token", "jwt", in(tokenTTL), []byte("live"))
		mut.Set("token", "old", in(-time.Minute), []byte("dead"))
	}
	compare(t, "token", token, cases{
		"bad-token":  {bigtable.MaxAgePolicy(time.Hour), "token:jwt=live token:old=dead"},
		"good-token": {bigtable.MaxAgePolicy(time.Second), "token:jwt=live"},
	})
}

func policyMismatch(t *testing.T) {
	compare(t, "entry", func(mut *bigtable.Mutation) {
		for i := 1; i <= 4; i++ {
			mut.Set("entry", "n", bigtable.Timestamp(i*1000), fmt.Append(nil, i))
		}
	}, cases{
		"bad-fewer": {bigtable.MaxVersionsPolicy(1), "entry:n=4"},
		"bad-more":  {bigtable.MaxVersionsPolicy(9), "entry:n=4 entry:n=3 entry:n=2 entry:n=1"},
		"good":      {bigtable.MaxVersionsPolicy(3), "entry:n=4 entry:n=3 entry:n=2"},
	})
	// Profiles are declared with one version, of whatever age.
	compare(t, "profile", func(mut *bigtable.Mutation) {
		mut.Set("profile", "name", in(-48*time.Hour), []byte("ada"))
	}, cases{
		"bad-age":       {bigtable.MaxAgePolicy(24 * time.Hour), ""},
		"good-versions": {bigtable.MaxVersionsPolicy(1), "profile:name=ada"},
	})
}

func versionsWithExpiry(t *testing.T) {
	age, versions := bigtable.MaxAgePolicy(time.Second), bigtable.MaxVersionsPolicy(1)
	tokens := func(mut *bigtable.Mutation) {
		mut.Set("token", "jwt", in(48*time.Hour), []byte("first"))
		mut.Set("token", "jwt", in(time.Hour), []byte("second"))
	}
	compare(t, "token", tokens, cases{
		"bad":  {bigtable.UnionPolicy(versions, age), "token:jwt=first"},
		"good": {age, "token:jwt=first token:jwt=second"},
	})
	compare(t, "token", func(mut *bigtable.Mutation) {
		mut.Set("token", "jwt", in(48*time.Hour), []byte("first"))
		mut.DeleteCellsInColumn("token", "jwt")
		mut.Set("token", "jwt", in(time.Hour), []byte("second"))
	}, cases{"good-writer": {age, "token:jwt=second"}})
}

func noPolicy(t *testing.T) {
	expired := func(mut *bigtable.Mutation) { mut.Set("token", "jwt", in(-time.Hour), []byte("dead")) }
	compare(t, "token", expired, cases{
		"bad-none":     {bigtable.NoGcPolicy(), "token:jwt=dead"},
		"bad-union":    {bigtable.UnionPolicy(), "token:jwt=dead"},
		"bad-versions": {bigtable.MaxVersionsPolicy(1), "token:jwt=dead"},
		"good":         {bigtable.MaxAgePolicy(time.Second), ""},
	})
	compare(t, "entry", func(mut *bigtable.Mutation) {
		mut.Set("entry", "n", 1000, []byte("1"))
		mut.Set("entry", "n", 2000, []byte("2"))
	}, cases{
		"bad-sequence":  {bigtable.NoGcPolicy(), "entry:n=2 entry:n=1"},
		"good-sequence": {bigtable.MaxVersionsPolicy(1), "entry:n=2"},
	})

	// A family that is created without a policy, and one with it.
	tb := collecting.newTable(t)
	tb.check(collecting.admin.CreateColumnFamily(t.Context(), tb.name, "plain"))
	tb.check(collecting.admin.CreateColumnFamilyWithConfig(t.Context(), tb.name, "config", bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(time.Second)}))
	tb.set(row, "plain", "jwt", in(-time.Hour), "dead")
	tb.set(row, "config", "jwt", in(-time.Hour), "dead")
	tb.collect(row)
	tb.want("created families", tb.read(row), "plain:jwt=dead")
}

func emptyMask(t *testing.T) {
	update := func(mask *fieldmaskpb.FieldMask) string {
		tb := collecting.newTable(t)
		admin := adminpb.NewBigtableTableAdminClient(collecting.conn)
		_, err := admin.ModifyColumnFamilies(t.Context(), &adminpb.ModifyColumnFamiliesRequest{
			Name: fmt.Sprintf("projects/%s/instances/%s/tables/%s", project, instance, tb.name),
			Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
				Id: "token",
				Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{
					ValueType: &adminpb.Type{Kind: &adminpb.Type_BytesType{BytesType: &adminpb.Type_Bytes{
						Encoding: &adminpb.Type_Bytes_Encoding{Encoding: &adminpb.Type_Bytes_Encoding_Raw_{Raw: &adminpb.Type_Bytes_Encoding_Raw{}}},
					}}},
				}},
				UpdateMask: mask,
			}},
		})
		tb.check(err)
		tb.set(row, "token", "jwt", in(-time.Hour), "dead")
		tb.collect(row)
		return tb.read(row)
	}
	for name, c := range map[string]struct {
		mask *fieldmaskpb.FieldMask
		want string
	}{
		"bad":  {nil, "token:jwt=dead"},
		"good": {&fieldmaskpb.FieldMask{Paths: []string{"value_type"}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := update(c.mask); got != c.want {
				t.Errorf("update with mask %v leaves %q, want %q", c.mask, got, c.want)
			}
		})
	}
}

func existingData(t *testing.T) {
	tb := collecting.newTable(t)
	tb.set("bad", "profile", "name", in(-24*time.Hour), "ada")
	tb.set("good", "profile", "name", in(-24*time.Hour), "ada")
	tb.collect("bad", "good")
	tb.want("real timestamps", tb.read("bad"), "profile:name=ada")

	// The good form: a family of its own for what shall expire.
	tb.check(collecting.admin.CreateColumnFamily(t.Context(), tb.name, "session"))
	tb.setPolicy("session", bigtable.MaxAgePolicy(time.Second))
	tb.set("good", "session", "jwt", in(tokenTTL), "a")
	tb.collect("good")
	tb.want("policy on a new family", tb.read("good"), "profile:name=ada session:jwt=a")

	tb.setPolicy("profile", bigtable.MaxAgePolicy(time.Second))
	tb.collect("bad")
	tb.want("policy on the old family", tb.read("bad"), "")
}
