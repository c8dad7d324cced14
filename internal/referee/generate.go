package referee

import (
	"fmt"
	"math/rand/v2"
)

// A Program is a random program: a function that works on variables of several
// shapes, which may be one another's parts and aliases.
type Program struct {
	Seed    uint64
	Number  int
	Subject Subject
	Body    []Stmt
}

// Name is that of the program's function.
func (p *Program) Name() string { return fmt.Sprintf("p%05d", p.Number) }

// A Stmt is a statement: lines of text, or a block with other statements in it.
type Stmt struct {
	Mechanism string
	Text      string // of a block the line that opens it
	Body      []Stmt // nil of what is no block
	Else      []Stmt
	Close     string // the line that closes a block, if not "}"
}

// maxStatements bounds a program.
const maxStatements = 14

// Generate writes the n-th program of a seed.
func Generate(seed uint64, n int) *Program {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	p := &Program{Seed: seed, Number: n, Subject: Subjects[r.IntN(len(Subjects))]}
	g := &generator{r: r, subject: p.Subject}
	p.Body = append(g.beginning(), g.block(1+r.IntN(maxStatements), 2)...)
	p.Body = append(p.Body, g.use())
	return p
}

// A generator writes one program.
type generator struct {
	r       *rand.Rand
	subject Subject
	names   int
}

func (g *generator) pick(list ...string) string { return list[g.r.IntN(len(list))] }

func (g *generator) fresh(prefix string) string {
	g.names++
	return fmt.Sprintf("%s%d", prefix, g.names)
}

// block writes n statements, with blocks in them up to a depth.
func (g *generator) block(n, depth int) []Stmt {
	var out []Stmt
	for range n {
		out = append(out, g.statement(depth))
		if g.r.IntN(4) == 0 {
			out = append(out, g.use())
		}
	}
	return out
}

// use is a request.
func (g *generator) use() Stmt {
	if g.r.IntN(3) == 0 {
		return Stmt{Mechanism: "wrapper", Text: fmt.Sprintf("use(ctx, %s)", g.value(2))}
	}
	if g.r.IntN(5) == 0 {
		return Stmt{Mechanism: "wrapper of another package", Text: fmt.Sprintf("dep.Use(ctx, %s)", g.value(2))}
	}
	return Stmt{Mechanism: "use", Text: "{", Body: []Stmt{{Text: fmt.Sprintf(g.subject.Use, g.value(2))}}}
}
