package etl

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
)

func TestSeq(t *testing.T) {
	for _, n := range []int64{0, 1, 7, 1 << 40} {
		if got := SeqOf(Seq(n)); got != n {
			t.Errorf("%d became %d", n, got)
		}
	}
}

func TestPoolStops(t *testing.T) {
	in := make(chan int, 10)
	for i := range 10 {
		in <- i
	}
	close(in)
	bad := errors.New("bad")
	var n atomic.Int64
	err := Pool(context.Background(), 2, in, func(_ context.Context, i int) error {
		n.Add(1)
		if i == 3 {
			return bad
		}
		return nil
	})
	if !errors.Is(err, bad) || n.Load() < 4 {
		t.Errorf("%v after %d", err, n.Load())
	}
}

func TestCSV(t *testing.T) {
	var got []string
	err := CSV(strings.NewReader("id,url\n1,a\n2,b\n"), func(line int, rec map[string]string) error {
		got = append(got, rec["id"]+rec["url"])
		return nil
	})
	if err != nil || strings.Join(got, " ") != "1a 2b" {
		t.Errorf("%v, %v", got, err)
	}
}
