package way

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/control"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Slice resolves x[low:high]. A list is told apart by the array that it is of, and Num
// says from which element on.
func Slice(w *Way, v *ssa.Slice, at ssa.Instruction) *value.Value {
	later := w.filledLater(v)
	now := ssa.Instruction(v)
	if later && w.takes(at, v) {
		now, later = at, false
	}
	x := w.Eval(v.X, now)
	r := value.ListOf(spread(value.UnknownFor("elements of a slice that is filled later")))
	if !later {
		r = slice(w, v, x)
	}
	if r.Kind != value.List {
		return r
	}
	low := int64(0)
	if v.Low != nil {
		n, known := w.Eval(v.Low, v).IsInt()
		if !known {
			return r
		}
		low = n
	}
	list := *r
	list.Site = nil
	if from, ok := x.Base().Site.(*program.Part); ok && x.Base().Kind == value.List {
		list.Site, list.Num = from, x.Base().Num+low
	} else if a, path := w.Prog.Address(v.X); kind.IsPointer(v.X.Type()) {
		if a, ok := a.(*ssa.Alloc); ok {
			list.Site, list.Num = w.Prog.PartOf(a, path), low
		}
	}
	return &list
}

func slice(w *Way, v *ssa.Slice, x *value.Value) *value.Value {
	bound := func(b ssa.Value) (int64, bool) {
		if b == nil {
			return 0, true
		}
		return w.Eval(b, v).IsInt()
	}
	low, okLow := bound(v.Low)
	high, okHigh := bound(v.High)
	list := x.Base()
	switch {
	case v.Low == nil && v.High == nil:
		return x
	case list.Kind == value.Str && okLow && okHigh:
		if v.High == nil {
			high = int64(len(list.Name))
		}
		if low >= 0 && low <= high && high <= int64(len(list.Name)) {
			return value.StrOf(list.Name[low:high])
		}
	case v.High != nil && okHigh && high == 0:
		return value.ListOf()
	case list.Kind == value.List && okLow && okHigh:
		if n := value.Apply(value.Len, list); n.Kind == value.Int {
			if v.High == nil {
				high = n.Num
			}
			if low >= 0 && low <= high && high <= n.Num {
				return value.ListOf(list.Args[low:high]...)
			}
		}
	}
	if _, isSlice := v.Type().Underlying().(*types.Slice); isSlice {
		// Some of the elements, in order.
		return value.ListOf(&value.Value{Kind: value.Call, Name: value.Spread, Args: []*value.Value{value.Apply(part, x)}})
	}
	return value.Apply(value.Substring, x, end(w, v.Low, v, value.IntOf(0)), end(w, v.High, v, value.Apply(value.Len, x)))
}

// part is the operation that stands for some of the elements of a list.
const part = "part"

// Make resolves make([]T, n) with what is stored to its elements.
func Make(w *Way, v *ssa.MakeSlice) *value.Value {
	if r := mapped(w, v); r != nil {
		return r
	}
	if from := copied(v); from != nil {
		return copies(w, v, from)
	}
	list := value.ListOf()
	stored := map[any]bool{} // by the index
	for _, instr := range w.Prog.Heap().At(v, kind.PathTo{kind.AnyElement}).Writers() {
		s, ok := instr.(*ssa.Store)
		if !ok {
			return filledElsewhere()
		}
		root, path := w.Prog.Address(s.Addr)
		ia, ok := root.(*ssa.IndexAddr)
		var index any
		switch {
		case root == ssa.Value(v) && len(path) == 1:
			index = path[0]
		case ok && ia.X == ssa.Value(v) && len(path) == 0:
			index = ia.Index
		default:
			return filledElsewhere()
		}
		if stored[index] {
			return filledElsewhere() // twice
		}
		stored[index] = true
		if len(list.Args) < MaxElements {
			list.Args = append(list.Args, w.Eval(s.Val, s))
		}
	}
	if n, ok := w.Eval(v.Len, v).IsInt(); !ok || int(n) != len(list.Args) {
		if !ok || n > 0 {
			list.Args = append(list.Args, spread(value.UnknownFor("elements of a slice that is filled in a loop")))
		}
	}
	return list
}

func filledElsewhere() *value.Value {
	return value.ListOf(spread(value.UnknownFor("elements of a slice that is filled elsewhere")))
}

func spread(v *value.Value) *value.Value {
	return &value.Value{Kind: value.Call, Name: value.Spread, Args: []*value.Value{v}}
}

// MakeMap resolves a map by what is stored in it, by way of whatever holds it: what
// other functions store in the map of an object is not known.
func MakeMap(w *Way, v *ssa.MakeMap) *value.Value {
	m := &value.Value{Kind: value.Map, Site: v}
	open := ""
	under := map[string]bool{}
	for _, instr := range w.Prog.Heap().At(v, nil).Writers() {
		up, ok := instr.(*ssa.MapUpdate)
		switch {
		case !ok, kind.Outermost(up.Parent()) != kind.Outermost(v.Parent()) && !inVariable(v):
			open = "a map that is filled elsewhere"
			continue
		case len(m.Args) >= 2*MaxElements:
			open = "a map of more elements than are followed"
			continue
		}
		if up.Block() != v.Block() {
			m.Num = value.Uncounted
		}
		key := keyAt(w, up)
		within := w.updating
		w.updating = up
		element := elementAt(w, up.Value, up, up.Pos())
		w.updating = within
		if text := key.String(); under[text] {
			element = value.UnknownFor("an element that is set more than once")
		} else {
			under[text] = true
		}
		m.Args = append(m.Args, key, element)
	}
	if open != "" {
		m.Num = value.Uncounted
		m.Args = append(m.Args, value.UnknownFor(open), value.UnknownFor(open)) // under any key
	}
	return m
}

// inVariable reports whether a map is made for a package variable.
func inVariable(v *ssa.MakeMap) bool {
	for _, r := range *v.Referrers() {
		if s, ok := r.(*ssa.Store); ok && s.Val == ssa.Value(v) {
			if _, global := s.Addr.(*ssa.Global); global {
				return true
			}
		}
	}
	return false
}

// elementAt resolves an element of a literal, with its expression.
func elementAt(w *Way, v ssa.Value, at ssa.Instruction, pos token.Pos) *value.Value {
	r := w.Eval(v, at)
	if r.Expr == nil {
		r = r.At(w.Prog.Syntax.Elements[pos])
	}
	return r
}

// keyAt resolves the key under which a map gets an element, with its expression.
func keyAt(w *Way, up *ssa.MapUpdate) *value.Value {
	key := w.Eval(up.Key, up)
	if key.Expr != nil {
		return key
	}
	if index := w.Prog.Syntax.Indexes[up.Pos()]; index != nil {
		return key.At(index.Index)
	}
	return key.At(w.Prog.Syntax.Keys[up.Pos()])
}

// Lookup resolves m[key] of a map or string.
func Lookup(w *Way, v *ssa.Lookup) *value.Value {
	if step, ok := counted(w.Prog, v); ok {
		return value.Apply(value.Count, value.IntOf(step))
	}
	if up := w.updating; up != nil && !v.CommaOk && program.SamePlace(w.Prog, up.Map, v.X) && program.SamePlace(w.Prog, up.Key, v.Index) {
		return kind.UnknownOf(v.Type(), Itself)
	}
	r := indexed(w, w.Eval(v.X, v), v.X.Type(), w.Eval(v.Index, v))
	if v.CommaOk {
		ok := value.UnknownFor("whether a map has a key")
		if m := w.Eval(v.X, v); (m.Base().Kind == value.Map || m.HasParams()) && remembered(m, r) == nil {
			ok = value.Apply(value.Has, m, w.Eval(v.Index, v))
		}
		return &value.Value{Kind: value.Tuple, Args: []*value.Value{r, ok}}
	}
	return r
}

// indexed resolves an element of a map; of a row, the cells of a family.
func indexed(w *Way, m *value.Value, t types.Type, key *value.Value) *value.Value {
	if btapi.Type(t) == "bigtable.Row" {
		return value.Apply(kind.Cells, m, key)
	}
	if r := remembered(m, key); r != nil {
		return r
	}
	return value.Apply(value.Index, m, key)
}

// Next resolves the key (1) or the element (2) of a loop over a map.
func Next(w *Way, n *ssa.Next, index int) *value.Value {
	r, ok := n.Iter.(*ssa.Range)
	if !ok || index == 0 {
		return value.UnknownFor("whether a loop goes on")
	}
	m := w.Eval(r.X, r)
	if btapi.Type(r.X.Type()) == "bigtable.Row" {
		family := value.UnknownFor("each family of a row")
		if asked := control.RowLoopOf(n).Families(); len(asked) > 0 {
			if i := w.Choose(w.LoopKey(n), len(asked)+1); i < len(asked) {
				family = value.StrOf(asked[i])
			}
		}
		if index == 1 {
			return family
		}
		return value.Apply(kind.Cells, m, family)
	}
	if b := m.Base(); b.Kind == value.Map && len(b.Args) > 0 {
		return b.Args[2*w.Choose(w.LoopKey(n), len(b.Args)/2)+index-1]
	}
	if m.HasParams() {
		entry := value.Apply(value.Elem, value.Apply(value.Entries, m))
		return value.Apply(value.Index, entry, value.IntOf(int64(index-1)))
	}
	return value.UnknownFor(UnknownElement)
}

// Element resolves list[index].
func Element(w *Way, list *value.Value, index ssa.Value, at ssa.Instruction) *value.Value {
	l := list.Base()
	if phi := kind.LoopVariable(index); phi != nil && l.Kind == value.List {
		known, open := Members(l)
		n := len(known)
		if open {
			n++
		}
		if n > 0 {
			if i := w.Choose(w.LoopKey(phi), n); i < len(known) {
				return known[i]
			}
		}
		return value.UnknownFor(UnknownElement)
	}
	if kind.LoopVariable(index) != nil {
		return value.Apply(value.Elem, list)
	}
	return value.Apply(value.Index, list, w.Eval(index, at))
}

// UnknownElement is why an element of a list or a map is not known of which others may be.
const UnknownElement = "an element that is not known"

// Itself is why a field, or an element of a map, is not known that is resolved by what is
// stored to it, and hangs on what it was before.
const Itself = "a field that depends on itself"

// Receive resolves what comes out of a channel for an instruction: what the
// package sends on it. Of a channel that several calls give a function, or calls
// in other packages, it is an element of what each gives: see [Sent].
func Receive(w *Way, v, ch ssa.Value) *value.Value {
	param, given := ch.(*ssa.Parameter)
	if given && len(w.Prog.Callers[param.Parent()]) > 1 {
		return value.Apply(value.Elem, w.Eval(param, nil))
	}
	if now := tick(ch); now != nil {
		return now
	}
	sent := w.chans.SentOn(ch)
	if at, ok := v.(ssa.Instruction); ok {
		sent = w.chans.Received(at, ch)
	}
	if len(sent) == 0 && given && kind.ChanKey(ch) != "" {
		return value.Apply(value.Elem, w.Eval(param, nil))
	}
	if len(sent) == 0 {
		return kind.UnknownOf(v.Type(), "a value from a channel")
	}
	chosen := sent[w.Choose(v, len(sent))]
	w.Received = append(w.Received, Receipt{Chan: ch, Sent: chosen})
	return w.Eval(chosen.Value, nil)
}

// Sent resolves a channel that a call is given as the list of what the package
// sends on it; nil where it sends nothing, or nothing of interest.
func Sent(w *Way, ch ssa.Value) *value.Value {
	if _, ok := ch.Type().Underlying().(*types.Chan); !ok || kind.ChanKey(ch) == "" {
		return nil
	}
	sent := w.chans.SentOnly(ch)
	if len(sent) == 0 || len(sent) > MaxElements {
		return nil
	}
	list := value.ListOf()
	for _, v := range sent {
		list.Args = append(list.Args, w.Eval(v, nil))
	}
	return list
}

// Selected resolves the index-th result of a select: behind the case and
// whether its channel is open, what each case receives.
func Selected(w *Way, v *ssa.Extract, s *ssa.Select) *value.Value {
	n := 2
	for _, state := range s.States {
		if state.Dir != types.RecvOnly {
			continue
		}
		if n == v.Index {
			return Receive(w, v, state.Chan)
		}
		n++
	}
	return kind.UnknownOf(v.Type(), "which case a select takes")
}

// end resolves a bound of a part of a string, or what it is where none is
// written.
func end(w *Way, bound ssa.Value, at ssa.Instruction, otherwise *value.Value) *value.Value {
	if bound == nil {
		return otherwise
	}
	return w.Eval(bound, at)
}
