package command

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"kith/access/auth"
	client "kith/clients/go"
	"kith/cmd/kith/internal/terminal"
	"kith/handlers"
	"kith/memory/traverse"
	"kith/memory/user"
	"kith/text/markup"
)

// statusCmd prints the state of a running Kith and how much it stores for the caller.
type statusCmd struct {
	access
	User string `help:"User whose memory is counted. Default: the user of the key, or the team's shared memory and, with the scope admin, a list of users."`
}

// status is the output of kith status.
type status struct {
	URL string `json:"url"`
	client.Readiness
	Kinds   []traverse.KindSchema `json:"kinds"`
	Links   int64                 `json:"relationships"`
	Partial bool                  `json:"part"` // only a part was counted

	Shared    bool        `json:"shared"`          // the counts are of the team's shared memory, not of a user
	Users     []user.User `json:"users,omitempty"` // the team's first users, if the key may list them
	MoreUsers bool        `json:"more_users,omitempty"`
}

// maxListedUsers is the most users in a status.
const maxListedUsers = 200

// Run prints the state and a table of counts. It fails if the service is not ready.
func (c *statusCmd) Run(ctx context.Context, std Streams) error {
	s, err := c.fetch(ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		err = terminal.PrintJSON(std.Out, s)
	} else {
		err = s.print(std, terminal.NewPaint(std.Out, c.NoColor))
	}
	if err == nil && !s.Ready {
		return errSilent
	}
	return err
}

func (c *statusCmd) fetch(ctx context.Context) (*status, error) {
	s := &status{URL: c.URL, Kinds: []traverse.KindSchema{}}
	var err error
	if s.Readiness, err = c.api().Ready(ctx); err != nil || !s.Ready {
		return s, err
	}
	var schema traverse.Schema
	path := "/v1/schema?max_tokens=100000"
	if c.User != "" {
		path += "&user_id=" + url.QueryEscape(c.User)
	}
	if err := c.api().Call(ctx, http.MethodGet, path, nil, &schema); err != nil {
		return nil, err
	}
	for _, k := range schema.Kinds {
		s.Kinds = append(s.Kinds, traverse.KindSchema{Label: k.Label, Count: k.Count})
	}
	for _, r := range schema.RelationshipTypes {
		s.Links += r.Count
	}
	s.Partial = schema.Sampled
	if c.User == "" {
		return s, c.fetchUsers(ctx, s)
	}
	return s, nil
}

// fetchUsers adds the users of the team, if the key is not bound to a user.
func (c *statusCmd) fetchUsers(ctx context.Context, s *status) error {
	var me handlers.Me
	if err := c.api().Call(ctx, http.MethodGet, "/v1/me", nil, &me); err != nil {
		return err
	}
	if s.Shared = me.UserID == nil; !s.Shared || !slices.Contains(me.Scopes, auth.Admin) {
		return nil
	}
	var page handlers.UserPage
	err := c.api().Call(ctx, http.MethodGet, "/v1/users?limit="+strconv.Itoa(maxListedUsers), nil, &page)
	s.Users, s.MoreUsers = page.Users, page.Next != nil
	return err
}

func (s *status) print(std Streams, p terminal.Paint) error {
	state := p.Good("ready")
	if !s.Ready {
		state = p.Wrong("not ready")
	}
	if _, err := fmt.Fprintf(std.Out, "Kith %s at %s is %s.\n", markup.Plain(s.Version), s.URL, state); err != nil || !s.Ready {
		return err
	}
	if s.Shared {
		if _, err := fmt.Fprintln(std.Out, "Shared by the team (--user USER counts the memory of a user):"); err != nil {
			return err
		}
	}
	rows := [][]string{{"KIND", "NODES"}}
	for _, k := range s.Kinds {
		rows = append(rows, []string{k.Label, formatCount(k.Count)})
	}
	rows = append(rows, []string{"relationships", formatCount(s.Links)})
	if s.Partial {
		rows = append(rows, []string{"", "(partial count)"})
	}
	if err := terminal.PrintTable(std.Out, rows); err != nil || len(s.Users) == 0 {
		return err
	}
	return s.printUsers(std)
}

// printUsers prints the counts of the team's users.
func (s *status) printUsers(std Streams) error {
	rows := [][]string{{"USER", "NODES", "CONVERSATIONS", "MESSAGES", "CHATS", "LAST ACTIVITY"}}
	for _, u := range s.Users {
		nodes, last := formatCount(u.Nodes), "-"
		if u.Partial {
			nodes += " or more"
		}
		if u.LastActivityAt != nil {
			last = u.LastActivityAt.Format(time.DateTime)
		}
		rows = append(rows, []string{u.UserID, nodes, formatCount(u.Conversations), formatCount(u.Messages), formatCount(u.Chats), last})
	}
	if s.MoreUsers {
		rows = append(rows, []string{"(more users: GET /v1/users lists all)"})
	}
	if _, err := fmt.Fprintln(std.Out, "\nUsers of the team:"); err != nil {
		return err
	}
	return terminal.PrintTable(std.Out, rows)
}

func formatCount(n int64) string { return strconv.FormatInt(n, 10) }
