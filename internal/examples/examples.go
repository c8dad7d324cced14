// Package examples makes Go files of the examples in the documentation, so
// that tests can compile them and hold the analyzers to what the pages say.
package examples

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"sort"
	"strings"

	"github.com/ttlvet/ttlvet/docs"
	"github.com/ttlvet/ttlvet/internal/rule"
)

// An Example is an example of a page as a file of the package "examples".
type Example struct {
	Rule   rule.Rule // the rule in whose section it stands
	Bad    bool      // the rule reports it; what is good is reported by none
	Name   string    // the name of the function around it
	Source []byte    // the file
}

// All returns the examples of all rules in the catalogue's order.
func All() ([]Example, error) {
	var list []Example
	for _, r := range rule.All {
		section, ok := docs.Section(r.Name())
		if !ok {
			return nil, fmt.Errorf("%s has no section", r.Name())
		}
		for i, e := range docs.Examples(section) {
			kind := "good"
			if e.Bad {
				kind = "bad"
			}
			name := fmt.Sprintf("%s_%s_%s%d", r.Analyzer, strings.ReplaceAll(r.Category, "-", "_"), kind, i)
			src, err := file(name, e.Code)
			if err != nil {
				return nil, fmt.Errorf("%s, example %d: %w", r.Name(), i+1, err)
			}
			list = append(list, Example{r, e.Bad, name, src})
		}
	}
	return list, nil
}

// imports are the packages that examples may use.
var imports = map[string]string{
	"adminpb":     "cloud.google.com/go/bigtable/admin/apiv2/adminpb",
	"bigtable":    "cloud.google.com/go/bigtable",
	"bigtablepb":  "cloud.google.com/go/bigtable/apiv2/bigtablepb",
	"binary":      "encoding/binary",
	"context":     "context",
	"fieldmaskpb": "google.golang.org/protobuf/types/known/fieldmaskpb",
	"time":        "time",
	"ttl":         "github.com/ttlvet/ttlvet/runtime/ttl",
}

// frame is the function around an example: its name, then the statements. It
// opens the tables itself, because a table that comes from elsewhere is not
// known and nothing is reported on it.
const frame = `func %s(ctx context.Context, client *bigtable.Client, admin *bigtable.AdminClient, s struct {
	key, id                string
	value, phone, laptop   []byte
	amounts                [][]byte
	number                 int64
	deadline               time.Time
	lifetime               time.Duration
	request                *bigtablepb.MutateRowRequest
	modify                 *adminpb.ModifyColumnFamiliesRequest
	valueType              *adminpb.Type
	params                 map[string]bigtable.SQLType
}) (err error, row bigtable.Row, tokens, names []bigtable.ReadItem, age time.Duration, filter bigtable.Filter, stmt *bigtable.PreparedStatement) {
	sessions, clicks, ledger, catalog := client.Open("sessions"), client.Open("clicks"), client.Open("eu-ledger"), client.Open("catalog")
	mut, rmw := bigtable.NewMutation(), bigtable.NewReadModifyWrite()
	key, id, value, phone, laptop, amounts, number := s.key, s.id, s.value, s.phone, s.laptop, s.amounts, s.number
	deadline, lifetime, request, modify, valueType, params := s.deadline, s.lifetime, s.request, s.modify, s.valueType, s.params
	use(sessions, clicks, ledger, catalog, mut, rmw, key, id, value, phone, laptop, amounts, number, deadline, lifetime, request, modify, valueType, params)
	// The example.
	%s
	return err, row, tokens, names, age, filter, stmt
}
`

// Common is a file that the others need.
const Common = `package examples

import "time"

var started = time.Now()

func use(...any) {}
`

func file(name, code string) ([]byte, error) {
	body := fmt.Sprintf(frame, name, code)
	tree, err := parser.ParseFile(token.NewFileSet(), "", "package examples\n"+body, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	used := map[string]bool{}
	ast.Inspect(tree, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok && imports[x.Name] != "" {
				used[imports[x.Name]] = true
			}
		}
		return true
	})
	var paths []string
	for p := range used {
		paths = append(paths, p)
	}
	sort.Strings(paths)
	var b bytes.Buffer
	b.WriteString("package examples\n\nimport (\n")
	for _, p := range paths {
		fmt.Fprintf(&b, "\t%q\n", p)
	}
	b.WriteString(")\n\n" + body)
	return format.Source(b.Bytes())
}

// Registry returns the registry file that the examples go with.
func Registry() (string, error) {
	page, _ := docs.Section("README")
	_, text, ok := strings.Cut(page, "```yaml\n")
	if !ok {
		return "", fmt.Errorf("the index has no registry")
	}
	text, _, _ = strings.Cut(text, "```")
	return text, nil
}
