package command

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"

	client "kith/clients/go"
)

// listen opens the address of a setting. Its error names the setting and a value that works.
func listen(ctx context.Context, setting, address string) (net.Listener, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s: %s is in use by another process; stop that process, or set %s to another address, such as %s: %w",
			setting, address, setting, anyPort(address), err)
	case err != nil:
		return nil, fmt.Errorf("%s: Kith cannot listen on %q; set it to an address of this machine and a free port, such as 127.0.0.1:0: %w",
			setting, address, err)
	}
	return listener, nil
}

// anyPort returns the address with port 0, for which the system chooses a port.
func anyPort(address string) string {
	host, _, _ := net.SplitHostPort(address)
	return net.JoinHostPort(host, "0")
}

// checkPort checks that kith serve can listen on the address of a setting.
func checkPort(ctx context.Context, setting, address string) finding {
	listener, err := listen(ctx, setting, address)
	if err != nil {
		return finding{What: setting, Seen: "cannot listen on " + address, Advice: err.Error()}
	}
	_ = listener.Close()
	return finding{What: setting, Good: true, Seen: address + " is free"}
}

// checkPorts checks that kith serve can listen on its two addresses. It returns nothing if --url is set.
func (c *doctorCmd) checkPorts(ctx context.Context) []finding {
	if c.URL != "" {
		return nil
	}
	return append([]finding{checkPort(ctx, "KITH_LISTEN", c.Listen)}, c.checkAdminPort(ctx)...)
}

// checkAdminPort checks that the admin address serves the metrics of a Kith, or that kith serve can listen on it.
func (c *doctorCmd) checkAdminPort(ctx context.Context) []finding {
	const setting = "KITH_ADMIN_LISTEN"
	switch {
	case c.URL != "" || c.AdminListen == "":
		return nil
	case hasMetrics(ctx, "http://"+reachable(c.AdminListen)):
		return []finding{{What: setting, Good: true, Seen: c.AdminListen + " serves the metrics of a Kith"}}
	}
	return []finding{checkPort(ctx, setting, c.AdminListen)}
}

// hasMetrics reports whether a URL serves the metrics of a Kith.
func hasMetrics(ctx context.Context, url string) bool {
	var text []byte
	err := client.New(url, "", nil).Call(ctx, http.MethodGet, "/metrics", nil, &text)
	return err == nil && strings.Contains(string(text), "\nkith_build_info{")
}
