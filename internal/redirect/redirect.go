// Package redirect says which redirects a client of Kith follows. Requests carry a key and texts of a memory, which go nowhere but to the
// host that somebody configured.
package redirect

import (
	"errors"
	"net/http"
	"net/url"
)

// most is how many redirects a request follows.
const most = 5

var errRedirect = errors.New("the service redirects to another host, which gets neither key nor request: configure its own address")

// SameHost follows redirects within the host and port of the first request, also from http to https; for http.Client.CheckRedirect.
func SameHost(r *http.Request, via []*http.Request) error {
	if len(via) >= most || !IsSame(via[0].URL, r.URL) {
		return errRedirect
	}
	return nil
}

// IsSame says whether an address is of the host that another one is of.
func IsSame(of, address *url.URL) bool {
	if of.Scheme == "http" && address.Scheme == "https" {
		return of.Hostname() == address.Hostname()
	}
	return of.Scheme == address.Scheme && of.Host == address.Host
}
