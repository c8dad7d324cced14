// Package layertest builds the few lines of Go at which the tests of
// tracing's layers look.
//
// A source is the declarations of one package, or a txtar archive of several,
// of which the last is looked at:
//
//	code := layertest.Load(t, `
//	func expiry(ttl time.Duration) time.Time { return time.Now().Add(ttl) }
//	func f() { show(expiry(time.Hour)) } // time.Time.Add(time.Now(), 3600000000000)
//	`)
//
// A file needs neither package clause nor imports: those of the standard
// library, of the client and of the archive's other packages are added as they
// are used, on the first line, so that line numbers stay. The call show(x)
// marks a value to look at; the comment behind it says what is expected.
// [Code.Shows] lists them, [Code.Func] and [Code.Call] find the rest.
//
// The standard library (testdata/std.txtar: signatures only) and the client
// (that of the drivers' tests) are stubs that are type-checked once, so that
// a test takes milliseconds.
package layertest
