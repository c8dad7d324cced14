package bus

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"
	"time"
)

func TestTopicFanOut(t *testing.T) {
	ctx := context.Background()
	topic := NewTopic[int]("numbers")
	a, b := topic.Subscribe(4), topic.Subscribe(4)
	for i := range 3 {
		if err := topic.Publish(ctx, i); err != nil {
			t.Fatal(err)
		}
	}
	topic.Close()
	for _, ch := range []<-chan int{a, b} {
		var got []int
		for v := range ch {
			got = append(got, v)
		}
		if !slices.Equal(got, []int{0, 1, 2}) {
			t.Errorf("got %v", got)
		}
	}
	if err := topic.Publish(ctx, 9); !errors.Is(err, ErrClosed) {
		t.Errorf("publish after close: %v", err)
	}
}

func TestBatchBySizeAndTime(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	in := make(chan int)
	out := Batch(ctx, in, 3, 20*time.Millisecond)
	go func() {
		for i := range 4 {
			in <- i
		}
		time.Sleep(60 * time.Millisecond)
		close(in)
	}()
	var sizes []int
	for b := range out {
		sizes = append(sizes, len(b))
	}
	if !slices.Equal(sizes, []int{3, 1}) {
		t.Errorf("sizes %v", sizes)
	}
}

func TestMapStopsOnError(t *testing.T) {
	boom := errors.New("boom")
	in := make(chan int, 8)
	for i := range 8 {
		in <- i
	}
	close(in)
	out, wait := Map(context.Background(), 2, in, func(_ context.Context, i int) (string, error) {
		if i == 5 {
			return "", boom
		}
		return strconv.Itoa(i), nil
	})
	for range out {
	}
	if err := wait(); !errors.Is(err, boom) {
		t.Errorf("err %v", err)
	}
}
