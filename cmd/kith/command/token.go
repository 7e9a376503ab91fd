package command

import (
	"errors"
	"time"

	"kith/access/auth"
	"kith/handlers"
)

// signIn returns how users sign in on the page.
func (c *config) signIn() handlers.SignIn {
	return handlers.SignIn{ClientID: c.OIDCClientID, Scope: c.OIDCClientScope, Audience: c.OIDCAudience}
}

// openTokens opens the verifier of tokens of the configured issuer, nil if there is none.
func (c *config) openTokens() (*auth.Tokens, error) {
	if c.OIDCIssuer == "" && c.OIDCAudience != "" {
		return nil, errors.New("KITH_OIDC_AUDIENCE is set without KITH_OIDC_ISSUER")
	}
	if c.OIDCIssuer == "" && c.OIDCClientID != "" {
		return nil, errors.New("KITH_OIDC_CLIENT_ID is set without KITH_OIDC_ISSUER")
	}
	if c.OIDCIssuer == "" {
		return nil, nil
	}
	if c.OIDCUserClaim == "" {
		return nil, errors.New("KITH_OIDC_USER_CLAIM is empty: set it to a claim, or to - to let tokens act for every user of their team")
	}
	user := c.OIDCUserClaim
	if user == "-" { // an empty setting would mean the default
		user = ""
	}
	return auth.NewTokens(auth.TokenOptions{
		Issuer: c.OIDCIssuer, Audience: c.OIDCAudience, TeamClaim: c.OIDCTeamClaim, UserClaim: user, ScopesClaim: c.OIDCScopesClaim,
	}, time.Now)
}
