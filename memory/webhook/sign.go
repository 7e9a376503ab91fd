package webhook

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"time"
)

const (
	secretPrefix = "whsec_"
	secretBytes  = 32
)

// newSecret returns a random secret in the form of the Standard Webhooks specification.
func newSecret() string {
	key := make([]byte, secretBytes)
	_, _ = rand.Read(key) // never fails
	return secretPrefix + base64.StdEncoding.EncodeToString(key)
}

// signatures returns the header with the signature of a delivery for each secret.
func signatures(secrets []string, id string, at time.Time, body []byte) string {
	all := make([]string, len(secrets))
	for i, secret := range secrets {
		all[i] = "v1," + signature(secret, id, at, body)
	}
	return strings.Join(all, " ")
}

func signature(secret, id string, at time.Time, body []byte) string {
	key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix)) // as newSecret made it
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + strconv.FormatInt(at.Unix(), 10) + "."))
	mac.Write(body)
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
