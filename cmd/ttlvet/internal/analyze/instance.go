package analyze

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/shown"
	"github.com/ttlvet/ttlvet/internal/live"
	"github.com/ttlvet/ttlvet/internal/schema"
)

// askTimeout bounds what is asked of one instance.
const askTimeout = 30 * time.Minute

// Ask adds the schema of an instance to the sources and, where it is to sample some
// rows of each table, the timestamps of their cells. The app profile may be "".
func (j *Job) Ask(name string, sample int, profile string) error {
	ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
	defer cancel()
	i, err := live.Open(ctx, name)
	if err != nil {
		return err
	}
	defer i.Close()
	if e := live.Emulator(); e != "" {
		fmt.Fprintf(j.Stderr, "ttlvet: asking the emulator at %s (BIGTABLE_EMULATOR_HOST) for the schema of %s\n", e, name)
	} else {
		fmt.Fprintf(j.Stderr, "ttlvet: asking bigtableadmin.googleapis.com for the schema of %s\n", name)
	}
	tables, err := i.Tables(ctx)
	if err != nil {
		return err
	}
	j.Sources.Live = append(j.Sources.Live, tables...)
	if len(tables) == 0 {
		fmt.Fprintf(j.Stderr, "ttlvet: %s has no tables\n", name)
	}
	if sample == 0 {
		return nil
	}
	fmt.Fprintf(j.Stderr, "ttlvet: reading the timestamps of at most %d rows of each of %s, up to 3 cells a family, without values\n", sample, shown.Plural(len(tables), "table"))
	for _, t := range tables {
		table, families, err := live.Families(t)
		if err != nil || len(families) == 0 {
			continue
		}
		samples, err := i.Samples(ctx, table, families, sample, profile)
		if slow := new(live.SlowError); errors.As(err, &slow) {
			j.Broken = true
			fmt.Fprintf(j.Stderr, "ttlvet: %v\n", err)
			continue
		}
		if err != nil {
			return err
		}
		for _, s := range samples {
			j.Samples = append(j.Samples, &schema.Sample{Table: s.Table, Family: s.Family, Taken: s.Taken, Micros: s.Micros, Several: s.Several})
		}
	}
	return nil
}
