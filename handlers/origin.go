package handlers

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"
)

// origin refuses calls of tools from pages of other sites (MCP, Streamable HTTP: servers must validate Origin). Programs send no Origin,
// browsers always do, and a page cannot set it. A page passes when it is of the host that it calls, or of an origin that is allowed; on a
// loopback address it must also call that by a name of the machine itself, as any other name may have been turned to here.
func (a *API) origin(c *gin.Context) {
	origins := c.Request.Header.Values("Origin")
	if c.Request.URL.Path != mcpPath || len(origins) == 0 {
		return
	}
	if len(origins) > 1 || !a.allows(origins[0]) && !isOwnOrigin(c.Request, origins[0]) {
		abort(c, problemOf(http.StatusForbidden, "pages of this origin may not call tools: name it in KITH_CORS_ORIGINS, or call from a program, which sends no Origin"))
	}
}

// allows reports whether pages of an origin may call.
func (a *API) allows(origin string) bool {
	return slices.Contains(a.options.Origins, origin) || slices.Contains(a.options.Origins, "*")
}

func isOwnOrigin(r *http.Request, origin string) bool {
	from, err := url.Parse(origin)
	if err != nil || from.Scheme != "http" && from.Scheme != "https" || from.Host == "" || origin != from.Scheme+"://"+from.Host {
		return false
	}
	if !isLoopbackAddress(r) {
		return strings.EqualFold(withoutPort(from.Host, from.Scheme), withoutPort(r.Host, from.Scheme))
	}
	return isLoopback(from.Hostname()) && isLoopback(hostname(r.Host))
}

// isLoopbackAddress says whether a request came in on an address that only this machine has.
func isLoopbackAddress(r *http.Request) bool {
	address, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return address != nil && isLoopback(hostname(address.String()))
}

// isLoopback says whether a host is a name of the machine for itself.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback() || strings.EqualFold(host, "localhost")
}

// hostname is a host without its port.
func hostname(host string) string { return (&url.URL{Host: host}).Hostname() }

// withoutPort is a host without the port that its scheme has anyway.
func withoutPort(host, scheme string) string {
	return strings.TrimSuffix(host, map[string]string{"http": ":80", "https": ":443"}[scheme])
}
