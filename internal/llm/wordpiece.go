package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// wordPiece splits texts into tokens like the tokenizers library with the same tokenizer.json, without special
// tokens. It reads files with the model WordPiece, BERT's pre-tokenizer, and BERT's normalizer or none.
type wordPiece struct {
	normalizer      *bertNormalizer
	raw, normalized addedTokens
	first, rest     map[string]int32 // a word's first piece, and further ones without their prefix
	longest         int              // piece, in bytes
	maxChars        int              // of a word: a longer one is unknown
	unknown         int32
	count           int // tokens
	highest         int // id
	median          int // characters of a token
}

// tokenizerFile is the part of a tokenizer.json that determines the tokens. Truncation, padding, post-processor and
// decoder do not.
type tokenizerFile struct {
	AddedTokens []addedToken `json:"added_tokens"`
	Normalizer  *struct {
		Type         string `json:"type"`
		CleanText    bool   `json:"clean_text"`
		ChineseChars bool   `json:"handle_chinese_chars"`
		StripAccents *bool  `json:"strip_accents"`
		Lowercase    bool   `json:"lowercase"`
	} `json:"normalizer"`
	PreTokenizer struct {
		Type string `json:"type"`
	} `json:"pre_tokenizer"`
	Model struct {
		Type     string          `json:"type"`
		Unknown  string          `json:"unk_token"`
		Prefix   string          `json:"continuing_subword_prefix"`
		MaxChars int             `json:"max_input_chars_per_word"`
		Vocab    json.RawMessage `json:"vocab"` // other models have another form
	} `json:"model"`
}

const maxTokens = 1 << 24 // ids stay far within 32 bits

func newWordPiece(text []byte) (*wordPiece, error) {
	var file tokenizerFile
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, errors.New("it is not of the expected form")
	}
	if file.Model.Type != "WordPiece" {
		return nil, fmt.Errorf("its model is %.40q; only WordPiece can be read", file.Model.Type)
	}
	if file.PreTokenizer.Type != "BertPreTokenizer" {
		return nil, fmt.Errorf("its pre-tokenizer is %.40q; only BertPreTokenizer can be read", file.PreTokenizer.Type)
	}
	w := &wordPiece{maxChars: file.Model.MaxChars}
	if n := file.Normalizer; n != nil {
		if n.Type != "BertNormalizer" {
			return nil, fmt.Errorf("its normalizer is %.40q; only BertNormalizer can be read", n.Type)
		}
		w.normalizer = &bertNormalizer{cleanText: n.CleanText, chineseChars: n.ChineseChars, stripAccents: n.Lowercase, lowercase: n.Lowercase}
		if n.StripAccents != nil {
			w.normalizer.stripAccents = *n.StripAccents
		}
	}
	if err := w.setVocabulary(&file); err != nil {
		return nil, err
	}
	return w, nil
}

func (w *wordPiece) setVocabulary(file *tokenizerFile) error {
	var vocabulary map[string]int64
	if err := json.Unmarshal(file.Model.Vocab, &vocabulary); err != nil {
		return errors.New("its vocabulary is not of the expected form")
	}
	unknown, ok := vocabulary[file.Model.Unknown]
	if !ok {
		return errors.New("its unknown token is not in its vocabulary")
	}
	w.unknown = int32(unknown)
	w.first, w.rest = make(map[string]int32, len(vocabulary)), map[string]int32{}
	for token, id := range vocabulary {
		if id < 0 || id >= maxTokens {
			return errors.New("its vocabulary has an id out of range")
		}
		w.first[token] = int32(id)
		if rest, ok := strings.CutPrefix(token, file.Model.Prefix); ok {
			w.rest[rest] = int32(id)
		}
		w.longest = max(w.longest, len(token))
	}
	for _, token := range file.AddedTokens {
		id, ok := vocabulary[token.Content]
		if ok && id != token.ID || token.ID < 0 || token.ID >= maxTokens {
			return errors.New("an added token has another id than its vocabulary says, or one out of range")
		}
		vocabulary[token.Content] = token.ID
		if token.Normalized {
			token.Content = w.normalizer.normalize(token.Content)
			w.normalized.add(token)
		} else {
			w.raw.add(token)
		}
	}
	w.measure(vocabulary)
	return nil
}

func (w *wordPiece) measure(vocabulary map[string]int64) {
	lengths := make([]int, 0, len(vocabulary))
	for token, id := range vocabulary {
		lengths = append(lengths, utf8.RuneCountInString(token))
		w.highest = max(w.highest, int(id))
	}
	slices.Sort(lengths)
	w.count = len(lengths)
	w.median = (lengths[(len(lengths)-1)/2] + lengths[len(lengths)/2]) / 2
}

// tokens appends the ids of the text's tokens to ids.
func (w *wordPiece) tokens(ids []int32, text string) []int32 {
	token := func(id int64) { ids = append(ids, int32(id)) }
	word := func(word string) { ids = w.word(ids, word) }
	w.raw.split(text, func(part string) {
		w.normalized.split(w.normalizer.normalize(part), func(part string) { eachWord(part, word) }, token)
	}, token)
	return ids
}

// word appends the tokens of a word, at every place the longest known piece. A word without one is a single unknown
// token.
func (w *wordPiece) word(ids []int32, word string) []int32 {
	before := len(ids)
	if len(word) > w.maxChars && utf8.RuneCountInString(word) > w.maxChars {
		return append(ids, w.unknown)
	}
	for pieces := w.first; word != ""; pieces = w.rest {
		id, length := w.piece(pieces, word)
		if length == 0 {
			return append(ids[:before], w.unknown)
		}
		ids, word = append(ids, id), word[length:]
	}
	return ids
}

func (w *wordPiece) piece(pieces map[string]int32, word string) (id int32, length int) {
	for end := min(len(word), w.longest); end > 0; end-- {
		if end < len(word) && !utf8.RuneStart(word[end]) {
			continue
		}
		if id, ok := pieces[word[:end]]; ok {
			return id, end
		}
	}
	return 0, 0
}
