package tokens

import (
	"crypto/sha256"

	"github.com/maypok86/otter/v2"
)

// maxCounts is the most numbers that Counts keeps, of some 100 bytes each.
const maxCounts = 32_768

// Counts remembers the tokens of texts, as the lines of a user's contexts change little. It keeps a hash of each text and not
// the text. It is safe for concurrent use.
type Counts struct {
	known *otter.Cache[[16]byte, int]
}

// NewCounts returns a Counts that knows nothing.
func NewCounts() *Counts {
	return &Counts{otter.Must(&otter.Options[[16]byte, int]{MaximumSize: maxCounts})}
}

// Of returns Count for texts of an owner. What it counted for another owner takes as long as what it never counted: the time
// does not reveal who stores the same text.
func (c *Counts) Of(owner string) func(text string) (int, error) {
	return func(text string) (int, error) {
		sum := sha256.Sum256([]byte(owner + "\x00" + text))
		key := [16]byte(sum[:])
		if n, ok := c.known.GetIfPresent(key); ok {
			return n, nil
		}
		n, err := Count(text)
		if err == nil {
			c.known.Set(key, n)
		}
		return n, err
	}
}
