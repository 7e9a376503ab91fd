package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"kith/graph"
)

// demoCmd loads a made-up memory.
type demoCmd struct {
	URL string `env:"KITH_URL" default:"http://127.0.0.1:8080" help:"Address of a running Kith."`
	Key string `env:"KITH_KEY" required:"" help:"An API key with the scopes read and write."`
}

// demoUser is whose memory the demo is.
const demoUser = "demo-noor"

// Run loads the demo, and prints the user and how to ask for what an agent should know.
func (c *demoCmd) Run(ctx context.Context, std streams) error {
	user, err := loadDemo(ctx, newAPIClient(c.URL, c.Key), time.Now())
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(std.out, "user: %s\n\n%s\n", user, contextCurl(c.URL, c.Key, user))
	return err
}

// loadDemo writes the demo through the public API, its times counted back from now, and returns its user. Loading it
// again changes nothing: all keys are fixed, and times go on counting from the first load.
func loadDemo(ctx context.Context, api *apiClient, now time.Time) (userID string, err error) {
	life, err := readDemo()
	if err != nil {
		return "", fmt.Errorf("load demo: %w", err)
	}
	if now, err = demoLoadedAt(ctx, api, now); err != nil {
		return "", fmt.Errorf("load demo: %w", err)
	}
	if err := life.load(ctx, api, now); err != nil {
		return "", fmt.Errorf("load demo: %w", err)
	}
	return demoUser, nil
}

// load writes the memory, the workspaces, which link to it, the preferences and the conversations.
func (l *demoLife) load(ctx context.Context, api *apiClient, now time.Time) error {
	memory, sources, err := l.writes(now)
	if err != nil {
		return err
	}
	workspaces, err := l.workspaces(now)
	if err != nil {
		return err
	}
	for _, write := range []*graph.MemoryWrite{memory, workspaces} {
		if err := api.call(ctx, http.MethodPost, "/v1/memory", write, nil); err != nil {
			return err
		}
	}
	preferences := map[string]any{"preferences": l.Preferences}
	if err := api.call(ctx, http.MethodPut, "/v1/users/"+demoUser+"/preferences", preferences, nil); err != nil {
		return err
	}
	for i := range sources {
		if err := api.call(ctx, http.MethodPost, "/v1/sources", &sources[i], nil); err != nil {
			return err
		}
	}
	return nil
}

// demoProperties are kept with the demo's owner.
type demoProperties struct {
	LoadedAt time.Time `json:"demo_loaded_at"`
}

// demoLoadedAt is when the demo was loaded first: the time its owner remembers, else now. Messages never change once
// they are stored, so a later load must not move the conversations around them.
func demoLoadedAt(ctx context.Context, api *apiClient, now time.Time) (time.Time, error) {
	var found struct {
		User struct {
			Owner *struct {
				Properties demoProperties `json:"properties"`
			} `json:"owner_person_node"`
		} `json:"user"`
	}
	if err := api.call(ctx, http.MethodGet, "/v1/context?sections=user&user_id="+demoUser, nil, &found); err != nil {
		return time.Time{}, err
	}
	if owner := found.User.Owner; owner != nil && !owner.Properties.LoadedAt.IsZero() {
		return owner.Properties.LoadedAt, nil
	}
	return now.UTC().Truncate(time.Second), nil
}

func (p demoProperties) raw() json.RawMessage {
	raw, _ := json.Marshal(p) // a time of our own: it cannot fail
	return raw
}

// contextCurl is the command line that asks for a user's context, as text.
func contextCurl(base, key, user string) string {
	address := strings.TrimRight(base, "/") + "/v1/context?format=text&user_id=" + url.QueryEscape(user)
	return fmt.Sprintf("curl -s -H %s %s", shellQuoted("Authorization: Bearer "+key), shellQuoted(address))
}

// shellQuoted is a text as one word of a shell.
func shellQuoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
