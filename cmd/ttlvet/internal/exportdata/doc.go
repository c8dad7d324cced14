// Package exportdata reads of the compiler's export data what a package can
// use: the library's importers make every object of every package that is
// imported, and of those by which they are described, before the first is
// looked up. For a package that imports Bigtable's client that is some two
// thousand objects of a hundred packages, of which it names a few dozen, and
// takes longer than to trace it.
//
// Here an object is declared when a name of the source may stand for it, and
// described as far as expressions of the source can reach. A field whose name
// does not occur in the source is there, since it counts when types are compared,
// but what it is made of is described a few types deep only; so is what is given as
// a parameter, since its own type leads there. A method that neither the source nor
// an interface names has no parameters. (A name may occur anywhere, in a comment too:
// what is read too much does no harm.) Packages of the caller's choice are read whole.
//
// The format is that of the compiler's unified export data, versions 2 to 5 (Go
// 1.26 and 1.27; described in internal/pkgbits of the standard library). Of another
// version, and of anything that is not as expected, there is an error, on which
// the caller takes the library's importer: a newer Go is slower with an older
// ttlvet, and as right.
//
// Where to begin: importer.go, then file.go (elements), types.go and objects.go
// (what they describe) and want.go (how far).
package exportdata
