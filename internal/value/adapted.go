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

// Receiver is the operation that stands for the receiver of a method value that is
// not known yet.
const Receiver = "receiver"

// receiver folds the receiver of a method value once that is known.
func receiver(a []*Value) *Value {
	f := a[0].Function()
	if f.Kind != Func {
		return nil
	}
	if f.Num != 0 || len(f.Args) != 1 {
		return UnknownFor("the receiver of a function that has none")
	}
	return f.Args[0]
}
