// Package eval resolves values backwards from a use, on one way through the
// program at a time.
//
// It knows the program and what its memory holds. It gives, for an SSA value at
// an instruction, an abstract value or the reason why there is none
// ([Path.Eval]); all combinations of values that can arrive together
// ([Evaluator.Cases], [Evaluator.Explore]); the results of functions over
// their parameters ([Evaluator.ResultsOf]); what calls run that only values
// tell ([Evaluator.Targets]). It must not know what the values are for: no
// call of the client is special here but by the values that it returns.
//
// Where more than one value can arrive (a phi, several stores to a field,
// several results of a call) a [Path] chooses one on its way, and evaluation is
// run again for the others.
//
// What has become known since a value was found a [Settler] resolves in it: at a call,
// what the arguments decide in a value of the callee; in a loop that receives, what the
// sender decides ([Settler.FromSender]). What stays open stays in the value, for the
// callers of the caller. [Clocks] finds the calls that read the clock although it is not
// known what they run: of a function in a field, of an interface's method.
//
// Where to begin: path.go (an evaluation), eval.go (one case per kind of SSA
// value), then call.go and results.go (calls), later.go (calls of what is not known
// yet); settle.go (one case per kind of what was open), calls.go (functions that have
// become known), clock.go.
package eval
