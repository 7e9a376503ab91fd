package handlers

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"kith/access/auth"
)

// resourcePath is where clients look up who gives tokens for a resource (RFC 9728): below it is the path of the resource.
const resourcePath = "/.well-known/oauth-protected-resource"

// resourceMetadata says where clients that sign in get tokens for the tools.
type resourceMetadata struct {
	Resource             string   `json:"resource"`
	AuthorizationServers []string `json:"authorization_servers"`
	ScopesSupported      []string `json:"scopes_supported"`
	BearerMethods        []string `json:"bearer_methods_supported"`
	Name                 string   `json:"resource_name"`
}

// describeResource registers the metadata of the tools, where there is an issuer of tokens.
func (a *API) describeResource(engine *gin.Engine) {
	if a.options.Issuer == "" {
		return
	}
	for _, path := range []string{resourcePath, resourcePath + mcpPath} {
		engine.GET(path, func(c *gin.Context) {
			c.Header("Cache-Control", "no-store") // it repeats the host that the request names
			c.JSON(http.StatusOK, resourceMetadata{
				Resource: origin(c.Request) + mcpPath, AuthorizationServers: []string{a.options.Issuer},
				ScopesSupported: []string{auth.Read, auth.Write}, BearerMethods: []string{"header"}, Name: "Kith",
			})
		})
	}
}

// challenge is the WWW-Authenticate header of a 401.
func (a *API) challenge(r *http.Request) string {
	if a.options.Issuer == "" {
		return `Bearer realm="kith"`
	}
	return `Bearer realm="kith", resource_metadata="` + origin(r) + resourcePath + mcpPath + `"`
}

// origin is the address that a request was sent to, without its path.
func origin(r *http.Request) string {
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}
