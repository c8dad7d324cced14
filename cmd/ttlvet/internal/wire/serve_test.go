package wire

import (
	"net"
	"testing"
)

// TestIsLocal: the addresses of this machine are known.
func TestIsLocal(t *testing.T) {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addrs {
		if ip := a.(*net.IPNet).IP; !isSelf(&net.TCPAddr{IP: net.IPv6unspecified, Port: 8087}, net.JoinHostPort(ip.String(), "8087")) {
			t.Errorf("%s is not local", ip)
		}
	}
}

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
		{"127.0.0.1:8087", ":8087", true},
		{"127.0.0.1:8087", "127.0.0.2:8087", false},
		{"0.0.0.0:8087", "0.0.0.0:8087", true},
		{"0.0.0.0:8087", "127.0.0.2:8087", true},
		{"0.0.0.0:8087", "[::1]:8087", false},
		{"[::]:8087", "0.0.0.0:8087", true},
		{"[::]:8087", "[::1]:8087", true},
		{"10.0.0.1:8087", "0.0.0.0:8087", false},
		{"0.0.0.0:8087", "10.255.255.1:8087", false},
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
