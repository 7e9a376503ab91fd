package command

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"kith/cmd/kith/internal/terminal"
	"kith/memory/explore"
)

// exploreCmd searches a user's memory.
type exploreCmd struct {
	access
	Words []string `arg:"" help:"The query: a question or words."`
	User  string   `help:"The user. Default: the user of the key, or the team's shared memory."`
	Limit int      `default:"5" help:"Most results of each kind."`
	Kinds []string `help:"Search only these kinds: person, concept, source, message, …"`
}

// Run prints the results, best first.
func (c *exploreCmd) Run(ctx context.Context, std Streams) error {
	words := strings.Join(c.Words, " ")
	request := explore.Request{UserID: c.User, Queries: []explore.Query{{Query: words}}, Limit: c.Limit, Kinds: c.Kinds, Format: explore.JSON}
	if c.JSON {
		var object json.RawMessage
		if err := c.api().Call(ctx, http.MethodPost, "/v1/explore", request, &object); err != nil {
			return err
		}
		return terminal.PrintJSON(std.Out, object)
	}
	request.Format = explore.Text
	var text []byte
	if err := c.api().Call(ctx, http.MethodPost, "/v1/explore", request, &text); err != nil {
		return err
	}
	_, err := fmt.Fprint(std.Out, terminal.NewPaint(std.Out, c.NoColor).Markdown(string(text)))
	return err
}
