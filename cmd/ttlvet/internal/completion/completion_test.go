package completion

import (
	"slices"
	"strings"
	"testing"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/usage"
)

func grammar() *Grammar {
	return &Grammar{
		Commands: []usage.Command{{Name: "audit"}, {Name: "explain"}, {Name: "help"}, {Name: "trace"}},
		Help: func(command string) string {
			return map[string]string{"": "\t-enable rules  report\n\t-fix           apply\n\t-sarif file    write\n", "audit": "\t-from source  read\n"}[command]
		},
		Rules: []Candidate{{"ttlread", "reads"}, {"ttlread/sql", ""}, {"ttlwrite/write-time", ""}},
	}
}

func TestComplete(t *testing.T) {
	for line, want := range map[string]string{
		"":                        "audit explain help trace ./...",
		"a":                       "audit",
		"-":                       "-enable -fix -sarif",
		"-f":                      "-fix",
		"audit -":                 "-from",
		"audit ":                  "./...",
		"-enable ttlread":         "ttlread ttlread/sql",
		"-enable=ttlread/":        "-enable=ttlread/sql",
		"-enable=ttlread,ttlw":    "-enable=ttlread,ttlwrite/write-time",
		"-enable ttlread,ttlw":    "ttlread,ttlwrite/write-time",
		"-sarif ":                 "",
		"-sarif=x":                "",
		"-color=al":               "-color=always",
		"explain ttlw":            "ttlwrite/write-time",
		"help t":                  "trace",
		"trace st":                "",
		"completion f":            "",
		"./... -f":                "-fix",
		"-enable=ttlread ./... -": "-enable -fix -sarif",
	} {
		var got []string
		for _, c := range grammar().Complete(strings.Split(line, " ")) {
			got = append(got, c.Word)
		}
		if !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%q is completed by %q, not %q", line, got, want)
		}
	}
}
