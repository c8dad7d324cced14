package editor

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// frames reads messages as the language server protocol has them: headers, an
// empty line, and as many bytes as the header Content-Length says.
type frames struct{ r *bufio.Reader }

// longest is the length of the longest message that makes sense.
const longest = 1 << 30

func newFrames(r io.Reader) *frames { return &frames{bufio.NewReaderSize(r, 1<<16)} }

func (f *frames) next() ([]byte, error) {
	length := -1
	for {
		line, err := f.r.ReadString('\n')
		if err != nil {
			return nil, err
		}
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			break
		}
		name, value, _ := strings.Cut(line, ":")
		if strings.EqualFold(name, "Content-Length") {
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil || length < 0 || length > longest {
				return nil, fmt.Errorf("malformed header %q", line)
			}
		}
	}
	if length < 0 {
		return nil, fmt.Errorf("a message without Content-Length")
	}
	body := make([]byte, length)
	_, err := io.ReadFull(f.r, body)
	return body, err
}

// write writes a message.
func write(w io.Writer, body []byte) error {
	if _, err := fmt.Fprintf(w, "Content-Length: %d\r\n\r\n", len(body)); err != nil {
		return err
	}
	_, err := w.Write(body)
	return err
}
