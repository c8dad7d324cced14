// Package confs has a builder that others use.
package confs

import "cloud.google.com/go/bigtable"

// Builder builds the configuration of a table.
type Builder struct {
	tableName string
	families  map[string]bigtable.GCPolicy
}

// New begins one.
func New(table string) *Builder {
	return &Builder{tableName: table, families: map[string]bigtable.GCPolicy{}}
}

// With adds a family.
func (b *Builder) With(family string, p bigtable.GCPolicy) *Builder {
	b.families[family] = p
	return b
}

// Build returns the configuration.
func (b *Builder) Build() *bigtable.TableConf {
	conf := &bigtable.TableConf{TableID: b.tableName, ColumnFamilies: map[string]bigtable.Family{}}
	for family, p := range b.families {
		conf.ColumnFamilies[family] = bigtable.Family{GCPolicy: p}
	}
	return conf
}

// Confs is anything by name.
type Confs struct{ all map[string]bigtable.Family }

// Put adds one whose name says nothing.
func (c *Confs) Put(name string, f bigtable.Family) { c.all[name] = f }
