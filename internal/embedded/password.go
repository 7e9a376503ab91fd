package embedded

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// firstPassword is the password of a new Neo4j database.
const firstPassword = "neo4j"

func readPassword(f folder) (string, error) {
	text, err := os.ReadFile(f.auth())
	if err != nil {
		return "", fmt.Errorf("read password: %w", err)
	}
	password := strings.TrimSpace(string(text))
	if password == "" {
		return "", fmt.Errorf("read password: %s is empty", f.auth())
	}
	return password, nil
}

// ensurePassword returns the password of the folder, and creates a missing one. It is on disk before the database gets
// it, so that a crash between the two loses nothing.
func ensurePassword(f folder) (string, error) {
	password, err := readPassword(f)
	if !errors.Is(err, fs.ErrNotExist) {
		return password, err
	}
	random := make([]byte, 32)
	_, _ = rand.Read(random) // never fails
	password = base64.RawURLEncoding.EncodeToString(random)
	if err := writeFile(f.auth(), []byte(password+"\n")); err != nil {
		return "", fmt.Errorf("write password: %w", err)
	}
	return password, nil
}
