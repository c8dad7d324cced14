package helper

import (
	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/value"
)

// declares is a call that is what it declares, and nothing that is of no
// account for any rule: it neither writes nor reads cells, nor sets a policy.
var declares, nothing Helper

// ownColumn is the column of one increment of a counter.
var ownColumn = value.UnknownFor("a column that no other increment has")

// helpers are the functions and methods of the runtime package.
var helpers = map[string]Helper{
	// Families with one-second expiration, and those that may be such.
	"ttl.OneSecond":                    does(lives(1)),
	"ttl.OneSecondFamily.MaxAge":       does(lives(1)),
	"ttl.OneSecondFamily.Name":         declares,
	"ttl.OneSecondFamily.Set":          does(set(timestamp(in(usual)))),
	"ttl.OneSecondFamily.SetFor":       checked(lives(4), set(timestamp(in(lifetimeArg(4))))),
	"ttl.OneSecondFamily.SetUntil":     checked(moment(4), set(timestamp(at(timeArg(4))))),
	"ttl.OneSecondFamily.Replace":      checked(lives(4), deletion, set(timestamp(in(lifetimeArg(4))))),
	"ttl.OneSecondFamily.ReplaceUntil": checked(moment(4), deletion, set(timestamp(at(timeArg(4))))),
	"ttl.OneSecondFamily.Skew":         declares,
	"ttl.OneSecondFamily.With":         declares,
	"ttl.OneSecondFamily.LiveFilter":   returns(own()),
	"ttl.OneSecondFamily.Expiry":       returns(call("bigtable.Timestamp.Time", cellTime(1))),

	"ttl.Default":                    does(lives(1)),
	"ttl.DefaultFamily.Name":         declares,
	"ttl.DefaultFamily.Skew":         declares,
	"ttl.DefaultFamily.With":         declares,
	"ttl.DefaultFamily.LiveFilter":   returns(own()),
	"ttl.DefaultFamily.Set":          does(set(timestamp(in(usual)))),
	"ttl.DefaultFamily.SetFor":       checked(lives(4), set(timestamp(in(lifetimeArg(4))))),
	"ttl.DefaultFamily.SetUntil":     checked(moment(4), set(timestamp(at(timeArg(4))))),
	"ttl.DefaultFamily.Replace":      checked(lives(4), deletion, set(timestamp(in(lifetimeArg(4))))),
	"ttl.DefaultFamily.ReplaceUntil": checked(moment(4), deletion, set(timestamp(at(timeArg(4))))),
	"ttl.DefaultFamily.Expiry": returns(call("time.Time.Add", call("bigtable.Timestamp.Time", cellTime(1)),
		call(value.DeclaredLifetime, arg(0)))),

	"ttl.Expiring.Set":          does(set(timestamp(in(usual)))),
	"ttl.Expiring.SetFor":       checked(lives(4), set(timestamp(in(lifetimeArg(4))))),
	"ttl.Expiring.SetUntil":     checked(moment(4), set(timestamp(at(timeArg(4))))),
	"ttl.Expiring.Replace":      checked(lives(4), deletion, set(timestamp(in(lifetimeArg(4))))),
	"ttl.Expiring.ReplaceUntil": checked(moment(4), deletion, set(timestamp(at(timeArg(4))))),
	"ttl.Expiring.Expiry":       nothing, // of which strategy it is says the family

	// The other families.
	"ttl.Sequence":                  declares,
	"ttl.SequenceFamily.Name":       declares,
	"ttl.SequenceFamily.Set":        checked(set(numbered(arg(4)))),
	"ttl.SequenceFamily.With":       declares,
	"ttl.SequenceFamily.LiveFilter": returns(own()),
	"ttl.SequenceFamily.Number":     returns(call(value.Quo, cellTime(1), value.IntOf(1000))),

	"ttl.Zero":                  declares,
	"ttl.ZeroFamily.Name":       declares,
	"ttl.ZeroFamily.With":       declares,
	"ttl.ZeroFamily.LiveFilter": returns(own()),
	"ttl.ZeroFamily.Set":        does(deletion, set(value.IntOf(0))),

	"ttl.RealTime":                   declares,
	"ttl.RealTimeFamily.MaxAge":      does(lives(1)),
	"ttl.RealTimeFamily.MaxVersions": declares,
	"ttl.RealTimeFamily.Policy":      declares,
	"ttl.RealTimeFamily.Name":        declares,
	"ttl.RealTimeFamily.With":        declares,
	"ttl.RealTimeFamily.LiveFilter":  returns(own()),
	"ttl.RealTimeFamily.Set":         does(set(timestamp(now))),
	"ttl.RealTimeFamily.SetAt":       checked(moment(4), set(timestamp(timeArg(4)))),
	"ttl.RealTimeFamily.Replace":     does(deletion, set(timestamp(now))),

	"ttl.Family.Name":       declares,
	"ttl.Family.LiveFilter": returns(own()),

	// Tables.
	"ttl.NewTable":         declares,
	"ttl.Table.Name":       declares,
	"ttl.Table.Named":      returns(arg(0)), // of a pattern, which is as good
	"ttl.Table.Families":   nothing,
	"ttl.Table.Conf":       declares, // see TableConf
	"ttl.Table.Live":       returns(option(live(now))),
	"ttl.Table.LiveAt":     returns(option(live(timeArg(1)), all(2))),
	"ttl.Table.LiveAnd":    returns(option(live(now), all(1))),
	"ttl.Table.LiveFilter": returns(live(now)),
	"ttl.Table.Latest":     returns(option(live(now), call(btapi.LatestNFilter, value.IntOf(1)), all(1))),
	// They compare, or set the declared policies where that loses nothing.
	"ttl.Table.Verify":         nothing,
	"ttl.Table.Migrate":        nothing,
	"ttl.Table.Ensure":         nothing,
	"ttl.Table.Undeclared":     nothing,
	"ttl.Table.Strategies":     nothing,
	"ttl.Table.SQL":            nothing, // a part of a statement, which is not known
	"ttl.MigrationError.Error": nothing,

	// Counters: a column of its own for each increment.
	"ttl.NewCounter":       declares,
	"ttl.Counter.Add":      does(write(ownColumn, timestamp(in(usual)))),
	"ttl.Counter.AddUntil": checked(moment(3), write(ownColumn, timestamp(at(timeArg(3))))),
	"ttl.Counter.Filter": returns(call("bigtable.ColumnRangeFilter", family, value.UnknownFor("the first column of a counter"),
		value.UnknownFor("the column after those of a counter"))),
	"ttl.Counter.Sum": nothing,

	// Companions.
	"ttl.WrittenAt":              declares,
	"ttl.WrittenAtColumn.Column": declares,
	"ttl.WrittenAtColumn.Value":  nothing,
	"ttl.WrittenAtColumn.Time":   nothing, // a time of writing that a value holds

	// Timestamps for code that calls Mutation.Set itself.
	"ttl.ExpiresIn":      returns(timestamp(call("time.Time.Add", now, lifetimeArg(0))), lives(0)),
	"ttl.ExpiresAt":      returns(timestamp(timeArg(0)), moment(0)),
	"ttl.SequenceNumber": returns(numbered(arg(0))),
}
