// Package callers hands events on to the functions that lead to them: calls
// that pass their arguments on, and constructors whose arguments reach the
// client by way of a field.
//
//	Tracer     the events of callers ([Tracer.Events]), and what a function of the
//	           package does for callers in other packages ([Tracer.Effects])
//	Receivers  on which object a call runs a method, and which call made that
//
// It knows the client's own calls. What may get out of view is taken to. It must not
// know which table an event is about, nor how often it happens.
//
// Where to begin: effects.go (what functions hand on, and the events at their
// calls), owners.go (who supplies what a case depends on), then onlytable.go
// (fields), receiver.go and constructors.go (objects), decorators.go, callbacks.go
// and handed.go (functions that are handed over, to be called).
package callers
