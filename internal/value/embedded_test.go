package value

import "testing"

// TestEmbedded: a field of an embedded struct is found where the struct is, also
// beside parts that hold nothing.
func TestEmbedded(t *testing.T) {
	base := &Value{Kind: Struct, Name: "p.Base", Keys: []string{"table"}, Args: []*Value{StrOf("sessions")}}
	for _, test := range []struct {
		name string
		v    *Value
		want string // "" for what is not known
	}{
		{"itself", base, "sessions"},
		{"embedded", &Value{Kind: Struct, Name: "p.Outer", Keys: []string{"log", "Base"}, Args: []*Value{NilValue(), base}}, "sessions"},
		{"two levels", &Value{Kind: Struct, Name: "p.Outer", Keys: []string{"log", "Mid"}, Args: []*Value{
			ZeroOf(NoClass), {Kind: Struct, Name: "p.Mid", Keys: []string{"Base"}, Args: []*Value{base}}}}, "sessions"},
		{"a field of the same name", &Value{Kind: Struct, Name: "p.Outer", Keys: []string{"table", "Base"}, Args: []*Value{StrOf("mine"), base}}, "sessions"},
		{"nil", &Value{Kind: Struct, Name: "p.Outer", Keys: []string{"Base", "log"}, Args: []*Value{NilValue(), NilValue()}}, ""},
		{"on demand, nothing", &Value{Kind: Struct, Name: "p.Outer", Keys: []string{"Base", "log"}, Lazy: func(string) *Value { return nil }}, ""},
	} {
		got, ok := FieldOf(test.v, "p.Base.table", NoClass).IsStr()
		if !ok {
			got = ""
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
