// Package progress shows on a terminal what a long run is doing.
package progress

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/ttlvet/ttlvet/internal/plain"
)

// patience is how long a run may take without a word.
const patience = 2 * time.Second

// interval is how often the line is renewed.
const interval = 100 * time.Millisecond

// A Line is a line that is renewed in place. Its methods may be called from
// several goroutines, and on a nil Line, which shows nothing.
type Line struct {
	out   io.Writer
	width func() int

	mu          sync.Mutex
	verb        string
	done, total int
	shown       bool
	over        bool
	stop        chan bool
}

// New returns a line on w that shows itself after two seconds, or nil when w
// is not a terminal. It must be closed.
func New(w io.Writer) *Line {
	w = plain.Raw(w)
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || os.Getenv("TERM") == "dumb" {
		return nil
	}
	l := newLine(w, func() int {
		width, _, err := term.GetSize(int(f.Fd()))
		if err != nil || width == 0 { // not known
			return 80
		}
		return width
	})
	go l.run()
	return l
}

func newLine(w io.Writer, width func() int) *Line {
	return &Line{out: w, width: width, stop: make(chan bool)}
}

// run shows the line until it is closed.
func (l *Line) run() {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		select {
		case <-l.stop:
			return
		case <-timer.C:
			l.show()
			timer.Reset(interval)
		}
	}
}

// Begin says what is done from now on, such as "type-checking", and of how
// many things. 0 is a number that is not known.
func (l *Line) Begin(verb string, total int) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.verb, l.done, l.total = verb, 0, total
}

// Step says that one more thing is done.
func (l *Line) Step() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done++
}

// Close takes the line away.
func (l *Line) Close() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return
	}
	l.over = true
	close(l.stop)
	if l.shown {
		fmt.Fprint(l.out, clear)
	}
}

// clear returns to the beginning of the terminal's line and erases it.
const clear = "\r\x1b[K"

// show writes the line as it is now.
func (l *Line) show() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over || l.verb == "" {
		return
	}
	text := l.verb
	if l.total > 0 {
		text = fmt.Sprintf("%s %d of %d", l.verb, min(l.done+1, l.total), l.total)
	}
	// A line that wraps could not be taken away.
	text = "ttlvet: " + text
	if most := l.width() - 1; len(text) > most {
		text = text[:max(0, most)]
	}
	fmt.Fprint(l.out, clear+text)
	l.shown = true
}
