// Package policy reads which garbage collection policies an event sets, and for
// which family and table.
//
// It knows the arguments of the calls and messages that set policies. It gives
// one [PolicyUse] for each family of a case. It must not know what a policy
// means.
//
// Where to begin: [Policies].
package policy
