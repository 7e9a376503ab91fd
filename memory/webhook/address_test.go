package webhook

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
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

// rebinding is a name server that answers the n-th question for an address with the n-th of its addresses, and then with the last.
type rebinding struct {
	mu        sync.Mutex
	addresses []netip.Addr
}

func (r *rebinding) next() [4]byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	first := r.addresses[0]
	if len(r.addresses) > 1 {
		r.addresses = r.addresses[1:]
	}
	return first.As4()
}

// serve answers the questions of a connection.
func (r *rebinding) serve(t *testing.T, c net.Conn) {
	t.Helper()
	defer func() { _ = c.Close() }()
	for {
		var length uint16
		if err := binary.Read(c, binary.BigEndian, &length); err != nil {
			return
		}
		raw := make([]byte, length)
		var m dnsmessage.Message
		if _, err := io.ReadFull(c, raw); err != nil || m.Unpack(raw) != nil {
			t.Errorf("no question: %v", err)
			return
		}
		m.Response, m.Authoritative, m.Additionals = true, true, nil
		if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
			m.Answers = []dnsmessage.Resource{{Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class}, Body: &dnsmessage.AResource{A: r.next()}}}
		}
		answer, err := m.Pack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)) //nolint:gosec // short
	}
}

// TestNamesAreCheckedWithEachConnection resolves a name to a public address first, and then to that of a server on this machine.
func TestNamesAreCheckedWithEachConnection(t *testing.T) {
	t.Parallel()
	var called atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called.Add(1) }))
	t.Cleanup(server.Close)
	names := &rebinding{addresses: []netip.Addr{netip.MustParseAddr("8.8.8.8"), netip.MustParseAddr("127.0.0.1")}}
	get := func(private bool, limit time.Duration) error {
		dialer := newDialer(private)
		dialer.Resolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
			client, here := net.Pipe()
			go names.serve(t, here)
			return client, nil
		}}
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		url := strings.Replace(server.URL, "127.0.0.1", "rebinding.example", 1)
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		client := newClient(dialer)
		defer client.CloseIdleConnections()
		response, err := client.Do(request)
		if err == nil {
			_ = response.Body.Close()
		}
		return err
	}
	if err := get(false, 200*time.Millisecond); err == nil || errors.Is(err, errAddress) {
		t.Errorf("a public address: %v", err)
	}
	if err := get(false, 10*time.Second); !errors.Is(err, errAddress) || called.Load() > 0 {
		t.Errorf("rebound to this machine: %v", err)
	}
	if err := get(true, 10*time.Second); err != nil || called.Load() != 1 {
		t.Errorf("with private addresses allowed: %v", err)
	}
}
