package referee

// A Subject is what the values of a program are, and what a request does with one.
type Subject struct {
	Name   string
	Type   string   // of the values
	Leaves []string // expressions that make one: right ones and wrong ones
	Use    string   // the statements of a request that uses %s
}

// Subjects are all there are.
var Subjects = []Subject{
	// Timestamps, for families of every strategy.
	{"token", "bigtable.Timestamp", []string{"later(1)", "later(2)", "bigtable.Time(time.Now().Add(time.Hour))", "bigtable.Now()", "bigtable.ServerTime", "bigtable.Timestamp(0)", "bigtable.Timestamp(1000000)"},
		write("sessions", `"token"`, "%s")},
	{"event", "bigtable.Timestamp", []string{"bigtable.Now()", "later(1)", "bigtable.Time(time.Now().Add(-800 * time.Hour))", "bigtable.Timestamp(1000000)"},
		write("clicks", `"event"`, "%s")},
	{"entry", "bigtable.Timestamp", []string{"number(1)", "number(2)", "bigtable.Timestamp(3000)", "bigtable.Now()", "bigtable.ServerTime"},
		write("eu-ledger", `"entry"`, "%s")},
	{"latest", "bigtable.Timestamp", []string{"bigtable.Timestamp(0)", "zero()", "bigtable.Now()", "bigtable.ServerTime"},
		write("catalog", `"latest"`, "%s")},
	{"moment", "time.Time", []string{"time.Now().Add(time.Hour)", "soon(1)", "time.Now()", "time.Now().Add(-time.Hour)", "time.Unix(1000, 0)"},
		write("sessions", `"token"`, "bigtable.Time(%s)")},
	{"lifetime", "time.Duration", []string{"time.Hour", "hours(2)", "time.Duration(0)", "-time.Hour", "hours(0)"},
		write("sessions", `"token"`, "bigtable.Time(time.Now().Add(%s))")},

	// What is written, and where.
	{"family", "string", []string{`"token"`, `"profile"`, `profile()`, `token()`},
		write("sessions", "%s", "bigtable.Now()")},
	{"table", "*bigtable.Table", []string{`client.Open("active")`, `client.Open("archive")`, `open("active")`, `open("archive")`},
		"m := bigtable.NewMutation()\nm.Set(\"mark\", \"c\", bigtable.Now(), nil)\n_ = (%s).Apply(ctx, \"k\", m)"},
	{"counter", "string", []string{`"token"`, `"profile"`, `profile()`, `token()`},
		"m := bigtable.NewReadModifyWrite()\nm.Increment(%s, \"c\", 1)\n_, _ = client.Open(\"sessions\").ApplyReadModifyWrite(ctx, \"k\", m)"},

	// What is read.
	{"filter", "bigtable.Filter", []string{"live()", "bigtable.TimestampRangeFilter(time.Now(), time.Time{})", "bigtable.PassAllFilter()", "bigtable.LatestNFilter(1)", `bigtable.FamilyFilter("profile")`},
		read("sessions", "bigtable.RowFilter(%s)")},
	{"option", "bigtable.ReadOption", []string{"bigtable.RowFilter(live())", "bigtable.LimitRows(1)", "bigtable.RowFilter(bigtable.PassAllFilter())"},
		read("sessions", "%s")},
	{"versions", "bigtable.Filter", []string{"bigtable.LatestNFilter(3)", "bigtable.LatestNFilter(1)", "bigtable.LatestNFilter(5)", "bigtable.PassAllFilter()"},
		read("eu-ledger", "bigtable.RowFilter(%s)")},
	{"bound", "time.Time", []string{"time.Now()", "soon(0)", "time.Time{}", "time.Now().Add(-time.Hour)", "time.Unix(1000, 0)"},
		read("sessions", "bigtable.RowFilter(bigtable.TimestampRangeFilter(%s, time.Time{}))")},
	{"statement", "string", []string{`"SELECT token FROM sessions"`, `"SELECT profile FROM sessions"`, `"SELECT token FROM archive"`},
		"_, _ = client.PrepareStatement(ctx, %s, nil)"},

	// What is collected.
	{"policy", "bigtable.GCPolicy", []string{"bigtable.MaxAgePolicy(time.Second)", "bigtable.MaxAgePolicy(time.Hour)", "bigtable.NoGcPolicy()", "bigtable.MaxVersionsPolicy(1)", "bigtable.UnionPolicy(bigtable.MaxAgePolicy(time.Second), bigtable.MaxVersionsPolicy(1))"},
		"_ = admin.SetGCPolicy(ctx, \"sessions\", \"token\", %s)"},
	{"kept", "bigtable.GCPolicy", []string{"bigtable.MaxVersionsPolicy(3)", "bigtable.MaxVersionsPolicy(1)", "bigtable.MaxAgePolicy(time.Hour)", "bigtable.NoGcPolicy()"},
		"_ = admin.SetGCPolicy(ctx, \"eu-ledger\", \"entry\", %s)"},
}

func write(table, family, timestamp string) string {
	return "m := bigtable.NewMutation()\nm.Set(" + family + ", \"c\", " + timestamp + ", nil)\n_ = client.Open(\"" + table + "\").Apply(ctx, \"k\", m)"
}

func read(table, option string) string {
	return "row, _ := client.Open(\"" + table + "\").ReadRow(ctx, \"k\", " + option + ")\nshow(row)"
}
