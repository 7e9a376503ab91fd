package command

import (
	"cmp"
	"context"
	"fmt"
	"time"

	client "kith/clients/go"
	"kith/cmd/kith/internal/terminal"
)

type healthCmd struct {
	Listen string `env:"KITH_LISTEN" default:"127.0.0.1:8080" help:"Address of the API."`
	URL    string `help:"Check the Kith at this URL instead of the one at KITH_LISTEN."`
}

// Run requests /readyz, on the loopback interface if the service listens on all interfaces.
func (c *healthCmd) Run(ctx context.Context, std Streams) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	r, err := client.New(cmp.Or(c.URL, "http://"+reachable(c.Listen)), "", nil).Ready(ctx)
	if err != nil {
		return fmt.Errorf("health: %w", err)
	}
	if err := terminal.PrintLine(std.Out, r); err != nil || r.Ready {
		return err
	}
	return errSilent
}
