package llm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"kith/text/clip"
)

// StaticEmbedder computes vectors in the process, from a static embedding model. Each token has its own vector, and a
// text has their mean, weighted if the model has weights. It needs no network and some microseconds a text. It reads
// only the beginning of a long text: as many tokens as the model's configuration says.
type StaticEmbedder struct {
	tokenizer  *wordPiece
	vectors    []float32 // row by row
	dimensions int
	rows       []int64   // of the tokens; nil: the id of a token is its row
	weights    []float32 // of the tokens; nil: all equal
	maxLength  int       // in tokens; 0: no limit
	model      string
}

const (
	defaultMaxLength = 512       // if config.json has none
	maxJSON          = 256 << 20 // bytes of tokenizer.json or config.json
)

// OpenStaticEmbedder loads a folder in the format of model2vec: model.safetensors, tokenizer.json and config.json.
// The name of the model is a hash of these files. It is the same wherever they are, and another one after a change.
func OpenStaticEmbedder(folder string) (*StaticEmbedder, error) {
	e, err := openStatic(folder)
	if err != nil {
		return nil, fmt.Errorf("load the embedding model: %w", err)
	}
	return e, nil
}

func openStatic(folder string) (*StaticEmbedder, error) {
	hash := sha256.New()
	e := &StaticEmbedder{maxLength: defaultMaxLength}
	steps := []struct {
		name string
		read func(file *os.File, size int64) error
	}{
		{"config.json", e.readConfig}, {"tokenizer.json", e.readTokenizer}, {"model.safetensors", e.readVectors},
	}
	for _, step := range steps {
		if err := readFile(filepath.Join(folder, step.name), step.read, hash); err != nil {
			return nil, fmt.Errorf("%s: %w", step.name, err)
		}
	}
	if err := e.check(); err != nil {
		return nil, err
	}
	e.model = "model2vec:" + hex.EncodeToString(hash.Sum(nil)[:8])
	return e, nil
}

func readFile(path string, read func(file *os.File, size int64) error, hash io.Writer) error {
	file, err := os.Open(path)
	if err != nil {
		return withoutPath(err)
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return withoutPath(err)
	}
	if err := read(file, info.Size()); err != nil {
		return err
	}
	// The length precedes the bytes, so no two sets of files have the same input.
	_, _ = fmt.Fprintf(hash, "%d ", info.Size())
	_, err = io.Copy(hash, io.NewSectionReader(file, 0, info.Size()))
	return withoutPath(err)
}

// withoutPath returns a file error without its path, which the caller adds.
func withoutPath(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

func (e *StaticEmbedder) readConfig(file *os.File, size int64) error {
	text, err := readJSON(file, size)
	if err != nil {
		return err
	}
	var config map[string]json.RawMessage
	if err := json.Unmarshal(text, &config); err != nil {
		return errors.New("must be a JSON object")
	}
	raw, ok := config["max_length"]
	if !ok {
		return nil
	}
	var length *int // null: no limit
	if err := json.Unmarshal(raw, &length); err != nil || length != nil && *length < 1 {
		return errors.New("max_length must be a positive number")
	}
	e.maxLength = 0
	if length != nil {
		e.maxLength = min(*length, maxTokens) // so that multiplying it does not overflow
	}
	return nil
}

func (e *StaticEmbedder) readTokenizer(file *os.File, size int64) error {
	text, err := readJSON(file, size)
	if err != nil {
		return err
	}
	e.tokenizer, err = newWordPiece(text)
	return err
}

func readJSON(file *os.File, size int64) ([]byte, error) {
	if size > maxJSON {
		return nil, errors.New("it is too large")
	}
	text, err := io.ReadAll(io.NewSectionReader(file, 0, size))
	return text, withoutPath(err)
}

func (e *StaticEmbedder) readVectors(file *os.File, size int64) error {
	t, err := openTensors(file, size)
	if err != nil {
		return err
	}
	vectors, shape, err := t.floats("embeddings", 2)
	if err != nil {
		return err
	}
	e.vectors, e.dimensions = vectors, shape[1]
	if t.has("weights") {
		if e.weights, _, err = t.floats("weights", 1); err != nil {
			return err
		}
	}
	if t.has("mapping") {
		if e.rows, err = t.integers("mapping"); err != nil {
			return err
		}
	}
	return nil
}

// check returns an error unless every token of the tokenizer has a vector, and a weight if there are weights.
func (e *StaticEmbedder) check() error {
	rows, tokens := len(e.vectors)/e.dimensions, e.tokenizer.highest+1
	switch {
	case e.rows == nil && rows != e.tokenizer.count, e.rows == nil && rows < tokens:
		return errors.New("model.safetensors and tokenizer.json differ in their number of tokens")
	case e.rows != nil && len(e.rows) < tokens:
		return errors.New("model.safetensors: the mapping has fewer tokens than tokenizer.json")
	case e.weights != nil && len(e.weights) < tokens:
		return errors.New("model.safetensors: there are fewer weights than tokens in tokenizer.json")
	}
	for _, row := range e.rows {
		if row < 0 || row >= int64(rows) {
			return errors.New("model.safetensors: the mapping names an unknown vector")
		}
	}
	return nil
}

// Model returns "model2vec:" and a hash of the model's files.
func (e *StaticEmbedder) Model() string { return e.model }

// Dimensions returns how many numbers a vector has.
func (e *StaticEmbedder) Dimensions() int { return e.dimensions }

// Embed computes the vectors one after the other; it returns no error but ctx's.
func (e *StaticEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	var ids []int32
	for i, text := range texts {
		if err := contextError(ctx); err != nil {
			return nil, fmt.Errorf("embed: %w", err)
		}
		ids = e.tokens(ids[:0], text)
		if vector := e.sumVectors(ids); normalize(vector) {
			vectors[i] = vector
		}
	}
	return vectors, nil
}

// tokens returns the ids of the tokens that model2vec uses: it first cuts the text by characters, then the tokens,
// and drops the unknown ones last.
func (e *StaticEmbedder) tokens(ids []int32, text string) []int32 {
	if e.maxLength > 0 {
		text, _ = clip.Runes(text, e.maxLength*e.tokenizer.median)
	}
	ids = e.tokenizer.tokens(ids, text)
	if e.maxLength > 0 && len(ids) > e.maxLength {
		ids = ids[:e.maxLength]
	}
	known := ids[:0]
	for _, id := range ids {
		if id != e.tokenizer.unknown {
			known = append(known, id)
		}
	}
	return known
}

// sumVectors returns the weighted sum of the tokens' vectors, which has the direction of the mean.
func (e *StaticEmbedder) sumVectors(ids []int32) []float32 {
	sum := make([]float32, e.dimensions)
	for _, id := range ids {
		row, weight := int64(id), float32(1)
		if e.rows != nil {
			row = e.rows[id]
		}
		if e.weights != nil {
			weight = e.weights[id]
		}
		for i, x := range e.vectors[row*int64(e.dimensions):][:e.dimensions] {
			sum[i] += weight * x
		}
	}
	return sum
}
