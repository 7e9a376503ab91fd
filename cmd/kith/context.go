package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"kith/loader"
)

// contextCmd shows what an agent would be told of a user.
type contextCmd struct {
	access
	User      string `arg:"" help:"Whose context."`
	MaxTokens int    `help:"At most so many tokens of text; the lowest-ranked lines go first."`
	TimeZone  string `help:"IANA name; left out: the user's preference."`
}

// Run prints the context.
func (c *contextCmd) Run(ctx context.Context, std streams) error {
	query := url.Values{"user_id": {c.User}}
	if c.TimeZone != "" {
		query.Set("time_zone", c.TimeZone)
	}
	if c.JSON {
		var object json.RawMessage
		if err := c.api().call(ctx, http.MethodGet, "/v1/context?"+query.Encode(), nil, &object); err != nil {
			return err
		}
		c.hint(std, string(object))
		return printJSON(std.out, object)
	}
	query.Set("format", "text")
	if c.MaxTokens != 0 {
		query.Set("max_tokens", strconv.Itoa(c.MaxTokens))
	}
	var text []byte
	if err := c.api().call(ctx, http.MethodGet, "/v1/context?"+query.Encode(), nil, &text); err != nil {
		return err
	}
	c.hint(std, string(text))
	_, err := fmt.Fprint(std.out, newPaint(std.out, c.NoColor).markdown(string(text)))
	return err
}

// hint tells, beside the context, what to do about a user of whom nothing is known.
func (c *contextCmd) hint(std streams, context string) {
	if strings.Contains(context, loader.NothingKnown) {
		_, _ = fmt.Fprintln(std.err, "kith: nothing is stored for this user: check how the user is spelled, or write something (kith import, POST /v1/memory)")
	}
}
