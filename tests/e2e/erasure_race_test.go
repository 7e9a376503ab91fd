package e2e

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kith/tests/testenv"
)

// writer writes nodes for a user repeatedly. Each key contains the writer and the time at which the request began.
type writer struct {
	name  string
	c     caller
	after atomic.Int64 // requests that began after the receipt
	good  atomic.Int64 // of those, the ones that were stored
	all   atomic.Int64 // requests that were stored
}

func (w *writer) run(t *testing.T, user string, receipt *atomic.Int64, end <-chan struct{}) {
	for n := 0; ; n++ {
		select {
		case <-end:
			return
		default:
		}
		late, begun := receipt.Load() > 0, time.Now().UnixNano()
		r, err := w.c.try(t.Context(), http.MethodPost, "/v1/memory", fmt.Sprintf(`{"user_id":"%s","nodes":[{"kind":"concept","entity_key":"%s.%d.%d","name":"x%d"}]}`, user, w.name, n, begun, n))
		if err != nil {
			t.Errorf("%s: %v", w.name, err)
			return
		}
		if r.status == http.StatusOK {
			w.all.Add(1)
		}
		if late {
			w.after.Add(1)
			if r.status == http.StatusOK {
				w.good.Add(1)
			}
		}
	}
}

// startSlowImport begins an import of a user's nodes. The returned function sends the last line and returns the status.
func startSlowImport(t *testing.T, c caller, user, key string) func() int {
	t.Helper()
	in, out := io.Pipe()
	line := func(n int) string {
		return fmt.Sprintf(`{"node":{"kind":"concept","entity_key":"%s%d","name":"%s%d","user_id":"%s"}}`+"\n", key, n, key, n, user)
	}
	answered := make(chan int, 1)
	go func() {
		request, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, c.url+"/v1/import?user_id="+user, in)
		request.Header.Set("Authorization", "Bearer "+c.key)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			answered <- 0
			return
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		_ = in.Close()
		answered <- response.StatusCode
	}()
	_, _ = io.WriteString(out, line(0))
	return func() int {
		_, _ = io.WriteString(out, line(1))
		_ = out.Close()
		return <-answered
	}
}

// No write that began before the receipt of an erasure is stored after it: neither with the user's key or token, nor with the
// team's key, nor by a slow import. Afterwards the team may write for the user again.
func TestNothingIsWrittenAfterAReceipt(t *testing.T) {
	t.Parallel()
	for name, redis := range map[string]string{"with redis": testenv.Redis(t), "without": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, token := startIssuer(t)
			environ := append(settings(testenv.Neo4j(t), redis), "KITH_OIDC_ISSUER="+address, "KITH_OIDC_AUDIENCE=kith")
			here, there := start(t, environ), start(t, environ)
			team, user := testenv.Team(t), "gone"
			teamKey := here.newKey(t, team, "read", "write", "admin")
			admin := here.as(teamKey)
			userKey := admin.must(t, http.MethodPost, "/v1/keys", `{"user_id":"gone","scopes":["read","write"]}`)["key"].(string)
			old := token(map[string]any{"sub": user, "team_id": team, "scope": "read write", "iat": time.Now().Unix()})

			byTeam := &writer{name: "team", c: there.as(teamKey)}
			writers := []*writer{{name: "key", c: there.as(userKey)}, {name: "other", c: there.as(userKey)}, {name: "token", c: there.as(old)}, byTeam}
			slowTeam, slowUser := startSlowImport(t, there.as(teamKey), user, "slow"), startSlowImport(t, there.as(userKey), user, "own")
			var receipt atomic.Int64
			var running sync.WaitGroup
			end := make(chan struct{})
			for _, w := range writers[:3] {
				running.Go(func() { w.run(t, user, &receipt, end) })
			}
			eventually(t, time.Minute, "all write", func() bool {
				for _, w := range writers[:3] {
					if w.all.Load() < 3 {
						return t.Failed()
					}
				}
				return true
			})
			var last reply
			eventually(t, time.Minute, "the user is erased", func() bool {
				last = admin.do(t, http.MethodDelete, "/v1/users/"+user, "")
				return last.status != http.StatusConflict
			})
			receipt.Store(time.Now().UnixNano())
			running.Go(func() { byTeam.run(t, user, &receipt, end) })
			if last.status != http.StatusOK || !strings.Contains(string(last.body), `"remaining":0`) {
				t.Fatalf("%d %s", last.status, last.body)
			}
			if status := slowTeam(); status != http.StatusConflict { // after a 503 clients send it again
				t.Errorf("an import from before: %d", status)
			}
			if status := slowUser(); status == http.StatusOK {
				t.Errorf("the user's import goes on: %d", status)
			}
			eventually(t, time.Minute, "all have tried", func() bool {
				for _, w := range writers {
					if w.after.Load() < 5 {
						return t.Failed()
					}
				}
				return byTeam.good.Load() > 0
			})
			close(end)
			running.Wait()
			for _, w := range writers[:3] {
				if w.good.Load() > 0 {
					t.Errorf("%s wrote %d times after the receipt", w.name, w.good.Load())
				}
			}
			left := neo4jNumber(t, `WITH split($text, ' ') AS given MATCH (n {team_id: given[0], user_id: 'gone'})
				WHERE NOT (n.entity_key STARTS WITH 'team.' AND toInteger(split(n.entity_key, '.')[2]) > toInteger(given[1]))
				AND NOT (n.owner_generated IS NOT NULL AND n.created_at.epochMillis >= toInteger(given[1]) / 1000000)
				AND NOT (n:DuplicateBlocks AND EXISTS { (:Memory {team_id: n.team_id, entity_key: n.entity_key}) }) RETURN count(n)`,
				fmt.Sprint(team, " ", receipt.Load()))
			if left > 0 {
				t.Errorf("%d things from before the receipt are there", left)
			}
			if r := there.as(old).do(t, http.MethodGet, "/v1/context", ""); r.status != http.StatusUnauthorized {
				t.Errorf("the user's token: %d", r.status)
			}
			again := token(map[string]any{"sub": user, "team_id": team, "scope": "read write", "iat": time.Now().Add(2 * time.Second).Unix()})
			there.as(again).must(t, http.MethodGet, "/v1/context", "")
		})
	}
}
