package progress

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestLine holds what a terminal gets.
func TestLine(t *testing.T) {
	var out bytes.Buffer
	width := 80
	l := newLine(&out, func() int { return width })
	shown := func(want string) {
		t.Helper()
		out.Reset()
		l.show()
		if got := out.String(); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
	shown("")
	l.Begin("listing packages", 0)
	shown("\r\x1b[Kttlvet: listing packages")
	l.Begin("analysing", 2)
	shown("\r\x1b[Kttlvet: analysing 1 of 2")
	l.Step()
	shown("\r\x1b[Kttlvet: analysing 2 of 2")
	l.Step()
	shown("\r\x1b[Kttlvet: analysing 2 of 2")
	width = 10
	shown("\r\x1b[Kttlvet: a")
	out.Reset()
	l.Close()
	l.Close()
	if got := out.String(); got != "\r\x1b[K" {
		t.Errorf("%q is left", got)
	}
	shown("")
}

// TestPatience holds that nothing is written before two seconds are over, and
// nothing to take away what never was there.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		l := newLine(&out, func() int { return 80 })
		go l.run()
		l.Begin("listing packages", 0)
		sleep(patience - 1)
		if out.Len() > 0 {
			t.Errorf("%q is early", out.String())
		}
		sleep(2)
		if !strings.Contains(out.String(), "listing") {
			t.Errorf("%q is not shown", out.String())
		}
		out.Reset()
		l.Begin("analysing", 3)
		sleep(interval)
		if n := strings.Count(out.String(), "analysing 1 of 3"); n != 1 {
			t.Errorf("shown %d times", n)
		}
		l.Close()

		out.Reset()
		quick := newLine(&out, func() int { return 80 })
		go quick.run()
		quick.Begin("listing packages", 0)
		quick.Close()
		sleep(2 * patience)
		if out.Len() > 0 {
			t.Errorf("%q", out.String())
		}
	})
}

// sleep passes time, and waits until the line has done what it does then.
func sleep(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// TestNoTerminal holds that pipes and files stay clean.
func TestNoTerminal(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	for _, l := range []*Line{New(null), New(new(bytes.Buffer)), nil} {
		if l != nil {
			t.Error("it is taken for a terminal")
		}
		l.Begin("listing packages", 1)
		l.Step()
		l.Close()
	}
}
