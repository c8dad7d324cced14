package eval_test

import "testing"

// A type parameter is a parameter: what a zero value of it is asked for is known
// where a call supplies the type.
func TestTypeParameters(t *testing.T) {
	check(t, `
type entity interface{ Family() string }
type token struct{}
func (token) Family() string { return "token" }
type event struct{}
func (*event) Family() string { return "event" }
func familyOf[T entity]() string {
	var z T
	return z.Family()
}
func outer[T entity]() string { return familyOf[T]() }
func kindOf[T any]() string {
	var z T
	switch any(z).(type) {
	case token:
		return "token"
	}
	return "other"
}
func f() {
	show(familyOf[token]()) // "token"
	show(outer[*event]()) // "event"
	show(kindOf[token]()) // "token"
	show(kindOf[event]()) // "other"
}
`)
}
