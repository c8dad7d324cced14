package ttl_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"github.com/ttlvet/ttlvet/runtime/ttl"
)

func TestEnsure(t *testing.T) {
	t.Parallel()
	client, admin, stop := connect(t.Context())
	defer stop()
	ensure := func(table *ttl.Table) error {
		t.Helper()
		return table.Ensure(t.Context(), admin)
	}

	// There is nothing: several programs that start make the table.
	part := ttl.NewTable("mixed", second, zero)
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		wg.Add(1)
		go func() {
			defer wg.Done()
			errs[i] = part.Ensure(t.Context(), admin)
		}()
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}

	// There are two families, and cells in them.
	mut := bigtable.NewMutation()
	must(second.Set(mut, "c", value))
	must(client.Open("mixed").Apply(t.Context(), "r", mut))
	must(ensure(mixed))
	must(mixed.Verify(t.Context(), admin))
	must(ensure(mixed))

	// What differs stays as it is and is told; what is missing comes.
	other := ttl.NewTable("mixed", ttl.Default("second", time.Hour), ttl.Zero("more"))
	err := ensure(other)
	const want = `family "second" has max age 1s, declared is max age 1h0m0s`
	if !errors.Is(err, ttl.ErrSchema) || !strings.HasSuffix(err.Error(), ": "+want) {
		t.Errorf("error %v, want %s", err, want)
	}
	must(mixed.Verify(t.Context(), admin))
	must(ttl.NewTable("mixed", ttl.Zero("more")).Verify(t.Context(), admin))

	undeclared, err := part.Undeclared(t.Context(), admin)
	if got := strings.Join(undeclared, " "); got != "default more real.time sequence" || err != nil {
		t.Errorf("undeclared are %s, %v", got, err)
	}
	if undeclared, err := ttl.NewTable("absent", zero).Undeclared(t.Context(), admin); err == nil {
		t.Errorf("undeclared of an absent table are %s", undeclared)
	}
}
