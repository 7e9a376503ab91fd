package migrate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
)

// zep reads Zep's API, version 4.
type zep struct {
	*api
	doc *document
}

type zepUser struct {
	UUID      string `json:"uuid"`
	UserID    string `json:"user_id"`
	GraphUUID string `json:"graph_uuid"`
}

type zepThread struct {
	UUID string `json:"uuid"`
}

// Zep writes the users of a project of Zep with their threads, messages and graphs, and the graphs that are nobody's. If
// a user is given, by its user_id or UUID, it writes that user's alone.
func Zep(ctx context.Context, o *Options, out io.Writer) error {
	calls, err := newAPI(o, "Authorization", "Api-Key ")
	if err != nil {
		return err
	}
	z := &zep{calls, newDocument(out, o.Progress)}
	users, err := z.readUsers(ctx, o.User)
	if err != nil {
		return err
	}
	if err := z.readThreads(ctx, users); err != nil {
		return err
	}
	graphs, err := z.graphs(ctx, users, o.User == "")
	if err != nil {
		return err
	}
	if err := z.readGraphs(ctx, graphs); err != nil {
		return err
	}
	return z.doc.end()
}

// readUsers writes the users, and returns them.
func (z *zep) readUsers(ctx context.Context, only string) (users []zepUser, err error) {
	z.doc.begin("users")
	err = z.list(ctx, http.MethodPost, "/users/list", nil, func(raw json.RawMessage) error {
		var u zepUser
		if err := json.Unmarshal(raw, &u); err != nil || only != "" && only != u.UserID && only != u.UUID {
			return err
		}
		users = append(users, u)
		return z.doc.add(raw)
	})
	if err == nil && only != "" && len(users) == 0 {
		return nil, errors.New("the project has no user with this user_id or UUID")
	}
	return users, err
}

// readThreads writes the threads of users, then their messages.
func (z *zep) readThreads(ctx context.Context, users []zepUser) error {
	var threads []string
	z.doc.begin("threads")
	for _, u := range users {
		err := z.list(ctx, http.MethodGet, "/threads", url.Values{"user_uuid": {u.UUID}}, func(raw json.RawMessage) error {
			var thread zepThread
			if err := json.Unmarshal(raw, &thread); err != nil {
				return err
			}
			threads = append(threads, thread.UUID)
			return z.doc.add(raw)
		})
		if err := z.skipDeleted(err, "user "+u.UUID); err != nil {
			return err
		}
	}
	z.doc.begin("messages")
	for _, uuid := range threads {
		err := z.list(ctx, http.MethodGet, "/threads/"+url.PathEscape(uuid)+"/messages", nil, z.add)
		if err := z.skipDeleted(err, "thread "+uuid); err != nil {
			return err
		}
	}
	return nil
}

// graphs returns the graphs of users, and those that are nobody's.
func (z *zep) graphs(ctx context.Context, users []zepUser, all bool) (graphs []string, err error) {
	for _, u := range users {
		if u.GraphUUID != "" {
			graphs = append(graphs, u.GraphUUID)
		}
	}
	if !all {
		return graphs, nil
	}
	err = z.list(ctx, http.MethodPost, "/graphs/list", nil, func(raw json.RawMessage) error {
		var g struct {
			UUID     string `json:"uuid"`
			UserUUID string `json:"user_uuid"`
		}
		err := json.Unmarshal(raw, &g)
		if err == nil && g.UserUUID == "" {
			graphs = append(graphs, g.UUID)
		}
		return err
	})
	return graphs, err
}

// readGraphs writes what graphs contain, in the order in which parts refer to each other.
func (z *zep) readGraphs(ctx context.Context, graphs []string) error {
	for _, part := range []struct{ section, path string }{
		{"thread_summaries", "thread-summaries"}, {"episodes", "episodes"}, {"nodes", "nodes"}, {"observations", "observations"}, {"edges", "edges"},
	} {
		z.doc.begin(part.section)
		for _, uuid := range graphs {
			err := z.list(ctx, http.MethodPost, "/graphs/"+url.PathEscape(uuid)+"/"+part.path+"/list", nil, z.add)
			if err := z.skipDeleted(err, "graph "+uuid); err != nil {
				return err
			}
		}
	}
	return nil
}

func (z *zep) add(raw json.RawMessage) error { return z.doc.add(raw) }

// list calls add with each item of a list, page by page, the oldest first.
func (z *zep) list(ctx context.Context, method, path string, query url.Values, add func(json.RawMessage) error) error {
	var body any
	if method == http.MethodPost {
		body = struct{}{}
	}
	if query == nil {
		query = url.Values{}
	}
	query.Set("page_size", strconv.Itoa(pageSize))
	query.Set("order", "asc")
	for {
		var page struct {
			Items      []json.RawMessage `json:"items"`
			NextCursor string            `json:"next_cursor"`
		}
		if err := z.call(ctx, method, path, query, body, &page); err != nil {
			return err
		}
		for _, item := range page.Items {
			if err := add(item); err != nil {
				return err
			}
		}
		switch page.NextCursor {
		case "":
			return nil
		case query.Get("cursor"):
			return fmt.Errorf("%s %s: the list does not end: the cursor of a page is that of the page before", method, path)
		}
		query.Set("cursor", page.NextCursor)
	}
}
