package sametime

import "cloud.google.com/go/bigtable"

type numbered struct{ Seq int64 }

func (n numbered) stamp() bigtable.Timestamp { return bigtable.Timestamp(n.Seq * 1000) }

type counter struct{ seq int64 }

func (c *counter) stamp() bigtable.Timestamp {
	c.seq++
	return bigtable.Timestamp(c.seq * 1000)
}

func ofValue(n numbered, texts []string) *bigtable.Mutation {
	m := bigtable.NewMutation()
	for _, t := range texts {
		m.Set("entry", "text", n.stamp(), []byte(t)) // want `same-timestamp: .*in a loop`
	}
	return m
}

func ofEach(ns []numbered) *bigtable.Mutation {
	m := bigtable.NewMutation()
	for _, n := range ns {
		m.Set("entry", "text", n.stamp(), nil)
	}
	return m
}

func counted(c *counter, texts []string) *bigtable.Mutation {
	m := bigtable.NewMutation()
	for _, t := range texts {
		m.Set("entry", "text", c.stamp(), []byte(t))
	}
	return m
}

func moved(n numbered, texts []string) *bigtable.Mutation {
	m := bigtable.NewMutation()
	for _, t := range texts {
		m.Set("entry", "text", n.stamp(), []byte(t))
		n.Seq++
	}
	return m
}
