package llm

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// golden holds the answers of Python's model2vec for the model in that folder.
func golden(t testing.TB, folder string) (texts []string, vectors [][]float32) {
	t.Helper()
	var file []struct {
		Text   string    `json:"text"`
		Vector []float32 `json:"vector"`
	}
	text, err := os.ReadFile(filepath.Join(folder, "golden.json"))
	if err == nil {
		err = json.Unmarshal(text, &file)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range file {
		texts, vectors = append(texts, one.Text), append(vectors, one.Vector)
	}
	return texts, vectors
}

func openFolder(t testing.TB, folder string) *StaticEmbedder {
	t.Helper()
	e, err := OpenStaticEmbedder(folder)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// same fails if a vector differs from the wanted one by more than tolerance; a wanted one of zeros stands for nil.
func same(t testing.TB, texts []string, got, want [][]float32, far float64) {
	t.Helper()
	if len(got) != len(texts) {
		t.Fatalf("%d vectors for %d texts", len(got), len(texts))
	}
	for i, vector := range got {
		var length float64
		for _, x := range want[i] {
			length += float64(x) * float64(x)
		}
		if (length == 0) != (vector == nil) {
			t.Errorf("%.40q: got %v, want %v", texts[i], vector, want[i])
		}
		for k := range vector {
			if len(vector) != len(want[i]) || math.Abs(float64(vector[k]-want[i][k])) > far {
				t.Errorf("%.40q:\n got %v\nwant %v", texts[i], vector, want[i])
				break
			}
		}
	}
}

func TestStaticAsPython(t *testing.T) {
	t.Parallel()
	models := map[string]bool{}
	for _, name := range []string{"plain", "mapped", "half", "whole", "odd"} {
		folder := filepath.Join("testdata", name)
		e := openFolder(t, folder)
		texts, want := golden(t, folder)
		got, err := e.Embed(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		same(t, texts, got, want, 1e-5)
		if e.Dimensions() != 8 || models[e.Model()] {
			t.Errorf("%s: %d dimensions, model %s", name, e.Dimensions(), e.Model())
		}
		models[e.Model()] = true
	}
}

// copyModel copies a test model with some files changed, and returns the folder of the copy.
func copyModel(t testing.TB, name string, files map[string]func(string) string) string {
	t.Helper()
	folder := t.TempDir()
	for _, file := range []string{"config.json", "tokenizer.json", "model.safetensors"} {
		text, err := os.ReadFile(filepath.Join("testdata", name, file))
		if err != nil {
			t.Fatal(err)
		}
		if f := files[file]; f != nil {
			text = []byte(f(string(text)))
		}
		if err := os.WriteFile(filepath.Join(folder, file), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func replace(old, with string) func(string) string {
	return func(text string) string {
		changed := strings.Replace(text, old, with, 1)
		if changed == text {
			panic("nothing to replace: " + old)
		}
		return changed
	}
}

func TestStaticModelName(t *testing.T) {
	t.Parallel()
	plain := openFolder(t, "testdata/plain").Model()
	if copied := openFolder(t, copyModel(t, "plain", nil)).Model(); copied != plain {
		t.Errorf("a copy is %s, the model %s", copied, plain)
	}
	other := copyModel(t, "plain", map[string]func(string) string{"config.json": replace("512", "511")})
	if other := openFolder(t, other).Model(); other == plain {
		t.Errorf("a changed model has the same name")
	}
}

func TestStaticLength(t *testing.T) {
	t.Parallel()
	for config, cut := range map[string]bool{`{}`: true, `{"max_length": 600}`: true, `{"max_length": null}`: false, `{"max_length": 1000000000000}`: false} {
		e := openFolder(t, copyModel(t, "plain", map[string]func(string) string{"config.json": func(string) string { return config }}))
		vectors, err := e.Embed(t.Context(), []string{strings.Repeat("boat ", 600) + "rain", strings.Repeat("boat ", 600)})
		if err != nil {
			t.Fatal(err)
		}
		if (fmt.Sprint(vectors[0]) == fmt.Sprint(vectors[1])) != cut {
			t.Errorf("%s: the last token counts, or does not", config)
		}
	}
}

func TestStaticRefuses(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		model, file, want string
		change            func(string) string
	}{
		"other model":         {"plain", "tokenizer.json", `its model is "Unigram"; only WordPiece can be read`, replace(`"WordPiece"`, `"Unigram"`)},
		"vocabulary as list":  {"plain", "tokenizer.json", "not of the expected form", func(string) string { return strings.Replace(tokenizerJSON, `{"[UNK]":0}`, `[["a",1]]`, 1) }},
		"other pre-tokenizer": {"plain", "tokenizer.json", "its pre-tokenizer", replace(`"BertPreTokenizer"`, `"Metaspace"`)},
		"no pre-tokenizer":    {"plain", "tokenizer.json", "its pre-tokenizer", replace(`{"type":"BertPreTokenizer"}`, `null`)},
		"other normalizer":    {"plain", "tokenizer.json", "its normalizer", replace(`"BertNormalizer"`, `"Precompiled"`)},
		"no unknown token":    {"plain", "tokenizer.json", "its unknown token", replace(`"unk_token":"[UNK]"`, `"unk_token":"<unk>"`)},
		"negative id":         {"plain", "tokenizer.json", "out of range", replace(`"boat":`, `"boat":-`)},
		"large id":            {"plain", "tokenizer.json", "out of range", replace(`"boat":`, `"boat":99999999`)},
		"id without a vector": {"plain", "tokenizer.json", "number of tokens", replace(`"boat":`, `"boat":9`)},
		"token too many":      {"plain", "tokenizer.json", "number of tokens", replace(`"boat":`, `"ship":1,"boat":`)},
		"id of an added one":  {"plain", "tokenizer.json", "another id", replace(`"id":1`, `"id":2`)},
		"tokenizer not JSON":  {"plain", "tokenizer.json", "tokenizer.json: it is not of the expected form", func(string) string { return "{" }},
		"config not JSON":     {"plain", "config.json", "config.json: must be a JSON object", func(string) string { return "[]" }},
		"length 0":            {"plain", "config.json", "max_length", replace("512", "0")},
		"length as text":      {"plain", "config.json", "max_length", replace("512", `"512"`)},
		"empty":               {"plain", "model.safetensors", "it has no header", func(string) string { return "" }},
		"long header":         {"plain", "model.safetensors", "its header is longer", func(s string) string { return "\xff\xff\xff\xff\xff\xff\xff\x7f" + s[8:] }},
		"header not JSON":     {"plain", "model.safetensors", "its header is not JSON", replace("{", "[")},
		"header of others":    {"plain", "model.safetensors", "does not describe tensors", replace(`"F32"`, `12345`)},
		"no embeddings":       {"plain", "model.safetensors", "embeddings is missing", replace("embeddings", "embeddingz")},
		"unknown type":        {"plain", "model.safetensors", "its shape and its length differ", replace("F32", "X32")},
		"whole numbers":       {"plain", "model.safetensors", "unknown type of numbers", replace("F32", "I32")},
		"shape of one":        {"plain", "model.safetensors", "must have 2 dimensions", replace(",8]", "]  ")},
		"shape too large":     {"plain", "model.safetensors", "its shape and its length differ", replace(",8]", ",9]")},
		"shape of nothing":    {"plain", "model.safetensors", "its shape and its length differ", replace(",8]", ",0]")},
		"cut off":             {"plain", "model.safetensors", "is not in the file", func(s string) string { return s[:len(s)-1] }},
		"not finite":          {"plain", "model.safetensors", "not all of its numbers are finite", func(s string) string { return s[:len(s)-4] + "\x00\x00\xc0\x7f" }},
		"infinite half":       {"half", "model.safetensors", "not all of its numbers are finite", func(s string) string { return s[:len(s)-2] + "\x00\x7c" }},
		"mapping to nowhere":  {"mapped", "model.safetensors", "an unknown vector", mapToNowhere},
		"mapping of numbers":  {"mapped", "model.safetensors", "its numbers are not whole", replace(`"I32"`, `"F32"`)},
		"no mapping":          {"mapped", "model.safetensors", "number of tokens", replace(`"mapping"`, `"mappinX"`)},
		"short mapping":       {"mapped", "tokenizer.json", "the mapping has fewer tokens", replace(`"boat":`, `"ship":200,"boat":`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := OpenStaticEmbedder(copyModel(t, one.model, map[string]func(string) string{one.file: one.change}))
			if err == nil || !strings.Contains(err.Error(), one.want) || strings.Contains(err.Error(), os.TempDir()) {
				t.Errorf("got %v, want one with %q", err, one.want)
			}
		})
	}
	if _, err := OpenStaticEmbedder(t.TempDir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an empty folder: %v", err)
	}
}

const tokenizerJSON = `{"pre_tokenizer":{"type":"BertPreTokenizer"},"model":{"type":"WordPiece","unk_token":"[UNK]","vocab":{"[UNK]":0}}}`

// mapToNowhere changes the first number of the mapping, which is a tensor of the file.
func mapToNowhere(file string) string {
	length := binary.LittleEndian.Uint64([]byte(file))
	var header map[string]tensor
	if err := json.Unmarshal([]byte(file[8:8+length]), &header); err != nil {
		panic(err)
	}
	at := 8 + int64(length) + header["mapping"].Offsets[0]
	return file[:at] + "\xff\xff\xff\x00" + file[at+4:]
}

func TestStaticCancelled(t *testing.T) {
	t.Parallel()
	e := openFolder(t, "testdata/plain")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	for want, ctx := range map[error]context.Context{context.Canceled: gone, ErrUnavailable: late} {
		if vectors, err := e.Embed(ctx, []string{"boat"}); !errors.Is(err, want) || vectors != nil {
			t.Errorf("got %v, %v; want %v", vectors, err, want)
		}
	}
	if vectors, err := e.Embed(t.Context(), nil); err != nil || len(vectors) != 0 {
		t.Errorf("no texts: %v, %v", vectors, err)
	}
}

func TestStaticConcurrent(t *testing.T) {
	t.Parallel()
	e := openFolder(t, "testdata/mapped")
	texts, want := golden(t, "testdata/mapped")
	var running sync.WaitGroup
	for range 8 {
		running.Go(func() {
			for range 20 {
				got, err := e.Embed(t.Context(), texts)
				if err != nil {
					t.Error(err)
					return
				}
				same(t, texts, got, want, 1e-5)
			}
		})
	}
	running.Wait()
}

// writeModel writes a model with the given dimensions, as large as real ones, and returns its folder.
func writeModel(tb testing.TB, words, dimensions int) (folder string, vocabulary []string) {
	tb.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	ids := map[string]int{"[UNK]": 0}
	for len(ids) < words {
		word := make([]byte, 2+random.IntN(8))
		for i := range word {
			word[i] = 'a' + byte(random.IntN(26))
		}
		token := string(word)
		if _, ok := ids[token]; ok {
			continue
		}
		vocabulary = append(vocabulary, token)
		if len(ids)%5 == 0 {
			token = "##" + token
		}
		ids[token] = len(ids)
	}
	vocab, _ := json.Marshal(ids)
	tokenizer := `{"normalizer":{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,"lowercase":true},` +
		`"pre_tokenizer":{"type":"BertPreTokenizer"},"model":{"type":"WordPiece","unk_token":"[UNK]",` +
		`"continuing_subword_prefix":"##","max_input_chars_per_word":100,"vocab":` + string(vocab) + `}}`
	size := 4 * words * dimensions
	header := fmt.Sprintf(`{"embeddings":{"dtype":"F32","shape":[%d,%d],"data_offsets":[0,%d]}}`, words, dimensions, size)
	tensors := binary.LittleEndian.AppendUint64(make([]byte, 0, 8+len(header)+size), uint64(len(header)))
	tensors = append(tensors, header...)
	for range words * dimensions {
		tensors = binary.LittleEndian.AppendUint32(tensors, math.Float32bits(float32(random.NormFloat64())))
	}
	folder = tb.TempDir()
	for name, text := range map[string][]byte{"config.json": []byte("{}"), "tokenizer.json": []byte(tokenizer), "model.safetensors": tensors} {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	return folder, vocabulary
}

// BenchmarkStatic is messages of thirty words, of which some are two tokens, by a model of the usual size.
func BenchmarkStatic(b *testing.B) {
	folder, words := writeModel(b, 30_000, 256)
	e := openFolder(b, folder)
	random := rand.New(rand.NewPCG(3, 4))
	texts := make([]string, 64)
	for i := range texts {
		var message []string
		for n := range 30 {
			word := words[random.IntN(len(words))]
			if n%4 == 0 {
				word = strings.ToUpper(word[:1]) + word[1:] + words[random.IntN(len(words))]
			}
			message = append(message, word)
		}
		texts[i] = strings.Join(message, " ") + "."
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.Embed(b.Context(), texts); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*len(texts))/b.Elapsed().Seconds(), "texts/s")
}
