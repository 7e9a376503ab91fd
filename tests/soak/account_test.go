//go:build soak

package soak

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"kith/cypher/guard"
	"kith/internal/embedded"
)

// Memory of a statement beyond its account: texts of some characters, and what Neo4j needs to run it.
const (
	accountFactor = 2
	accountSlack  = 1 << 20
	leastAccount  = 2 << 20 // of a measured value
	held          = time.Second
)

// valueForms holds expressions of large values: %d is a number, %s another expression.
var valueForms = []string{
	"[x IN range(1, %d) | %s]", "[x IN range(1, %d) | {a: x, b: %s}]", "[x IN range(1, %d) | [x, %s]]", "[x IN range(1, %d) | toString(x) + toString(size([%s]))]",
	"reduce(l = [], x IN range(1, %d) | l + [%s])", "[x IN range(1, %d) | [x] + [%s]]", "[x IN range(1, %d) | split('a b c d', ' ') + [%s]]",
	"[x IN range(1, %d) | [duration({days: x}), %s]]", "[x IN range(1, %d) | [point({x: x, y: 1}), %s]]", "[x IN range(1, %d) | toStringList([x, %s])]",
	"[x IN range(1, %d) | {a: {b: {c: %s}}}]", "[x IN range(1, %d) | [replace('aaaaaaaa', 'a', 'bbbb'), %s]]", "[x IN range(1, %d) | tail([x, x, %s])]",
	"[x IN range(1, %d) | [toUpper('aé' + toString(x)), %s]]", "[x IN range(1, %d) | [datetime({year: 2000, day: 1, month: 1, second: x %% 60}), %s]]",
}

// candidate is a value that was held in the database.
type candidate struct {
	forms []int
	sizes []int
}

func (c candidate) text() string {
	text := "1"
	for i, f := range c.forms {
		text = fmt.Sprintf(valueForms[f], c.sizes[i], text)
	}
	return text
}

// mutated returns the candidate with one thing changed.
func (c candidate) mutated() candidate {
	m := candidate{append([]int{}, c.forms...), append([]int{}, c.sizes...)}
	i := rand.IntN(len(m.forms))
	switch rand.IntN(3) {
	case 0:
		m.forms[i] = rand.IntN(len(valueForms))
	case 1:
		m.sizes[i] = 1 + rand.IntN(1<<(1+rand.IntN(13)))
	case 2:
		if len(m.forms) > 2 {
			m.forms, m.sizes = m.forms[1:], m.sizes[1:]
		} else {
			m.forms, m.sizes = append(m.forms, rand.IntN(len(valueForms))), append(m.sizes, 1+rand.IntN(20))
		}
	}
	return m
}

// measured is a Neo4j whose heap is measured.
type measured struct {
	*testing.T
	driver neo4j.DriverWithContext
	pid    int
}

// TestAccountHoldsWhatStatementsTake searches for values that take more heap than the guard's account allows: make
// fuzz.
func TestAccountHoldsWhatStatementsTake(t *testing.T) {
	lasts, err := time.ParseDuration(os.Getenv("FUZZ"))
	if err != nil {
		t.Fatalf("FUZZ says how long: %v", err)
	}
	m := measuredNeo4j(t)
	best, worst := candidate{[]int{0}, []int{10_000}}, 0.0
	tried := 0
	for deadline := time.Now().Add(lasts); time.Now().Before(deadline); tried++ {
		c := best.mutated()
		if tried < len(valueForms) {
			c = candidate{[]int{tried, 0}, []int{100, 300}}
		}
		if ratio, ok := m.ratio(c.text()); ok && ratio > worst {
			best, worst = c, ratio
			t.Logf("%.2f of its account: %s", ratio, c.text())
		}
	}
	if t.Logf("%d values, the worst takes %.2f of its account: %s", tried, worst, best.text()); worst > accountFactor {
		t.Errorf("%s takes %.2f times what the account says", best.text(), worst)
	}
}

func measuredNeo4j(t *testing.T) *measured {
	dir := t.TempDir()
	server, err := embedded.Start(t.Context(), embedded.Options{Dir: dir, HeapMB: 512, PageCacheMB: 64})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close(context.WithoutCancel(t.Context())) })
	e := server.Endpoint()
	driver, err := neo4j.NewDriverWithContext(e.URI, neo4j.BasicAuth(e.User, e.Password, ""))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "neo4j.json"))
	var p process
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err != nil {
		t.Fatal(err)
	}
	return &measured{t, driver, p.PID}
}

// ratio returns the share of its account that a value takes while it is held; false when the guard refuses it, or it is
// small.
func (m *measured) ratio(value string) (float64, bool) {
	text := "WITH " + value + " AS v UNWIND range(1, 10000) AS a UNWIND range(1, 10000) AS b WITH * WHERE a + b < 0 RETURN v"
	g, err := guard.Rewrite(text, nil, guard.Rules{Base: "Memory", Rows: 1000})
	if err != nil || g.Bytes < leastAccount {
		return 0, false
	}
	before := m.live()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		m.hold(g)
	}()
	var most int64
	for waiting := true; waiting; {
		select {
		case <-ended:
			waiting = false
		case <-time.After(held / 6):
			most = max(most, m.live())
		}
	}
	return max(0, float64(most-before-accountSlack)) / float64(g.Bytes), true
}

// hold runs a statement until its timeout.
func (m *measured) hold(g guard.Statement) {
	ctx := m.Context()
	session := m.driver.NewSession(ctx, neo4j.SessionConfig{})
	defer func() { _ = session.Close(ctx) }()
	g.Literals["cap"] = int64(1 << 60)
	result, err := session.Run(ctx, g.Text, map[string]any{"k": g.Literals, "c": map[string]any{}}, neo4j.WithTxTimeout(held))
	if err == nil {
		_, _ = result.Consume(ctx)
	}
}

// live returns the bytes of the heap in use after a collection.
func (m *measured) live() int64 {
	out, err := exec.Command("jcmd", strconv.Itoa(m.pid), "GC.class_histogram").Output()
	if err != nil {
		m.Fatalf("jcmd: %v", err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	fields := strings.Fields(lines[len(lines)-1])
	n, err := strconv.ParseInt(fields[len(fields)-1], 10, 64)
	if err != nil {
		m.Fatalf("the last line of the histogram: %s", lines[len(lines)-1])
	}
	return n
}
