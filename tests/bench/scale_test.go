package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"kith/graph"
	"kith/loader"
)

// BenchmarkScale fills a store of the binary's own Neo4j through POST /v1/import up to KITH_BENCH_SCALE nodes and four times as many
// relationships. On the way it measures contexts, searches and walks, in turns with those of a second store, which stays at 10,000
// nodes. At the end it measures what an operator does with the store. A run with KITH_BENCH_SCALE_DATA, a folder that stays, goes on
// where an interrupted one stopped, and writes what it has measured into results.ndjson and scale.svg there.
func BenchmarkScale(b *testing.B) {
	nodes := sizeFromEnv("KITH_BENCH_SCALE", 2*pieceNodes)
	if nodes < 2*pieceNodes || nodes%pieceNodes != 0 {
		b.Fatalf("KITH_BENCH_SCALE must be a multiple of %d, and at least %d", pieceNodes, 2*pieceNodes)
	}
	dir := os.Getenv("KITH_BENCH_SCALE_DATA")
	if dir == "" {
		dir = b.TempDir()
	}
	r := newScaleRun(b, dir)
	if len(r.pieces) == 0 {
		r.load(b, r.small, pieceOf(0))
	}
	for len(r.pieces) < nodes/pieceNodes {
		r.loadNext(b)
		if at := len(r.pieces) * pieceNodes; at == nodes || slices.Contains([]int{10_000, 100_000, 1_000_000}, at) {
			r.measure(b, at)
		}
	}
	r.measure(b, nodes) // an earlier run may have stopped between the last piece and this
	r.operate(b, nodes)
	r.report(b, nodes)
	b.ReportMetric(0, "ns/op")
}

// scaleLine is a line of the results.
type scaleLine struct {
	Begun     *time.Time      `json:"begun,omitempty"`
	Piece     *pieceResult    `json:"piece,omitempty"`
	Point     *scalePoint     `json:"point,omitempty"`
	Operation *scaleOperation `json:"operation,omitempty"`
}

// pieceResult is an import. Of an import that went on after an interruption the rate is not known.
type pieceResult struct {
	Number  int     `json:"number"`
	Kind    string  `json:"kind"`
	Rate    float64 `json:"items_per_second"`
	CPU     float64 `json:"cpu_seconds"` // of Kith and Neo4j: other programs change it less than the rate
	KithMB  float64 `json:"kith_mb"`
	PeakMB  float64 `json:"kith_peak_mb"`
	Neo4jMB float64 `json:"neo4j_mb"`
	DiskMB  float64 `json:"disk_mb"`
}

// scalePoint has p50 and p99 in milliseconds by what was measured.
type scalePoint struct {
	Nodes int                   `json:"nodes"`
	Times map[string][2]float64 `json:"times"`
}

// scaleOperation is what an operator does with the whole store.
type scaleOperation struct {
	Nodes   int     `json:"nodes"`
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
	MB      float64 `json:"mb,omitempty"`
	PeakMB  float64 `json:"kith_peak_mb,omitempty"`
	Note    string  `json:"note,omitempty"`
}

type scaleRun struct {
	dir, binary  string
	begun        time.Time
	results      *os.File
	pieces       []pieceResult
	points       []scalePoint
	operations   []scaleOperation
	small, large *scaleStore
}

// newScaleRun starts the two stores, and reads the results of an earlier run.
func newScaleRun(b *testing.B, dir string) *scaleRun {
	b.Helper()
	r := &scaleRun{dir: dir, binary: buildBinary(b), begun: time.Now().UTC().Truncate(time.Second)}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		b.Fatal(err)
	}
	var err error
	if r.results, err = os.OpenFile(filepath.Join(dir, "results.ndjson"), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = r.results.Close() })
	r.read(b)
	r.small = newScaleStore(b, r.binary, filepath.Join(dir, "small"), "KITH_NEO4J_PAGE_CACHE=256")
	r.large = newScaleStore(b, r.binary, filepath.Join(dir, "large"))
	r.small.start(b)
	r.large.start(b)
	return r
}

func (r *scaleRun) read(b *testing.B) {
	b.Helper()
	lines, known := json.NewDecoder(r.results), false
	for {
		var l scaleLine
		err := lines.Decode(&l)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			b.Fatal(err)
		}
		switch {
		case l.Begun != nil:
			r.begun, known = *l.Begun, true
		case l.Piece != nil:
			r.pieces = append(r.pieces, *l.Piece)
		case l.Point != nil:
			r.points = append(r.points, *l.Point)
		case l.Operation != nil:
			r.operations = append(r.operations, *l.Operation)
		}
	}
	if !known {
		r.record(b, scaleLine{Begun: &r.begun})
	}
}

// record writes a line of the results, which is whole when it returns.
func (r *scaleRun) record(b *testing.B, l scaleLine) {
	b.Helper()
	raw, err := json.Marshal(l)
	if err == nil {
		_, err = r.results.Write(append(raw, '\n'))
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Logf("%s %s", time.Now().Format(time.TimeOnly), raw)
}

// load imports a piece, and returns how many items are stored a second; 0 if a part was stored before.
func (r *scaleRun) load(b *testing.B, s *scaleStore, p scalePiece) float64 {
	b.Helper()
	w := s.of(b, p.team)
	lines, out := io.Pipe()
	go func() { _ = out.CloseWithError(p.write(out, r.begun)) }()
	begun := time.Now()
	answer := w.post(b, fmt.Sprintf("/v1/import?import_id=piece-%d", p.number), "application/x-ndjson", lines)
	took := time.Since(begun)
	var report struct {
		Complete             bool
		ResumedAtLine        int `json:"resumed_at_line"`
		Nodes, Relationships struct{ Created, Updated, Unchanged, Refused int }
	}
	if err := json.Unmarshal(answer, &report); err != nil {
		b.Fatal(err)
	}
	n, l := report.Nodes, report.Relationships
	if !report.Complete || n.Created+n.Updated+n.Unchanged != pieceNodes || l.Created+l.Updated+l.Unchanged != pieceLinks {
		b.Fatalf("piece %d: %.2000s", p.number, answer)
	}
	if report.ResumedAtLine > 0 || n.Created != pieceNodes {
		return 0
	}
	return (pieceNodes + pieceLinks) / took.Seconds()
}

func (r *scaleRun) loadNext(b *testing.B) {
	b.Helper()
	p, pid, used := pieceOf(len(r.pieces)), r.large.command.Process.Pid, r.large.cpuSeconds(b)
	rate := r.load(b, r.large, p)
	result := pieceResult{
		Number: p.number, Kind: p.kind, Rate: rate, CPU: r.large.cpuSeconds(b) - used, KithMB: residentMB(b, pid, "VmRSS"), PeakMB: residentMB(b, pid, "VmHWM"),
		Neo4jMB: residentMB(b, r.large.neo4jPID(b), "VmRSS"), DiskMB: folderMB(b, filepath.Join(r.large.dir, "data")),
	}
	r.record(b, scaleLine{Piece: &result})
	r.pieces = append(r.pieces, result)
}

// folderMB returns the size of a folder.
func folderMB(b *testing.B, dir string) float64 {
	b.Helper()
	bytes := int64(0)
	err := filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return ignoreGone(err)
		}
		info, err := e.Info()
		if err == nil {
			bytes += info.Size()
		}
		return ignoreGone(err)
	})
	if err != nil {
		b.Fatal(err)
	}
	return float64(bytes) / (1 << 20)
}

// ignoreGone returns nil for a file that the database has removed meanwhile.
func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Whose memory is measured.
const (
	aloneUser    = "alone"    // of 10,000 nodes, in the store that has no others
	sameUser     = "same"     // the same in the large store
	anyUser      = "any"      // a random one of the large store, of 10,000 nodes too
	hubUserNamed = "with hub" // the one with a large share of the store
)

// measure measures contexts, searches and the neighbors of the user, in turns.
func (r *scaleRun) measure(b *testing.B, nodes int) {
	b.Helper()
	if slices.ContainsFunc(r.points, func(p scalePoint) bool { return p.Nodes == nodes }) {
		return
	}
	const warm, rounds = 100, 200                                          // plans, JIT
	said, random := newSpeech(5), rand.New(rand.NewPCG(11, uint64(nodes))) //nolint:gosec // a choice of the benchmark
	took := map[string][]time.Duration{}
	for i := range warm + rounds {
		words := said.words(6)
		for _, whose := range []string{aloneUser, sameUser, anyUser, hubUserNamed} {
			store, p := r.large, pieceOf(0)
			switch whose {
			case aloneUser:
				store = r.small
			case anyUser:
				for p = pieceOf(random.IntN(nodes / pieceNodes)); p.team == hubTeam; {
					p = pieceOf(random.IntN(nodes / pieceNodes))
				}
			case hubUserNamed:
				if p = pieceOf(1); nodes < 2*pieceNodes {
					continue
				}
			}
			for what, call := range store.calls(b, p, words) {
				if d := measureCall(b, call); i >= warm {
					took[what+" "+whose] = append(took[what+" "+whose], d)
				}
			}
		}
	}
	point := scalePoint{nodes, map[string][2]float64{}}
	for what, times := range took {
		point.Times[what] = [2]float64{milliseconds(percentile(times, 50)), milliseconds(percentile(times, 99))}
	}
	r.record(b, scaleLine{Point: &point})
	r.points = append(r.points, point)
	r.draw(b)
}

// calls returns what is measured of the user of a piece.
func (s *scaleStore) calls(b *testing.B, p scalePiece, words string) map[string]func() error {
	b.Helper()
	w, scope := s.of(b, p.team), graph.Scope{TeamID: p.team, UserID: p.user}
	answer := func(path, body string, least int) error {
		if a := w.post(b, path, "application/json", strings.NewReader(body)); len(a) < least {
			return fmt.Errorf("%s of %s: %s", path, p.user, a)
		}
		return nil
	}
	return map[string]func() error{
		"context": func() error {
			a, err := s.contexts.Context(b.Context(), loader.Request{Scope: scope}, nil)
			if err == nil && len(a.Head)+len(a.Tail) < 5000 {
				err = fmt.Errorf("the context of %s is not full", p.user)
			}
			return err
		},
		"explore": func() error {
			return answer("/v1/explore", fmt.Sprintf(`{"user_id":%q,"queries":[{"query":%q}]}`, p.user, words), 1000)
		},
		"neighbors": func() error {
			return answer("/v1/traverse", fmt.Sprintf(`{"user_id":%q,"mode":"neighbors","entity_key":%q}`, p.user, p.owner()), 1000)
		},
	}
}

// operate measures what an operator does with the large store.
func (r *scaleRun) operate(b *testing.B, nodes int) {
	b.Helper()
	if slices.ContainsFunc(r.operations, func(o scaleOperation) bool { return o.Nodes == nodes && o.Name == lastOperation }) {
		return
	}
	r.operations = slices.DeleteFunc(r.operations, func(o scaleOperation) bool { return o.Nodes == nodes }) // of a run that was interrupted here
	done := func(o scaleOperation) {
		o.Nodes = nodes
		r.record(b, scaleLine{Operation: &o})
		r.operations = append(r.operations, o)
	}
	before := r.large.count(b)
	done(scaleOperation{Name: "stop", Seconds: r.large.stop(b).Seconds()})
	kept := filepath.Join(r.dir, "backup")
	if err := os.RemoveAll(kept); err != nil {
		b.Fatal(err)
	}
	took := measureCall(b, func() error { return exec.Command("cp", "-a", r.large.dir, kept).Run() }) //nolint:gosec // a folder of the benchmark
	done(scaleOperation{Name: "backup: cp -a", Seconds: took.Seconds(), MB: folderMB(b, filepath.Join(kept, "data"))})
	restored := newScaleStore(b, r.binary, kept)
	done(scaleOperation{Name: "start of the backup", Seconds: restored.start(b).Seconds(), Note: r.firstContexts(b, restored)})
	if after := restored.count(b); after != before {
		b.Fatalf("the backup has %v nodes and relationships, not %v", after, before)
	}
	restored.stop(b)
	if err := os.RemoveAll(kept); err != nil {
		b.Fatal(err)
	}
	done(scaleOperation{Name: "restart", Seconds: r.large.start(b).Seconds(), Note: r.firstContexts(b, r.large)})

	check := exec.Command(r.binary, "check") //nolint:gosec // built above
	check.Env = append(os.Environ(), r.large.environ...)
	var found bytes.Buffer
	check.Stdout, check.Stderr = &found, r.large.log
	took = measureTime(func() { _ = check.Run() }) // findings are in its output
	usage, _ := check.ProcessState.SysUsage().(*syscall.Rusage)
	lines := strings.Split(strings.TrimSpace(found.String()), "\n")
	done(scaleOperation{Name: "kith check", Seconds: took.Seconds(), PeakMB: float64(usage.Maxrss) / 1024, Note: lines[len(lines)-1]})

	r.large.stop(b)
	begun := time.Now()
	r.large.start(b, "KITH_MAINTENANCE=1h")
	for len(r.large.bare.run(b, "MATCH (l:Lease {name: 'maintenance'}) WHERE l.due_at > datetime() + duration('PT50M') RETURN l.due_at", nil)) == 0 {
		time.Sleep(time.Second)
	}
	pid := r.large.command.Process.Pid
	done(scaleOperation{Name: "start, and a pass of the maintenance", Seconds: time.Since(begun).Seconds(), PeakMB: residentMB(b, pid, "VmHWM")})

	resetPeak(b, pid)
	w := r.large.of(b, hubTeam)
	took = measureTime(func() { w.export(b) })
	done(scaleOperation{Name: lastOperation, Seconds: took.Seconds(), PeakMB: residentMB(b, pid, "VmHWM")})
}

const lastOperation = "export of the hub's team"

// firstContexts returns how long the first contexts after a start take.
func (r *scaleRun) firstContexts(b *testing.B, s *scaleStore) string {
	b.Helper()
	var all []string
	for whose, p := range map[string]scalePiece{sameUser: pieceOf(0), hubUserNamed: pieceOf(1)} {
		of := &server{url: s.url, key: s.of(b, p.team).key, client: s.client}
		took := measureTime(func() { of.get(b, "/v1/context?user_id="+p.user) })
		all = append(all, fmt.Sprintf("first context %s %.0f ms", whose, milliseconds(took)))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// report prints the results as a table, and reports what has a target.
func (r *scaleRun) report(b *testing.B, nodes int) {
	b.Helper()
	var table strings.Builder
	out := bufio.NewWriter(&table)
	for _, p := range r.points {
		for _, what := range slices.Sorted(maps.Keys(p.Times)) {
			_, _ = fmt.Fprintf(out, "%10d nodes  %-20s p50 %8.1f ms  p99 %8.1f ms\n", p.Nodes, what, p.Times[what][0], p.Times[what][1])
		}
	}
	for _, o := range r.operations {
		_, _ = fmt.Fprintf(out, "%10d nodes  %-36s %7.1f s %8.0f MB, kith at most %.0f MB  %s\n", o.Nodes, o.Name, o.Seconds, o.MB, o.PeakMB, o.Note)
	}
	_ = out.Flush()
	b.Logf("\n%s", table.String())
	last := r.points[slices.IndexFunc(r.points, func(p scalePoint) bool { return p.Nodes == nodes })].Times
	for _, what := range []string{"context", "explore"} {
		for _, whose := range []string{sameUser, anyUser, hubUserNamed} {
			b.ReportMetric(last[what+" "+whose][0]/last[what+" "+aloneUser][0], strings.ReplaceAll(what+"-p50-"+whose+"÷"+aloneUser, " ", "-"))
		}
	}
	for _, kind := range []string{userPiece, hubPiece} {
		if first, last := r.tenths(kind, func(p pieceResult) float64 { return p.Rate }); first > 0 {
			b.ReportMetric(last, "items/s/"+kind)
			b.ReportMetric(last/first, "rate-last÷first/"+kind)
		}
		if first, last := r.tenths(kind, func(p pieceResult) float64 { return p.CPU }); first > 0 {
			b.ReportMetric(last/first, "cpu-last÷first/"+kind)
		}
	}
	peak := 0.0
	for _, p := range r.pieces {
		peak = max(peak, p.PeakMB)
	}
	for _, o := range r.operations {
		peak = max(peak, o.PeakMB)
	}
	b.ReportMetric(peak, "kith-peak-MB")
	b.ReportMetric(r.pieces[len(r.pieces)-1].DiskMB, "disk-MB")
	r.draw(b)
}

// tenths returns the medians of the first and the last tenth of the pieces of a kind. The first two do not count: Java compiles.
func (r *scaleRun) tenths(kind string, of func(pieceResult) float64) (first, last float64) {
	var all []float64
	for _, p := range r.pieces[min(2, len(r.pieces)):] {
		if p.Kind == kind && p.Rate > 0 {
			all = append(all, of(p))
		}
	}
	tenth := (len(all) + 9) / 10
	if tenth == 0 {
		return 0, 0
	}
	return median(all[:tenth]), median(all[len(all)-tenth:])
}

// count returns the numbers of nodes of memories and of all relationships: a start makes other nodes.
func (s *scaleStore) count(b *testing.B) [2]any {
	b.Helper()
	return [2]any{s.bare.run(b, "MATCH (n:Memory) RETURN count(n)", nil)[0][0], s.bare.run(b, "MATCH ()-[r]->() RETURN count(r)", nil)[0][0]}
}
