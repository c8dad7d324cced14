package value

// Invoke is the operation that stands for the call of a function that is not
// known yet: Args[0] is the function, the others are its arguments.
const Invoke = "()"

// Method is the operation that stands for the call of a method of a value that
// is not known yet: Args[0] is the method's name, Args[1] the value, the others
// are its arguments.
const Method = "method"

// After is the operation that stands for an object, which is not known yet, after a
// method that it may have was called for what it does: Args[0] is the method's name,
// Args[1] the object, Args[2] whether it is certain to be called where the object
// has it, the others are its arguments, where these are known.
const After = "after"

// Clock is the operation that stands for what a clock says that the code is
// given: Args[0] is the call of the clock, an [Invoke] or [Method]. It counts as
// the current time until another function turns out to be called.
const Clock = "clock"

// clock folds the reading of a clock once it is known what is called.
func clock(a []*Value) *Value {
	if a[0].Is(Invoke) || a[0].Is(Method) {
		return nil
	}
	return a[0]
}

// WithoutClocks returns v with what is said by clocks that are not known as
// unknown, and whether there are any.
func WithoutClocks(v *Value) (w *Value, found bool) {
	w = v.Rewrite(func(c *Value) *Value {
		if !c.Is(Clock) {
			return nil
		}
		found = true
		return c.Forgotten("what a clock says that the code is given")
	})
	return w, found
}
