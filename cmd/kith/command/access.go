package command

import client "kith/clients/go"

// access holds the flags of commands that call a running Kith and print the response.
type access struct {
	URL     string `env:"KITH_URL" default:"http://127.0.0.1:8080" help:"Address of a running Kith."`
	Key     string `env:"KITH_KEY" required:"" help:"An API key with the scope read; for merge and restore with the scope write."`
	JSON    bool   `name:"json" help:"Print JSON."`
	NoColor string `env:"NO_COLOR" hidden:"" help:"Not empty: no colours."`
}

func (c *access) api() *client.Client { return client.New(c.URL, c.Key, nil) }
