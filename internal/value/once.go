package value

// Once is the operation that stands for a reading of the clock that was taken
// once and kept: Args[0] is the reading.
const Once = "once"

// ReadsClock reports whether a value is a reading of the clock.
func (v *Value) ReadsClock() bool { return v.Is("time.Now") || v.Is("bigtable.Now") || v.Is(Clock) }

// TakenOnce returns v with the readings of the clock in it marked as taken
// once. What a function reads when it is called stays as it is.
func TakenOnce(v *Value) *Value {
	return v.Rewrite(func(w *Value) *Value {
		switch {
		case w.ReadsClock():
			return &Value{Kind: Call, Name: Once, Args: []*Value{w}, Class: w.Class, Expr: w.Expr}
		case w.Is(Once), w.Kind == Func:
			return w
		case w.Lazy != nil:
			c := *w
			c.Lazy = func(field string) *Value {
				if v := w.Lazy(field); v != nil {
					return TakenOnce(v)
				}
				return nil
			}
			return &c
		}
		return nil
	})
}
