// Package redirect decides which redirects a client of Kith follows. Requests carry a key and texts of a memory, which
// must only go to the configured host.
package redirect

import (
	"errors"
	"net/http"
	"net/url"
)

// most is the maximum number of redirects of a request.
const most = 5

var errRedirect = errors.New("the service redirects to another host, which gets neither key nor request: configure its own address")

// SameHost follows redirects within the host and port of the first request, also from http to https; for http.Client.CheckRedirect.
func SameHost(r *http.Request, via []*http.Request) error {
	if len(via) >= most || !IsSame(via[0].URL, r.URL) {
		return errRedirect
	}
	return nil
}

// IsSame reports whether two addresses have the same host.
func IsSame(of, address *url.URL) bool {
	if of.Scheme == "http" && address.Scheme == "https" {
		return of.Hostname() == address.Hostname()
	}
	return of.Scheme == address.Scheme && of.Host == address.Host
}
