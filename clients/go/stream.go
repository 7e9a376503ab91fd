package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

const ndjson = "application/x-ndjson"

// Export streams all data of the team as NDJSON lines. The last line marks the end: reading a stream without it fails.
// Close it after use.
func (c *Client) Export(ctx context.Context) (io.ReadCloser, error) {
	r := request{method: http.MethodGet, path: "/v1/export"}
	response, err := c.send(ctx, r, c.url+r.path, http.NoBody, ndjson)
	if err != nil {
		return nil, fmt.Errorf("kith: %s %s: %w", r.method, r.path, err)
	}
	return response.Body, nil
}

// WatchTurn streams the state of a chat turn and the text of its answer as server-sent events. It ends after the last
// one; call it again if the stream breaks off. Close it after use.
func (c *Client) WatchTurn(ctx context.Context, id string, query WatchTurnQuery) (io.ReadCloser, error) {
	r := request{method: http.MethodGet, path: "/v1/turns/" + escape(id) + "/events", query: query}
	address, _, err := c.render(r)
	if err != nil {
		return nil, err
	}
	response, err := c.send(ctx, r, address, http.NoBody, "text/event-stream")
	if err != nil {
		return nil, fmt.Errorf("kith: %s %s: %w", r.method, "/v1/turns/{id}/events", err)
	}
	return response.Body, nil
}

// WatchChanges calls visit with each change as it is committed, in order, until ctx is done, visit returns an error or the stream
// breaks off. Call it again with After as the cursor of the last change. It returns the error of visit.
func (c *Client) WatchChanges(ctx context.Context, query ListChangesQuery, visit func(*Change) error) error {
	r := request{method: http.MethodGet, path: "/v1/changes", query: query, accept: "text/event-stream"}
	address, _, err := c.render(r)
	if err != nil {
		return err
	}
	response, err := c.send(ctx, r, address, http.NoBody, ndjson)
	if err != nil {
		return fmt.Errorf("kith: %s %s: %w", r.method, r.path, err)
	}
	defer func() { _ = response.Body.Close() }()
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
		if !ok {
			continue
		}
		change := &Change{}
		if err := json.Unmarshal(data, change); err != nil {
			return fmt.Errorf("kith: %s %s: %w", r.method, r.path, err)
		}
		if err := visit(change); err != nil {
			return err
		}
	}
	return lines.Err()
}

// Import streams an export, or another system's file, into the team. It is not retried, as the file has been read by
// then: with an ImportID the same import continues where it stopped.
func (c *Client) Import(ctx context.Context, file io.Reader, query ImportQuery) (*ImportReport, error) {
	r := request{method: http.MethodPost, path: "/v1/import", query: query}
	address, _, err := c.render(r)
	if err != nil {
		return nil, err
	}
	response, err := c.send(ctx, r, address, file, ndjson)
	if err != nil {
		return nil, fmt.Errorf("kith: %s %s: %w", r.method, r.path, err)
	}
	defer func() { _ = response.Body.Close() }()
	report := &ImportReport{}
	if err := json.NewDecoder(response.Body).Decode(report); err != nil {
		return nil, fmt.Errorf("kith: %s %s: %w", r.method, r.path, err)
	}
	return report, nil
}
