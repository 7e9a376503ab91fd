package command

import (
	"context"
	"fmt"
	"time"

	client "kith/clients/go"
	"kith/cmd/kith/internal/demo"
)

// demoCmd loads the memory of a made-up user.
type demoCmd struct {
	URL string `env:"KITH_URL" default:"http://127.0.0.1:8080" help:"Address of a running Kith."`
	Key string `env:"KITH_KEY" required:"" help:"An API key with the scopes read and write."`
}

// Run loads the demo, and prints the user and how to get the user's context.
func (c *demoCmd) Run(ctx context.Context, std Streams) error {
	if err := demo.Load(ctx, client.New(c.URL, c.Key, nil), time.Now()); err != nil {
		return err
	}
	_, err := fmt.Fprintf(std.Out, "user: %s\n\n%s\n", demo.User, contextCurl(c.URL, c.Key, demo.User))
	return err
}
