package rowguard

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type cell struct {
	fam, col string
	ttl      time.Duration
}

var layout = []cell{
	{fam: "tok", col: "jwt", ttl: 30 * time.Minute},
	{fam: "prof", col: "name"},
}

func F(ctx context.Context, tbl *bigtable.Table) error {
	m := bigtable.NewMutation()
	now := time.Now()
	for _, c := range layout {
		ts := bigtable.Time(now)
		if c.ttl > 0 {
			ts = bigtable.Time(now.Add(c.ttl))
		}
		m.Set(c.fam, c.col, ts, nil) // silent
	}
	return tbl.Apply(ctx, "k", m)
}

type fam struct {
	name string
	age  time.Duration
	n    int
}

func G(ctx context.Context, ac *bigtable.AdminClient) error {
	for _, f := range []fam{{"tok", time.Second, 0}, {"prof", 0, 1}} {
		var p bigtable.GCPolicy
		if f.age > 0 {
			p = bigtable.MaxAgePolicy(f.age)
		} else {
			p = bigtable.MaxVersionsPolicy(f.n)
		}
		if err := ac.SetGCPolicy(ctx, "sessions", f.name, p); err != nil { // silent
			return err
		}
	}
	return nil
}
func H(ctx context.Context, ac *bigtable.AdminClient) error {
	for _, f := range []struct {
		name string
		seq  bool
	}{{"hdr", true}, {"seen", false}} {
		p := bigtable.MaxAgePolicy(time.Hour)
		if f.seq {
			p = bigtable.MaxVersionsPolicy(1)
		}
		if err := ac.SetGCPolicy(ctx, "blocks", f.name, p); err != nil { // silent
			return err
		}
	}
	return nil
}
func I(ctx context.Context, ac *bigtable.AdminClient) error {
	conf := &bigtable.TableConf{TableID: "sessions", ColumnFamilies: map[string]bigtable.Family{}}
	for _, f := range []fam{{"tok", time.Second, 0}, {"prof", 0, 1}} {
		var ps []bigtable.GCPolicy
		if f.age > 0 {
			ps = append(ps, bigtable.MaxAgePolicy(f.age))
		}
		if f.n > 0 {
			ps = append(ps, bigtable.MaxVersionsPolicy(f.n))
		}
		p := bigtable.UnionPolicy(ps...)
		if len(ps) == 1 {
			p = ps[0]
		}
		conf.ColumnFamilies[f.name] = bigtable.Family{GCPolicy: p}
	}
	return ac.CreateTableFromConf(ctx, conf)
}
func J(ctx context.Context, ac *bigtable.AdminClient, name string) error {
	for i, name := range []string{"hdr", "tx", "seen"} {
		p := bigtable.MaxVersionsPolicy(1)
		if i == 2 {
			p = bigtable.MaxAgePolicy(time.Hour)
		}
		if err := ac.SetGCPolicy(ctx, "blocks", name, p); err != nil {
			return err
		}
	}
	return nil
}
func K(ctx context.Context, ac *bigtable.AdminClient, ledgers []string) error {
	for _, t := range []string{"blocks", "scores-archive"} {
		for _, f := range []string{"hdr", "seen"} {
			if t == "blocks" && f == "hdr" {
				continue
			}
			if err := ac.SetGCPolicy(ctx, t, f, bigtable.MaxAgePolicy(time.Hour)); err != nil {
				return err
			}
		}
	}
	return nil
}
func L(ctx context.Context, ac *bigtable.AdminClient, t, f string) error {
	if t == "blocks" {
		return nil
	}
	return ac.SetGCPolicy(ctx, t, f, bigtable.MaxAgePolicy(time.Hour))
}
func M(ctx context.Context, ac *bigtable.AdminClient) error {
	for _, t := range []string{"blocks", "blocks-archive"} {
		if err := L(ctx, ac, t, "hdr"); err != nil {
			return err
		}
	}
	return L(ctx, ac, "blocks", "hdr")
}
