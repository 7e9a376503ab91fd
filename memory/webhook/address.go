package webhook

import (
	"errors"
	"net/netip"
	"regexp"
	"strings"
	"syscall"

	"golang.org/x/net/idna"
)

// errAddress reports that a name leads to an address that is not public.
var errAddress = errors.New("the address is not public")

// globalUnicast has all public addresses of IPv6.
var globalUnicast = netip.MustParsePrefix("2000::/3") //nolint:gochecknoglobals // constant

// reserved are networks that are not public although they are no loopback, private, link-local or multicast addresses, and those
// that lead to other addresses.
var reserved = prefixes( //nolint:gochecknoglobals // a constant table
	"0.0.0.0/8",        // this network
	"100.64.0.0/10",    // carrier-grade NAT; 100.100.100.200 has metadata of machines
	"168.63.129.16/32", // a metadata service on a public address
	"192.0.0.0/24",     // protocol assignments
	"192.0.2.0/24",     // documentation
	"192.88.99.0/24",   // 6to4 relays
	"198.18.0.0/15",    // benchmarks
	"198.51.100.0/24",  // documentation
	"203.0.113.0/24",   // documentation
	"240.0.0.0/4",      // reserved, broadcast
	"2001::/23",        // protocol assignments: Teredo, ORCHID, …
	"2001:db8::/32",    // documentation
	"2002::/16",        // 6to4: has an address of IPv4
	"3fff::/20",        // documentation
)

func prefixes(list ...string) []netip.Prefix {
	all := make([]netip.Prefix, len(list))
	for i, p := range list {
		all[i] = netip.MustParsePrefix(p)
	}
	return all
}

// isPublic reports whether an address belongs to a public network. Addresses of IPv6 that contain one of IPv4 (mapped, NAT64, 6to4)
// do not.
func isPublic(ip netip.Addr) bool {
	if ip.Zone() != "" || ip.Is6() && !globalUnicast.Contains(ip) || ip.IsPrivate() || !ip.IsGlobalUnicast() {
		return false
	}
	for _, p := range reserved {
		if p.Contains(ip) {
			return false
		}
	}
	return true
}

// innerNames are names, and ends of names, that are not those of public hosts (RFC 6761, 6762, 8375).
var innerNames = []string{"localhost", "localdomain", "local", "internal", "home.arpa"} //nolint:gochecknoglobals // a constant list

// endsInNumber matches the end of a host that resolvers take for an address of IPv4, also in parts, octal or hexadecimal: 127.1, 0x7f000001.
var endsInNumber = regexp.MustCompile(`(^|\.)([0-9]+|0x[0-9a-f]*)$`)

// plainHost returns a host as it is looked up: in ASCII, as the client converts it, without case and the dot at the end.
func plainHost(host string) string {
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		host = ascii
	}
	return strings.TrimSuffix(strings.ToLower(host), ".")
}

// isInner reports whether a host is not public, as far as that is known without a look-up.
func isInner(host string) bool {
	for _, name := range innerNames {
		if host == name || strings.HasSuffix(host, "."+name) {
			return true
		}
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && !isPublic(ip)
}

// isOddAddress reports whether a host is meant to be an address, and not one in its usual form: resolvers differ in what they read.
func isOddAddress(host string) bool {
	_, err := netip.ParseAddr(host)
	return err != nil && endsInNumber.MatchString(host)
}

// refusePrivate is a net.Dialer's Control. It is called with the resolved address of every connection, so a name cannot lead to
// another address than the one that was checked.
func refusePrivate(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || !isPublic(to.Addr()) {
		return errAddress
	}
	return nil
}
