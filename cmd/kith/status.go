package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"kith/handlers"
	"kith/markup"
	"kith/traverse"
)

// statusCmd says how a running Kith is, and what it holds for the caller.
type statusCmd struct {
	access
	User string `help:"Whose memory is counted; left out: the user of the key, or what the team shares."`
}

// status is what there is to say.
type status struct {
	URL string `json:"url"`
	handlers.Readiness
	Kinds []traverse.KindSchema `json:"kinds"`
	Links int64                 `json:"relationships"`
	Part  bool                  `json:"part"` // there is more than was counted
}

// Run prints the state and a table; exit status 1 if the service is not ready.
func (c *statusCmd) Run(ctx context.Context, std streams) error {
	s, err := c.ask(ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		err = printJSON(std.out, s)
	} else {
		err = s.print(std, newPaint(std.out, c.NoColor))
	}
	if err == nil && !s.Ready {
		return errSilent
	}
	return err
}

func (c *statusCmd) ask(ctx context.Context) (*status, error) {
	s := &status{URL: c.URL, Kinds: []traverse.KindSchema{}}
	var err error
	if s.Readiness, err = c.api().readiness(ctx); err != nil || !s.Ready {
		return s, err
	}
	var schema traverse.Schema
	path := "/v1/schema?max_tokens=100000"
	if c.User != "" {
		path += "&user_id=" + url.QueryEscape(c.User)
	}
	if err := c.api().call(ctx, http.MethodGet, path, nil, &schema); err != nil {
		return nil, err
	}
	for _, k := range schema.Kinds {
		s.Kinds = append(s.Kinds, traverse.KindSchema{Label: k.Label, Count: k.Count})
	}
	for _, r := range schema.RelationshipTypes {
		s.Links += r.Count
	}
	s.Part = schema.Sampled
	return s, nil
}

func (s *status) print(std streams, p paint) error {
	state := p.good("ready")
	if !s.Ready {
		state = p.wrong("not ready")
	}
	if _, err := fmt.Fprintf(std.out, "Kith %s at %s is %s.\n", markup.Plain(s.Version), s.URL, state); err != nil || !s.Ready {
		return err
	}
	rows := [][]string{{"KIND", "NODES"}}
	for _, k := range s.Kinds {
		rows = append(rows, []string{k.Label, strconv.FormatInt(k.Count, 10)})
	}
	rows = append(rows, []string{"relationships", strconv.FormatInt(s.Links, 10)})
	if s.Part {
		rows = append(rows, []string{"", "(counted in part: there is more)"})
	}
	return printTable(std.out, rows)
}
