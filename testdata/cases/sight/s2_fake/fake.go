// Package s2_fake has tests that apply mutations to their own tables.
package s2_fake
