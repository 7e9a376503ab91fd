package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"kith/tests/testenv"
)

// startIssuer starts an OpenID Connect issuer. token creates one of its tokens.
func startIssuer(t *testing.T) (address string, token func(claims map[string]any) string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/.well-known/") {
			_ = json.NewEncoder(w).Encode(map[string]string{"issuer": server.URL, "jwks_uri": server.URL + "/keys"})
			return
		}
		_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "k"}}})
	}))
	t.Cleanup(server.Close)
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: key}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return server.URL, func(claims map[string]any) string {
		claims["iss"], claims["aud"], claims["exp"] = server.URL, "kith", time.Now().Add(time.Hour).Unix()
		raw, _ := json.Marshal(claims)
		signed, err := signer.Sign(raw)
		if err != nil {
			t.Fatal(err)
		}
		compact, err := signed.CompactSerialize()
		if err != nil {
			t.Fatal(err)
		}
		return compact
	}
}

func TestTokensOfAnIssuer(t *testing.T) {
	t.Parallel()
	address, token := startIssuer(t)
	s := start(t, append(settings(testenv.Neo4j(t), testenv.Redis(t)), "KITH_OIDC_ISSUER="+address, "KITH_OIDC_AUDIENCE=kith"))
	team := testenv.Team(t)
	ada := token(map[string]any{"sub": "ada", "team_id": team, "scope": "openid read write"})
	s.as(ada).must(t, http.MethodPost, "/v1/memory", `{"nodes":[{"kind":"concept","entity_key":"c","name":"hers"}]}`)
	if got := s.as(ada).must(t, http.MethodGet, "/v1/nodes/concept/c", ""); got["user_id"] != "ada" {
		t.Errorf("whose: %v", got)
	}
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + ada[strings.Index(ada, "."):strings.LastIndex(ada, ".")] + "."
	for what, one := range map[string]struct {
		token, path string
		status      int
	}{
		"for another user":   {ada, "/v1/context?user_id=bo", 403},
		"of another user":    {token(map[string]any{"sub": "bo", "team_id": team, "scope": "read"}), "/v1/nodes/concept/c", 404},
		"of another team":    {token(map[string]any{"sub": "ada", "team_id": team + "-2", "scope": "read"}), "/v1/nodes/concept/c", 404},
		"without scopes":     {token(map[string]any{"sub": "ada", "team_id": team}), "/v1/nodes/concept/c", 403},
		"without a team":     {token(map[string]any{"sub": "ada", "scope": "read"}), "/v1/nodes/concept/c", 401},
		"not signed":         {none, "/v1/nodes/concept/c", 401},
		"bound, and admin":   {token(map[string]any{"sub": "ada", "team_id": "default", "scope": "admin"}), "/v1/keys", 403},
		"an API key as ever": {bootstrapKey, "/v1/keys", 200},
	} {
		r := s.as(one.token).do(t, http.MethodGet, one.path, "")
		if r.status != one.status || (r.status == 401) != strings.Contains(r.header.Get("WWW-Authenticate"), "Bearer") {
			t.Errorf("%s: %d %v %s", what, r.status, r.header, r.body)
		}
	}
	for part := range strings.SplitSeq(ada, ".") {
		if strings.Contains(s.err.String(), part) {
			t.Error("the log holds a token")
		}
	}
}
