// Package registers lets clients of Kith work on two registers and a set of one user at the same time, and checks what they were answered
// with package history. Tests use it; nothing of it is in the product.
package registers

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"kith/tests/soak/history"
)

const (
	members = 3
	// mostUnknown ends the work early, because the search for an order grows exponentially with requests of unknown outcome.
	mostUnknown  = 8
	decideWithin = 20 * time.Second
	longestPause = 200 * time.Millisecond
)

// Group is some clients of one user. The registers are concepts: a is also deleted and restored; b is a core belief, and so in the user's
// context, which is cached. The set is a conversation.
type Group struct {
	User string // has nothing yet
	// Send sends a request to a process; the status is 0 without an answer.
	Send      func(process int, method, path, body string) (status int, answer []byte)
	Processes int
	Pinned    bool                    // all clients use the first process only
	Starts    func(process int) int64 // how often a process was started; nil: once
	Most      int                     // operations of each client
	Random    *rand.Rand
}

// Result has the operations of a group with their outcomes. Without Faults the service kept its promises.
type Result struct {
	Faults     []string
	Operations map[string][]history.Operation // by key
	Verdicts   map[history.Verdict]int
}

// Answered reports whether any operation was done.
func (r Result) Answered() bool {
	for _, operations := range r.Operations {
		if slices.ContainsFunc(operations, func(o history.Operation) bool { return o.Outcome == history.Done }) {
			return true
		}
	}
	return len(r.Faults) > 0
}

// Run works until ctx is done, or enough is done, and checks the answers.
//
// The documentation promises for contexts that a process sees its own writes at once, and those of others when their message arrives, and
// nothing for a process that takes over from one that was killed. So contexts count as reads of a register if all went through one
// process, and otherwise each client must never see something older at a process than it has written or seen there.
func (g *Group) Run(ctx context.Context) Result {
	if g.Starts == nil {
		g.Starts = func(int) int64 { return 1 }
	}
	log, started := history.NewLog(), g.Starts(0)
	r := Result{Verdicts: map[history.Verdict]int{}}
	var unknown atomic.Int64
	var working sync.WaitGroup
	var mu sync.Mutex
	for n := range members {
		m := &member{user: g.User, name: fmt.Sprint(n), random: rand.New(rand.NewPCG(g.Random.Uint64(), 0)), known: map[string]int64{}} //nolint:gosec // a test's choice
		working.Go(func() {
			for i := 0; i < g.Most && unknown.Load() < mostUnknown && m.pause(ctx); i++ {
				o, err := g.next(m, log)
				if err != nil {
					mu.Lock()
					r.Faults = append(r.Faults, err.Error())
					mu.Unlock()
				}
				if o.Outcome == history.Unknown && o.Kind != history.Read && o.Kind != history.Cached && o.Kind != history.List {
					unknown.Add(1)
				}
			}
		})
	}
	working.Wait()
	r.Operations = log.Take()
	for key, operations := range r.Operations {
		for _, f := range g.judge(r, key, operations, g.Starts(0) == started) {
			r.Faults = append(r.Faults, key+": "+f)
		}
	}
	return r
}

// next lets a client do one operation, and logs it.
func (g *Group) next(m *member, log *history.Log) (history.Operation, error) {
	process := 0
	if !g.Pinned {
		process = m.random.IntN(g.Processes)
	}
	o, started := m.choose(), g.Starts(process)
	o.Session, o.Invoked = fmt.Sprintf("%s to %d, start %d", m.name, process, started), log.Now()
	o, err := g.Do(process, o)
	o.Returned = log.Now()
	if g.Starts(process) != started { // it is not known which of the two has answered
		o.Session = ""
	}
	if o.Version != 0 {
		m.known[o.Key] = o.Version
	}
	log.Add(o)
	return o, err
}

func (g *Group) judge(r Result, key string, operations []history.Operation, oneProcess bool) []string {
	if key == g.User+".set" {
		return history.Set(operations)
	}
	var checked []history.Operation
	for _, o := range operations {
		if o.Kind != history.Cached || g.Pinned && oneProcess {
			checked = append(checked, o)
		}
	}
	var faults []string
	if key == g.User+".b" {
		faults = history.Session(operations)
	}
	verdict := history.Register(checked, decideWithin)
	r.Verdicts[verdict]++
	if verdict == history.NotLinearizable {
		faults = append(faults, string(verdict))
	}
	return faults
}

// member is a client.
type member struct {
	user, name string
	random     *rand.Rand
	n          int
	known      map[string]int64 // the last version of each key in an answer to it
}

func (m *member) pause(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(time.Duration(m.random.Int64N(int64(longestPause)))):
		return true
	}
}

// choose returns what to do next.
func (m *member) choose() history.Operation {
	m.n++
	o := history.Operation{Key: m.user + [...]string{".a", ".b", ".b", ".set"}[m.random.IntN(4)]}
	kinds := []history.Kind{history.Create, history.Write, history.Write, history.Write, history.Read, history.Read}
	switch o.Key {
	case m.user + ".a":
		kinds = append(kinds, history.Delete, history.Restore, history.Restore)
	case m.user + ".b":
		kinds = append(kinds, history.Cached, history.Cached, history.Cached, history.Cached, history.Cached)
	default:
		kinds = []history.Kind{history.Add, history.Add, history.List}
	}
	o.Kind = kinds[m.random.IntN(len(kinds))]
	if m.known[o.Key] == 0 && o.Key != m.user+".set" && m.random.IntN(2) == 0 {
		o.Kind = history.Create
	}
	switch o.Kind {
	case history.Create, history.Write, history.Add:
		o.Value = fmt.Sprintf("%s.%s.%d", m.user, m.name, m.n)
	}
	if (o.Kind == history.Write || o.Kind == history.Delete) && m.random.IntN(2) == 0 {
		o.Asked = m.known[o.Key] // another client may have written since
	}
	return o
}

// Do does one operation through a process, and returns it with what it came to. An error is an answer that no request should get.
func (g *Group) Do(process int, o history.Operation) (history.Operation, error) {
	node, of := "/v1/nodes/concept/"+o.Key, "?user_id="+g.User
	method, path, body := http.MethodGet, node+of, ""
	switch o.Kind {
	case history.Create:
		method, path = http.MethodPost, "/v1/memory"
		body = fmt.Sprintf(`{"user_id":%q,"nodes":[{"kind":"concept","entity_key":%q,"name":%q,"description":%q,"state":"core","ttl_policy":"keep_forever","if_version":0}]}`,
			g.User, o.Key, o.Key, o.Value)
	case history.Write:
		method, body = http.MethodPatch, fmt.Sprintf(`{"description":%q}`, o.Value)
		if o.Asked != 0 {
			body = fmt.Sprintf(`{"description":%q,"if_version":%d}`, o.Value, o.Asked)
		}
	case history.Cached:
		path = "/v1/context" + of + "&sections=user"
	case history.Delete:
		method = http.MethodDelete
		if o.Asked != 0 {
			path += fmt.Sprintf("&if_version=%d", o.Asked)
		}
	case history.Restore:
		method, path = http.MethodPost, node+"/restore"+of
	case history.Add:
		method, path = http.MethodPost, "/v1/sources"
		body = fmt.Sprintf(`{"user_id":%q,"entity_key":%q,"messages":[{"role":"user","text":%q}]}`, g.User, o.Key, o.Value)
	case history.List:
		path = "/v1/conversations/" + o.Key + of + "&limit=1000"
	}
	status, answer := g.Send(process, method, path, body)
	return understood(o, status, answer)
}

// stored has what answers say of a node, and of a context that has it.
type stored struct {
	EntityKey   string   `json:"entity_key"`
	Description string   `json:"description"`
	Version     int64    `json:"version"`
	Status      any      `json:"status"` // created …; of a problem its number
	Nodes       []stored `json:"nodes"`
	Messages    []struct {
		Text string `json:"text"`
	} `json:"messages"`
	Errors []struct {
		Version int64 `json:"current_version"`
	} `json:"errors"`
	User struct {
		CoreBeliefs []stored `json:"core_beliefs"`
	} `json:"user"`
	Degraded []string `json:"degraded"`
}

// understood returns an operation with the answer to it.
func understood(o history.Operation, status int, body []byte) (history.Operation, error) {
	o.Outcome = history.Unknown
	switch status {
	case 0, http.StatusServiceUnavailable:
		return o, nil
	case http.StatusOK, http.StatusCreated:
		o.Outcome = history.Done
	case http.StatusNotFound:
		o.Outcome = history.Absent
	case http.StatusConflict:
		o.Outcome = history.Conflict
	default:
		return o, fmt.Errorf("%s %s: %d %s", o.Kind, o.Key, status, body)
	}
	if o.Outcome == history.Done && (o.Kind == history.Delete || o.Kind == history.Add) { // receipts
		return o, nil
	}
	var answer stored
	if err := json.Unmarshal(body, &answer); err != nil {
		return o, fmt.Errorf("%s %s: %w in %s", o.Kind, o.Key, err, body)
	}
	switch {
	case o.Outcome == history.Conflict && len(answer.Errors) > 0:
		o.Version = answer.Errors[0].Version
	case o.Outcome != history.Done:
	case o.Kind == history.Create:
		o.Version = answer.Nodes[0].Version
		if answer.Nodes[0].Status != "created" {
			o.Outcome = history.Failed
		}
	case o.Kind == history.Write:
		o.Version = answer.Version
	case o.Kind == history.Read || o.Kind == history.Restore:
		o.Value, o.Version = answer.Description, answer.Version
	case o.Kind == history.List:
		for _, m := range answer.Messages {
			o.Values = append(o.Values, m.Text)
		}
	case o.Kind == history.Cached:
		o.Outcome = history.Absent
		if len(answer.Degraded) > 0 {
			o.Outcome = history.Unknown
		}
		for _, belief := range answer.User.CoreBeliefs {
			if belief.EntityKey == o.Key {
				o.Outcome, o.Value = history.Done, belief.Description
			}
		}
	}
	return o, nil
}
