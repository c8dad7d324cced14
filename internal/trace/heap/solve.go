package heap

import (
	"cmp"
	"slices"

	"golang.org/x/tools/container/intsets"
)

// A solver finds the least sets of cells that copies and constraints ask for. It
// knows nodes by number, and nothing of what they are.
type solver struct {
	parent  []int32           // of merged nodes: the node that stands for them
	points  []*intsets.Sparse // what a node may point to
	at      []int32           // the number of its progress, 0 before there is any: most cells point to nothing
	blocks  [][]progress
	used    int32 // the number of the last
	work    []int32
	checked map[[2]int32]bool // copies that have been looked at for cycles
	steps   int
	most    int  // bounds the next
	cost    int  // cells that constraints were told of, and blocks of cells that went through sieves
	done    bool // nothing is told any more
}

// progress is how far the work on a node is.
type progress struct {
	told    *intsets.Sparse // that part of what it points to which has been handed on
	copies  *intsets.Sparse // the nodes that hold whatever the node holds
	waiting []constraint    // what is told of each new cell
	sieves  []sieve         // by the number of the fitting: what holds a part of what the node does
	queued  bool
}

// spare holds blocks of progress that are used up: they are a ninth of all that the analysis
// allocates. It outlives collections of garbage, which a sync.Pool does not.
var spare = make(chan []progress, 64)

// blockSize is how many a block has.
const blockSize = 1 << 10

func newSolver() *solver {
	return &solver{checked: map[[2]int32]bool{}, most: most}
}

// progress returns that of a node.
func (s *solver) progress(n int) *progress {
	if s.at[n] == 0 {
		s.used++
		s.at[n] = s.used
		if int(s.used)/blockSize == len(s.blocks) {
			select {
			case b := <-spare:
				s.blocks = append(s.blocks, b)
			default:
				s.blocks = append(s.blocks, make([]progress, blockSize))
			}
		}
	}
	i := s.at[n]
	return &s.blocks[i/blockSize][i%blockSize]
}

// most bounds the cost. A package of 100,000 lines takes a tenth of it, and tests of 9,000
// lines that hand all they have to libraries nearly all; of parsers that are generated,
// where each object holds all others, no end is in sight.
const most = 60_000_000

// TooMuch is what [New] panics with where a package's objects hold each other too often
// to be told apart.
type TooMuch struct{}

func (TooMuch) Error() string { return "its objects hold each other too often to be told apart" }

// finish lets go of all but the answers.
func (s *solver) finish() {
	for _, b := range s.blocks {
		clear(b)
		select {
		case spare <- b:
		default:
		}
	}
	s.at, s.blocks, s.work, s.checked, s.done = nil, nil, nil, nil, true
}

// A constraint is told of each cell that a node may point to.
type constraint func(cell int)

// A sieve makes a node hold what fits, of what another does.
type sieve struct {
	fit *fitting
	to  int
}

func (x sieve) compare(f *fitting) int { return cmp.Compare(x.fit.number, f.number) }

// sift returns the node of what fits, of what a node may point to.
func (s *solver) sift(n int, f *fitting, node func() int) int {
	n = s.of(n)
	p := s.progress(n)
	i, found := slices.BinarySearchFunc(p.sieves, f, sieve.compare)
	if found {
		return p.sieves[i].to
	}
	x := sieve{f, node()}
	p.sieves = slices.Insert(p.sieves, i, x)
	if p.told != nil {
		s.pass(x, p.told)
	}
	return x.to
}

// pass gives a sieve cells.
func (s *solver) pass(x sieve, cells *intsets.Sparse) {
	var some intsets.Sparse
	some.Intersection(cells, x.fit.of(cells))
	if to := s.of(x.to); union(&s.points[to], &some) {
		s.queue(to)
	}
}

// runs counts the blocks of a set that cells take.
func runs(listed []int) (n int) {
	const size = 256 // in intsets
	last := -1
	for _, cell := range listed {
		if cell/size != last {
			last = cell / size
			n++
		}
	}
	return n
}

func (s *solver) node() int {
	s.parent = append(s.parent, int32(len(s.parent)))
	s.points = append(s.points, nil)
	if s.done {
		return len(s.parent) - 1
	}
	s.at = append(s.at, 0)
	return len(s.parent) - 1
}

// of returns the node that stands for n.
func (s *solver) of(n int) int {
	for int(s.parent[n]) != n {
		s.parent[n] = s.parent[s.parent[n]]
		n = int(s.parent[n])
	}
	return n
}

func insert(set **intsets.Sparse, x int) bool {
	if *set == nil {
		*set = &intsets.Sparse{}
	}
	return (*set).Insert(x)
}

// union adds a set to another, and reports whether that has grown.
func union(set **intsets.Sparse, with *intsets.Sparse) bool {
	if with == nil || with.IsEmpty() {
		return false
	}
	if *set == nil {
		*set = &intsets.Sparse{}
	}
	return (*set).UnionWith(with)
}

func (s *solver) queue(n int) {
	if s.done {
		return
	}
	if p := s.progress(n); !p.queued {
		p.queued = true
		s.work = append(s.work, int32(n))
	}
}

// add makes a node point to a cell.
func (s *solver) add(n, cell int) {
	if n = s.of(n); insert(&s.points[n], cell) {
		s.queue(n)
	}
}

// copy makes a node hold whatever another holds.
func (s *solver) copy(from, to int) {
	from, to = s.of(from), s.of(to)
	if from == to || !insert(&s.progress(from).copies, to) {
		return
	}
	if union(&s.points[to], s.points[from]) {
		s.queue(to)
	}
}

// same makes one of two nodes that hold the same in the end.
func (s *solver) same(n, m int) {
	if n, m = s.of(n), s.of(m); n != m {
		s.unite(n, m)
	}
}

// when tells a constraint of each cell that a node may point to, now and later.
func (s *solver) when(n int, c constraint) {
	n = s.of(n)
	p := s.progress(n)
	p.waiting = append(p.waiting, c)
	if p.told != nil {
		for _, cell := range p.told.AppendTo(nil) {
			c(cell)
		}
	}
}

// solve runs until nothing grows, in rounds: what grows several times in one is handed on
// once in the next.
func (s *solver) solve() {
	var round []int32
	for len(round) > 0 || len(s.work) > 0 {
		if len(round) == 0 {
			round, s.work = s.work, nil
		}
		n := int(round[0])
		round = round[1:]
		p := s.progress(n)
		if p.queued = false; s.of(n) != n || s.points[n] == nil {
			continue
		}
		s.steps++
		var fresh intsets.Sparse
		if p.told == nil {
			fresh.Copy(s.points[n])
			p.told = &intsets.Sparse{}
		} else {
			fresh.Difference(s.points[n], p.told)
		}
		if fresh.IsEmpty() {
			continue
		}
		p.told.UnionWith(&fresh)
		cells := fresh.AppendTo(nil)
		if s.cost += len(cells)*(1+len(p.waiting)) + runs(cells)*len(p.sieves); s.cost > s.most {
			panic(TooMuch{})
		}
		waiting, sieves := p.waiting, slices.Clone(p.sieves) // what is added meanwhile has been told
		for _, c := range waiting {
			for _, cell := range cells {
				c(cell)
			}
		}
		for _, x := range sieves {
			s.pass(x, &fresh)
		}
		s.propagate(n, &fresh)
	}
}

func (s *solver) propagate(n int, fresh *intsets.Sparse) {
	copies := s.progress(n).copies
	if copies == nil {
		return
	}
	var cycles []int
	for _, to := range copies.AppendTo(nil) {
		rep := s.of(to)
		if rep == n {
			copies.Remove(to)
			continue
		}
		if union(&s.points[rep], fresh) {
			s.queue(rep)
			continue
		}
		// Nodes that hold the same may be on a cycle (lazy cycle detection,
		// Hardekopf and Lin 2007): each copy is looked at once.
		if key := [2]int32{int32(n), int32(rep)}; !s.checked[key] && s.points[rep].Equals(s.points[n]) {
			s.checked[key] = true
			cycles = append(cycles, rep)
		}
	}
	for _, to := range cycles {
		s.merge(to)
	}
}

// merge makes the nodes of the cycles that can be reached from a node one each, by
// Tarjan's algorithm without recursion.
func (s *solver) merge(root int) {
	type frame struct {
		n     int
		succs []int
	}
	index, low, on := map[int]int{}, map[int]int{}, map[int]bool{}
	var stack []int
	var frames []frame
	enter := func(n int) {
		index[n], low[n], on[n] = len(index), len(index), true
		stack = append(stack, n)
		var succs []int
		if copies := s.progress(n).copies; copies != nil {
			succs = copies.AppendTo(nil)
		}
		frames = append(frames, frame{n, succs})
	}
	var found [][]int
	enter(s.of(root))
	for len(frames) > 0 {
		f := &frames[len(frames)-1]
		if len(f.succs) > 0 {
			to := s.of(f.succs[0])
			f.succs = f.succs[1:]
			if _, seen := index[to]; !seen {
				enter(to)
			} else if on[to] {
				low[f.n] = min(low[f.n], index[to])
			}
			continue
		}
		n := f.n
		frames = frames[:len(frames)-1]
		if len(frames) > 0 {
			above := frames[len(frames)-1].n
			low[above] = min(low[above], low[n])
		}
		if low[n] != index[n] {
			continue
		}
		var cycle []int
		for {
			m := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			on[m] = false
			cycle = append(cycle, m)
			if m == n {
				break
			}
		}
		if len(cycle) > 1 {
			found = append(found, cycle)
		}
	}
	for _, cycle := range found {
		for _, n := range cycle[1:] {
			s.same(cycle[0], n)
		}
	}
}

// unite makes a stand for b too.
func (s *solver) unite(a, b int) {
	s.parent[b] = int32(a)
	union(&s.points[a], s.points[b])
	p, q := s.progress(a), s.progress(b)
	union(&p.copies, q.copies)
	p.waiting = append(p.waiting, q.waiting...)
	// What one of them has been told, the constraints of the other have not.
	switch {
	case p.told == nil || q.told == nil:
		p.told = nil
	default:
		p.told.IntersectionWith(q.told)
	}
	sieves := q.sieves
	s.points[b], q.told, q.copies, q.waiting, q.sieves = nil, nil, nil, nil, nil
	s.queue(a)
	for _, x := range sieves {
		s.same(s.sift(a, x.fit, func() int { return x.to }), x.to)
	}
}
