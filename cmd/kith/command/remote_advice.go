package command

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"

	"github.com/alecthomas/kong"

	client "kith/clients/go"
)

// remoteAdvice returns what to do about an error of the Kith that a command calls, if its address or key may be wrong; else empty.
func remoteAdvice(command *kong.Context, err error) string {
	address := ""
	for _, flag := range command.Flags() {
		if slices.Contains(flag.Envs, "KITH_URL") {
			address, _ = flag.Target.Interface().(string)
		}
	}
	if address == "" {
		return ""
	}
	at, invalid := url.Parse(address)
	var refused *client.Error
	switch {
	case invalid != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "":
		return "KITH_URL is not an http:// or https:// address"
	case errors.Is(err, http.ErrSchemeMismatch):
		return fmt.Sprintf("%s does not answer to https: correct KITH_URL", at.Redacted())
	case isUnreachable(at, err):
		return fmt.Sprintf("Kith does not answer at %s: start it with kith serve, or correct KITH_URL", at.Redacted())
	case !errors.As(err, &refused):
	case refused.Status == http.StatusUnauthorized:
		return fmt.Sprintf("KITH_KEY is no valid key of the Kith at %s: create one there with kith key create", at.Redacted())
	case refused.Detail == "" && (refused.Status < http.StatusBadRequest || refused.Status == http.StatusNotFound || refused.Status == http.StatusMethodNotAllowed):
		return fmt.Sprintf("no Kith answers at %s: set KITH_URL to the address of a running Kith, such as http://127.0.0.1:8080", at.Redacted())
	}
	return ""
}

// isUnreachable reports whether an error says that no connection to an address could be made. A command may call other services too.
func isUnreachable(at *url.URL, err error) bool {
	var name *net.DNSError
	if errors.As(err, &name) {
		return name.Name == at.Hostname()
	}
	var dial *net.OpError
	if !errors.As(err, &dial) || dial.Op != "dial" || dial.Addr == nil {
		return false
	}
	port := at.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[at.Scheme]
	}
	_, dialed, _ := net.SplitHostPort(dial.Addr.String())
	return dialed == port
}
