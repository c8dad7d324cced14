package retry

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestDo(t *testing.T) {
	boom := errors.New("boom")
	fast := Policy{Attempts: 3, Base: time.Microsecond, Max: time.Microsecond}
	for _, tc := range []struct {
		name  string
		fails int
		perm  bool
		calls int
		err   error
	}{
		{"first", 0, false, 1, nil},
		{"third", 2, false, 3, nil},
		{"never", 9, false, 3, boom},
		{"permanent", 9, true, 1, boom},
	} {
		t.Run(tc.name, func(t *testing.T) {
			calls := 0
			err := fast.Do(context.Background(), func(context.Context) error {
				calls++
				if calls > tc.fails {
					return nil
				}
				if tc.perm {
					return &Permanent{boom}
				}
				return boom
			})
			if calls != tc.calls || !errors.Is(err, tc.err) {
				t.Errorf("calls %d, err %v", calls, err)
			}
		})
	}
}
