package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"kith/cmd/kith/internal/terminal"
	"kith/graph"
	"kith/internal/fault"
	"kith/loader"
	"kith/text/times"
)

// recordArgument names a node, or a relationship.
type recordArgument struct {
	Record string `arg:"" help:"KIND/KEY, such as person/ada."`
	User   string `help:"The user. Default: the user of the key, or the team's shared memory."`
}

var errRecord = errors.New("must be KIND/KEY, such as person/ada")

// path returns the API path of the record.
func (r *recordArgument) path() (string, error) {
	kind, key, ok := strings.Cut(r.Record, "/")
	if !ok || kind == "" || !fault.ValidKey(key) {
		return "", fmt.Errorf("%q %w", r.Record, errRecord)
	}
	if kind == graph.RelationshipRecord {
		return "/v1/relationships/" + url.PathEscape(key), nil
	}
	return "/v1/nodes/" + url.PathEscape(kind) + "/" + url.PathEscape(key), nil
}

// query returns the query of a request about the record.
func (r *recordArgument) query() url.Values {
	query := url.Values{}
	if r.User != "" {
		query.Set("user_id", r.User)
	}
	return query
}

// historyCmd prints the versions of a node or relationship.
type historyCmd struct {
	access
	recordArgument
	Limit  int    `default:"20" help:"Most versions, the newest first."`
	Cursor string `help:"Continue after the page before."`
}

// Run prints the versions.
func (c *historyCmd) Run(ctx context.Context, std Streams) error {
	path, err := c.path()
	if err != nil {
		return err
	}
	query := c.query()
	query.Set("limit", strconv.Itoa(c.Limit))
	if c.Cursor != "" {
		query.Set("cursor", c.Cursor)
	}
	var raw json.RawMessage
	if err := c.api().Call(ctx, http.MethodGet, path+"/history?"+query.Encode(), nil, &raw); err != nil {
		return err
	}
	if c.JSON {
		return terminal.PrintJSON(std.Out, raw)
	}
	var page struct {
		Versions []graph.Version
		Next     string
	}
	if err := json.Unmarshal(raw, &page); err != nil {
		return fmt.Errorf("history: %w", err)
	}
	text := loader.VersionsText(page.Versions)
	if page.Next != "" {
		text += "\n_There are older versions: --cursor " + page.Next + "_\n"
	}
	_, err = fmt.Fprint(std.Out, terminal.NewPaint(std.Out, c.NoColor).Markdown(text))
	return err
}

// changesCmd prints what changed about a node.
type changesCmd struct {
	access
	recordArgument
	Since     string `help:"Only changes since a day, a time of RFC 3339, or words such as \"last week\"."`
	Until     string `help:"Only changes until then."`
	Limit     int    `default:"50" help:"Most changes, the newest first."`
	MaxTokens int    `help:"Token budget of the text. The oldest lines are omitted first."`
}

// Run prints the changes.
func (c *changesCmd) Run(ctx context.Context, std Streams) error {
	path, err := c.path()
	if err != nil {
		return err
	}
	query := c.query()
	query.Set("limit", strconv.Itoa(c.Limit))
	for name, text := range map[string]string{"since": c.Since, "until": c.Until} {
		if text == "" {
			continue
		}
		at, ok := times.Begin(text, time.Now())
		if !ok {
			return fmt.Errorf("--%s: %w", name, errTime)
		}
		query.Set(name, at.Format(time.RFC3339))
	}
	path += "/changes?"
	if c.JSON {
		var object json.RawMessage
		if err := c.api().Call(ctx, http.MethodGet, path+query.Encode(), nil, &object); err != nil {
			return err
		}
		return terminal.PrintJSON(std.Out, object)
	}
	query.Set("format", "text")
	if c.MaxTokens != 0 {
		query.Set("max_tokens", strconv.Itoa(c.MaxTokens))
	}
	var text []byte
	if err := c.api().Call(ctx, http.MethodGet, path+query.Encode(), nil, &text); err != nil {
		return err
	}
	_, err = fmt.Fprint(std.Out, terminal.NewPaint(std.Out, c.NoColor).Markdown(string(text)))
	return err
}

var errTime = errors.New(`must be a day as 2026-05-31, a time of RFC 3339, or words such as "last week"`)
