// Package referee holds ttlvet to what programs do. It writes random Go programs that
// carry timestamps, families, tables, filters, options, policies and statements through memory, runs each
// against the Bigtable emulator with a recorder on the wire that knows the source
// lines of each request, and analyses it.
//
// A finding that no execution bears out is a contradiction: a defect, whatever the
// code looks like. What a request shows to be wrong and no finding tells is a miss,
// counted by the mechanisms of the program. Each program is run with every
// combination of its inputs, so that what one branch does is seen.
//
// Requests are judged by ttlguard, finding by finding: of a finding at a line, a
// request that came of that line must have that fault.
//
//	generate.go   programs as trees of statements, from a seed
//	subjects.go   what they carry, and the requests that it is for
//	statements.go what statements there are: the mechanisms
//	render.go     their source: one text for the analyzers, one that records
//	execute.go    a module of many programs, built and run at once
//	analyze.go    the same module, analysed
//	verdict.go    the two held against each other
//	shrink.go     a program made as small as its contradiction allows
//
// To look for contradictions, in any number of programs:
//
//	go test ./internal/referee -run Referee -v -args -programs 5000 -seed 7
//
// prints each, shrunk to a few lines, and what was missed by mechanism.
package referee
