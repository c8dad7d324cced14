package wire

import (
	"net"
	"testing"
)

func TestIsSelf(t *testing.T) {
	for _, test := range []struct {
		listening, to string
		want          bool
	}{
		{"127.0.0.1:8087", "localhost:8087", true},
		{"127.0.0.1:8087", "127.0.0.1:8087", true},
		{"0.0.0.0:8087", "localhost:8087", true},
		{"127.0.0.1:8087", "localhost:8086", false},
		{"127.0.0.1:8087", "10.0.0.1:8087", false},
		{"127.0.0.1:8087", "no address", false},
		{"127.0.0.1:8087", "0.0.0.0:8087", true},
		{"127.0.0.1:8087", "[::]:8087", true},
		{"127.0.0.1:8087", ":8087", true},
		{"[::]:8087", "127.0.0.1:8087", true},
		{"[::]:8087", ":8087", true},
		{"0.0.0.0:8087", "192.0.2.1:8087", false},
		{"127.0.0.1:8087", "127.0.0.2:8087", false},
	} {
		addr, err := net.ResolveTCPAddr("tcp", test.listening)
		if err != nil {
			t.Fatal(err)
		}
		if isSelf(addr, test.to) != test.want {
			t.Errorf("%s is %s: %t", test.to, test.listening, !test.want)
		}
	}
}
