package referee

import (
	"fmt"
	"math/rand/v2"
)

// A Subject is what the values of a program are, and what a request does with one.
type Subject struct {
	Name   string
	Type   string   // of the values
	Leaves []string // expressions that make one: right ones and wrong ones
	Use    string   // the statements of a request that uses %s
}

// Subjects are all there are.
var Subjects = []Subject{
	{"token", "bigtable.Timestamp", []string{"later(1)", "later(2)", "bigtable.Time(time.Now().Add(time.Hour))", "bigtable.Now()", "bigtable.ServerTime", "bigtable.Timestamp(0)", "bigtable.Timestamp(1000000)"},
		"m := bigtable.NewMutation()\n@SET(m, \"token\", %s)\n@APPLY(\"sessions\", m)"},
	{"entry", "bigtable.Timestamp", []string{"number(1)", "number(2)", "bigtable.Timestamp(3000)", "bigtable.Now()", "bigtable.ServerTime"},
		"m := bigtable.NewMutation()\n@SET(m, \"entry\", %s)\n@APPLY(\"eu-ledger\", m)"},
	{"latest", "bigtable.Timestamp", []string{"bigtable.Timestamp(0)", "zero()", "bigtable.Now()", "bigtable.ServerTime"},
		"m := bigtable.NewMutation()\n@SET(m, \"latest\", %s)\n@APPLY(\"catalog\", m)"},
	{"family", "string", []string{`"token"`, `"profile"`, `profile()`, `token()`},
		"m := bigtable.NewMutation()\n@SETIN(m, %s, bigtable.Now())\n@APPLY(\"sessions\", m)"},
	{"filter", "bigtable.Filter", []string{"live()", "bigtable.TimestampRangeFilter(time.Now(), time.Time{})", "bigtable.PassAllFilter()", "bigtable.LatestNFilter(1)", `bigtable.FamilyFilter("profile")`},
		"@READ(\"sessions\", bigtable.RowFilter(%s))"},
}

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
	return Stmt{Mechanism: "use", Text: "{", Body: []Stmt{{Text: fmt.Sprintf(g.subject.Use, g.value(2))}}}
}
