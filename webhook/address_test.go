package webhook

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"testing"
)

func TestPrivateAddressesAreRefused(t *testing.T) {
	t.Parallel()
	for address, public := range map[string]bool{
		"93.184.216.34": true, "8.8.8.8": true, "172.15.0.1": true, "172.32.0.1": true, "100.63.0.1": true, "100.128.0.1": true, "2606:4700::1111": true,
		"127.0.0.1": false, "127.9.9.9": false, "::1": false, "0.0.0.0": false, "0.1.2.3": false, "::": false, "10.0.0.1": false, "172.16.0.1": false,
		"172.31.255.255": false, "192.168.1.1": false, "169.254.169.254": false, "fe80::1": false, "fe80::1%eth0": false, "fd00:ec2::254": false, "fc00::1": false,
		"100.64.0.1": false, "100.100.100.200": false, "168.63.129.16": false, "224.0.0.1": false, "ff02::1": false, "ff0e::1": false,
		"255.255.255.255": false, "240.0.0.1": false, "192.0.0.192": false, "198.18.0.1": false, "192.0.2.1": false,
		"::ffff:127.0.0.1": false, "::ffff:8.8.8.8": false, "::ffff:7f00:1": false, "::7f00:1": false, "64:ff9b::7f00:1": false, "64:ff9b::8.8.8.8": false,
		"64:ff9b:1::a00:1": false, "2002:7f00:1::": false, "2001::7f00:1": false, "2001:db8::1": false, "fec0::1": false, "100::1": false,
	} {
		ip := netip.MustParseAddr(address)
		if isPublic(ip) != public {
			t.Errorf("%s: public is %t", address, !public)
		}
		if err := refusePrivate("tcp", netip.AddrPortFrom(ip, 443).String(), nil); errors.Is(err, errAddress) == public {
			t.Errorf("a connection to %s: %v", address, err)
		}
	}
	if err := refusePrivate("tcp", "nonsense", nil); !errors.Is(err, errAddress) {
		t.Errorf("no address: %v", err)
	}
}

// TestNamesAreCheckedWithEachConnection resolves a name to a public address first, and then to a private one: the client looks at
// the address of the connection, whatever the name meant before.
func TestNamesAreCheckedWithEachConnection(t *testing.T) {
	t.Parallel()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	meant := "8.8.8.8"
	rebinding := func(ctx context.Context) (net.Conn, error) {
		dialer := &net.Dialer{Control: refusePrivate}
		return dialer.DialContext(ctx, "tcp", net.JoinHostPort(meant, port))
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := rebinding(ended); errors.Is(err, errAddress) {
		t.Errorf("a public address: %v", err)
	}
	for _, meant = range []string{"127.0.0.1", "localhost", "0.0.0.0", "::ffff:127.0.0.1"} {
		if _, err := rebinding(t.Context()); !errors.Is(err, errAddress) {
			t.Errorf("%s: %v", meant, err)
		}
	}
	dialer := &net.Dialer{}
	if _, err := dialer.DialContext(t.Context(), "tcp", net.JoinHostPort("127.0.0.1", port)); err != nil {
		t.Errorf("the test cannot fail: %v", err)
	}
}
