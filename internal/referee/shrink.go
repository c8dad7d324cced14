package referee

import "slices"

// A path leads to a statement: the index in a body, then 2i or 2i+1 for the i-th
// statement of a block's body or of what is behind its else.
type path []int

// paths lists those of all statements but the first, which declares the variables.
func paths(body []Stmt) (out []path) {
	var walk func(body []Stmt, at path, step, offset int)
	walk = func(body []Stmt, at path, step, offset int) {
		for i, s := range body {
			if len(at) == 0 && i == 0 {
				continue
			}
			p := append(slices.Clone(at), i*step+offset)
			out = append(out, p)
			walk(s.Body, p, 2, 0)
			walk(s.Else, p, 2, 1)
		}
	}
	walk(body, nil, 1, 0)
	return out
}

// without returns statements but for those that paths lead to.
func without(body []Stmt, drop []path) []Stmt {
	return prune(body, nil, 1, 0, drop)
}

func prune(body []Stmt, at path, step, offset int, drop []path) []Stmt {
	var out []Stmt
	for i, s := range body {
		p := append(slices.Clone(at), i*step+offset)
		if slices.ContainsFunc(drop, func(d path) bool { return slices.Equal(d, p) }) {
			continue
		}
		if s.Body != nil {
			s.Body = append([]Stmt{}, prune(s.Body, p, 2, 0, drop)...)
			s.Else = prune(s.Else, p, 2, 1, drop)
		}
		out = append(out, s)
	}
	return out
}

// Shrink makes programs smaller as long as fails holds of them, all at once: it is
// asked of a list of candidates, and returns which of them fail.
func Shrink(programs []*Program, fails func([]*Program) ([]bool, error)) error {
	type trial struct {
		of   int
		drop []path
	}
	could := make([][]path, len(programs)) // what could be left out alone
	done := make([]bool, len(programs))
	for {
		var trials []trial
		var candidates []*Program
		for i, p := range programs {
			if done[i] {
				continue
			}
			add := func(drop []path) {
				if len(drop) > 0 {
					trials = append(trials, trial{i, drop})
					candidates = append(candidates, &Program{Seed: p.Seed, Number: len(candidates), Subject: p.Subject, Body: without(p.Body, drop)})
				}
			}
			n := len(could[i])
			add(could[i])
			add(could[i][:n/2])
			add(could[i][n/2:])
			for _, s := range paths(p.Body) {
				add([]path{s})
			}
		}
		if len(candidates) == 0 {
			return nil
		}
		failed, err := fails(candidates)
		if err != nil {
			return err
		}
		best := make([]int, len(programs))
		alone := make([][]path, len(programs))
		for n, t := range trials {
			if !failed[n] {
				continue
			}
			if len(t.drop) == 1 {
				alone[t.of] = append(alone[t.of], t.drop[0])
			}
			if b := best[t.of]; b == 0 || len(t.drop) > len(trials[b-1].drop) {
				best[t.of] = n + 1
			}
		}
		for i := range programs {
			switch b := best[i]; {
			case b == 0:
				done[i] = true
			case len(alone[i]) > 1 && len(trials[b-1].drop) < len(alone[i]) && could[i] == nil:
				could[i] = alone[i] // all at once, first
			default:
				programs[i].Body = candidates[b-1].Body
				could[i] = nil
			}
		}
	}
}
