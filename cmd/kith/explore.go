package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"kith/explore"
)

// exploreCmd searches a memory.
type exploreCmd struct {
	access
	Words []string `arg:"" help:"What to look for: a question, or words."`
	User  string   `help:"Whose memory; left out: the user of the key, or what the team shares."`
	Limit int      `default:"5" help:"At most so many of each sort."`
	Kinds []string `help:"Only these kinds: person, concept, source, message …"`
}

// Run prints what was found, the best first.
func (c *exploreCmd) Run(ctx context.Context, std streams) error {
	words := strings.Join(c.Words, " ")
	request := explore.Request{UserID: c.User, Queries: []explore.Query{{Query: words}}, Limit: c.Limit, Kinds: c.Kinds, Format: explore.JSON}
	if c.JSON {
		var object json.RawMessage
		if err := c.api().call(ctx, http.MethodPost, "/v1/explore", request, &object); err != nil {
			return err
		}
		return printJSON(std.out, object)
	}
	request.Format = explore.Text
	var text []byte
	if err := c.api().call(ctx, http.MethodPost, "/v1/explore", request, &text); err != nil {
		return err
	}
	_, err := fmt.Fprint(std.out, newPaint(std.out, c.NoColor).markdown(string(text)))
	return err
}
