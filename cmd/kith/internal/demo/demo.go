// Package demo loads the memory of a made-up user through the API.
package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	client "kith/clients/go"
	"kith/graph"
)

// User is the id of the demo's user.
const User = "demo-noor"

// Load writes the demo through the API. The demo's times are relative to now. Loading it again changes nothing: all keys
// are fixed, and times stay relative to the first load.
func Load(ctx context.Context, api *client.Client, now time.Time) error {
	data, err := read()
	if err == nil {
		now, err = fetchLoadTime(ctx, api, now)
	}
	if err == nil {
		err = data.load(ctx, api, now)
	}
	if err != nil {
		return fmt.Errorf("load demo: %w", err)
	}
	return nil
}

// load writes the memory, the workspaces (which link to it), the preferences and the conversations.
func (l *dataset) load(ctx context.Context, api *client.Client, now time.Time) error {
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
	if err := api.Call(ctx, http.MethodPut, "/v1/users/"+User+"/preferences", preferences, nil); err != nil {
		return err
	}
	for i := range sources {
		if err := api.Call(ctx, http.MethodPost, "/v1/sources", &sources[i], nil); err != nil {
			return err
		}
	}
	return nil
}

// properties are the properties of the demo's owner node.
type properties struct {
	LoadedAt time.Time `json:"demo_loaded_at"`
}

// fetchLoadTime returns when the demo was first loaded: the time stored with its owner, or now. Stored messages
// never change, so a later load must not move the conversations that contain them.
func fetchLoadTime(ctx context.Context, api *client.Client, now time.Time) (time.Time, error) {
	var found struct {
		User struct {
			Owner *struct {
				Properties properties `json:"properties"`
			} `json:"owner_person_node"`
		} `json:"user"`
	}
	if err := api.Call(ctx, http.MethodGet, "/v1/context?sections=user&user_id="+User, nil, &found); err != nil {
		return time.Time{}, err
	}
	if owner := found.User.Owner; owner != nil && !owner.Properties.LoadedAt.IsZero() {
		return owner.Properties.LoadedAt, nil
	}
	return now.UTC().Truncate(time.Second), nil
}

func (p properties) raw() json.RawMessage {
	raw, _ := json.Marshal(p) // a time always encodes
	return raw
}
