package value

// Adapted is the only field of an object that is a function, made an interface
// by way of a type that has methods.
const Adapted = "func"

// Function returns the function that v is, or that it holds as [Adapted].
func (v *Value) Function() *Value {
	b := v.Base()
	if b.Kind == Struct && b.Lazy == nil && len(b.Keys) == 1 && b.Keys[0] == Adapted {
		return b.Args[0].Base()
	}
	return b
}
