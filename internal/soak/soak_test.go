// Package soak runs a kith with a Neo4j of its own under load, kills it again and again, and looks whether all that it
// acknowledged is there: make soak. Without SOAK, how long, there is nothing to do.
package soak

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

const key = "kith_a-bootstrap-key-of-the-soak"

// soak is a service that dies and comes back.
type soak struct {
	t       *testing.T
	url     string
	environ []string
	command *exec.Cmd
	log     *os.File
}

func (s *soak) start() {
	s.command = exec.Command(os.Getenv("SOAK_KITH"), "serve")
	s.command.Env = append(os.Environ(), s.environ...)
	s.command.Stdout, s.command.Stderr = s.log, s.log
	if err := s.command.Start(); err != nil {
		s.t.Fatal(err)
	}
	for deadline := time.Now().Add(3 * time.Minute); ; <-time.After(100 * time.Millisecond) {
		if status, _ := s.call(http.MethodGet, "/readyz", ""); status == http.StatusOK {
			return
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("not ready; see %s", s.log.Name())
		}
	}
}

func (s *soak) kill() {
	_ = s.command.Process.Kill()
	_ = s.command.Wait()
}

// call gives the status, 0 where no answer came.
func (s *soak) call(method, path, body string) (int, []byte) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body))
	if err != nil {
		return 0, nil
	}
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, nil
	}
	return response.StatusCode, answer
}

// ledger is what one client knows to be there, by key, and to be gone.
type ledger struct{ there, gone map[string]bool }

// client writes until ctx is done: nodes with relationships, messages, imports, and deletes.
func (s *soak) client(ctx context.Context, name string) ledger {
	l := ledger{map[string]bool{}, map[string]bool{}}
	user := "?user_id=" + name
	for n := 0; ctx.Err() == nil; n++ {
		id := fmt.Sprintf("%s-%d", name, n)
		switch rand.IntN(4) {
		case 0:
			body := fmt.Sprintf(`{"user_id":%q,"nodes":[{"kind":"concept","entity_key":%q,"name":%q},{"kind":"entity","entity_key":"e%s","name":%q}],"relationships":[{"from":%q,"to":"e%s","type":"relates_to"}]}`, name, id, id, id, id, id, id)
			if status, _ := s.call(http.MethodPost, "/v1/memory", body); status == http.StatusOK {
				l.there[id], l.there["e"+id], l.there[id+">e"+id] = true, true, true
			}
		case 1:
			body := fmt.Sprintf(`{"user_id":%q,"entity_key":%q,"messages":[{"entity_key":"m%s","role":"user","text":"x"}]}`, name, "s-"+name, id)
			if status, _ := s.call(http.MethodPost, "/v1/sources", body); status == http.StatusOK {
				l.there["m"+id] = true
			}
		case 2:
			body := fmt.Sprintf(`{"node":{"kind":"concept","entity_key":"i%s","name":"i%s"}}`+"\n", id, id)
			status, answer := s.call(http.MethodPost, "/v1/import"+user+"&import_id="+id, body)
			if status == http.StatusOK && bytes.Contains(answer, []byte(`"complete":true`)) {
				l.there["i"+id] = true
			}
		case 3:
			for old := range l.there {
				if !strings.HasPrefix(old, "i") {
					continue
				}
				if status, _ := s.call(http.MethodDelete, "/v1/nodes/concept/"+old+user, ""); status == http.StatusOK {
					l.gone[old] = true
				}
				delete(l.there, old) // where no answer came nobody knows
				break
			}
		}
	}
	return l
}

func TestSoak(t *testing.T) {
	duration, err := time.ParseDuration(os.Getenv("SOAK"))
	if err != nil {
		t.Skip("SOAK says how long: make soak")
	}
	dir := t.TempDir()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	log, err := os.Create(filepath.Join(os.TempDir(), "kith-soak.log"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	s := &soak{t: t, url: "http://" + address, log: log, environ: []string{
		"KITH_LISTEN=" + address, "KITH_ADMIN_LISTEN=", "KITH_DATA=" + filepath.Join(dir, "data"), "KITH_BOOTSTRAP_KEY=" + key,
	}}
	s.start()
	defer func() { // cleanly: it stops its Neo4j
		_ = s.command.Process.Signal(os.Interrupt)
		_ = s.command.Wait()
	}()
	ctx, cancel := context.WithTimeout(t.Context(), duration)
	defer cancel()
	var clients sync.WaitGroup
	ledgers := make([]ledger, 3)
	for i := range ledgers {
		clients.Go(func() { ledgers[i] = s.client(ctx, fmt.Sprintf("u%d", i)) })
	}
	kills := 0
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-time.After(duration/6 + rand.N(duration/10)):
			s.kill() // its Neo4j stays, for the next one to take over
			kills++
			s.start()
		}
	}
	clients.Wait()
	s.verify(ledgers, kills)
}

func (s *soak) verify(ledgers []ledger, kills int) {
	status, file := s.call(http.MethodGet, "/v1/export", "")
	if status != http.StatusOK {
		s.t.Fatalf("export: %d", status)
	}
	stored, numbers := map[string]int{}, map[string]bool{}
	for line := range bytes.Lines(file) {
		var l struct {
			Node struct {
				EntityKey string `json:"entity_key"`
				SourceKey string `json:"source_key"`
				Seq       int64  `json:"seq"`
			} `json:"node"`
			Relationship struct{ From, To string } `json:"relationship"`
		}
		if err := json.Unmarshal(line, &l); err != nil {
			s.t.Fatal(err)
		}
		if l.Node.SourceKey != "" {
			number := fmt.Sprint(l.Node.SourceKey, l.Node.Seq)
			if numbers[number] {
				s.t.Errorf("two messages of one number: %s", number)
			}
			numbers[number] = true
		}
		if l.Relationship.From != "" {
			stored[l.Relationship.From+">"+l.Relationship.To]++
		}
		stored[l.Node.EntityKey]++
	}
	there, gone := 0, 0
	for _, l := range ledgers {
		there, gone = there+len(l.there), gone+len(l.gone)
		for k := range l.there {
			if stored[k] != 1 {
				s.t.Errorf("%s was acknowledged and is there %d times", k, stored[k])
			}
		}
		for k := range l.gone {
			if stored[k] != 0 {
				s.t.Errorf("%s was acknowledged as deleted and is there", k)
			}
		}
	}
	if there == 0 || gone == 0 || kills == 0 {
		s.t.Errorf("it shows nothing: %d, %d, %d kills", there, gone, kills)
	}
	s.t.Logf("%d kills; %d acknowledged writes are there, %d acknowledged deletes are gone", kills, there, gone)
}
