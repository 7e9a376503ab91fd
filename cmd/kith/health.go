package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"kith/handlers"
	"kith/internal/terminal"
)

type healthCmd struct {
	Listen string `env:"KITH_LISTEN" default:"127.0.0.1:8080" help:"Address of the API."`
	URL    string `help:"Check the Kith at this URL instead of the one at KITH_LISTEN."`
}

// Run requests /readyz, on the loopback interface if the service listens on all interfaces.
func (c *healthCmd) Run(ctx context.Context, std streams) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	r, err := newAPIClient(cmp.Or(c.URL, "http://"+reachable(c.Listen)), "").readiness(ctx)
	if err != nil {
		return fmt.Errorf("health: %w", err)
	}
	if err := terminal.PrintLine(std.out, r); err != nil || r.Ready {
		return err
	}
	return errSilent
}

const maxReadiness = 1 << 12 // bytes

// readiness requests /readyz. It succeeds for a service that is not ready, too.
func (c *apiClient) readiness(ctx context.Context) (r handlers.Readiness, err error) {
	request, err := c.request(ctx, http.MethodGet, "/readyz", http.NoBody)
	if err != nil {
		return r, err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return r, err
	}
	defer func() { _ = response.Body.Close() }()
	if err := json.NewDecoder(io.LimitReader(response.Body, maxReadiness)).Decode(&r); err != nil {
		return r, fmt.Errorf("%s is not a Kith: %w", request.URL, err)
	}
	return r, nil
}
