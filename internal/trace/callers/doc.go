// Package callers hands events on to the functions that lead to them: calls
// that pass their arguments on, and constructors whose arguments reach the
// client by way of a field.
//
// It knows the client's own calls, and of methods on which objects they run and who
// may call them. It gives those calls with the ones that lead to them, as events too
// ([Tracer.Events]), and what a function of the package does for callers in other
// packages ([Tracer.Effects]). It must not know which table an event is about, nor how
// often it happens.
//
// Where to begin: effects.go (what functions hand on, and the events at their
// calls), owners.go (whose callers a case depends on), then supplied.go and
// onlytable.go (fields), uncalled.go and decorators.go (objects), callbacks.go and
// handed.go (functions that are handed over, to be called).
package callers
