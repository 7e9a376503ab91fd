package command

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"kith/cmd/kith/internal/terminal"
	"kith/loader"
)

// contextCmd prints the context of a user.
type contextCmd struct {
	access
	User      string `arg:"" help:"The user."`
	MaxTokens int    `help:"Token budget of the text. The lowest-ranked lines are omitted first."`
	TimeZone  string `help:"IANA time zone. Default: the user's preference."`
	AsOf      string `help:"The context that was served at a time, such as 2026-11-25T10:00:00Z."`
}

// Run prints the context.
func (c *contextCmd) Run(ctx context.Context, std Streams) error {
	query := url.Values{"user_id": {c.User}}
	if c.TimeZone != "" {
		query.Set("time_zone", c.TimeZone)
	}
	if c.AsOf != "" {
		query.Set("as_of", c.AsOf)
	}
	if c.JSON {
		var object json.RawMessage
		if err := c.api().Call(ctx, http.MethodGet, "/v1/context?"+query.Encode(), nil, &object); err != nil {
			return err
		}
		c.printHint(std, string(object))
		return terminal.PrintJSON(std.Out, object)
	}
	query.Set("format", "text")
	if c.MaxTokens != 0 {
		query.Set("max_tokens", strconv.Itoa(c.MaxTokens))
	}
	var text []byte
	if err := c.api().Call(ctx, http.MethodGet, "/v1/context?"+query.Encode(), nil, &text); err != nil {
		return err
	}
	c.printHint(std, string(text))
	_, err := fmt.Fprint(std.Out, terminal.NewPaint(std.Out, c.NoColor).Markdown(string(text)))
	return err
}

// printHint prints on standard error what to do if nothing is stored for the user.
func (c *contextCmd) printHint(std Streams, context string) {
	if strings.Contains(context, loader.NothingKnown) {
		_, _ = fmt.Fprintln(std.Err, "kith: nothing is stored for this user: check the spelling, or store something (kith import, POST /v1/memory)")
	}
}

// contextCurl returns a curl command that gets a user's context as text.
func contextCurl(base, key, user string) string {
	address := strings.TrimRight(base, "/") + "/v1/context?format=text&user_id=" + url.QueryEscape(user)
	return fmt.Sprintf("curl -s -H %s %s", shellQuote("Authorization: Bearer "+key), shellQuote(address))
}

// shellQuote returns a text quoted as one word for a shell.
func shellQuote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
