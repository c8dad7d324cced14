package kinds // want package:`\) helps}$`

// Of names a family.
func Of(kind int) string { // want Of:`if ==\(\$0, 0\) returns "token"; if !\(==\(\$0, 0\)\) returns "profile"`
	if kind == 0 {
		return "token"
	}
	return "profile"
}

// Ptr is generic.
func Ptr[T any](v T) *T { return &v } // want Ptr:`returns \$0`
