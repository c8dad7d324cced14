// Package schematest holds the JSON schema of registry files against the
// parser. It is apart from the parser's tests because it needs a validator,
// which whoever uses the parser need not have.
package schematest
