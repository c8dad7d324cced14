package eval_test

import "testing"

// What a call returns decides, for each of its arguments, the branches that ask for it,
// whether it has one result or several.
func TestUndecided(t *testing.T) {
	check(t, `
func age(fam string) time.Duration {
	switch fam {
	case "a":
		return time.Second
	case "b":
		return time.Hour
	}
	return 0
}
func ttl(fam string) (time.Duration, bool) {
	if d := age(fam); d > time.Second {
		return d, true
	}
	return 0, false
}
func byAge(fam string) string {
	if age(fam) > 0 {
		return "aged"
	}
	return "kept"
}
func byTTL(fam string) string {
	_, ok := ttl(fam)
	if !ok {
		return "none"
	}
	return "some"
}
func f() {
	show(byAge("a")) // "aged"
	show(byAge("c")) // "kept"
	show(byTTL("a")) // "none"
	show(byTTL("b")) // "some"
}
`)
}

// A value in an interface goes into the cases that are for its type.
func TestDispatch(t *testing.T) {
	check(t, `
type named interface{ Name() string }
type token struct{}
func (*token) Name() string { return "token" }
type seconds int
func kind(v any) string {
	switch v := v.(type) {
	case nil:
		return "nil"
	case seconds:
		return "seconds"
	case int, int64:
		return "number"
	case named:
		return v.Name()
	}
	return "other"
}
func through[T any](v T) string { return kind(any(v)) }
func orZero(v any) int { n, _ := v.(int); return n }
func f(end time.Time) {
	show(kind(nil)) // "nil"
	show(kind(seconds(3))) // "seconds"
	show(kind(3)) // "number"
	show(kind(end)) // "other"
	show(kind(&token{})) // "token"
	show(kind(token{})) // "other"
	show(through(seconds(3))) // "seconds"
	show(through("x")) // "other"
	show(orZero(3)) // 3
	show(orZero("3")) // 0
}
`)
}
