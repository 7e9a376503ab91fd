//go:build soak && linux

package soak

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"
)

// client works for one user, one request after the other, and records the acknowledged state.
type client struct {
	*round
	user   string
	n      int
	random *rand.Rand
	// facts holds texts that must occur in the memory so often, 1 or 0. The result of a request without an answer is
	// unknown, and so its texts are not included.
	facts    map[string]int
	concepts []*concept
	deleted  []*concept
	done     map[string]int // acknowledged actions
}

// concept is a node with the texts that are deleted and restored with it.
type concept struct {
	key     string
	node    string   // text of the node itself
	more    []string // of its notes and relationships
	deleted time.Time
}

var actions = []struct {
	name string
	do   func(*client, context.Context) bool
}{
	{"writes", (*client).write},
	{"changes", (*client).change},
	{"contradictions", (*client).contradict},
	{"notes", (*client).note},
	{"deletes", (*client).delete},
	{"restores", (*client).restore},
	{"messages", (*client).say},
	{"recalls", (*client).recall},
	{"preferences", (*client).prefer},
	{"systems", (*client).learn},
	{"imports", (*client).load},
	{"erasures", (*client).erase},
}

func (r *round) client(user string) *client {
	return &client{round: r, user: user, facts: map[string]int{}, done: map[string]int{}, random: r.randomFor(r.team+user, 0)}
}

func (c *client) run(ctx context.Context) {
	for ctx.Err() == nil {
		if a := actions[c.random.IntN(len(actions))]; a.do(c, ctx) {
			c.done[a.name]++
		}
	}
}

// call sends a request to one of the instances; the status is 0 without an answer.
func (c *client) call(method, path, body string, header ...string) (int, []byte) {
	status, answer := c.send(c.kiths[c.random.IntN(len(c.kiths))], c.key, method, path, body, header...)
	switch status {
	case 0, http.StatusServiceUnavailable:
		<-time.After(200 * time.Millisecond) // it, or its database, is down
	case http.StatusOK, http.StatusCreated, http.StatusNoContent:
	case http.StatusNotFound, http.StatusConflict: // the caller knows
	default:
		c.Errorf("%s %s: %d %s", method, path, status, answer)
	}
	return status, answer
}

// send sends a request to an instance; the status is 0 without an answer.
func (s *soak) send(k *kith, key, method, path, body string, header ...string) (status int, answer []byte) {
	defer func() { s.tally.count(status) }()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, k.url+path, strings.NewReader(body))
	if err != nil {
		s.Error(err)
		return 0, nil
	}
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil
	}
	defer func() { _ = response.Body.Close() }()
	if answer, err = io.ReadAll(response.Body); err != nil {
		return 0, nil
	}
	return response.StatusCode, answer
}

// once makes a request once, and reports whether it was acknowledged.
func (c *client) once(method, path, body string) bool {
	status, _ := c.call(method, path, body)
	return status == http.StatusOK || status == http.StatusCreated || status == http.StatusNoContent
}

// until repeats a request until it is acknowledged; false at the end of the test.
func (c *client) until(ctx context.Context, method, path, body string, header ...string) bool {
	for ctx.Err() == nil {
		switch status, answer := c.call(method, path, body, header...); status {
		case http.StatusOK, http.StatusCreated:
			return true
		case 0, http.StatusServiceUnavailable, http.StatusConflict: // 409: the request without an answer still runs
		default:
			c.Errorf("%s %s: %d %s", method, path, status, answer)
			return false
		}
	}
	return false
}

// id returns a new id, which is also the text of its node.
func (c *client) id() (id, text string) {
	c.n++
	return fmt.Sprintf("%s-%d", c.user, c.n), fmt.Sprintf("~%s.%d~", c.user, c.n)
}

func (c *client) of() string { return "?user_id=" + c.user }

func (c *client) node(k *concept) string { return "/v1/nodes/concept/" + k.key }

// some returns an existing concept; nil: none yet.
func (c *client) some() *concept {
	if len(c.concepts) == 0 {
		return nil
	}
	return c.concepts[c.random.IntN(len(c.concepts))]
}

// unknown removes texts with an unknown state from the facts.
func (c *client) unknown(k *concept) {
	for _, text := range append(k.more, k.node) {
		delete(c.facts, text)
	}
	same := func(other *concept) bool { return other == k }
	c.concepts, c.deleted = slices.DeleteFunc(c.concepts, same), slices.DeleteFunc(c.deleted, same)
}

func (c *client) all(k *concept, there int) {
	for _, text := range append(k.more, k.node) {
		c.facts[text] = there
	}
}

func (c *client) write(ctx context.Context) bool {
	id, node := c.id()
	_, link := c.id()
	body := fmt.Sprintf(`{"user_id":%q,"nodes":[{"kind":"concept","entity_key":%q,"name":%q,"description":%q},{"kind":"entity","entity_key":"e%s","name":%q}],`+
		`"relationships":[{"from":%q,"to":"e%s","type":"relates_to","description":%q}]}`, c.user, id, id, node, id, id, id, id, link)
	if !c.until(ctx, http.MethodPost, "/v1/memory", body, "Idempotency-Key", id) {
		return false
	}
	k := &concept{key: id, node: node, more: []string{link}}
	c.concepts = append(c.concepts, k)
	c.all(k, 1)
	return true
}

func (c *client) change(context.Context) bool {
	k := c.some()
	if k == nil {
		return false
	}
	_, text := c.id()
	if !c.once(http.MethodPatch, c.node(k)+c.of(), fmt.Sprintf(`{"description":%q}`, text)) {
		c.unknown(k)
		return false
	}
	c.facts[k.node], c.facts[text] = 0, 1
	k.node = text
	return true
}

func (c *client) contradict(context.Context) bool {
	k := c.some()
	if k == nil {
		return false
	}
	_, text := c.id()
	body := fmt.Sprintf(`{"user_id":%q,"relationships":[{"from":%q,"to":"e%s","type":"relates_to","description":%q,"contradicts":true}]}`, c.user, k.key, k.key, text)
	if !c.once(http.MethodPost, "/v1/memory", body) {
		return false // the old ones stay in any case
	}
	c.facts[text] = 1
	k.more = append(k.more, text)
	return true
}

func (c *client) note(context.Context) bool {
	k := c.some()
	if k == nil {
		return false
	}
	_, text := c.id()
	if !c.once(http.MethodPost, c.node(k)+"/notes"+c.of(), fmt.Sprintf(`{"content":%q}`, text)) {
		return false
	}
	c.facts[text] = 1
	k.more = append(k.more, text)
	return true
}

func (c *client) delete(context.Context) bool {
	k := c.some()
	if k == nil {
		return false
	}
	if !c.once(http.MethodDelete, c.node(k)+c.of(), "") {
		c.unknown(k)
		return false
	}
	c.all(k, 0)
	k.deleted = time.Now()
	c.concepts = slices.DeleteFunc(c.concepts, func(other *concept) bool { return other == k })
	c.deleted = append(c.deleted, k)
	return true
}

func (c *client) restore(ctx context.Context) bool {
	if len(c.deleted) == 0 && !c.delete(ctx) {
		return false
	}
	k := c.deleted[c.random.IntN(len(c.deleted))]
	c.deleted = slices.DeleteFunc(c.deleted, func(other *concept) bool { return other == k })
	switch status, answer := c.call(http.MethodPost, c.node(k)+"/restore"+c.of(), ""); {
	case status == http.StatusOK:
		c.all(k, 1)
		c.concepts = append(c.concepts, k)
		return true
	case status == http.StatusNotFound && time.Since(k.deleted) > restorable: // and it stays deleted
	case status == http.StatusNotFound || status == http.StatusConflict:
		c.Errorf("restore: %d %s", status, answer)
	default:
		c.unknown(k)
	}
	return false
}

func (c *client) say(ctx context.Context) bool {
	id, text := c.id()
	body := fmt.Sprintf(`{"user_id":%q,"entity_key":%q,"messages":[{"role":"user","text":%q}]}`, c.user, "s-"+c.user, text)
	if !c.until(ctx, http.MethodPost, "/v1/sources", body, "Idempotency-Key", id) {
		return false
	}
	c.facts[text] = 1
	return true
}

func (c *client) recall(context.Context) bool {
	return c.once(http.MethodGet, "/v1/context"+c.of(), "")
}

func (c *client) prefer(context.Context) bool {
	_, text := c.id()
	for old := range c.facts {
		if strings.HasSuffix(old, ".p~") {
			delete(c.facts, old)
		}
	}
	text = strings.TrimSuffix(text, "~") + ".p~"
	if !c.once(http.MethodPut, "/v1/users/"+c.user+"/preferences", fmt.Sprintf(`{"preferences":[{"key":"k","value":%q}]}`, text)) {
		return false
	}
	c.facts[text] = 1
	return true
}

// learn merges into the system shared by all clients.
func (c *client) learn(ctx context.Context) bool {
	id, text := c.id()
	_, link := c.id()
	body := fmt.Sprintf(`{"entities":[{"name":"hub","type":"service"},{"name":%q,"type":"service","description":%q}],"relationships":[{"from":%q,"to":"hub","type":"calls","properties":{"why":%q}}]}`, id, text, id, link)
	if !c.until(ctx, http.MethodPost, "/v1/systems/soak/memory", body) {
		return false
	}
	c.facts[text], c.facts[link] = 1, 1
	return true
}

// load imports a file in several parts.
func (c *client) load(ctx context.Context) bool {
	id, _ := c.id()
	var file strings.Builder
	texts := make([]string, 1200)
	for i := range texts {
		_, texts[i] = c.id()
		_, _ = fmt.Fprintf(&file, `{"node":{"kind":"concept","entity_key":"%s.%d","name":"%s.%d","description":%q}}`+"\n", id, i, id, i, texts[i])
	}
	for ctx.Err() == nil {
		status, answer := c.call(http.MethodPost, "/v1/import"+c.of()+"&import_id="+id, file.String(), "Content-Type", "application/x-ndjson")
		if status == http.StatusOK && bytes.Contains(answer, []byte(`"complete":true`)) {
			for _, text := range texts {
				c.facts[text] = 1
			}
			return true
		}
	}
	return false
}

// erase writes for another user, and erases that user.
func (c *client) erase(ctx context.Context) bool {
	id, text := c.id()
	_, said := c.id()
	_, liked := c.id()
	if c.until(ctx, http.MethodPost, "/v1/memory", fmt.Sprintf(`{"user_id":%q,"nodes":[{"kind":"concept","entity_key":%q,"name":"x","description":%q}]}`, id, id, text)) {
		c.once(http.MethodPost, "/v1/sources", fmt.Sprintf(`{"user_id":%q,"messages":[{"role":"user","text":%q}],"mentions":[%q]}`, id, said, id))
		c.once(http.MethodPut, "/v1/users/"+id+"/preferences", fmt.Sprintf(`{"preferences":[{"key":"k","value":%q}]}`, liked))
	}
	if !c.until(ctx, http.MethodDelete, "/v1/users/"+id, "") {
		return false
	}
	c.facts[text], c.facts[said], c.facts[liked] = 0, 0, 0
	return true
}
