package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"kith/client"
	"kith/graph"
)

// demoCmd loads the memory of a made-up user.
type demoCmd struct {
	URL string `env:"KITH_URL" default:"http://127.0.0.1:8080" help:"Address of a running Kith."`
	Key string `env:"KITH_KEY" required:"" help:"An API key with the scopes read and write."`
}

// demoUser is the id of the demo's user.
const demoUser = "demo-noor"

// Run loads the demo, and prints the user and how to get the user's context.
func (c *demoCmd) Run(ctx context.Context, std streams) error {
	user, err := loadDemo(ctx, client.New(c.URL, c.Key, nil), time.Now())
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(std.out, "user: %s\n\n%s\n", user, contextCurl(c.URL, c.Key, user))
	return err
}

// loadDemo writes the demo through the public API and returns its user. The demo's times are relative to now.
// Loading it again changes nothing: all keys are fixed, and times stay relative to the first load.
func loadDemo(ctx context.Context, api *client.Client, now time.Time) (userID string, err error) {
	data, err := readDemo()
	if err != nil {
		return "", fmt.Errorf("load demo: %w", err)
	}
	if now, err = fetchDemoLoadTime(ctx, api, now); err != nil {
		return "", fmt.Errorf("load demo: %w", err)
	}
	if err := data.load(ctx, api, now); err != nil {
		return "", fmt.Errorf("load demo: %w", err)
	}
	return demoUser, nil
}

// load writes the memory, the workspaces (which link to it), the preferences and the conversations.
func (l *demoData) load(ctx context.Context, api *client.Client, now time.Time) error {
	memory, sources, err := l.memoryWrites(now)
	if err != nil {
		return err
	}
	workspaces, err := l.workspaceWrite(now)
	if err != nil {
		return err
	}
	for _, write := range []*graph.MemoryWrite{memory, workspaces} {
		if err := api.Call(ctx, http.MethodPost, "/v1/memory", write, nil); err != nil {
			return err
		}
	}
	preferences := map[string]any{"preferences": l.Preferences}
	if err := api.Call(ctx, http.MethodPut, "/v1/users/"+demoUser+"/preferences", preferences, nil); err != nil {
		return err
	}
	for i := range sources {
		if err := api.Call(ctx, http.MethodPost, "/v1/sources", &sources[i], nil); err != nil {
			return err
		}
	}
	return nil
}

// demoProperties are the properties of the demo's owner node.
type demoProperties struct {
	LoadedAt time.Time `json:"demo_loaded_at"`
}

// fetchDemoLoadTime returns when the demo was first loaded: the time stored with its owner, or now. Stored messages
// never change, so a later load must not move the conversations that contain them.
func fetchDemoLoadTime(ctx context.Context, api *client.Client, now time.Time) (time.Time, error) {
	var found struct {
		User struct {
			Owner *struct {
				Properties demoProperties `json:"properties"`
			} `json:"owner_person_node"`
		} `json:"user"`
	}
	if err := api.Call(ctx, http.MethodGet, "/v1/context?sections=user&user_id="+demoUser, nil, &found); err != nil {
		return time.Time{}, err
	}
	if owner := found.User.Owner; owner != nil && !owner.Properties.LoadedAt.IsZero() {
		return owner.Properties.LoadedAt, nil
	}
	return now.UTC().Truncate(time.Second), nil
}

func (p demoProperties) raw() json.RawMessage {
	raw, _ := json.Marshal(p) // a time always encodes
	return raw
}

// contextCurl returns a curl command that gets a user's context as text.
func contextCurl(base, key, user string) string {
	address := strings.TrimRight(base, "/") + "/v1/context?format=text&user_id=" + url.QueryEscape(user)
	return fmt.Sprintf("curl -s -H %s %s", shellQuote("Authorization: Bearer "+key), shellQuote(address))
}

// shellQuote returns a text quoted as one word for a shell.
func shellQuote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
