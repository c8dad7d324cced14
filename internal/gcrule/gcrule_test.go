package gcrule

import (
	"encoding/json"
	"testing"

	"github.com/ttlvet/ttlvet/internal/gcpolicy"
)

func check(t *testing.T, in string, p *gcpolicy.Policy, err error, want string) {
	t.Helper()
	got := "error"
	if err == nil {
		got = p.String()
	}
	if got != want {
		t.Errorf("%q: %s, want %s (%v)", in, got, want, err)
	}
}

func TestCBT(t *testing.T) {
	for in, want := range map[string]string{
		"maxage=1s":                                      "max age 1s",
		"maxage = 7d or maxversions=1":                   "max age 7d or 1 version",
		"maxage=1h&&maxversions=2":                       "max age 1h and 2 versions",
		"(maxage=1h or maxversions=1) and maxversions=2": "(max age 1h or 1 version) and 2 versions",
		"maxage=1h or maxversions=1 and maxversions=2":   "(max age 1h or 1 version) and 2 versions",
		"never":                       "never",
		"maxversions=01":              "1 version",
		"maxage=0s":                   "max age 0s",
		"maxage=1d12h":                "error",
		"maxage=1.5h":                 "error",
		"maxage=-1s":                  "error",
		"maxage=0":                    "error",
		"maxage=1w":                   "error",
		"maxage=999999999d":           "error",
		"maxage=1h AND maxversions=1": "error",
		"MAXAGE=1h":                   "error",
		"maxage:1h":                   "error",
		"maxage=1h maxversions=1":     "error",
		"never or maxage=1h":          "error",
		"(maxage=1h":                  "error",
		"":                            "error",
	} {
		p, _, err := CBT(in)
		check(t, in, p, err, want)
	}
	if _, mixed, _ := CBT("maxage=1h or maxversions=1 and maxversions=2"); !mixed {
		t.Error("both operators without parentheses are not noticed")
	}
	if _, mixed, _ := CBT("(maxage=1h or maxversions=1) and maxversions=2"); mixed {
		t.Error("parentheses are not noticed")
	}
}

func TestGcloud(t *testing.T) {
	for in, want := range map[string]string{
		"maxage=10d":                          "max age 10d",
		"maxage=1d12h":                        "max age 36h",
		"maxage=PT36H":                        "max age 36h",
		"maxage=P1D":                          "max age 1d",
		"maxage=1.5h":                         "max age 90m",
		"maxage=1w":                           "max age 7d",
		"maxage=1y":                           "max age 31556926s",
		"maxversions=2||maxage=1s":            "2 versions or max age 1s",
		"maxversions=2&&maxage=1s":            "2 versions and max age 1s",
		"maxversions=2 || maxage=1s":          "error",
		"maxversions=1||maxage=1s||maxage=2s": "error",
		"never":                               "error",
		"maxage=1":                            "error",
		"maxage=":                             "error",
		"":                                    "error",
	} {
		p, err := Gcloud(in)
		check(t, in, p, err, want)
	}
}

func TestProvider(t *testing.T) {
	for in, want := range map[string]string{
		`{"rules":[{"max_age":"10h"}]}`:                                   "max age 10h",
		`{"mode":"union","rules":[{"max_age":"1w1d"},{"max_version":1}]}`: "max age 8d or 1 version",
		`{"mode":"intersection","rules":[{"max_age":"2d12h"},{"mode":"union","rules":[{"max_version":1},{"max_age":"1h"}]}]}`: "max age 60h and (1 version or max age 1h)",
		`{"mode":"UNION","rules":[{"max_age":"1h"},{"max_version":1}]}`:                                                       "max age 1h",
		`{"rules":[{"max_age":"1h"},{"max_version":1}]}`:                                                                      "error",
		`{"mode":"union","rules":[{"max_age":"1h"}]}`:                                                                         "error",
		`{"rules":[{"max_age":1}]}`:                                                                                           "error",
		`{"rules":[{"max_version":"1"}]}`:                                                                                     "error",
		`{"rules":[{"max_age":"1h","max_version":1}]}`:                                                                        "error",
		`{"rules":[{"rules":[{"max_age":"1h"}]}]}`:                                                                            "error",
		`{"max_age":"1h"}`:                "error",
		`{"rules":[{"max_age":"1 day"}]}`: "error",
		`nonsense`:                        "error",
		``:                                "never",
	} {
		p, err := OfProvider(in)
		var policy *gcpolicy.Policy
		if err == nil {
			policy = p.Policy
		}
		check(t, in, policy, err, want)
	}
	if p, _ := OfProvider(`{"mode":"UNION","rules":[{"max_age":"1h"},{"max_version":1}]}`); p.Inert == "" {
		t.Error("an upper-case mode is not noticed")
	}
}

func TestAPI(t *testing.T) {
	for in, want := range map[string]string{
		`{"maxAge":"604800s"}`: "max age 7d",
		`{"maxAge":"0.001s"}`:  "max age 1ms",
		`{"maxNumVersions":2}`: "2 versions",
		`{"union":{"rules":[{"maxAge":"1s"},{"intersection":{"rules":[{"maxNumVersions":1},{"maxAge":"60s"}]}}]}}`: "max age 1s or (1 version and max age 1m)",
		`{}`:              "never",
		`{"maxAge":"1d"}`: "error",
	} {
		var a API
		if err := json.Unmarshal([]byte(in), &a); err != nil {
			t.Fatal(err)
		}
		p, err := a.Policy()
		check(t, in, p, err, want)
	}
}

func TestClient(t *testing.T) {
	for in, want := range map[string]string{
		"age() > 7d":                      "max age 7d",
		"age() > 1000000":                 "max age 1s",
		"(age() > 90m || versions() > 1)": "max age 90m or 1 version",
		"((age() > 1d && versions() > 1) || versions() > 9)": "(max age 1d and 1 version) or 9 versions",
		"<never>":      "never",
		"":             "never",
		"age() > 1y":   "error",
		"(age() > 1d":  "error",
		"versions() >": "error",
	} {
		p, err := Client(in)
		check(t, in, p, err, want)
	}
}

func FuzzPolicies(f *testing.F) {
	for _, s := range []string{"maxage=1h or (maxversions=1 and maxage=3d)", "maxage=1d12h||maxversions=2", `{"mode":"union","rules":[{"max_age":"1w"},{"max_version":1}]}`, "(age() > 1d && versions() > 2)", "P1DT2H"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if p, _, err := CBT(s); err == nil {
			_ = p.String()
		}
		if p, err := Gcloud(s); err == nil {
			_ = p.String()
		}
		if p, err := OfProvider(s); err == nil {
			_ = p.Policy.String()
		}
		if p, err := Client(s); err == nil {
			_ = p.String()
		}
	})
}
