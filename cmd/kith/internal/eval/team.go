package eval

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	client "kith/clients/go"
	"kith/cmd/kith/internal/terminal"
)

// team is a team that exists for one measurement.
type team struct {
	id        string
	admin     *client.Client
	api       *client.Client // with a key of the team
	transport *http.Transport
}

// Service is the running Kith that is measured.
type Service struct {
	URL, Key string // the key is an admin key of the team default
	Keep     bool   // keep the team of the measurement
}

// measure loads a set into a new team, calls ask, and removes the team.
func (s Service) measure(ctx context.Context, callers int, writes []write, progress *terminal.Progress, ask func(*team) error) (err error) {
	team, err := newTeam(ctx, s.URL, s.Key, callers)
	if err != nil {
		return err
	}
	if s.Keep {
		defer progress.Line("kept: team " + team.id)
	} else {
		defer func() { err = errors.Join(err, team.remove(ctx, progress)) }()
	}
	if err := team.load(ctx, writes, progress); err != nil {
		return err
	}
	return ask(team)
}

// newTeam creates an API key for a team with a random name. It completes even if ctx ends.
func newTeam(ctx context.Context, url, key string, callers int) (*team, error) {
	team := &team{id: "eval-" + strings.ToLower(rand.Text()), admin: client.New(url, key, nil)}
	spec := map[string]any{"team_id": team.id, "scopes": []string{"read", "write"}}
	var made struct{ Key string }
	if err := team.admin.Call(context.WithoutCancel(ctx), http.MethodPost, "/v1/keys", spec, &made); err != nil {
		return nil, err
	}
	team.transport = http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // the documented type
	team.transport.MaxIdleConnsPerHost = callers
	team.api = client.New(url, made.Key, &http.Client{Transport: team.transport})
	return team, nil
}

// load sends the requests that store a set.
func (t *team) load(ctx context.Context, writes []write, progress *terminal.Progress) error {
	total := 0
	for _, w := range writes {
		total += w.items
	}
	loaded := terminal.NewCounter(progress, "loaded", total)
	for _, w := range writes {
		if err := t.api.Call(ctx, http.MethodPost, w.path, w.body, nil); err != nil {
			return err
		}
		loaded.Add(int64(w.items), 0, time.Now())
	}
	progress.Line(loaded.Text(time.Now()))
	return nil
}

// remove erases the team, even if ctx has ended.
func (t *team) remove(ctx context.Context, progress *terminal.Progress) error {
	t.transport.CloseIdleConnections()
	if err := t.admin.Call(context.WithoutCancel(ctx), http.MethodDelete, "/v1/teams/"+t.id, nil, nil); err != nil {
		return fmt.Errorf("remove team %s: %w", t.id, err)
	}
	progress.Line("removed team " + t.id)
	return nil
}
