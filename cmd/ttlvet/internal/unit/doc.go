// Package unit answers the go command for the units of a build, before what
// units do not need is initialised.
//
// As a vet tool ttlvet is started once for each package of a build. What its
// other commands are linked with (clients, servers, a renderer) takes as long to
// initialise as a small package to analyse. The library that makes vet tools looks
// through all objects of all packages for those that may have facts, of which
// ttlvet has none, and since v0.50 has each dependency type-checked. So units are
// analysed here, in the library's terms: its configuration, its importer, its files
// of facts, its output. What is asked with other flags than those by which the go
// command looks for findings is left to package vettool.
//
// Package main imports this package, which imports nothing of what is late, and
// is initialised before that (see package early for the order, which answers for
// most units before even this).
package unit
