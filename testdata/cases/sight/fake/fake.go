// Package fake has tests that apply mutations to their own tables.
package fake
