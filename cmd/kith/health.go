package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

type healthCmd struct {
	Listen string `env:"KITH_LISTEN" default:"127.0.0.1:8080" help:"Address of the API."`
}

// Run asks /readyz, on the loopback interface where the service listens on all.
func (c *healthCmd) Run(ctx context.Context, std streams) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+reachable(c.Listen)+"/readyz", nil)
	if err != nil {
		return fmt.Errorf("health: %w", err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("health: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	if _, err := io.Copy(std.out, io.LimitReader(response.Body, 1024)); err != nil {
		return fmt.Errorf("health: %w", err)
	}
	_, _ = fmt.Fprintln(std.out)
	if response.StatusCode != http.StatusOK {
		return errSilent
	}
	return nil
}
